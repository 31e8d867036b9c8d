// What a method may ask of a problem, in tiers. A method asks for no more than it needs, and a problem
// gives what it has: a natural system is a Hamiltonian one by itself, through the functions H, H_q, H_p,
// H_pp_times below.
//
//   Constrained   sizes, g(q), G(q)
//   Natural       + V, grad_V, W:           H = ½ pᵀWp + V(q)
//   Split         + V = V_slow + V_fast:    for multiple time steps
//   Hamiltonian   Constrained + H, H_q, H_p, H_pp v
//   Castable      the same problem in another scalar type: second derivatives come from dual numbers
//
// Results are written to the last argument, so that a step of a dynamic-size problem need not allocate.
#pragma once

#include <taut/problem/jacobian.hpp>
#include <taut/problem/mass.hpp>
#include <taut/problem/state.hpp>
#include <taut/problem/tier.hpp>

#include <concepts>
#include <string>

namespace taut {

// The types every problem names; inherit it. n coordinates, m constraints, either may be `dynamic`.
template <class T, int n_, int m_, class Jacobian_ = DenseJacobian<T, m_, n_>>
struct Shape {
  using Scalar = T;
  static constexpr int n = n_, m = m_;
  using Vec = Vector<T, n>;         // q, p, forces
  using Multiplier = Vector<T, m>;  // λ, g
  using Jacobian = Jacobian_;
  using Point = taut::State<T, n>;
};

template <class P>
using StateOf = typename P::Point;

template <class P>
concept Constrained =
    requires(const P& s, const typename P::Vec& q, typename P::Multiplier& g, typename P::Jacobian& G) {
      { s.coordinates() } -> std::convertible_to<int>;  // n, also when it is known at compile time
      { s.constraints() } -> std::convertible_to<int>;  // m
      s.g(q, g);                                        // m constraints, g(q) = 0
      s.G(q, G);                                        // ∂g/∂q, full row rank on the manifold
      { s.make_jacobian() } -> std::convertible_to<typename P::Jacobian>;
    };

// Every g_k is a polynomial of second degree, and the problem knows its second part: g(q + d) = g(q) + G(q)
// d + bend(d).
template <class P>
concept Quadratic = Constrained<P> && requires(const P& s, const typename P::Vec& d,
                                               typename P::Multiplier& out) { s.bend(d, out); };

template <class P>
concept Natural = Constrained<P> && requires(const P& s, const typename P::Vec& q, typename P::Vec& out) {
  { s.V(q) } -> std::convertible_to<typename P::Scalar>;
  s.grad_V(q, out);
  s.W().times(q, out);  // constant; mass.hpp
  s.W().times(s.V(q), q, out);
};

template <class P>
concept Split = Natural<P> && requires(const P& s, const typename P::Vec& q, typename P::Vec& out) {
  { s.V_fast(q) } -> std::convertible_to<typename P::Scalar>;
  s.grad_V_fast(q, out);
  s.grad_V_slow(q, out);
};

template <class P>
concept OwnHamiltonian =
    Constrained<P> && requires(const P& s, const typename P::Vec& q, typename P::Vec& out) {
      { s.H(q, q) } -> std::convertible_to<typename P::Scalar>;
      s.H_q(q, q, out);
      s.H_p(q, q, out);
      s.H_pp_times(q, q, q, out);
    };

template <class P>
concept Hamiltonian = Natural<P> || OwnHamiltonian<P>;

template <class P>
concept Castable = requires(const P& s) { s.template cast<double>(); };

// A problem whose tier is data. It has the functions of every tier, and tier() says which of them may be
// called.
template <class P>
concept Graded = requires(const P& s) {
  { s.tier() } -> std::same_as<Tier>;
};

// True if H = ½ pᵀWp + V(q): known to the compiler, except for a problem whose tier is data.
template <class P>
constexpr bool is_natural(const P& s) {
  if constexpr (Graded<P>)
    return s.tier() != Tier::hamiltonian;
  else
    return Natural<P>;
}

// True if constraints that follow from others are to be solved with them.
template <class P>
constexpr bool is_redundant([[maybe_unused]] const P& s) {
  if constexpr (requires { s.least_squares(); })
    return s.least_squares();
  else
    return false;
}

// natural(s) if the problem is natural, otherwise own(s). Both take the problem as an `auto`, so that only
// what it has is compiled.
template <Hamiltonian P, class NaturalWay, class OwnWay>
constexpr decltype(auto) by_tier(const P& s, NaturalWay&& natural, OwnWay&& own) {
  if constexpr (!Natural<P>) {
    return own(s);
  } else {
    if constexpr (Graded<P>)
      if (!is_natural(s)) return own(s);
    return natural(s);
  }
}

// H(q, p) if v = H_p(q, p) is known already.
template <Hamiltonian P>
typename P::Scalar H_with_velocity(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                                   const typename P::Vec& v) {
  using T = typename P::Scalar;
  return by_tier(
      s, [&](const auto& natural) -> T { return p.dot(v) / 2 + natural.V(q); },
      [&](const auto& own) -> T { return own.H(q, p); });
}

template <Hamiltonian P>
typename P::Scalar H(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
  using T = typename P::Scalar;
  return by_tier(
      s,
      [&](const auto& natural) -> T {
        typename P::Vec v = p;
        natural.W().times(p, v);
        return p.dot(v) / 2 + natural.V(q);
      },
      [&](const auto& own) -> T { return own.H(q, p); });
}

template <Hamiltonian P>
void H_q(const P& s, const typename P::Vec& q, const typename P::Vec& p, typename P::Vec& out) {
  by_tier(
      s, [&](const auto& natural) { natural.grad_V(q, out); }, [&](const auto& own) { own.H_q(q, p, out); });
}

template <Hamiltonian P>
void H_p(const P& s, const typename P::Vec& q, const typename P::Vec& p, typename P::Vec& out) {
  by_tier(
      s, [&](const auto& natural) { natural.W().times(p, out); },
      [&](const auto& own) { own.H_p(q, p, out); });
}

template <Hamiltonian P>
void H_pp_times(const P& s, const typename P::Vec& q, const typename P::Vec& p, const typename P::Vec& v,
                typename P::Vec& out) {
  by_tier(
      s, [&](const auto& natural) { natural.W().times(v, out); },
      [&](const auto& own) { own.H_pp_times(q, p, v, out); });
}

// How messages call constraint k (from 0): the problem's own word, if it has one.
template <Constrained P>
std::string constraint_name(const P& s, int k) {
  if constexpr (requires { s.constraint_name(k); })
    return s.constraint_name(k);
  else
    return "constraint " + std::to_string(k + 1);
}

// Room to work in: a step of a fixed-size problem works in locals, which the compiler keeps in registers;
// one of a dynamic-size problem in buffers that outlive it, so that neither allocates.
template <class P>
inline constexpr bool fixed_size = P::n != dynamic && P::m != dynamic;

// auto&& name = room(problem, buffer): a fresh local of the buffer's type, or the buffer itself.
template <class P, class Buffer>
decltype(auto) room(const P& s, Buffer& kept) {
  if constexpr (!fixed_size<P>)
    return (kept);
  else if constexpr (std::is_default_constructible_v<Buffer>)
    return Buffer();
  else
    return Buffer(s);
}

template <Constrained P>
typename P::Vec zero_vector(const P& s) {
  return P::Vec::Zero(s.coordinates());
}
template <Constrained P>
typename P::Multiplier zero_multiplier(const P& s) {
  return P::Multiplier::Zero(s.constraints());
}

}  // namespace taut
