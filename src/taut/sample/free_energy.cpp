#include <taut/sample/free_energy.hpp>

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>
#include <taut/sample/free_draws.hpp>
#include <taut/sample/summary.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace taut {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t draws_of_a_part = 40;  // 1 if the coordinate leaves nothing but points
// If the means of parts have this share of the variance, parts do not leave where they began.
constexpr double remembers = 0.5;

using Positions = std::vector<std::vector<double>>;

// The points at which chains begin that hold one value.
struct Starts {
  Positions at;
  std::int64_t part = 0;  // so many draws later they begin at the next ones; 0: they do not
};

// Takes the free draws within half the way to the next values. Each part of a chain begins at one of its
// own, so that components have the shares that free draws have near the value, however rarely chains leave
// them.
Starts starts_near(const FreeDraws& free, const FreeEnergyOptions& options, bool of_points, std::size_t k) {
  const double value = options.values[k];
  double reach = std::numeric_limits<double>::infinity();
  for (const double other : options.values)
    if (other != value) reach = std::min(reach, std::abs(other - value) / 2);
  Positions near;
  if (k < free.near.size())
    for (const auto& chain : free.near[k])
      for (const FreeDraw& draw : chain)
        if (draw.distance <= reach) near.push_back(draw.q);
  if (near.empty()) return {};
  const auto chains = static_cast<std::int64_t>(options.sampling.chains),
             count = static_cast<std::int64_t>(near.size());
  const std::int64_t parts = std::clamp(options.sampling.draws / (of_points ? 1 : draws_of_a_part),
                                        std::int64_t{1}, std::max(count / chains, std::int64_t{1}));
  Starts starts{.at = {}, .part = (options.sampling.draws + parts - 1) / parts};
  for (std::int64_t j = 0; j < parts * chains; ++j)  // those of one chain of free draws lie behind each other
    starts.at.push_back(near[static_cast<std::size_t>(j * count / (parts * chains) % count)]);
  return starts;
}

// One value of the coordinate. Each chain writes its own lists.
struct Held {
  ChainsOfColumn corrected, raw, log_weight;
  Positions last;          // each chain is there
  std::vector<int> moves;  // each chain has moved so often
  std::vector<double> steps;
  double kT = 1;
};

