// Problems on which every step fails.
#pragma once

#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

#include <limits>

#include "support/catalogue.hpp"

namespace taut::test {

// A pendulum whose one constraint is written twice.
template <class T = double>
struct Twice : Shape<T, 2, 2> {
  using typename Shape<T, 2, 2>::Vec;
  using typename Shape<T, 2, 2>::Multiplier;
  using typename Shape<T, 2, 2>::Jacobian;
  PlanarPendulum<T> once{};

  int coordinates() const { return 2; }
  int constraints() const { return 2; }
  Jacobian make_jacobian() const { return {}; }
  T V(const Vec& q) const { return once.V(q); }
  void grad_V(const Vec& q, Vec& f) const { once.grad_V(q, f); }
  const ScalarMass<T>& W() const { return once.W(); }
  void g(const Vec& q, Multiplier& g) const {
    typename PlanarPendulum<T>::Multiplier one;
    once.g(q, one);
    g << one[0], one[0];
  }
  void G(const Vec& q, Jacobian& G) const {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) G(i, j) = q[j];
  }
  template <class U>
  Twice<U> cast() const {
    return {{}, once.template cast<U>()};
  }
  State<T, 2> start() const { return once.start(); }
};

// A potential that is NaN to the left of `edge`.
template <class T = double>
struct Broken : PlanarPendulum<T> {
  using typename PlanarPendulum<T>::Vec;
  T edge = T(2);
  void grad_V(const Vec& q, Vec& f) const {
    PlanarPendulum<T>::grad_V(q, f);
    f[1] = select(q[0] < edge, T(std::numeric_limits<double>::quiet_NaN()), f[1]);
  }
  T V(const Vec& q) const { return PlanarPendulum<T>::V(q); }
  template <class U>
  PlanarPendulum<U> cast() const {
    return PlanarPendulum<T>::template cast<U>();
  }
};

// Expects that a step of the method fails as `check` says, and leaves the state as it was.
template <class Method, class P, class Check>
void expect_failure_of(const Method& method, const P& s, const StateOf<P>& start, double h, Check&& check) {
  SCOPED_TRACE(label(facts_of(method)));
  StateOf<P> x = start;
  const auto stepper = bind(method, s, x);
  const auto solved = stepper->step(x, h);
  ASSERT_FALSE(solved);
  check(solved.error());
  EXPECT_EQ(x.q, start.q) << "the state was touched";
  EXPECT_EQ(x.p, start.p) << "the state was touched";
}
template <class P, class Check>
void expect_failure(const P& s, const StateOf<P>& start, double h, Check&& check) {
  for_each_fitting_method<P>([&](const auto& method) { expect_failure_of(method, s, start, h, check); });
}

inline void expect_second_is_singular(const Failure& f) {
  EXPECT_EQ(f.kind, FailureKind::singular);
  if (f.stage == SolveStage::position) {
    EXPECT_EQ(f.constraint, 1);  // the second depends on the first
  }
}
inline void expect_not_finite(const Failure& f) { EXPECT_EQ(f.kind, FailureKind::not_finite); }

}  // namespace taut::test
