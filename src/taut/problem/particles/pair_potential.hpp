// A potential between pairs of particles closer than a cutoff, a function u(r) of their distance; in a
// periodic box the distance is that of the nearest images. Pairs come from a list (pair_list.hpp) that
// reaches a skin beyond the cutoff and is made anew when a particle has moved half the skin. The list is
// sorted, and pairs beyond the cutoff add exact zeros, so that forces and energies do not depend on when it
// was made. Threads share first the pairs, then the particles: each particle sums over its own pairs, in the
// order of the list, so that the bits do not depend on the threads either.
#pragma once

#include <taut/problem/particles/pair_list.hpp>
#include <taut/scalar/batch.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

namespace taut {

template <class T, class Kernel>
class PairEvaluator {
 public:
  using Code = typename Kernel::Code;
  using S = Batch<T>;

  PairEvaluator(std::shared_ptr<const PairGroup<Code>> group, int dimension, int particles)
      : group_(std::move(group)), d_(dimension), n_(particles), value_(group_->value), slope_(group_->slope) {
    const S r(group_->cutoff);
    if (group_->truncation != Truncation::none) value_(&r, nullptr, nullptr, &value_there_);
    if (group_->truncation == Truncation::force_shift) slope_(&r, nullptr, nullptr, &slope_there_);
  }

  const PairGroup<Code>& group() const { return *group_; }

  T value(const T* q) const {
    if (!refresh(q)) return T(std::nan(""));
    each_batch(q, value_, [&](const Evaluator& value, int k, const S& r, const S*) {
      S u;
      value(&r, nullptr, nullptr, &u);
      u = u - value_there_ - slope_there_ * (r - S(group_->cutoff));
      store_batch(pair_.data() + k, within(r, u));
    });
    each_particle([&](int i) {
      T sum(0);
      for (int k = row_[i]; k < row_[i + 1]; ++k) sum += pair_[k];
      particle_[i] = sum;
    });
    T sum(0);
    for (const T& u : particle_) sum += u;
    return sum;
  }
  void add_gradient(const T* q, T* out) const {
    if (!refresh(q)) {
      out[0] += T(std::nan(""));
      return;
    }
    each_batch(q, slope_, [&](const Evaluator& slope, int k, const S& r, const S* along) {
      const S f = slope_over_r(slope, r);
      for (int a = 0; a < d_; ++a) store_batch(pair_.data() + a * stride_ + k, S(f * along[a]));
    });
    each_particle([&](int i) {
      for (int a = 0; a < d_; ++a) {
        const T* f = pair_.data() + a * stride_;
        T sum = out[a * n_ + i];
        for (int k = column_[i]; k < column_[i + 1]; ++k) sum -= f[in_column_[k]];
        for (int k = row_[i]; k < row_[i + 1]; ++k) sum += f[k];
        out[a * n_ + i] = sum;
      }
    });
  }
  // Adds Σ r_a f_b over the pairs to w[3 a + b], with r from the second particle to the first and f the force
  // on the first.
  void add_virial(const T* q, std::array<T, 9>& w) const {
    if (!refresh(q)) {
      w[0] += T(std::nan(""));
      return;
    }
    const int pairs = first_.size();
    each_batch_of(0, pairs, q, slope_, [&](const Evaluator& slope, int k, const S& r, const S* along) {
      const S f = slope_over_r(slope, r);
      for (int a = 0; a < d_; ++a)
        for (int b = 0; b < d_; ++b) {
          const S product = f * along[a] * along[b];
          for (int i = 0; i < first_.template lanes<T>(k); ++i) w[3 * a + b] -= lane_of(product, i);
        }
    });
  }
  // Calls use(i, j, a, b, x) with x = ∂²u/∂rₐ∂r_b of each pair, r from j to i. It is for dual numbers.
  template <class Use>
  void curvatures(const T* q, Use&& use) const {
    if (!refresh(q)) return use(0, 0, 0, 0, std::nan(""));
    each_batch_of(0, first_.size(), q, slope_,
                  [&](const Evaluator& slope, int k, const S& r, const S* along) {
                    if (!(r.value < group_->cutoff)) return;
                    S at(r.value), f;
                    at.tangent[0] = 1;
                    slope(&at, nullptr, nullptr, &f);
                    const double across = (f.value - slope_there_.value) / r.value, radial = f.tangent[0];
                    for (int a = 0; a < d_; ++a)
                      for (int b = 0; b < d_; ++b) {
                        const double both = along[a].value * along[b].value / (r.value * r.value);
                        use(first_[k], second_[k], a, b, (radial - across) * both + (a == b ? across : 0));
                      }
                  });
  }

 private:
  using Evaluator = typename Kernel::template On<S>;
  static constexpr int pairs_worth_a_thread = worth_a_thread / 16;