Held sample_at(const ModelRun& run, const FreeEnergyOptions& options, double value, const Starts& starts,
               int threads, const SamplingObserver& observer, bool& stopped) {
  TargetOptions target = options.target;
  target.held = options.coordinate;
  target.held_value = value;
  TargetCode code = make_target(run.model, target);
  code.starts = starts.at;
  SamplingOptions sampled = options.sampling;
  sampled.spread = 0;
  sampled.part = starts.part;
  const Sampling sampling{.run = run,
                          .code = std::make_shared<const TargetCode>(std::move(code)),
                          .target = target,
                          .options = sampled};
  Held held;
  held.kT = sampling.code->kT;
  const auto chains = static_cast<std::size_t>(options.sampling.chains);
  const auto draws = static_cast<std::size_t>(options.sampling.draws);
  for (ChainsOfColumn* column : {&held.corrected, &held.raw, &held.log_weight})
    column->assign(chains, std::vector<double>(draws));
  held.last.resize(chains);
  held.moves.assign(chains, 0);
  SamplingObserver watch = observer;
  watch.keeps = false;
  watch.draw = [&](Chain& chain, std::int64_t draw) {
    const auto k = static_cast<std::size_t>(chain.number()), i = static_cast<std::size_t>(draw);
    const Target::MeanForce force = chain.target().mean_force(chain.phase());
    held.corrected[k][i] = force.corrected;
    held.raw[k][i] = force.raw;
    held.log_weight[k][i] = force.log_weight;
    const bool begins = starts.part > 0 && draw % starts.part == 0;
    if (chain.has_points() || (!begins && chain.phase().q != held.last[k])) ++held.moves[k];
    held.last[k] = chain.phase().q;
  };
  try {
    const SamplingResult result = run_sampling(sampling, threads, nullptr, watch);
    stopped = result.stopped;
    for (const ChainResult& chain : result.chains) held.steps.push_back(chain.step);
  } catch (const InputError& error) {
    throw InputError(fmt::format("at the value {:g}: {}", value, error.what()));
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

// A force that differs by rounding alone has no error, and nothing to be diagnosed.
ColumnDiagnostics diagnose_force(const ChainsOfColumn& force) {
  double low = force.front().front(), high = low;
  for (const auto& chain : force)
    for (const double f : chain) {
      low = std::min(low, f);
      high = std::max(high, f);
    }
  ColumnDiagnostics d = diagnose(force);
  if (high - low > 1e-9 * (1 + std::max(std::abs(low), std::abs(high)))) return d;
  d.mcse = 0;
  d.rhat = d.ess_mean = not_known;
  return d;
}

// Says which part of the variance is that of the means of parts.
double memory_of(const ChainsOfColumn& force, std::int64_t part) {
  const ColumnDiagnostics all = diagnose(force);
  double squares = 0, parts = 0;
  for (const auto& chain : force)
    for (std::size_t first = 0; first < chain.size(); first += static_cast<std::size_t>(part)) {
      const std::size_t end = std::min(chain.size(), first + static_cast<std::size_t>(part));
      double sum = 0;
      for (std::size_t i = first; i < end; ++i) sum += chain[i];
      const double mean = sum / static_cast<double>(end - first);
      squares += (mean - all.mean) * (mean - all.mean);
      parts += 1;
    }
  return parts > 1 ? squares / (parts - 1) / (all.sd * all.sd) : 0;
}

// One kind of finding, at some of the values.
struct Finding {
  int count = 0;
  double at = 0, worst = 0;
  void add(double value, double how_bad) {
    if (++count > 1 && how_bad <= worst) return;
    at = value;
    worst = how_bad;
  }
  std::string where() const {
    return count == 1 ? fmt::format("at {:g}", at)
                      : fmt::format("at {:g}, and at {} more of the values,", at, count - 1);
  }
};

class Findings {
 public:
  void add(double value, const Held& held, const ColumnDiagnostics& force, std::int64_t part) {
    for (std::size_t c = 0; c < held.moves.size(); ++c)
      if (held.moves[c] == 0) still_.add(value, held.steps[c]);
    if (held.corrected.front().size() < 6) few_.add(value, 0);
    if (force.rhat > most_rhat) rhat_.add(value, force.rhat);
    if (force.ess_mean < least_ess) ess_.add(value, -force.ess_mean);
    if (part > 0 && std::isfinite(force.rhat))
      if (const double memory = memory_of(held.corrected, part); memory > remembers)
        apart_.add(value, memory);
  }
  void tell(std::vector<std::string>& warnings) const {
    if (few_.count > 0)
      warnings.push_back("fewer than 6 draws of a chain are too few for errors and diagnostics.");
    if (still_.count > 0)
      warnings.push_back(fmt::format("{} chains never moved: no step of theirs was accepted, of {:.3g}.",
                                     still_.where(), still_.worst));
    if (apart_.count > 0)
      warnings.push_back(fmt::format(
          "{} chains stay in the component or the well where they began, and other ones have other forces. "
          "Their "
          "shares are those of draws with the coordinate free that came near, as well as the error says.",
          apart_.where()));
    if (rhat_.count > 0)
      warnings.push_back(
          fmt::format("{} R-hat of the force is {:.3f}, above {}: the chains do not agree yet. Draw more.",
                      rhat_.where(), rhat_.worst, most_rhat));
    if (ess_.count > 0)
      warnings.push_back(fmt::format("{} the effective size of the force is {:.0f}, below {:.0f}: draw more.",
                                     ess_.where(), -ess_.worst, least_ess));
  }

 private:
  Finding still_, rhat_, ess_, few_, apart_;
};

// The places of the values whose cubic stands for the interval before value k, and their weights in its
// integral.
std::vector<std::pair<std::size_t, double>> rule_before(const std::vector<double>& x, std::size_t k) {
  if (x[k] == x[k - 1]) return {};
  const bool up = x[k] > x[k - 1];
  const auto goes_on = [&](std::size_t i) { return up ? x[i] > x[i - 1] : x[i] < x[i - 1]; };
  std::size_t first = k - 1, last = k;
  for (int sides = 0; last - first < 3 && sides < 2; ++sides) {  // one on either side, or two on one
    if (first > 0 && goes_on(first)) --first;
    if (last - first < 3 && last + 1 < x.size() && goes_on(last + 1)) ++last;
  }
  std::vector<std::pair<std::size_t, double>> rule;
  const double middle = (x[k] + x[k - 1]) / 2, half = (x[k] - x[k - 1]) / 2;
  for (std::size_t i = first; i <= last; ++i) {
    double weight = 0;
    for (const double side : {-1.0, 1.0}) {  // Gauss' two points integrate a cubic exactly
      const double at = middle + side * half / std::sqrt(3.0);
      double value = half;
      for (std::size_t j = first; j <= last; ++j)
        if (j != i) value *= (at - x[j]) / (x[i] - x[j]);
      weight += value;
    }
    rule.emplace_back(i, weight);
  }
  return rule;
}

// Says if the values are too far apart for the rule: the error bars of the profile are those of the draws
// alone. The rule with every second value errs by 15 times as much, or by less if it resolves nothing.
void warn_of_spacing(FreeEnergy& out) {
  std::vector<double> values, force, error;
  for (std::size_t k = 0; k < out.values.size(); k += 2) {
    values.push_back(out.values[k]);
    force.push_back(out.mean_force[k]);
    error.push_back(out.error[k]);
  }
  const Profile coarse = integrated(values, force, error);
  double most = 0, at = 0, noise = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double off = std::abs(out.profile[2 * k] - coarse.A[k]) / 8;
    if (off <= most) continue;
    most = off;
    at = values[k];
    noise = out.profile_error[2 * k];
  }
  if (most > 4 * noise + 1e-9)
    out.warnings.push_back(fmt::format(
        "the values are far apart: the profile may be off by {:.2g} at {:g}, beyond the error {:.2g} of "
        "the draws. Ask for more values.",
        most, at, noise));
}

void warn_of_disagreement(FreeEnergy& out) {
  for (std::size_t k = 1; k < out.direct.size(); ++k) {
    const double a = out.direct_error[k], b = out.profile_error[k], error = std::sqrt(a * a + b * b);
    const double off = std::abs(out.direct[k] - out.profile[k]);
    if (!(off > 5 * error + 0.02 * out.kT)) continue;  // also if nothing is known
    out.warnings.push_back(
        fmt::format("at {:g} the integral of the mean force is {:.3g} and direct draws give {:.3g} ± {:.2g}: "
                    "the values are too far apart, or the draws do not reach all that the coordinate joins.",
                    out.values[k], out.profile[k], out.direct[k], error));
    return;
  }
}

// There the profile has no second computation beside it, and parts of a level set may be missed.
void warn_of_values_not_reached(FreeEnergy& out) {
  const auto is_unknown = [](double a) { return std::isnan(a); };
  const auto count = std::count_if(out.direct.begin(), out.direct.end(), is_unknown);
  if (count == 0) return;
  const auto first = std::find_if(out.direct.begin(), out.direct.end(), is_unknown);
  out.warnings.push_back(fmt::format(
      "no free draw came near {} of the {} values, first {:g}: direct draws say nothing there, and "
      "what no chain joins may be missed. Draw more, with --inits spread, or ask for values nearer "
      "to those that are likely.",
      count, out.direct.size(), out.values[static_cast<std::size_t>(first - out.direct.begin())]));
}

FreeDraws explore(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                  const SamplingObserver& observer) {
  SamplingOptions sampled = options.sampling;
  if (options.direct) sampled.draws *= static_cast<std::int64_t>(options.values.size());
  TargetOptions target = options.target;
  target.held.clear();
  return draw_freely(run, options.coordinate, options.values, target, sampled, threads, observer);
}

}  // namespace

