// A potential between all pairs of particles closer than a cutoff, a function u(r) of their distance; in a periodic box of the nearest images.
// Pairs come from a list that holds a skin more than the cutoff and is made anew, by cells, when a particle has moved half the skin. The list is sorted,
// and pairs beyond the cutoff add exact zeros, so that forces and energies do not depend on when it was made.
#pragma once

#include <taut/scalar/batch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace taut {

// How u is brought to 0 at the cutoff. Without it the energy jumps when a pair crosses the cutoff; without a continuous force it still drifts.
enum class Truncation { none, shift, force_shift };

template <class Code>
struct PairGroup {
  double cutoff = 0, skin = 0;
  Truncation truncation = Truncation::shift;
  bool slow = false;                         // it belongs to V_slow
  std::vector<int> among;                    // the particles that take part, sorted
  std::vector<std::vector<int>> apart;       // for each particle the larger ones it does not act upon, sorted
  std::array<double, 3> box{};               // edges; 0: not periodic in that direction
  std::shared_ptr<const Code> value, slope;  // u(r), u'(r)
};

// Pairs (i, j), i < j, closer than `reach`, sorted.
class PairList {
 public:
  template <class Code>
  void make(const PairGroup<Code>& group, int dimension, int particles, const std::vector<double>& q) {
    first.clear();
    second.clear();
    const double reach = group.cutoff + group.skin;
    std::array<int, 3> cells{1, 1, 1};
    std::array<double, 3> low{}, edge{1, 1, 1};
    for (int a = 0; a < dimension; ++a) {
      double high = group.box[a];
      if (high == 0) {
        low[a] = 1e300, high = -1e300;
        for (const int i : group.among) {
          low[a] = std::min(low[a], q[a * particles + i]);
          high = std::max(high, q[a * particles + i]);
        }
        high -= low[a];
      }
      // No more cells than particles along one direction: a cloud that flies apart would need cells without end.
      cells[a] = std::clamp(static_cast<int>(std::min(high / reach, 1e4)), 1,
                            1 + static_cast<int>(group.among.size()));
      if (dimension == 3) cells[a] = std::min(cells[a], 512);
      edge[a] = std::max(high / cells[a], 1e-300);
    }
    const auto cell_of = [&](int i, int a) {
      if (a >= dimension) return 0;
      double x = (q[a * particles + i] - low[a]) / edge[a];
      if (group.box[a] != 0) x -= std::floor(x / cells[a]) * cells[a];
      return std::clamp(static_cast<int>(x), 0, cells[a] - 1);
    };
    const auto number = [&](int x, int y, int z) { return (x * cells[1] + y) * cells[2] + z; };
    std::vector<int> begin(cells[0] * cells[1] * cells[2] + 1, 0), inside(group.among.size());
    for (const int i : group.among) ++begin[number(cell_of(i, 0), cell_of(i, 1), cell_of(i, 2)) + 1];
    for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (const int i : group.among) inside[next[number(cell_of(i, 0), cell_of(i, 1), cell_of(i, 2))]++] = i;
    std::vector<int> near;
    for (const int i : group.among) {
      near.clear();
      std::array<std::vector<int>, 3> around;
      for (int a = 0; a < 3; ++a)
        for (int step = -1; step <= 1; ++step) {
          int c = cell_of(i, a) + step;
          if (a < dimension && group.box[a] != 0) c = (c + cells[a]) % cells[a];
          if (c >= 0 && c < cells[a] && std::find(around[a].begin(), around[a].end(), c) == around[a].end())
            around[a].push_back(c);
        }
      for (const int x : around[0])
        for (const int y : around[1])
          for (const int z : around[2])
            for (int at = begin[number(x, y, z)]; at < begin[number(x, y, z) + 1]; ++at) {
              const int j = inside[at];
              if (j > i && distance2(group, dimension, particles, q, i, j) < reach * reach) near.push_back(j);
            }
      std::sort(near.begin(), near.end());
      const std::vector<int>& apart = group.apart[i];
      for (const int j : near)
        if (!std::binary_search(apart.begin(), apart.end(), j)) {
          first.push_back(i);
          second.push_back(j);
        }
    }
  }

