// The planar pendulum by its angle from the downward vertical: a parametrisation of |q| = 1.
#pragma once

#include <taut/problem/state.hpp>
#include <taut/scalar/dual.hpp>

#include <cmath>

namespace taut::test {

struct Angle {
  int parameters() const { return 1; }
  template <class U>
  void operator()(const Vector<U, 1>& delta, Vector<U, 2>& q) const {
    q[0] = sin(delta[0]);
    q[1] = -cos(delta[0]);
  }
  Vector<double, 1> near(const Vector<double, 2>& q) const {
    return Vector<double, 1>{std::atan2(q[0], -q[1])};
  }
};

}  // namespace taut::test