Profile integrated(const std::vector<double>& values, const std::vector<double>& force,
                   const std::vector<double>& error) {
  Profile out{{0}, {0}};
  std::vector<double> weight(values.size(), 0.0);  // each force has this one in the integral so far
  for (std::size_t k = 1; k < values.size(); ++k) {
    double A = out.A.back(), variance = 0;
    for (const auto& [i, w] : rule_before(values, k)) {
      A += w * force[i];
      weight[i] += w;
    }
    for (std::size_t i = 0; i < values.size(); ++i) variance += weight[i] * weight[i] * error[i] * error[i];
    out.A.push_back(A);
    out.error.push_back(std::sqrt(variance));
  }
  return out;
}

std::string held_setting(const std::string& formula) {
  return fmt::format("quantities.{}={}", held_name, formula);
}

ModelFileError in_words_of_coordinate(const ModelFileError& error) {
  const std::string before = held_setting(""), quantity = fmt::format("the quantity `{}`", held_name);
  std::vector<ModelError> errors = error.errors;
  for (ModelError& one : errors) {
    const std::size_t at = one.sentence.find(quantity);
    if (one.origin != "--set" || at == std::string::npos) continue;
    one.origin = "--coordinate";
    one.sentence.replace(at, quantity.size(), "the coordinate");
    if (!one.excerpt.starts_with(before)) continue;
    one.excerpt.erase(0, before.size());
    one.caret = std::max(0, one.caret - static_cast<int>(before.size()));
  }
  return ModelFileError(std::move(errors));
}

