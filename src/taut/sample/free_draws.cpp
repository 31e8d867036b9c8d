#include <taut/sample/free_draws.hpp>

#include <taut/contract/request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr std::int64_t batches_of_draws = 32;  // A chain has so many.
// So many draws near a value are kept, of all chains and of one, and so many numbers in all.
constexpr std::size_t most_near = 2000, most_near_of_a_chain = 100, least_near_of_a_chain = 4,
                      most_numbers_near = 1U << 24U;

// Counts the draws of each batch in each bin.
class Histogram {
 public:
  Histogram(const std::vector<double>& values, std::size_t all_batches)
      : values_(values), counts_(all_batches, std::vector<double>(values.size(), 0.0)) {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    half_ = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < sorted.size(); ++k)
      if (sorted[k] > sorted[k - 1]) half_ = std::min(half_, (sorted[k] - sorted[k - 1]) / 8);
  }
  bool is_narrow() const { return std::isfinite(half_); }
  void add(std::size_t batch, double xi) {
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (std::abs(xi - values_[k]) <= half_) counts_[batch][k] += 1;
  }
  // Finds A at the values, 0 at the first one that was reached, and its error by the spread of the batches.
  void fill(double kT, FreeDraws& out) const {
    const double number = static_cast<double>(counts_.size());
    std::vector<double> mean(values_.size(), 0.0), relative(values_.size(), 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      for (const auto& batch : counts_) mean[k] += batch[k] / number;
      double squares = 0;
      for (const auto& batch : counts_) squares += (batch[k] - mean[k]) * (batch[k] - mean[k]);
      relative[k] = std::sqrt(squares / (number - 1) / number) / mean[k];
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const auto first = std::find_if(mean.begin(), mean.end(), [](double m) { return m > 0; });
    const auto at = static_cast<std::size_t>(first - mean.begin());
    out.first_reached = at;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const bool known = mean[k] > 0;
      out.profile.push_back(known ? -kT * std::log(mean[k] / mean[at]) : unknown);
      out.error.push_back(!known ? unknown
                          : k == at
                              ? 0
                              : kT * std::sqrt(relative[k] * relative[k] + relative[at] * relative[at]));
    }
  }

 private:
  const std::vector<double>& values_;
  std::vector<std::vector<double>> counts_;
  double half_ = 0;
};

bool is_nearer(const FreeDraw& a, const FreeDraw& b) { return a.distance < b.distance; }

// Keeps the draw if it is among the `most` nearest. They are a heap, the farthest of them in front.
void keep_if_near(std::vector<FreeDraw>& near, std::size_t most, double distance,
                  const std::vector<double>& q) {
  if (!(distance < std::numeric_limits<double>::infinity())) return;
  if (near.size() == most) {
    if (distance >= near.front().distance) return;
    std::pop_heap(near.begin(), near.end(), is_nearer);
    near.pop_back();
  }
  near.push_back({distance, q});
  std::push_heap(near.begin(), near.end(), is_nearer);
}

}  // namespace

FreeDraws draw_freely(const ModelRun& run, const std::string& coordinate, const std::vector<double>& values,
                      const TargetOptions& target, const SamplingOptions& options, int threads,
                      const SamplingObserver& observer) {
  FreeDraws out;
  const auto chains = static_cast<std::size_t>(options.chains);
  const std::int64_t each = options.draws / batches_of_draws;
  Histogram histogram(values, chains * std::size_t{batches_of_draws});
  SamplingObserver watch = observer;
  watch.keeps = false;
  out.near.assign(values.size(), std::vector<std::vector<FreeDraw>>(chains));
  try {
    const Sampling sampling = make_sampling(run, target, options);
    const std::size_t numbers = values.size() * chains * static_cast<std::size_t>(sampling.code->n);
    const std::size_t most = std::clamp(std::min(most_near / chains, most_numbers_near / numbers),
                                        least_near_of_a_chain, most_near_of_a_chain);
    const std::vector<std::string> names = sampling.columns();
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), coordinate) - names.begin());
    watch.draw = [&](Chain& chain, std::int64_t draw) {
      const auto number = static_cast<std::size_t>(chain.number());
      const double xi = chain.row()[at];
      for (std::size_t k = 0; k < values.size(); ++k)
        keep_if_near(out.near[k][number], most, std::abs(xi - values[k]), chain.phase().q);
      if (draw < each * batches_of_draws)
        histogram.add(number * std::size_t{batches_of_draws} + static_cast<std::size_t>(draw / each), xi);
    };
    out.stopped = run_sampling(sampling, threads, nullptr, watch).stopped;
    if (!out.stopped && histogram.is_narrow() && each > 0) histogram.fill(sampling.code->kT, out);
  } catch (const InputError& error) {
    out = {.missing = fmt::format("direct sampling is not possible: {}", error.what())};
  }
  return out;
}

}  // namespace taut
