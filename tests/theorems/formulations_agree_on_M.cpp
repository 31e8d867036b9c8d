// On M every formulation is the same vector field, to rounding: the same mechanics in other dresses. Off M
// they differ, except for two: the weakly Hamiltonian Dirac equations and the Hamilton-Dirac equations, whose
// first integrals are g, G H_p and H.

#include <taut/formulation/baumgarte.hpp>
#include <taut/formulation/bracket.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/formulation/penalty.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace taut;

// Returns a moving state: on M, or pushed off it.
template <class P>
StateOf<P> state(const P& s, bool on_M) {
  using T = typename P::Scalar;
  StateOf<P> x = s.start();
  for (int i = 0; i < x.q.size(); ++i) {
    if (!on_M) x.q[i] += T(0.1 * std::sin(2.0 * i + 1));
    x.p[i] += T(0.4 * std::cos(3.0 * i));
  }
  if (on_M) {
    EXPECT_TRUE(project_start(s, x));
  }
  return x;
}

template <class P>
struct Slopes {
  typename P::Vec q, p;
  double distance(const Slopes& other) const {
    return lane(
        larger(largest_entry(typename P::Vec(q - other.q)), largest_entry(typename P::Vec(p - other.p))), 0);
  }
};

template <template <class> class Field, class P>
Slopes<P> slopes(const P& s, const StateOf<P>& x) {
  Field<P> field(s);
  Slopes<P> result{zero_vector(s), zero_vector(s)};
  EXPECT_TRUE(field(s, x.q, x.p, result.q, result.p));
  return result;
}

template <class Formulation, class P>
Slopes<P> slopes_of(const Formulation& formulation, const P& s, const StateOf<P>& x) {
  auto field = formulation.make_field(s);
  Slopes<P> result{zero_vector(s), zero_vector(s)};
  EXPECT_TRUE(field(s, x.q, x.p, result.q, result.p));
  return result;
}

// Evaluates the equations themselves, with λ(q, p).
template <class P>
Slopes<P> mechanics(const P& s, const StateOf<P>& x) {
  Slopes<P> result{zero_vector(s), zero_vector(s)};
  H_p(s, x.q, x.p, result.q);
  H_q(s, x.q, x.p, result.p);
  result.p = -result.p;
  auto G = s.make_jacobian();
  s.G(x.q, G);
  G.subtract_transpose(*multiplier(s, x.q, x.p), result.p);
  return result;
}

template <class P>
void expect_agreement_on_M(const P& s, double rounding) {
  const StateOf<P> x = state(s, true);
  const Slopes<P> expected = mechanics(s, x);
  EXPECT_LT((slopes<UnderlyingField>(s, x).distance(expected)), rounding);
  EXPECT_LT((slopes<DiracField>(s, x).distance(expected)), rounding);
  EXPECT_LT((slopes<DiracSimplifiedField>(s, x).distance(expected)), rounding);
  EXPECT_LT((slopes<DiracWeakField>(s, x).distance(expected)), rounding);
  EXPECT_LT((slopes<HamiltonDiracField>(s, x).distance(expected)), rounding);
  EXPECT_LT((slopes_of(Baumgarte{2, 3}, s, x).distance(expected)), rounding);
  EXPECT_LT((slopes_of(Dirac{1.5}, s, x).distance(expected)), rounding);
  EXPECT_GT((slopes_of(Penalty{}, s, x).distance(expected)), 1e-3);  // another system
}

TEST(FormulationsOnM, AreOneField) {
  expect_agreement_on_M(PlanarPendulum<>{}, 1e-14);
  expect_agreement_on_M(DoublePendulum<>{}, 1e-13);
  expect_agreement_on_M(ChargedParticle<>{}, 1e-13);
  expect_agreement_on_M(SixNodeChainDynamic<>{}, 1e-12);
}

TEST(FormulationsOnM, InQuadruplePrecisionToo) { expect_agreement_on_M(PlanarPendulum<Float128>{}, 1e-31); }

template <class P>
void expect_first_integrals_off_M(const P& s) {
  const StateOf<P> x = state(s, false);
  const auto weak = slopes<DiracWeakField>(s, x), bracket = slopes<HamiltonDiracField>(s, x);
  EXPECT_LT(weak.distance(bracket), 1e-12);
  const auto d = derivative(ConstraintFunctions<P>{s}, x.q, x.p);
  const auto dH = derivative(EnergyFunction<P>{s}, x.q, x.p);
  EXPECT_LT((d.q * weak.q + d.p * weak.p).norm(), 1e-12);
  EXPECT_LT((dH.q * weak.q + dH.p * weak.p).norm(), 1e-12);
  // The others are different fields there.
  for (const auto& other :
       {slopes<UnderlyingField>(s, x), slopes<DiracField>(s, x), slopes<DiracSimplifiedField>(s, x)})
    EXPECT_GT(weak.distance(other), 1e-3);
}

TEST(FormulationsOffM, HamiltonDiracKeepsResidualsAndEnergy) {
  expect_first_integrals_off_M(PlanarPendulum<>{});
  expect_first_integrals_off_M(DoublePendulum<>{});
  expect_first_integrals_off_M(ChargedParticle<>{});
  expect_first_integrals_off_M(SixNodeChainDynamic<>{});
}

// Seiler (14), (15) give the pendulum off M in closed form.
TEST(FormulationsOffM, ClosedFormsOfThePendulum) {
  const PlanarPendulum<> s;
  const auto x = state(s, false);
  const double r2 = x.q.squaredNorm(), phi = (r2 - 1) / 2, psi = x.q.dot(x.p),
               mu = (x.p.squaredNorm() - x.q[1]) / r2;
  const Vector<double, 2> down{0, 1};
  const Slopes<PlanarPendulum<>> total{x.p + 2 * phi / r2 * x.p,
                                       -mu * x.q - down + (2 * mu * x.q + down) * phi / r2};
  EXPECT_LT(slopes<DiracSimplifiedField>(s, x).distance(total), 1e-14);
  // Seiler (20): the residuals of (14), with π² + ρ² = r²|p|² and cos ξ = y/r.
  EXPECT_NEAR(x.q.dot(total.q), (4 * phi + 1) / r2 * psi, 1e-14);
  EXPECT_NEAR(x.q.dot(total.p) + x.p.dot(total.q), 4 * phi * x.p.squaredNorm() / r2 - phi * x.q[1] / r2,
              1e-14);
  const Slopes<PlanarPendulum<>> dirac{x.p - psi / r2 * x.q, -mu * x.q - down + psi / r2 * x.p};
  EXPECT_LT(slopes<HamiltonDiracField>(s, x).distance(dirac), 1e-14);
  EXPECT_LT(slopes<DiracWeakField>(s, x).distance(dirac), 1e-14);
}

}  // namespace
