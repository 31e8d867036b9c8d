// The way between the plain numbers of the interfaces and the states that a problem works with.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/problem/tiers.hpp>

#include <vector>

namespace taut {

// As P::Vec, whether its size is known to the compiler or not.
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