  std::vector<int> first, second;

 private:
  template <class Code>
  static double distance2(const PairGroup<Code>& group, int dimension, int particles,
                          const std::vector<double>& q, int i, int j) {
    double sum = 0;
    for (int a = 0; a < dimension; ++a) {
      double r = q[a * particles + i] - q[a * particles + j];
      if (group.box[a] != 0) r -= group.box[a] * std::round(r / group.box[a]);
      sum += r * r;
    }
    return sum;
  }
};

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
    T sum(0);
    each_batch(q, [&](int k, const S& r, const S*) {
      S u;
      value_(&r, nullptr, nullptr, &u);
      u = u - value_there_ - slope_there_ * (r - S(group_->cutoff));
      for (int i = 0; i < first_.template lanes<T>(k); ++i)
        if (lane(base(lane_of(r, i)), 0) < group_->cutoff) sum += lane_of(u, i);
    });
    return sum;
  }
  void add_gradient(const T* q, T* out) const {
    if (!refresh(q)) {
      out[0] += T(std::nan(""));
      return;
    }
    each_batch(q, [&](int k, const S& r, const S* along) {
      S slope;
      slope_(&r, nullptr, nullptr, &slope);
      slope = (slope - slope_there_) / r;
      for (int i = 0; i < first_.template lanes<T>(k); ++i) {
        if (!(lane(base(lane_of(r, i)), 0) < group_->cutoff)) continue;
        for (int a = 0; a < d_; ++a) {
          const T f = lane_of(slope, i) * lane_of(along[a], i);
          out[a * n_ + first_[k + i]] += f;
          out[a * n_ + second_[k + i]] -= f;
        }
      }
    });
  }

 private:
  using Evaluator = typename Kernel::template On<S>;

  template <class Use>
  void each_batch(const T* q, Use&& use) const {
    std::array<S, 3> r;
    for (int k = 0; k < first_.size(); k += batch_lanes<T>) {
      S sum(0);
      for (int a = 0; a < d_; ++a) {
        r[a] = first_.gather(q + a * n_, k) - second_.gather(q + a * n_, k);
        if (group_->box[a] != 0)
          for (int i = 0; i < batch_lanes<T>; ++i) {
            const double images = std::round(lane(base(lane_of(r[a], i)), 0) / group_->box[a]);
            set_lane(r[a], i, T(lane_of(r[a], i) - T(group_->box[a] * images)));
          }
        sum += r[a] * r[a];
      }
      use(k, S(sqrt(sum)), r.data());
    }
  }

  // False where a coordinate is not finite, so that no pair can be found.
  bool refresh(const T* q) const {
    bool stale = made_at_.empty();
    for (int j = 0; !stale && j < d_ * n_; ++j)
      stale = !(std::abs(lane(base(q[j]), 0) - made_at_[j]) * 2 * std::sqrt(d_) < group_->skin);
    if (!stale) return true;
    for (int j = 0; j < d_ * n_; ++j)
      if (!std::isfinite(lane(base(q[j]), 0))) return false;
    made_at_.resize(d_ * n_);
    for (int j = 0; j < d_ * n_; ++j) made_at_[j] = lane(base(q[j]), 0);
    PairList list;
    list.make(*group_, d_, n_, made_at_);
    first_ = Places(std::move(list.first));
    second_ = Places(std::move(list.second));
    return true;
  }

  std::shared_ptr<const PairGroup<Code>> group_;
  int d_, n_;
  Evaluator value_, slope_;
  S value_there_ = S(0), slope_there_ = S(0);
  mutable std::vector<double> made_at_;  // where the particles were when the list was made
  mutable Places first_, second_;
};

}  // namespace taut
