#include <taut/sample/step_scan.hpp>
#include <taut/scalar/elementary.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut {

namespace {

constexpr std::int64_t most_scanned = 200;
constexpr int halves_of_octaves = 6;  // sizes go by √2, three octaves down and up
constexpr std::int64_t apart_from_draws = std::int64_t{1} << 38U;  // numbers of iterations that no chain has

}  // namespace

StepScan scan_steps(const Sampling& sampling, const SamplingResult& result) {
  StepScan scan;
  const std::int64_t draws = result.draws() * result.chain_count();
  const double usual = result.chains.front().step;
  if (draws == 0 || !(usual > 0)) return scan;
  std::vector<std::size_t> places(sampling.code->coordinates.size());
  std::iota(places.begin(), places.end(), statistic_names().size());
  const auto columns = result.gather(places, std::max<std::int64_t>(1, draws / most_scanned));
  Target target(sampling.code);
  target.set_metric(result.chains.front().metric);
  const auto kernel = make_kernel(target, sampling.options.kernel);
  const bool force = sampling.options.kernel.kernel.kind != KernelKind::random_walk;
  Randomness random(sampling.options.seed, 0);
  std::int64_t number = apart_from_draws;
  Phase x(*sampling.code);
  for (int k = -halves_of_octaves; k <= halves_of_octaves; ++k) {
    const double h = usual * std::exp2(0.5 * k);
    std::array<double, 6> ended{};
    double accepted = 0, count = 0;
    for (std::size_t chain = 0; chain < columns.front().size(); ++chain)
      for (std::size_t i = 0; i < columns.front()[chain].size(); ++i) {
        for (std::size_t j = 0; j < places.size(); ++j) x.q[j] = columns[j][chain][i];
        if (!target.refresh(x, Need::gradient)) continue;
        random.begin(number++);
        kernel->refresh_momentum(x, random);
        Phase to = x;
        Outcome outcome = kernel->mover().step(to, h, force, force ? Need::gradient : Need::value);
        count += 1;
        if (outcome == Outcome::done) {
          const double gain = x.U + target.kinetic(x) - to.U - target.kinetic(to);
          if (!(gain > -divergence_limit)) {
            outcome = Outcome::divergence;
          } else {
            const double accept = gain >= 0 ? 1 : elementary::exp(gain);
            accepted += accept;
            ended[static_cast<std::size_t>(Outcome::done)] += accept;
            ended[static_cast<std::size_t>(Outcome::refused)] += 1 - accept;
            continue;
          }
        }
        ended[static_cast<std::size_t>(outcome)] += 1;
      }
    if (count == 0) return {};
    scan.steps.push_back(h);
    scan.accept.push_back(accepted / count);
    for (std::size_t kind = 0; kind < ended.size(); ++kind) scan.shares[kind].push_back(ended[kind] / count);
  }
  return scan;
}

}  // namespace taut
