// What a position solve asks of the map that it lands on g = 0: the end position q₁ as a function of the
// impulse μ.
#pragma once

#include <taut/problem/tiers.hpp>

#include <concepts>
#include <utility>

namespace taut {

// A move offers
//     move(mu)               moves the state of the step by the impulse μ and gives q₁
//     move.look(mu)          gives the same q₁ to the last bit, and need not move the state; iterations
//                            call it
//     M::look_moves          is true if look() moves the state as well: then the last look ends the solve,
//                            and otherwise the solve calls move(mu) once, at the end
//     move.respond(s, K)     writes R = -∂q₁/∂μ into K: calls K.right() with what the move knows of R
template <class M, class P>
concept LandingMove = requires(M& move, const typename P::Multiplier& mu) {
  { move(mu) } -> std::same_as<const typename P::Vec&>;
  { move.look(mu) } -> std::same_as<const typename P::Vec&>;
  { M::look_moves } -> std::convertible_to<bool>;
};

// An affine move also offers shift(by, d): if the impulse grows by `by`, q₁ moves by d. Then R = -∂q₁/∂μ
// holds at every μ, and the iteration is Newton's. For most other moves R is the value at the start of the
// step, and convergence is linear. An affine move without shift() still converges, but needs one or two more
// looks.
template <class M, class P>
concept AffineMove = LandingMove<M, P> && requires(M& move, const typename P::Multiplier& by,
                                                   typename P::Vec& d) { move.shift(by, d); };

// Any other move may know R at every μ. If is_newton() says so, renew(s, K) brings R to the μ of the last
// look, and the iteration is Newton's, too; is_exact() says whether that R leaves nothing out.
template <class M, class P, class K>
concept NewtonMove = requires(M& move, const P& s, K& matrix) {
  { move.is_newton() } -> std::same_as<bool>;
  { move.is_exact() } -> std::same_as<bool>;
  move.renew(s, matrix);
};

// A move that is made of two functions: end(mu) moves the state and gives q₁, write_response(K) calls
// K.right().
template <class End, class Respond>
struct MoveBy {
  static constexpr bool look_moves = true;
  End end;
  Respond write_response;

  template <class Multiplier>
  const auto& operator()(const Multiplier& mu) {
    return end(mu);
  }
  template <class Multiplier>
  const auto& look(const Multiplier& mu) {
    return end(mu);
  }
  template <class P, class K>
  void respond(const P&, K& matrix) {
    write_response(matrix);
  }
};
template <class End, class Respond>
MoveBy(End, Respond) -> MoveBy<End, Respond>;

// What such a move knows of R.
struct KnownResponse {
  bool newton = true;   // R is known at every μ
  bool changes = true;  // and is not the same at all of them
  bool exact = true;
};
template <class End, class Respond>
struct NewtonMoveBy : MoveBy<End, Respond> {
  KnownResponse known;
  NewtonMoveBy(End by, Respond respond, const KnownResponse& knows)
      : MoveBy<End, Respond>{std::move(by), std::move(respond)}, known(knows) {}
  bool is_newton() const { return known.newton; }
  bool is_exact() const { return known.exact; }
  template <class P, class K>
  void renew(const P&, K& matrix) {
    if (known.changes) this->write_response(matrix);
  }
};

// Makes the move with R = gain · H_pp(q, p) Gᵀ, for maps whose drift is that of the kinetic energy to leading
// order. The move refers to the arguments, so they must live until the solve has ended.
template <Hamiltonian P, class End>
auto move_with_gain(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                    const typename P::Jacobian& G, const typename P::Scalar& gain, End&& end) {
  return MoveBy{std::forward<End>(end),
                [&s, &q, &p, &G, gain](auto& matrix) { matrix.right(s, q, p, G, gain); }};
}

}  // namespace taut
