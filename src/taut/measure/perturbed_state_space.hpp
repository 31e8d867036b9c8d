// States off M in coordinates along it and across it: where the residuals ζ = g(q) and ρ = G W p enter the
// energy, and how ρ grows if ζ does not vanish. Labels: docs/theory/perturbed-state-space.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/solve/failure.hpp>

#include <cmath>
#include <numbers>

namespace taut {

// The energy of a natural system, cut into parts.
template <class T>
struct EnergyParts {
  T along;      // ½ πᵀ(f_ξᵀ M f_ξ)⁻¹π: of the motion along {g = ζ}
  T across;     // ½ ρᵀ(G W Gᵀ)⁻¹ρ: of the momentum residual
  T potential;  // V(f(ξ, ζ))
};

// Cuts H. The part across is found from ρ alone; the coordinates ξ need not be known, because the part along
// is the rest.                                                                                       (PS1)
template <Natural P>
Expected<EnergyParts<typename P::Scalar>> energy_parts(const P& s, const StateOf<P>& x) {
  using T = typename P::Scalar;
  typename P::Jacobian G = s.make_jacobian();
  typename P::Vec v = zero_vector(s);
  typename P::Multiplier rho = zero_multiplier(s), solved = rho;
  s.G(x.q, G);
  H_p(s, x.q, x.p, v);
  G.times(v, rho);
  ConstraintMatrix<P> C(s);
  C.right(s, x.q, x.p, G, T(1));
  C.assemble(G);
  if (const int pivot = C.factor(); pivot >= 0)
    return Failure{.kind = FailureKind::singular, .stage = SolveStage::momentum, .constraint = pivot};
  solved = rho;
  C.solve(solved);
  const T across = rho.dot(solved) / T(2), whole = x.p.dot(v) / T(2);
  return EnergyParts<T>{whole - across, across, s.V(x.q)};
}

// The planar pendulum of unit length in these coordinates: ξ is the angle from the highest point, π its
// momentum.
template <class T>
struct PerturbedPendulum {
  T xi, pi, zeta, rho;
};

template <class T>
PerturbedPendulum<T> perturbed(const State<T, 2>& x) {
  using std::atan2;
  return {.xi = atan2(x.q[0], x.q[1]),                                // (PS2)
          .pi = x.q[1] * x.p[0] - x.q[0] * x.p[1],                    // (PS2)
          .zeta = (x.q[0] * x.q[0] + x.q[1] * x.q[1] - T(1)) / T(2),  // (PS2)
          .rho = x.q[0] * x.p[0] + x.q[1] * x.p[1]};                  // (PS2)
}

template <class T>
State<T, 2> from_perturbed(const PerturbedPendulum<T>& y) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T r = sqrt(T(2) * y.zeta + T(1)), s = sin(y.xi), c = cos(y.xi);
  State<T, 2> x;
  x.q << r * s, r * c;
  x.p << (y.pi * c + y.rho * s) / r, (y.rho * c - y.pi * s) / r;
  return x;
}

// Returns ρ(t) of ρ' = ζ₀ (σ² + 4ρ²): the momentum residual of the pendulum under `dirac-simplified` if the
// position residual is held at ζ₀, with σ² = 4π² - cos ξ taken as constant.                          (PS3)
inline double held_residual(double zeta0, double sigma, double rho0, double t) {
  return sigma / 2 * std::tan(2 * sigma * zeta0 * t + std::atan(2 * rho0 / sigma));
}

// Returns the time at which it blows up.                                                             (PS4)
inline double blow_up_time(double zeta0, double sigma, double rho0) {
  return (std::numbers::pi / 2 - std::atan(2 * rho0 / sigma)) / (2 * sigma * zeta0);
}

}  // namespace taut
