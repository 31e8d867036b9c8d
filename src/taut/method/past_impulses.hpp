// Leimkuhler and Skeel's predictor: a position solve begins where the polynomial through the impulses of the
// last steps leads. It is quadratic unless a method asks for a higher degree. The impulses are memory: they
// are saved with the state. Labels: docs/theory/predictor.md.
#pragma once

#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <vector>

namespace taut {

template <class P>
class PastImpulses {
 public:
  using T = typename P::Scalar;
  using Multiplier = typename P::Multiplier;

  explicit PastImpulses(const P& s, int reach = 3)
      : past_(static_cast<std::size_t>(reach), zero_multiplier(s)) {
    weigh();
  }

  // Writes the guess into mu: 0 before the first step, then a polynomial of as many impulses as are known.
  void offer(Multiplier& mu) const {
    set_zero(mu);
    for (int i = 0; i < known_; ++i) {
      const Multiplier& impulse = past_[place(i)];
      const T weight(weights_[static_cast<std::size_t>(i)]);
      each_index(mu, [&](int k) { mu[k] += weight * impulse[k]; });  // (PR1), (PR2), (PR3)
    }
  }
  // Takes note of the impulse of a step that has succeeded.
  void keep(const Multiplier& mu) {
    newest_ = (newest_ == 0 ? reach() : newest_) - 1;
    past_[static_cast<std::size_t>(newest_)] = mu;
    if (known_ == reach()) return;
    ++known_;
    weigh();
  }

  template <class Carry>
  void carry(Carry& c) {
    c(past_);
    c(newest_);
    c(known_);
    newest_ = std::clamp(newest_, 0, reach() - 1);
    known_ = std::clamp(known_, 0, reach());
    weigh();
  }

 private:
  int reach() const { return static_cast<int>(past_.size()); }
  std::size_t place(int i) const {
    const int at = newest_ + i;
    return static_cast<std::size_t>(at < reach() ? at : at - reach());
  }
  // The weights of the newest impulse, of the one before it, …: k, -k(k-1)/2, …, the binomials of k = known_.
  void weigh() {
    weights_.assign(past_.size(), 0);
    double binomial = -1;
    for (int i = 0; i < known_; ++i) {
      binomial *= -static_cast<double>(known_ - i) / (i + 1);
      weights_[static_cast<std::size_t>(i)] = binomial;
    }
  }

  std::vector<Multiplier> past_;  // a ring
  int newest_ = 0;                // the place of the newest
  int known_ = 0;
  std::vector<double> weights_;
};

}  // namespace taut
