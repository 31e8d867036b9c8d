// Turns the plain numbers of the interfaces into the states that a problem works with, and back.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/problem/tiers.hpp>

#include <vector>

namespace taut {

// Shows a list as a vector that converts to P::Vec, whether the compiler knows the size or not.
inline Eigen::Map<const Vector<double, dynamic>> as_vector(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

template <class P>
StateOf<P> typed_state(const PlainState& x) {
  return {as_vector(x.q), as_vector(x.p)};
}

template <class Point>
PlainState plain_state(const Point& x) {
  return {{x.q.data(), x.q.data() + x.q.size()}, {x.p.data(), x.p.data() + x.p.size()}};
}

}  // namespace taut
