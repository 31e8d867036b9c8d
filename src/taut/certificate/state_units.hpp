// The units in which the certificate measures states: coordinates may be far from each other in size, and
// what is small for one is a leap for another.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/mechanism/typed_state.hpp>

#include <vector>

namespace taut {

// A unit for each coordinate and each momentum.
struct StateUnits {
  using Point = State<double, dynamic>;
  Eigen::VectorXd q, p;

  // Returns (q, p) as one vector, in these units.
  Eigen::VectorXd packed(const Point& x) const;
  Point unpacked(const Eigen::VectorXd& y) const;
};

// Coordinates of one size, with units in which they are of size 1. The product of the units of a coordinate
// and of its momentum is the same for all of the system. This multiplies dq ∧ dp by a factor, so that a map
// which preserves it still does.
struct SizeClass {
  Eigen::VectorXd members;  // 1 for the coordinates and momenta that belong here, 0 for the others
  StateUnits units;
  double form_factor() const { return units.q[0] * units.p[0]; }
};

struct StateSizes {
  StateUnits own;                  // in which all of the state is of size 1
  std::vector<SizeClass> classes;  // from the largest to the smallest
};

// Finds the sizes of states between `began` and `x`. Coordinates that a constraint connects share theirs, and
// all do that differ by less than a factor of 16384: differences resolve so much.
StateSizes sizes_of(const Mechanism& mechanism, const StateUnits::Point& began, const StateUnits::Point& x);

}  // namespace taut
