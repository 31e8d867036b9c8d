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
    return Trend{fit.slope * static_cast<double>(steps), fit.confidence() * static_cast<double>(steps)};
  }

 private:
  static constexpr int blocks = 20;
  std::int64_t block_, count_ = 0;
  double sum_ = 0;
  std::vector<double> mean_;
};

}  // namespace taut
