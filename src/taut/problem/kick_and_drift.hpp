// The drift of Verlet's method and of every map built on it, after an impulse along the constraints:
//
//     p ← p - Gᵀμ,   q ← q + h W p.
//
// kicked() and drifted() are the formula, for one coordinate or for a batch of coordinates. Every storage
// calls them: states of fixed and of dynamic size below, grouped Jacobians in
// particles/grouped_jacobian.hpp, and the kernels of rods. A `Number` is a T (plain sums) or a
// CompensatedSum<T>; T is a scalar or a batch. If W is diagonal with entry w, the drift of a coordinate is
//
//     p = kicked(p, dp);   q = drifted(q, hw * p);   // dp = -(Gᵀμ)ⱼ, hw = h * w
#pragma once

#include <taut/problem/state.hpp>

#include <type_traits>

namespace taut {

template <class Number>
inline constexpr bool is_compensated_sum = false;
template <class T>
inline constexpr bool is_compensated_sum<CompensatedSum<T>> = true;

// Gives p + dp if the impulse dp is known as a number.
template <class Number, class T>
Number kicked(const Number& p, const T& dp) {
  return p + dp;
}
// Gives p - Gᵀμ if the terms of the impulse are still to be summed: minus(t) gives t - Gᵀμ. Plain sums begin
// with p. A compensated sum takes the whole impulse at once, because every addition to it costs.
template <class Number, class Minus>
Number kicked_along(const Number& p, const Minus& minus) {
  if constexpr (is_compensated_sum<Number>)
    return kicked(p, minus(decltype(p.sum)(0)));
  else
    return minus(p);
}
// Gives q + h W p, from h W p. If sums are compensated, h W p is one, too: what p_low adds to it goes to
// q_low. Without this term the energy of pendulums at h = 2⁻⁵ moved by 8e-22 a step
// (tests/variants/rounding_has_no_bias.cpp).
template <class Number>
Number drifted(const Number& q, const Number& hWp) {
  return q + hWp;
}

// Room for h W p of all coordinates, with its low parts if sums are compensated. Short states do not need the
// caller's room, because they take a local one, which the compiler keeps in registers.
template <class X>
struct Displacement {
  using Vec = typename X::Vec;
  struct None {};
  Vec sum;
  [[no_unique_address]] std::conditional_t<compensated<X>, Vec, None> low;

  Displacement() = default;
  explicit Displacement(const Vec& like) : sum(like) {
    if constexpr (compensated<X>) low = like;
  }
  auto operator[](int i) const {
    if constexpr (compensated<X>)
      return CompensatedSum<typename X::Scalar>(sum[i], low[i]);
    else
      return sum[i];
  }
};

// Does x.p = from.p - Gᵀl. The states may be the same. `room` is a vector to work in.
template <class X, class Jacobian, class Row>
void kick_along(X& x, const X& from, const Jacobian& G, const Row& l, typename X::Vec& room) {
  if constexpr (compensated<X>) {
    set_zero(room);
    G.subtract_transpose(l, room);
    each_coordinate(room, [&](int i) { momenta(x).set(i, kicked(momenta(from)[i], room[i])); });
  } else if constexpr (X::Vec::SizeAtCompileTime != dynamic) {
    // A short p is formed apart from x, which for all the compiler knows may lie in the same place as G.
    typename X::Vec p = from.p;
    G.subtract_transpose(l, p);
    x.p = p;
  } else {
    if (&x != &from) by_segments([](auto&& to, const auto& p) { to = p; }, x.p, from.p);
    G.subtract_transpose(l, x.p);
  }
}
template <class X, class Jacobian, class Row>
void kick_along(X& x, const Jacobian& G, const Row& l, typename X::Vec& room) {
  kick_along(x, x, G, l, room);
}

// Does x.q = from.q + h W x.p. The states may be the same.
template <class X, class Mass>
void free_flight(X& x, const X& from, const Mass& W, const typename X::Scalar& h, Displacement<X>& room) {
  W.times(h, x.p, room.sum);
  if constexpr (compensated<X>) W.times(h, x.p_low, room.low);
  each_coordinate(room.sum, [&](int i) { positions(x).set(i, drifted(positions(from)[i], room[i])); });
}
template <class X, class Mass>
void free_flight(X& x, const Mass& W, const typename X::Scalar& h, Displacement<X>& room) {
  free_flight(x, x, W, h, room);
}

// Sets x to `from` after the impulse and the drift. Storages of G that know a faster way overload this
// function.
template <class X, class Jacobian, class Row, class Mass>
void kick_along_and_drift(X& x, const X& from, const Jacobian& G, const Row& l, const Mass& W,
                          const typename X::Scalar& h, Displacement<X>& room) {
  kick_along(x, from, G, l, room.sum);
  free_flight(x, from, W, h, room);
}

// Does d = -h W Gᵀl.
template <class Jacobian, class Row, class Mass, class T, class Vec>
void shift_of_impulse(const Jacobian& G, const Row& l, const Mass& W, const T& h, Vec& d) {
  Vec dp;
  set_zero(dp);
  G.subtract_transpose(l, dp);
  W.times(h, dp, d);
}

// Moves the state `from` by an impulse and the drift after it: the LandingMove of Verlet's method (see
// formulation/landing_move.hpp). The force has kicked `from` already; G is that of from.q.
template <class X, class Jacobian, class Mass>
struct KickAndDrift {
  using Vec = typename X::Vec;
  static constexpr bool is_short = Vec::SizeAtCompileTime != dynamic;
  // The low parts of a short state are made once, when the impulse is known.
  static constexpr bool look_moves = !(compensated<X> && is_short);

