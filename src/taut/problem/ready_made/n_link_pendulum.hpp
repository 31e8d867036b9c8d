// Any number of equal links in the plane, the first hanging from the origin; gravity acts along the second
// axis, downwards.
#pragma once

#include <taut/problem/ready_made/rod_network.hpp>

namespace taut {

template <class T = double>
struct NLinkPendulum : RodNetwork<T> {
  using typename RodNetwork<T>::Vec;

  explicit NLinkPendulum(int links, const T& link_length = T(1), const T& pull = T(1)) {
    this->particles = links;
    this->gravity = pull;
    this->length.assign(static_cast<std::size_t>(links), link_length);
    for (int k = 0; k < links; ++k) this->rods.push_back({k - 1, k});
  }
  explicit NLinkPendulum(RodNetwork<T> network) : RodNetwork<T>(std::move(network)) {}

  template <class U>
  NLinkPendulum<U> cast() const {
    return NLinkPendulum<U>(RodNetwork<T>::template cast<U>());
  }

  // Returns a start at rest, stretched out horizontally.
  State<T, dynamic> start() const {
    State<T, dynamic> x{zero_vector(*this), zero_vector(*this)};
    T reach(0);
    for (int i = 0; i < this->particles; ++i) {
      reach += this->length[static_cast<std::size_t>(i)];
      x.q[2 * i] = reach;
    }
    return x;
  }
};

}  // namespace taut
