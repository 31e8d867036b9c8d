#include <taut/sample/free_energy.hpp>

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>
#include <taut/sample/diagnostics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace taut {

namespace {

// One value of the coordinate. Each chain writes its own lists.
struct Held {
  ChainsOfColumn corrected, raw, log_weight;
  std::vector<double> last;  // where the first chain ended
};

Held sample_at(const ModelRun& run, const FreeEnergyOptions& options, double value,
               const std::vector<double>& start, int threads, const SamplingObserver& observer, bool& stopped,
               double& kT) {
  TargetOptions target = options.target;
  target.held = options.coordinate;
  target.held_value = value;
  TargetCode code = make_target(run.model, target);
  if (!start.empty()) code.start = start;
  const Sampling sampling{.run = run,
                          .code = std::make_shared<const TargetCode>(std::move(code)),
                          .target = target,
                          .options = options.sampling};
  kT = sampling.code->kT;
  Held held;
  const auto chains = static_cast<std::size_t>(options.sampling.chains);
  const auto draws = static_cast<std::size_t>(options.sampling.draws);
  for (ChainsOfColumn* column : {&held.corrected, &held.raw, &held.log_weight})
    column->assign(chains, std::vector<double>(draws));
  SamplingObserver watch = observer;
  watch.draw = [&](Chain& chain, std::int64_t draw) {
    const auto k = static_cast<std::size_t>(chain.number()), i = static_cast<std::size_t>(draw);
    const Target::MeanForce force = chain.target().mean_force(chain.phase());
    held.corrected[k][i] = force.corrected;
    held.raw[k][i] = force.raw;
    held.log_weight[k][i] = force.log_weight;
    if (k == 0) held.last = chain.phase().q;
  };
  try {
    stopped = run_sampling(sampling, threads, nullptr, watch).stopped;
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} = {:g}: {}\n  If the constraints depend on each other there, the gradient of the "
                    "coordinate is a combination of theirs, and nothing is left to be held.",
                    options.coordinate, value, error.what()));
  }
  return held;
}

double weighted_mean(const ChainsOfColumn& values, const ChainsOfColumn& log_weights) {
  double largest = log_weights.front().front(), sum = 0, weights = 0;
  for (const auto& chain : log_weights)
    largest = std::max(largest, *std::max_element(chain.begin(), chain.end()));
  for (std::size_t k = 0; k < values.size(); ++k)
    for (std::size_t i = 0; i < values[k].size(); ++i) {
      const double weight = std::exp(log_weights[k][i] - largest);
      sum += weight * values[k][i];
      weights += weight;
    }
  return sum / weights;
}

}  // namespace

namespace {
void warn_of_spacing(FreeEnergy& out);
}

FreeEnergy free_energy(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                       const SamplingObserver& observer) {
  if (options.values.empty()) throw InputError("a free energy needs values of its coordinate: --values.");
  const auto began = std::chrono::steady_clock::now();
  FreeEnergy out;
  std::vector<double> start;
  for (const double value : options.values) {
    const Held held = sample_at(run, options, value, start, threads, observer, out.stopped, out.kT);
    if (out.stopped) return out;
    start = held.last;
    const ColumnDiagnostics d = diagnose(held.corrected);
    const bool constant = std::isnan(d.mcse);  // every draw has the same force: there is no error
    out.values.push_back(value);
    out.mean_force.push_back(d.mean);
    out.error.push_back(constant ? 0 : d.mcse);
    out.rhat.push_back(d.rhat);
    out.ess.push_back(d.ess_mean);
    out.uncorrected.push_back(weighted_mean(held.raw, held.log_weight));
  }
  out.profile = out.profile_error = {0};
  std::vector<double> weight(out.values.size(), 0.0);  // each mean force has this one in the integral so far
  for (std::size_t k = 1; k < out.values.size(); ++k) {
    const double h = out.values[k] - out.values[k - 1];
    out.profile.push_back(out.profile.back() + h / 2 * (out.mean_force[k] + out.mean_force[k - 1]));
    weight[k - 1] += h / 2;
    weight[k] += h / 2;
    double variance = 0;
    for (std::size_t i = 0; i <= k; ++i) variance += weight[i] * weight[i] * out.error[i] * out.error[i];
    out.profile_error.push_back(std::sqrt(variance));
  }
  warn_of_spacing(out);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

namespace {

constexpr std::int64_t batches_of_draws = 32;  // A chain has so many.

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
  // A at the values, and its error by the spread of the batches.
  void fill(double kT, FreeEnergy& out) const {
    const double number = static_cast<double>(counts_.size());
    std::vector<double> mean(values_.size(), 0.0), relative(values_.size(), 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      for (const auto& batch : counts_) mean[k] += batch[k] / number;
      double squares = 0;
      for (const auto& batch : counts_) squares += (batch[k] - mean[k]) * (batch[k] - mean[k]);
      relative[k] = std::sqrt(squares / (number - 1) / number) / mean[k];
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const bool known = mean[k] > 0 && mean[0] > 0;
      out.direct.push_back(known ? -kT * std::log(mean[k] / mean[0]) : unknown);
      out.direct_error.push_back(!known ? unknown : k == 0 ? 0 : kT * std::hypot(relative[k], relative[0]));
    }
  }

 private:
  const std::vector<double>& values_;
  std::vector<std::vector<double>> counts_;
  double half_ = 0;
};

}  // namespace

