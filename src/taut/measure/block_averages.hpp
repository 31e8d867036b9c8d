// Averages a long series over blocks, gathered while it goes by.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/measure/growth.hpp>

#include <algorithm>
#include <array>

namespace taut {

class BlockAverages {
 public:
  explicit BlockAverages(std::int64_t length) : block_(length / blocks) {}

  void add(double value) {
    if (block_ == 0 || full_ == blocks) return;
    sum_ += value;
    if (++count_ < block_) return;
    mean_[full_++] = sum_ / static_cast<double>(block_);
    sum_ = 0;
    count_ = 0;
  }

  template <class Carry>
  void carry(Carry& c) {
    c(count_);
    c(sum_);
    c(mean_);
    c(full_);
    full_ = std::min(full_, blocks);
  }

  // Returns the drift over `steps` entries; none if the series is too short for blocks of five.
  std::optional<Trend> trend(std::int64_t steps) const {
    if (block_ < 5 || full_ < 5) return std::nullopt;
    std::vector<double> middle;
    for (std::size_t b = 0; b < full_; ++b)
      middle.push_back((static_cast<double>(b) + 0.5) * static_cast<double>(block_));
    const LineFit fit = fit_line(middle, std::span(mean_).first(full_));
    const double scale = static_cast<double>(steps);
    return Trend{fit.slope * scale, fit.confidence() * correlation(fit, middle) * scale};
  }

  // Asks whether the series grows like a power of its length or of a number larger than 1, up to its end: in
  // the second half each block is well above the one before it, and the last one is far above the first.
  bool grows_without_end() const {
    if (full_ < blocks) return false;
    for (std::size_t b = blocks / 2; b < blocks; ++b)
      if (!(std::abs(mean_[b]) > 1.5 * std::abs(mean_[b - 1]))) return false;
    return std::abs(mean_[blocks - 1]) > 1e8 * std::abs(mean_[0]);
  }

 private:
  // Returns the correlation of neighbouring blocks. If they are alike (a run of a few oscillations), they
  // count for less than as many independent ones: the error of a mean of values with correlation r, r², …
  // grows by √((1 + r)/(1 - r)).
  double correlation(const LineFit& fit, const std::vector<double>& middle) const {
    double square = 0, neighbours = 0, before = 0;
    for (std::size_t b = 0; b < full_; ++b) {
      const double off = mean_[b] - fit.intercept - fit.slope * middle[b];
      square += off * off;
      if (b > 0) neighbours += off * before;
      before = off;
    }
    const double r = square > 0 ? neighbours / square : 0;
    return r > 0 ? std::sqrt((1 + r) / (1 - r)) : 1;
  }

  static constexpr std::size_t blocks = 20;
  std::int64_t block_, count_ = 0;  // entries in a block, and in the one that is being filled
  double sum_ = 0;
  std::array<double, blocks> mean_{};
  std::size_t full_ = 0;
};

}  // namespace taut
