// The stages of a step and its landing on g = 0 by one iteration for both: Newton's, or the simplified one
// with the matrix that Reich prints below (34). Labels: docs/theory/dirac-gauss.md.
#pragma once

#include <taut/formulation/kept_units.hpp>
#include <taut/method/damped_landing.hpp>
#include <taut/solve/forecast.hpp>
#include <taut/solve/iterate.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

// Follows a forecast and notes the lanes that have not ended yet.
template <class T>
class NotedRate : public SeenRateOrLost<T> {
 public:
  NotedRate(double noise, Mask<T>& going) : SeenRateOrLost<T>(noise), going_(&going) {}
  template <class R, class C>
  Mask<T> look(int k, R& residual, C& correct, const Mask<T>& active) {
    return *going_ = SeenRateOrLost<T>::look(k, residual, correct, active);
  }

 private:
  Mask<T>* going_;
};

// The residual of the stages and of the landing as iterate() asks for it. `Stages` are those of
// damped_landing.hpp, and offer besides
//     evaluate_alone()         evaluates the stages without their derivatives
//     set_units(unit)          writes the rounding levels of r
template <class P, class Stages, class Together>
struct StagesAndLanding {
  using T = typename P::Scalar;
  const P& s;
  Stages& stages;
  Together& together;
  const typename P::Vec& q0;
  const typename P::Jacobian& G0;
  typename P::Multiplier& mu;
  Vector<Real<T>, dynamic>& unit;
  Vector<Real<T>, P::m>& g_unit;

  void evaluate() { together.look(s, stages, G0, mu); }
  void finish() { stages.evaluate_alone(); }
  void set_units() {
    const Real<T> least(0x1p-1000);
    stages.set_units(unit);
    Vector<Real<T>, P::n> reach = Vector<Real<T>, P::n>::Zero(q0.size());
    for (Eigen::Index j = 0; j < q0.size(); ++j) reach[j] = magnitude(q0[j]) + magnitude(stages.end()[j]);
    units_of_rows(G0, reach, true, g_unit);
    for (Eigen::Index i = 0; i < unit.size(); ++i) unit[i] = Real<T>(1) / larger(unit[i], least);
    for (Eigen::Index i = 0; i < g_unit.size(); ++i) g_unit[i] = Real<T>(1) / larger(g_unit[i], least);
  }
  Real<T> in_units() const {
    return larger(Real<T>(largest_in_units(stages.residual(), unit)),
                  Real<T>(largest_in_units(together.landing(), g_unit)));
  }
  Mask<T> within(double tolerance) const {
    return Mask<T>(all_within(stages.residual(), tolerance)) &&
           Mask<T>(all_within(together.landing(), tolerance));
  }
  Mask<T> sound() const {
    return Mask<T>(all_finite(stages.residual())) && Mask<T>(all_finite(together.landing()));
  }
  Failure describe(FailureKind kind, int k, const Mask<T>& bad) const {
    return taut::describe(kind, together.landing(), k, bad);
  }
};

// Solves r = 0 and g(q₁) = 0 from the stages as they are and μ = 0, until rounding stops the iteration.
// `correct(mask)` finds the corrections of stages and impulse, and returns -1 or a constraint without a
// pivot. `going` has the lanes that have not ended if it fails.
template <class P, class Stages, class Together, class Correct>
Expected<int> solve_at_once(StagesAndLanding<P, Stages, Together>& all, Correct&& correct, int limit,
                            Mask<typename P::Scalar>& going) {
  using T = typename P::Scalar;
  set_zero(all.mu);
  auto correction = [&](const Mask<T>& active) {
    if (const int pivot = correct(active); pivot >= 0) return pivot;
    auto& [change, by] = all.together.corrections();
    for (Eigen::Index i = 0; i < change.size(); ++i) change[i] = select(active, change[i], T(0));
    for (Eigen::Index i = 0; i < by.size(); ++i) all.mu[i] += select(active, by[i], T(0));
    all.stages.keep();
    all.stages.go(change);
    return -1;
  };
  return iterate<T>(limit, all, correction, NotedRate<T>(stage_noise, going));
}

}  // namespace taut