namespace {

// Says if the values are too far apart for the trapezoidal rule: the error bars of the profile are those of
// the draws alone. Two thirds of the way from every second value to all values is still to come.
void warn_of_spacing(FreeEnergy& out) {
  double coarse = 0, most = 0, at = 0, error = 0;
  for (std::size_t k = 2; k < out.values.size(); k += 2) {
    coarse += (out.values[k] - out.values[k - 2]) / 2 * (out.mean_force[k] + out.mean_force[k - 2]);
    const double off = std::abs(out.profile[k] - coarse) / 3;
    if (off > most) {
      most = off;
      at = out.values[k];
      error = out.profile_error[k];
    }
  }
  if (most > 4 * error + 1e-9)
    out.warnings.push_back(
        fmt::format("the values are far apart: the trapezoidal rule may be off by {:.2g} at {:g}, beyond the "
                    "error {:.2g} of the draws. Ask for more values.",
                    most, at, error));
}

void warn_of_disagreement(FreeEnergy& out) {
  for (std::size_t k = 1; k < out.direct.size(); ++k) {
    const double error = std::hypot(out.direct_error[k], out.profile_error[k]);
    const double off = std::abs(out.direct[k] - out.profile[k]);
    if (!(off > 5 * error + 0.02 * out.kT)) continue;  // also if nothing is known
    out.warnings.push_back(
        fmt::format("at {:g} the integral of the mean force is {:.3g} and direct draws give {:.3g} ± {:.2g}: "
                    "the values are too "
                    "far apart, or the draws do not reach all that the coordinate joins.",
                    out.values[k], out.profile[k], out.direct[k], error));
    return;
  }
}

}  // namespace

void add_direct(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                const SamplingObserver& observer, FreeEnergy& result) {
  if (result.stopped) return;
  SamplingOptions sampled = options.sampling;
  sampled.draws *= static_cast<std::int64_t>(options.values.size());
  const std::int64_t each = sampled.draws / batches_of_draws;
  Histogram histogram(options.values,
                      static_cast<std::size_t>(sampled.chains) * std::size_t{batches_of_draws});
  if (!histogram.is_narrow() || each < 1) {
    result.direct_note = "direct sampling needs two values or more, and some draws.";
    return;
  }
  TargetOptions target = options.target;
  target.held.clear();
  SamplingObserver watch = observer;
  watch.keeps = false;
  try {
    const Sampling sampling = make_sampling(run, target, sampled);
    const std::vector<std::string> names = sampling.columns();
    const auto at =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), options.coordinate) - names.begin());
    watch.draw = [&](Chain& chain, std::int64_t draw) {
      if (draw < each * batches_of_draws)
        histogram.add(static_cast<std::size_t>(chain.number() * batches_of_draws + draw / each),
                      chain.row()[at]);
    };
    if (run_sampling(sampling, threads, nullptr, watch).stopped) {
      result.stopped = true;
      return;
    }
  } catch (const InputError& error) {
    result.direct_note = fmt::format("direct sampling is not possible: {}", error.what());
    return;
  }
  histogram.fill(result.kT, result);
  warn_of_disagreement(result);
}

std::string to_json(const FreeEnergy& r) {
  return Json::object({{"values", Json(r.values)},
                       {"mean_force", Json(r.mean_force)},
                       {"error", Json(r.error)},
                       {"profile", Json(r.profile)},
                       {"profile_error", Json(r.profile_error)},
                       {"uncorrected", Json(r.uncorrected)},
                       {"rhat", Json(r.rhat)},
                       {"ess", Json(r.ess)},
                       {"direct", Json(r.direct)},
                       {"warnings", Json(r.warnings)},
                       {"direct_error", Json(r.direct_error)},
                       {"seconds", r.seconds}})
      .to_text();
}

std::string to_text(const FreeEnergy& r, const std::string& coordinate) {
  std::string text = fmt::format("{:>12} {:>12} {:>10} {:>12} {:>10} {:>12} {:>8}\n", coordinate, "dA/dxi",
                                 "error", "A", "error", "uncorrected", "R-hat");
  for (std::size_t k = 0; k < r.values.size(); ++k)
    text += fmt::format("{:>12.6g} {:>12.6g} {:>10.2g} {:>12.6g} {:>10.2g} {:>12.6g} {:>8.4f}\n", r.values[k],
                        r.mean_force[k], r.error[k], r.profile[k], r.profile_error[k], r.uncorrected[k],
                        r.rhat[k]);
  if (!r.direct.empty()) {
    text += fmt::format("\nBeside it, from a histogram of direct draws:\n{:>12} {:>12} {:>10}\n", coordinate,
                        "A", "error");
    for (std::size_t k = 0; k < r.values.size(); ++k)
      text += fmt::format("{:>12.6g} {:>12.6g} {:>10.2g}\n", r.values[k], r.direct[k], r.direct_error[k]);
  }
  if (!r.direct_note.empty()) text += "\n" + r.direct_note + "\n";
  return text;
}

}  // namespace taut