bool is_quantity(const Model& model, const std::string& text) {
  return std::any_of(model.quantities.begin(), model.quantities.end(),
                     [&](const NamedFormula& quantity) { return quantity.name == text; });
}

FreeEnergy free_energy(const ModelRun& run, const FreeEnergyOptions& options, int threads,
                       const SamplingObserver& observer) {
  if (options.values.empty()) throw InputError("a free energy needs values of its coordinate: --values.");
  check_options(options.sampling);
  const auto began = std::chrono::steady_clock::now();
  FreeEnergy out;
  const FreeDraws free = explore(run, options, threads, observer);
  out.stopped = free.stopped;
  Findings findings;
  Positions last;
  TargetOptions held_target = options.target;
  held_target.held = options.coordinate;
  const TargetCode shape = make_target(run.model, held_target);
  const bool of_points = shape.m == shape.n;
  for (std::size_t k = 0; k < options.values.size() && !out.stopped; ++k) {
    Starts starts = starts_near(free, options, of_points, k);
    if (starts.at.empty()) starts.at = last;
    Held held = sample_at(run, options, options.values[k], starts, threads, observer, out.stopped);
    if (out.stopped) break;
    const ColumnDiagnostics force = diagnose_force(held.corrected);
    findings.add(options.values[k], held, force, starts.part);
    last = std::move(held.last);
    out.kT = held.kT;
    out.values.push_back(options.values[k]);
    out.mean_force.push_back(force.mean);
    out.error.push_back(force.mcse);
    out.rhat.push_back(force.rhat);
    out.ess.push_back(force.ess_mean);
    out.uncorrected.push_back(weighted_mean(held.raw, held.log_weight));
  }
  if (out.stopped) return out;
  Profile profile = integrated(out.values, out.mean_force, out.error);
  out.profile = std::move(profile.A);
  out.profile_error = std::move(profile.error);
  findings.tell(out.warnings);
  warn_of_spacing(out);
  if (!free.missing.empty())
    out.direct_note = free.missing;
  else if (options.direct && free.profile.empty())
    out.direct_note = "direct sampling needs two values or more, and some draws.";
  if (options.direct) {
    out.direct = free.profile;
    out.direct_error = free.error;
    // The first value has the same A in both tables, so does the first that was reached.
    if (free.first_reached < out.direct.size())
      for (double& a : out.direct) a += out.profile[free.first_reached];
    warn_of_disagreement(out);
    warn_of_values_not_reached(out);
  }
  if (!free.missing.empty())
    out.warnings.push_back("chains begin at [initial], because " + free.missing +
                           " If the coordinate joins several components, all but one are missed.");
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
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