  // Returns 0 beyond the cutoff, whatever the formula gives there.
  S within(const S& r, const S& x) const { return select(base(r) < Base<S>(group_->cutoff), x, S(0)); }
  S slope_over_r(const Evaluator& slope, const S& r) const {
    S f;
    slope(&r, nullptr, nullptr, &f);
    return within(r, S((f - slope_there_) / r));
  }

  // Calls use(program, k, r, along) for the batch of pairs that begins at k. A program keeps registers, so
  // each thread has its own.
  template <class Use>
  void each_batch(const T* q, const Evaluator& program, Use&& use) const {
    const int pairs = first_.size();
    in_ranges(pairs, batch_size, pairs_worth_a_thread, [&](int from, int to) {
      if (to - from == pairs) return each_batch_of(from, to, q, program, use);
      // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a thread needs its own registers
      const Evaluator own = program;
      each_batch_of(from, to, q, own, use);
    });
  }
  template <class Use>
  void each_batch_of(int from, int to, const T* q, const Evaluator& program, Use&& use) const {
    std::array<S, 3> r;
    for (int k = from; k < to; k += batch_lanes<T>) {
      S sum(0);
      for (int a = 0; a < d_; ++a) {
        r[a] = first_.gather(q + a * n_, k) - second_.gather(q + a * n_, k);
        if (group_->box[a] != 0) to_nearest_image(r[a], group_->box[a]);
        sum += r[a] * r[a];
      }
      use(program, k, S(sqrt(sum)), r.data());
    }
  }
  static void to_nearest_image(S& r, double box) {
    if (!any(magnitude(base(r)) > Base<S>(box / 2))) return;
    for (int i = 0; i < batch_lanes<T>; ++i) {
      const double images = std::round(lane(base(lane_of(r, i)), 0) / box);
      set_lane(r, i, T(lane_of(r, i) - T(box * images)));
    }
  }
  template <class Use>
  void each_particle(Use&& use) const {
    const int least =
        1 + static_cast<int>(static_cast<long>(pairs_worth_a_thread) * n_ / (1 + first_.size()));
    in_ranges(n_, batch_size, least, [&](int from, int to) {
      for (int i = from; i < to; ++i) use(i);
    });
  }

  // Renews the list if it must. Returns false if a coordinate is not finite, so that no pair can be found.
  bool refresh(const T* q) const {
    if (!stale(q)) return true;
    for (int j = 0; j < d_ * n_; ++j)
      if (!std::isfinite(lane(base(q[j]), 0))) return false;
    std::vector<double> here(d_ * n_);
    for (int j = 0; j < d_ * n_; ++j) here[j] = lane(base(q[j]), 0);
    made_at_.clear();  // if there is no memory for the list, it counts as not made
    PairList list(*group_, d_, here);
    index(list);
    first_ = Places(std::move(list.first));
    second_ = Places(std::move(list.second));
    made_at_ = std::move(here);
    return true;
  }
  bool stale(const T* q) const {
    if (made_at_.empty()) return true;
    const double most = group_->skin / (2 * std::sqrt(d_));
    std::atomic<bool> moved = false;
    in_ranges(d_ * n_, batch_size, worth_a_thread, [&](int from, int to) {
      bool here = false;
      for (int j = from; j < to; ++j) here |= !(std::abs(lane(base(q[j]), 0) - made_at_[j]) < most);
      if (here) moved = true;
    });
    return moved;
  }
  // Lists for each particle the pairs of which it is the first, which lie side by side, and those of which it
  // is the second.
  void index(const PairList& list) const {
    row_.assign(n_ + 1, 0);
    column_.assign(n_ + 1, 0);
    in_column_.resize(list.second.size());
    for (std::size_t k = 0; k < list.first.size(); ++k) {
      ++row_[list.first[k] + 1];
      ++column_[list.second[k] + 1];
    }
    for (int i = 0; i < n_; ++i) {
      row_[i + 1] += row_[i];
      column_[i + 1] += column_[i];
    }
    std::vector<int> next(column_.begin(), column_.end() - 1);
    for (std::size_t k = 0; k < list.second.size(); ++k)
      in_column_[next[list.second[k]]++] = static_cast<int>(k);
    stride_ = padded(static_cast<int>(list.first.size()));
    pair_.resize(static_cast<std::size_t>(d_) * stride_);
    particle_.resize(n_);
  }

  std::shared_ptr<const PairGroup<Code>> group_;
  int d_, n_;
  Evaluator value_, slope_;
  S value_there_ = S(0), slope_there_ = S(0);
  mutable std::vector<double> made_at_;  // where the particles were when the list was made
  mutable Places first_, second_;
  mutable std::vector<int> row_, column_, in_column_;
  // What is found for each pair, component by component, and for each particle.
  mutable std::vector<T> pair_, particle_;
  mutable std::ptrdiff_t stride_ = 0;  // from one component to the next
};

}  // namespace taut
