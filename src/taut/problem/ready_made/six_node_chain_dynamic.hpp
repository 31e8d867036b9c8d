// The chain of six_node_chain.hpp with sizes and sparsity known at run time only: the same numbers by
// the other road.
#pragma once

#include <taut/problem/ready_made/rod_network.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

namespace taut {

template <class T = double>
struct SixNodeChainDynamic : RodNetwork<T> {
  explicit SixNodeChainDynamic(const T& kappa = T(1)) {
    this->particles = 6;
    this->length.assign(5, T(1));
    for (int i = 0; i < 5; ++i) this->rods.push_back({i, i + 1});
    for (int i = 0; i < 4; ++i) this->springs.push_back({i, i + 2, 5 * kappa});
  }
  explicit SixNodeChainDynamic(RodNetwork<T> network) : RodNetwork<T>(std::move(network)) {}

  template <class U>
  SixNodeChainDynamic<U> cast() const {
    return SixNodeChainDynamic<U>(RodNetwork<T>::template cast<U>());
  }

  State<T, dynamic> start() const {
    const auto x = SixNodeChain<T>{}.start();
    return {x.q, x.p};
  }
};

}  // namespace taut
