#include <taut/sample/bias.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace taut {

namespace {

constexpr std::int64_t batches = 32;  // A chain has so many: their means are nearly independent.
// A difference of means at h and h/2 is 1 - 1/4 of the bias at h.
constexpr double part_seen = 0.75;

}  // namespace

void estimate_bias(const Sampling& sampling, int threads, const SamplingObserver& observer,
                   SamplingSummary& summary) {
  const SamplingOptions& o = sampling.options;
  if (o.kernel.kernel.kind != KernelKind::g_baoab || !o.step || o.draws < batches) return;
  Sampling half = sampling;
  half.options.step = *o.step / 2;
  half.options.thin = 2 * o.thin;
  half.options.warmup = 2 * o.warmup;
  const std::size_t first = statistic_names().size(), count = sampling.columns().size() - first;
  const auto chains = static_cast<std::size_t>(o.chains);
  // One sum for each chain, batch and column. Draws that fill no batch are left out.
  const std::int64_t each = o.draws / batches;
  std::vector<double> sums(chains * batches * count, 0.0);
  SamplingObserver watch = observer;
  watch.keeps = false;
  watch.draw = [&](Chain& chain, std::int64_t draw) {
    if (draw >= each * batches) return;
    const std::vector<double>& row = chain.row();
    double* const to =
        sums.data() +
        (static_cast<std::size_t>(chain.number()) * batches + static_cast<std::size_t>(draw / each)) * count;
    for (std::size_t j = 0; j < count; ++j) to[j] += row[first + j] / static_cast<double>(each);
  };
  if (run_sampling(half, threads, nullptr, watch).stopped) return;
  const double number = static_cast<double>(chains * batches);
  for (std::size_t j = 0; j < count; ++j) {
    double mean = 0, squares = 0;
    for (std::size_t k = j; k < sums.size(); k += count) mean += sums[k] / number;
    for (std::size_t k = j; k < sums.size(); k += count) squares += (sums[k] - mean) * (sums[k] - mean);
    const double error = std::sqrt(squares / (number - 1) / number), own = summary.of[j].mcse;
    summary.bias.push_back((summary.of[j].mean - mean) / part_seen);
    summary.bias_error.push_back(std::sqrt(error * error + own * own) / part_seen);
  }
}

}  // namespace taut
