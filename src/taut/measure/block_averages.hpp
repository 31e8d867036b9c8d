// Averages a long series over blocks, gathered while it goes by.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/measure/growth.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace taut {

class BlockAverages {
 public:
  static constexpr std::size_t blocks = 20;
  explicit BlockAverages(std::int64_t length) : block_(length / blocks) {}
  // Makes averages of a series whose length nobody knows: if all blocks are full, two become one.
  static BlockAverages growing() {
    constexpr std::int64_t first = 8;
    BlockAverages made(first * static_cast<std::int64_t>(blocks));
    made.grows_ = true;
    return made;
  }

  void add(double value) {
    if (block_ == 0 || full_ == blocks) return;
    set_open(sum_ + value, 1);
  }

  // What is added up elsewhere: the sum of the block that is being filled, the number of entries after which
  // it is full (none, if nothing more is wanted), and the way back.
  double open_sum() const { return sum_; }
  std::optional<std::int64_t> left_in_block() const {
    if (block_ == 0 || full_ == blocks) return std::nullopt;
    return block_ - count_;
  }
  void set_open(double sum, std::int64_t more) {
    if (block_ == 0 || full_ == blocks) return;
    sum_ = sum;
    count_ += more;
    if (count_ < block_) return;
    mean_[full_++] = sum_ / static_cast<double>(block_);
    sum_ = 0;
    count_ = 0;
    if (grows_ && full_ == blocks) [[unlikely]]
      join_pairs();
  }

  template <class Carry>
  void carry(Carry& c) {
    c(count_);
    c(sum_);
    c(mean_);
    c(full_);
    full_ = std::min(full_, blocks);
    if (grows_) c(block_);
  }

  // Returns the drift over `steps` entries; none if the series is too short for blocks of five. The block
  // means are a line, a bend and scatter. The error bar has two parts: the scatter, and the bend. The second
  // is as long as the line if the parabola turns round at an end of the run: then the line may be a part of
  // an oscillation that is slower than the run, and is no drift; a change beyond `large` is one all the same.
  std::optional<Trend> trend(std::int64_t steps,
                             double large = std::numeric_limits<double>::infinity()) const {
    if (block_ < 5 || full_ < 5) return std::nullopt;
    const auto n = static_cast<double>(full_);
    double xx = 0, xy = 0, mean = 0;
    for (std::size_t b = 0; b < full_; ++b) {
      mean += mean_[b] / n;
      xx += middle(b) * middle(b);
      xy += middle(b) * mean_[b];
    }
    const double slope = xy / xx;
    double bent = 0, bends = 0;
    for (std::size_t b = 0; b < full_; ++b) {
      const double bow = middle(b) * middle(b) - xx / n;
      bent += bow * mean_[b];
      bends += bow * bow;
    }
    const double bend = bent / bends;
    std::array<double, blocks> off{};
    double square = 0;
    for (std::size_t b = 0; b < full_; ++b) {
      off[b] = mean_[b] - mean - slope * middle(b) - bend * (middle(b) * middle(b) - xx / n);
      square += off[b] * off[b];
    }
    const double r = correlation(off, square), independent = n * (1 - r) / (1 + r);
    const double scatter = std::sqrt(square / (n - 3) / xx * (1 + r) / (1 - r));
    const double total = static_cast<double>(steps) / static_cast<double>(block_);  // in blocks
    Trend trend{.total = slope * total};
    const double by_scatter = student_975(std::max(1, static_cast<int>(independent) - 3)) * scatter * total;
    trend.error = by_scatter + (std::abs(trend.total) > large ? 0 : std::abs(bend) * n * total);
    trend.bent = std::abs(trend.total) > by_scatter && !(std::abs(trend.total) > trend.error);
    return trend;
  }

  // Asks whether the series grows like a power of its length or of a number larger than 1, up to its end: in
  // the second half each block is well above the one before it, and the last one is far above the first.
  bool grows_without_end() const {
    if (full_ < blocks) return false;
    for (std::size_t b = blocks / 2; b < blocks; ++b)
      if (!(std::abs(mean_[b]) > 1.5 * std::abs(mean_[b - 1]))) return false;
    return is_far_above_first(mean_[blocks - 1]);
  }
  // Returns the largest mean of a block, without its sign; none if a block has less than five entries.
  std::optional<double> largest_mean() const {
    if (block_ < 5 || full_ == 0) return std::nullopt;
    double largest = 0;
    for (std::size_t b = 0; b < full_; ++b) largest = std::max(largest, std::abs(mean_[b]));
    return largest;
  }
  // Asks whether a value is as far above the first block, however the series came there.
  bool began_far_below(double value) const { return full_ > 0 && is_far_above_first(value); }

 private:
  void join_pairs() {
    full_ = blocks / 2;
    for (std::size_t b = 0; b < full_; ++b) mean_[b] = (mean_[2 * b] + mean_[2 * b + 1]) / 2;
    block_ *= 2;
  }
  bool is_far_above_first(double value) const { return std::abs(value) > 1e8 * std::abs(mean_[0]); }
  // Returns the middle of block b, counted in blocks from the middle of the run.
  double middle(std::size_t b) const { return static_cast<double>(b) - (static_cast<double>(full_) - 1) / 2; }

  // Returns the correlation of neighbours in what is left of the blocks. If they are alike (a run of a few
  // oscillations), they count for less than as many independent ones: the error of a mean of values with
  // correlation r, r², … grows by √((1 + r)/(1 - r)). From few values r comes out too small, by (1 + 4r)/n.
  double correlation(const std::array<double, blocks>& off, double square) const {
    double neighbours = 0;
    for (std::size_t b = 1; b < full_; ++b) neighbours += off[b] * off[b - 1];
    const double r = square > 0 ? neighbours / square : 0;
    constexpr double most = 0.9;
    return r > 0 ? std::min(most, r + (1 + 4 * r) / static_cast<double>(full_)) : 0;
  }

  std::int64_t block_, count_ = 0;  // entries in a block, and in the one that is being filled
  double sum_ = 0;
  std::array<double, blocks> mean_{};
  std::size_t full_ = 0;
  bool grows_ = false;
};

}  // namespace taut