  KickAndDrift(X& to, const X& start, const Jacobian& at_start, const Mass& inverse_mass,
               const typename X::Scalar& step, Displacement<X>& work)
      : x(to), from(start), G(at_start), W(inverse_mass), h(step), room_(work) {}
  KickAndDrift(X&, const X&, const Jacobian&, const Mass&&, const typename X::Scalar&,
               Displacement<X>&) = delete;  // it would refer to a W that is gone

  X& x;
  const X& from;
  const Jacobian& G;
  const Mass& W;
  typename X::Scalar h;

  template <class Row>
  const Vec& operator()(const Row& l) {
    if constexpr (is_short)
      assign(x, moved(l));
    else
      kick_along_and_drift(x, from, G, l, W, h, room_);
    return x.q;
  }
  template <class Row>
  const Vec& look(const Row& l) {
    if constexpr (look_moves) {
      return (*this)(l);
    } else {
      ahead_ = moved(l).q;  // the compiler leaves out what nobody reads
      return ahead_;
    }
  }
  // Sets d to what q₁ moves by if the impulse grows by l.
  template <class Row>
  void shift(const Row& l, Vec& d) const {
    shift_of_impulse(G, l, W, h, d);
  }
  // Tells the matrix that R = h W Gᵀ.
  template <class P, class K>
  void respond(const P& s, K& matrix) const {
    matrix.right(s, from.q, from.p, G, h);
  }

 private:
  // A short state is formed apart from x, which for all the compiler knows may lie in the same place as G.
  template <class Row>
  X moved(const Row& l) const {
    X there;
    Displacement<X> local;
    kick_along_and_drift(there, from, G, l, W, h, local);
    return there;
  }

  struct None {};
  Displacement<X>& room_;
  [[no_unique_address]] std::conditional_t<look_moves, None, Vec> ahead_;
};

// Gives the state x after a kick of dp, in the buffer `kept`. A short state comes back as a value, for
// registers.
//
// The kick by the force is a sum of its own. If a force that is the same in every step were added to the
// impulse first, that addition would round it by the same amount each time: at h = 0.02 the energy of
// pendulums that swing above the horizontal moved by 9e-22 a step.
template <class X, class D>
decltype(auto) kicked_state(const X& x, const Eigen::MatrixBase<D>& dp, X& kept) {
  if constexpr (X::Vec::SizeAtCompileTime == dynamic) {
    assign(kept, x);
    kick(kept, dp);
    return (kept);
  } else {
    X kicked;
    assign(kicked, x);
    kick(kicked, dp);
    return kicked;
  }
}

}  // namespace taut
