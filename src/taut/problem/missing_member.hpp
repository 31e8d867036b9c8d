// Names the member that a problem lacks, as an error of the compiler that reads as a sentence. The tiers
// themselves, and what each member is for, are in tiers.hpp.
#pragma once

#include <taut/problem/tiers.hpp>

namespace taut {

// What somebody asks of a problem.
struct Needs {
  bool V = false;      // V, grad_V and W; with H as well: one of the two sets
  bool H = false;      // H, H_q, H_p and H_pp_times
  bool split = false;  // V_fast, grad_V_fast and grad_V_slow
  bool cast = false;
};

template <class P>
concept NamesItsTypes = requires {
  typename P::Scalar;
  typename P::Vec;
  typename P::Multiplier;
  typename P::Jacobian;
  typename P::Point;
  P::n;
  P::m;
};

// One member each, as tiers.hpp asks for it.
namespace member {

template <class P>
concept Coordinates = requires(const P& s) {
  { s.coordinates() } -> std::convertible_to<int>;
};
template <class P>
concept Constraints = requires(const P& s) {
  { s.constraints() } -> std::convertible_to<int>;
};
template <class P>
concept MakeJacobian = requires(const P& s) {
  { s.make_jacobian() } -> std::convertible_to<typename P::Jacobian>;
};
template <class P>
concept ConstraintValues =
    requires(const P& s, const typename P::Vec& q, typename P::Multiplier& out) { s.g(q, out); };
template <class P>
concept ConstraintJacobian =
    requires(const P& s, const typename P::Vec& q, typename P::Jacobian& out) { s.G(q, out); };
template <class P>
concept Potential = requires(const P& s, const typename P::Vec& q) {
  { s.V(q) } -> std::convertible_to<typename P::Scalar>;
};
template <class P>
concept PotentialGradient =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.grad_V(q, out); };
template <class P>
concept InverseMass =
    requires(const P& s, const typename P::Scalar& h, const typename P::Vec& q, typename P::Vec& out) {
      s.W().times(q, out);
      s.W().times(h, q, out);
    };
template <class P>
concept FastPotential = requires(const P& s, const typename P::Vec& q) {
  { s.V_fast(q) } -> std::convertible_to<typename P::Scalar>;
};
template <class P>
concept FastGradient =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.grad_V_fast(q, out); };
template <class P>
concept SlowGradient =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.grad_V_slow(q, out); };
template <class P>
concept Energy = requires(const P& s, const typename P::Vec& q) {
  { s.H(q, q) } -> std::convertible_to<typename P::Scalar>;
};
template <class P>
concept EnergyAlongPositions =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.H_q(q, q, out); };
template <class P>
concept EnergyAlongMomenta =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.H_p(q, q, out); };
template <class P>
concept EnergyTwiceAlongMomenta =
    requires(const P& s, const typename P::Vec& q, typename P::Vec& out) { s.H_pp_times(q, q, q, out); };

// True if the author has begun to write a Hamiltonian and no potential.
template <class P>
inline constexpr bool means_a_hamiltonian =
    (Energy<P> || EnergyAlongPositions<P> || EnergyAlongMomenta<P> || EnergyTwiceAlongMomenta<P>) &&
    !(Potential<P> || PotentialGradient<P>);

}  // namespace member

