// Leimkuhler and Skeel's predictor: a position solve begins where the quadratic polynomial through the
// impulses of the last three steps leads. They are memory, and are saved with the state. Labels:
// docs/theory/predictor.md.
#pragma once

#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace taut {

template <class P>
class PastImpulses {
 public:
  using T = typename P::Scalar;
  using Multiplier = typename P::Multiplier;

  explicit PastImpulses(const P& s) : past_(reach, zero_multiplier(s)) {}

  // Writes the guess into mu: 0 before the first step, then a polynomial of as many impulses as are known.
  void offer(Multiplier& mu) const {
    set_zero(mu);
    if (known_ == 0) return;
    static constexpr double weight[reach][reach] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};
    const double* const w = weight[known_ - 1];
    each_index(mu, [&](int k) {
      mu[k] = T(w[0]) * past_[0][k] + T(w[1]) * past_[1][k] + T(w[2]) * past_[2][k];  // (PR1), (PR2)
    });
  }
  // Takes note of the impulse of a step that has succeeded.
  void keep(const Multiplier& mu) {
    std::swap(past_[2], past_[1]);
    std::swap(past_[1], past_[0]);
    past_[0] = mu;
    known_ = std::min(known_ + 1, reach);
  }

  template <class Carry>
  void carry(Carry& c) {
    c(past_);
    c(known_);
    known_ = std::clamp(known_, 0, reach);
  }

 private:
  static constexpr int reach = 3;
  std::vector<Multiplier> past_;  // the newest first
  int known_ = 0;
};

}  // namespace taut
