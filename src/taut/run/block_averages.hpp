// The averages of a long series over blocks, gathered while it goes by.
#pragma once

#include <taut/measure/growth.hpp>
#include <taut/run/summary.hpp>

namespace taut {

class BlockAverages {
 public:
  explicit BlockAverages(std::int64_t length) : block_(length / blocks) {}

  void add(double value) {
    if (block_ == 0 || static_cast<int>(mean_.size()) == blocks) return;
    sum_ += value;
    if (++count_ < block_) return;
    mean_.push_back(sum_ / static_cast<double>(block_));
    sum_ = 0;
    count_ = 0;
  }

  // The drift over `steps` entries; none when the series is too short for blocks of five.
  std::optional<Trend> trend(std::int64_t steps) const {
    if (block_ < 5 || static_cast<int>(mean_.size()) < 5) return std::nullopt;
    std::vector<double> middle;
    for (std::size_t b = 0; b < mean_.size(); ++b)
      middle.push_back((static_cast<double>(b) + 0.5) * static_cast<double>(block_));
    const LineFit fit = fit_line(middle, mean_);
    const double scale = static_cast<double>(steps);
    return Trend{fit.slope * scale, fit.confidence() * correlation(fit, middle) * scale};
  }

 private:
  // Neighbouring blocks that are alike (a run of a few oscillations) count for less than as many independent ones: the error of a
  // mean of values with correlation r, r², … grows by √((1 + r)/(1 - r)).
  double correlation(const LineFit& fit, const std::vector<double>& middle) const {
    double square = 0, neighbours = 0, before = 0;
    for (std::size_t b = 0; b < mean_.size(); ++b) {
      const double off = mean_[b] - fit.intercept - fit.slope * middle[b];
      square += off * off;
      if (b > 0) neighbours += off * before;
      before = off;
    }
    const double r = square > 0 ? neighbours / square : 0;
    return r > 0 ? std::sqrt((1 + r) / (1 - r)) : 1;
  }

  static constexpr int blocks = 20;
  std::int64_t block_, count_ = 0;
  double sum_ = 0;
  std::vector<double> mean_;
};

}  // namespace taut