namespace missing {

template <class P>
constexpr bool in_constraints() {
  static_assert(
      member::Coordinates<P>,
      "taut: this problem has no coordinates(). Every method needs `int coordinates() const`, the number "
      "of coordinates n, also if n is known at compile time.");
  static_assert(
      member::Constraints<P>,
      "taut: this problem has no constraints(). Every method needs `int constraints() const`, the number "
      "of constraints m, also if m is known at compile time.");
  static_assert(
      member::MakeJacobian<P>,
      "taut: this problem has no make_jacobian(). Every method needs `Jacobian make_jacobian() const`, a G "
      "of the right size to be filled; `return {};` does for fixed sizes.");
  static_assert(
      member::ConstraintValues<P>,
      "taut: this problem has no g(q, out). Every method needs `void g(const Vec& q, Multiplier& out) "
      "const`, the values of the constraints g(q) = 0.");
  static_assert(
      member::ConstraintJacobian<P>,
      "taut: this problem has no G(q, out). Every method needs `void G(const Vec& q, Jacobian& out) "
      "const`, the derivative of g.");
  return member::Coordinates<P> && member::Constraints<P> && member::MakeJacobian<P> &&
         member::ConstraintValues<P> && member::ConstraintJacobian<P>;
}

template <class P>
constexpr bool in_potential() {
  static_assert(
      member::Potential<P>,
      "taut: this problem has no V(q). The method needs `Scalar V(const Vec& q) const`, the potential in "
      "H = p'Wp/2 + V(q).");
  static_assert(
      member::PotentialGradient<P>,
      "taut: this problem has no grad_V(q, out). The method needs `void grad_V(const Vec& q, Vec& out) "
      "const`, the gradient of V.");
  static_assert(
      member::InverseMass<P>,
      "taut: this problem has no W(). The method needs `W() const`, the inverse of the mass matrix: a "
      "ScalarMass, DiagonalMass or FullMass (problem/mass.hpp).");
  return member::Potential<P> && member::PotentialGradient<P> && member::InverseMass<P>;
}

template <class P>
constexpr bool in_split() {
  static_assert(
      member::FastPotential<P>,
      "taut: this problem has no V_fast(q). The method needs `Scalar V_fast(const Vec& q) const`, the fast "
      "part of V.");
  static_assert(
      member::FastGradient<P>,
      "taut: this problem has no grad_V_fast(q, out). The method needs `void grad_V_fast(const Vec& q, "
      "Vec& out) const`, the gradient of V_fast.");
  static_assert(
      member::SlowGradient<P>,
      "taut: this problem has no grad_V_slow(q, out). The method needs `void grad_V_slow(const Vec& q, "
      "Vec& out) const`, the gradient of V - V_fast.");
  return member::FastPotential<P> && member::FastGradient<P> && member::SlowGradient<P>;
}

template <class P>
constexpr bool in_hamiltonian() {
  static_assert(
      member::Energy<P>,
      "taut: this problem has no H(q, p). The method needs `Scalar H(const Vec& q, const Vec& p) const`, "
      "the Hamiltonian.");
  static_assert(
      member::EnergyAlongPositions<P>,
      "taut: this problem has no H_q(q, p, out). The method needs `void H_q(const Vec& q, const Vec& p, "
      "Vec& out) const`, the derivative of H along q.");
  static_assert(
      member::EnergyAlongMomenta<P>,
      "taut: this problem has no H_p(q, p, out). The method needs `void H_p(const Vec& q, const Vec& p, "
      "Vec& out) const`, the derivative of H along p.");
  static_assert(
      member::EnergyTwiceAlongMomenta<P>,
      "taut: this problem has no H_pp_times(q, p, v, out). The method needs `void H_pp_times(const Vec& q, "
      "const Vec& p, const Vec& v, Vec& out) const`, the second derivative of H along p, times v.");
  return member::Energy<P> && member::EnergyAlongPositions<P> && member::EnergyAlongMomenta<P> &&
         member::EnergyTwiceAlongMomenta<P>;
}

template <class P>
constexpr bool in_other_scalars() {
  static_assert(
      Castable<P>,
      "taut: this problem has no cast<U>(). The method takes derivatives by dual numbers and needs `template "
      "<class U> Problem<U> cast() const`, the same problem on another scalar.");
  return Castable<P>;
}

}  // namespace missing

// Fails to compile if a member is missing, once for each; true if none is.
template <class P, Needs needs>
constexpr bool name_missing_members() {
  static_assert(
      NamesItsTypes<P>,
      "taut: this problem does not name its types Scalar, Vec, Multiplier, Jacobian, Point and its sizes "
      "n, m. Inherit taut::Shape<T, n, m>, which does.");
  if constexpr (NamesItsTypes<P>) {
    constexpr bool own = needs.H && (!needs.V || member::means_a_hamiltonian<P>);
    bool all = missing::in_constraints<P>();
    if constexpr (own) all = missing::in_hamiltonian<P>() && all;
    if constexpr (needs.V && !own) all = missing::in_potential<P>() && all;
    if constexpr (needs.split) all = missing::in_split<P>() && all;
    if constexpr (needs.cast) all = missing::in_other_scalars<P>() && all;
    return all;
  } else {
    return false;
  }
}

}  // namespace taut
