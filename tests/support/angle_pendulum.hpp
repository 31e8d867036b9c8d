// The planar pendulum as a problem that gives a parametrisation of |q| = 1 itself: by its angle, or by a bent
// angle, which is no arc length.
#pragma once

#include <taut/problem/ready_made/pendulum.hpp>

#include "support/angle.hpp"

namespace taut::test {

// δ + ½ sin δ for the angle.
struct BentAngle : Angle {
  template <class U>
  void operator()(const Vector<U, 1>& delta, Vector<U, 2>& q) const {
    Angle::operator()(Vector<U, 1>{U(delta[0] + sin(delta[0]) / U(2))}, q);
  }
  Vector<double, 1> near(const Vector<double, 2>& q) const { return Angle::near(q) / 1.5; }
};

template <class T, class Phi>
struct PendulumBy : PlanarPendulum<T> {
  PendulumBy() = default;
  explicit PendulumBy(const PlanarPendulum<T>& s) : PlanarPendulum<T>(s) {}
  static bool has_parametrisation() { return true; }
  static Phi parametrisation() { return {}; }
  template <class U>
  PendulumBy<U, Phi> cast() const {
    return PendulumBy<U, Phi>(PlanarPendulum<T>::template cast<U>());
  }
};

}  // namespace taut::test
