#include <taut/sample/summary.hpp>

#include <taut/bytes/json.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace taut {

namespace {

constexpr std::size_t accept_column = 1, energy_column = 6;
constexpr double much_apart = 1.05;               // an R-hat from which on it is asked who is apart
constexpr std::size_t most_gathered = 1U << 22U;  // numbers of all columns that are looked at together
constexpr std::size_t most_in_space = 16;         // coordinates that say where chains are
constexpr std::int64_t least_independent = 50;    // draws of a chain that show where it is
constexpr std::int64_t least_draws = 6;           // A chain of fewer has no diagnostics.

// Mean and variance by Welford's update.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void add(double x) {
    count += 1;
    const double from_old = x - mean;
    mean += from_old / count;
    squares += from_old * (x - mean);
  }
  double variance() const { return squares / (count - 1); }
};

// What one reading of all draws gives, row by row.
struct WholeReading {
  Sha256 hash;  // The coordinates are hashed chain after chain.
  std::vector<Moments> columns;
  std::vector<double> accept, ebfmi;  // one for each chain
  std::vector<bool> moved;            // whether some coordinate of the chain changed
};

WholeReading read_all(const SamplingResult& result, std::size_t first, std::size_t count) {
  WholeReading all;
  all.columns.resize(result.columns);
  std::vector<double> start(count);
  for (int k = 0; k < result.chain_count(); ++k) {
    Moments accept, energy;
    double before = 0, leaps = 0;
    bool moved = false;
    result.each_block(k, [&](std::span<const double> rows) {
      std::string bytes;
      for (std::size_t at = 0; at < rows.size(); at += result.columns) {
        const auto row = rows.subspan(at, result.columns);
        for (std::size_t j = 0; j < result.columns; ++j) all.columns[j].add(row[j]);
        for (std::size_t j = 0; j < count; ++j) put_number(bytes, row[first + j]);
        if (accept.count == 0)
          std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), count, start.begin());
        moved = moved ||
                !std::equal(start.begin(), start.end(), row.begin() + static_cast<std::ptrdiff_t>(first));
        accept.add(row[accept_column]);
        if (energy.count > 0) leaps += (row[energy_column] - before) * (row[energy_column] - before);
        before = row[energy_column];
        energy.add(before);
      }
      all.hash.add(bytes);
    });
    all.accept.push_back(accept.mean);
    all.moved.push_back(moved);
    all.ebfmi.push_back(energy.count > 2 ? leaps / energy.count / energy.variance()
                                         : std::numeric_limits<double>::quiet_NaN());
  }
  return all;
}

std::string list_of(const std::vector<int>& chains) {
  std::vector<int> numbers;
  for (const int chain : chains) numbers.push_back(chain + 1);
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// Returns how many draws of a chain are as good as independent in all of these columns. If R-hat is fine,
// only such draws tell by their distances that chains never meet.
std::int64_t independent_draws(const SamplingSummary& s, std::size_t first,
                               const std::vector<std::size_t>& places) {
  double least = static_cast<double>(s.draws);
  for (const std::size_t place : places) least = std::min(least, s.of[place - first].ess_bulk / s.chains);
  return std::isfinite(least) ? static_cast<std::int64_t>(std::min(least, 500.0)) : 0;
}

// Finds chains that never meet: by their ranges of one column, whose name is then said, or by their
// neighbours in the coordinates that differ most between chains.
void warn_of_components(SamplingSummary& s, const SamplingResult& result, std::size_t first,
                        std::size_t coordinates) {
  std::vector<std::size_t> apart;
  for (std::size_t k = 0; k < s.of.size(); ++k)
    if (s.of[k].rhat > much_apart) apart.push_back(k);
  if (s.chains < 2) return;
  std::stable_sort(apart.begin(), apart.end(),
                   [&](std::size_t a, std::size_t b) { return s.of[a].rhat > s.of[b].rhat; });
  std::vector<std::size_t> places;
  std::string where = "space";
  for (const std::size_t k : apart) {
    const std::size_t place[] = {first + k};
    ChainGroups groups = groups_by_range(result.gather(place, s.every).front());
    if (groups.size() > s.components.size()) {
      s.components = std::move(groups);
      where = s.names[k];
    }
    if (k < coordinates && places.size() < most_in_space) places.push_back(first + k);
  }
  for (std::size_t k = 0; k < coordinates && places.size() < most_in_space; ++k)
    if (std::find(places.begin(), places.end(), first + k) == places.end() && std::isfinite(s.of[k].rhat))
      places.push_back(first + k);
  if (s.components.size() < 2 && !places.empty()) {
    const std::int64_t points = apart.empty() ? independent_draws(s, first, places) : 2000;
    if (points < least_independent) return;
    s.components = groups_by_neighbours(result.gather(places, std::max(s.every, s.draws / points)));
  }
  if (s.components.size() < 2) return;
  std::string text = fmt::format("chains never meet in {}: ", where);
  for (std::size_t k = 0; k < s.components.size(); ++k)
    text += fmt::format("{}chain{} {}", k == 0 ? "" : "; ", s.components[k].size() == 1 ? "" : "s",
                        list_of(s.components[k]));
  s.warnings.push_back(text +
                       ". They may sit in components of g = 0 that no step connects; each is sampled by "
                       "itself, and their weights are not known.");
}

// A number that is not known is worse than none.
void warn_of_the_unknown(SamplingSummary& s, const WholeReading& all) {
  if (s.draws < least_draws) {
    s.warnings.push_back(fmt::format("{} draws of a chain are too few for diagnostics: draw {} or more.",
                                     s.draws, least_draws));
    return;
  }
  for (std::size_t k = 0; k < all.moved.size(); ++k)
    if (!all.moved[k])
      s.warnings.push_back(fmt::format(
          "chain {} never moved: all of its draws are the same point. Its step, {:.3g}, may be too long; "
          "--step fixes another one.",
          k + 1, s.steps[k]));
  for (std::size_t k = 0; k < s.of.size(); ++k)
    if (!std::isfinite(s.of[k].sd))
      s.warnings.push_back(fmt::format("{} is not finite in some draws: it has no diagnostics.", s.names[k]));
}

void warn(SamplingSummary& s) {
  if (s.of.empty() || s.draws < least_draws) return;
  // Finds the column with the worst value; columns that do not vary have none.
  const auto worst = [&](auto value, bool largest) {
    std::optional<std::size_t> at;
    for (std::size_t k = 0; k < s.of.size(); ++k) {
      const double x = value(s.of[k]);
      if (!std::isnan(x) && (!at || (largest ? x > value(s.of[*at]) : x < value(s.of[*at])))) at = k;
    }
    return at;
  };
  if (const auto at = worst([](const ColumnDiagnostics& d) { return d.rhat; }, true);
      at && s.of[*at].rhat > most_rhat)
    s.warnings.push_back(fmt::format("R-hat of {} is {:.3f}, above {}: the {} not agree yet. Draw more.",
                                     s.names[*at], s.of[*at].rhat, most_rhat,
                                     s.chains > 1 ? "chains do" : "halves of the chain do"));
  for (const bool bulk : {true, false}) {
    const auto size = [bulk](const ColumnDiagnostics& d) { return bulk ? d.ess_bulk : d.ess_tail; };
    if (const auto at = worst(size, false); at && size(s.of[*at]) < least_ess)
      s.warnings.push_back(
          fmt::format("the effective size of the {} of {} is {:.0f}, below {:.0f}: draw more.",
                      bulk ? "bulk" : "tails", s.names[*at], size(s.of[*at]), least_ess));
  }
  for (std::size_t k = 0; k < s.ebfmi.size(); ++k)
    if (s.ebfmi[k] < least_ebfmi)
      s.warnings.push_back(fmt::format(
          "E-BFMI of chain {} is {:.2f}, below {}: the energy moves slowly, and tails may be missed.", k + 1,
          s.ebfmi[k], least_ebfmi));
  const std::int64_t divergences = s.counts[static_cast<std::size_t>(Outcome::divergence)];
  if (divergences > 0)
    s.warnings.push_back(
        fmt::format("{} of the trajectories diverged: the density bends more than the step resolves. Ask for "
                    "--accept 0.95.",
                    divergences));
}

Json named(const SamplingSummary& s, double ColumnDiagnostics::* field) {
  Json object = Json::object();
  for (std::size_t k = 0; k < s.names.size(); ++k) object[s.names[k]] = s.of[k].*field;
  return object;
}

Json divided(const SamplingSummary& s, double by) {
  Json object = Json::object();
  for (std::size_t k = 0; k < s.names.size(); ++k) object[s.names[k]] = s.of[k].ess_bulk / by;
  return object;
}

Json rejections_of(const SamplingSummary& s) {
  Json object = Json::object();
  for (std::size_t k = 1; k < s.counts.size(); ++k) object[names_of(Outcome{})[k]] = s.counts[k];
  return object;
}

double mean_of_list(const std::vector<double>& x) {
  return x.empty() ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

void diagnose_columns(SamplingSummary& s, const SamplingResult& result, std::size_t first,
                      const WholeReading& all) {
  const auto looked_at = static_cast<std::size_t>((s.draws / s.every + 1) * s.chains);
  const std::size_t together = std::max<std::size_t>(1, most_gathered / looked_at);
  for (std::size_t from = 0; from < s.names.size(); from += together) {
    std::vector<std::size_t> places(std::min(together, s.names.size() - from));
    std::iota(places.begin(), places.end(), first + from);
    for (const ChainsOfColumn& column : result.gather(places, s.every)) s.of.push_back(diagnose(column));
  }
  if (s.every == 1) return;
  // The effective sizes of a part of the draws are no more than those of all, and so are bounds.
  for (std::size_t k = 0; k < s.of.size(); ++k) {
    s.of[k].mean = all.columns[first + k].mean;
    s.of[k].sd = std::sqrt(all.columns[first + k].variance());
    s.of[k].mcse = s.of[k].sd / std::sqrt(s.of[k].ess_mean);
  }
}

Json by_name(const SamplingSummary& s, const std::vector<double>& values) {
  Json object = Json::object();
  for (std::size_t k = 0; k < values.size(); ++k) object[s.names[k]] = values[k];
  return object;
}

Json components_of(const SamplingSummary& s) {
  Json list = Json::list();
  for (const std::vector<int>& group : s.components) {
    Json numbers = Json::list();
    for (const int chain : group) numbers.push_back(chain + 1);
    list.push_back(std::move(numbers));
  }
  return list;
}

}  // namespace

SamplingSummary summarise(const Sampling& sampling, const SamplingResult& result,
                          std::int64_t most_diagnosed) {
  const SamplingOptions& o = sampling.options;
  SamplingSummary s{.model = sampling.run.title(),
                    .kernel = o.kernel.kernel.text(),
                    .measure = std::string(name_of(sampling.code->measure)),
                    .chains = o.chains,
                    .draws = result.draws(),
                    .warmup = o.warmup,
                    .thin = o.thin,
                    .seed = o.seed};
  s.stopped = result.stopped;
  s.seconds = result.seconds;
  for (const ChainResult& chain : result.chains) {
    s.steps.push_back(chain.step);
    s.metrics.push_back(chain.metric);
    s.gradients += chain.gradients;
    s.draw_seconds += chain.seconds;
    for (std::size_t k = 0; k < s.counts.size(); ++k) s.counts[k] += chain.counts[k];
  }
  s.step = mean_of_list(s.steps);
  const std::vector<std::string> all = sampling.columns();
  const std::size_t first = statistic_names().size();
  s.names.assign(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  if (s.draws == 0) return s;
  const WholeReading all_draws = read_all(result, first, sampling.code->coordinates.size());
  s.accept = mean_of_list(all_draws.accept);
  s.ebfmi = all_draws.ebfmi;
  s.sha256 = all_draws.hash.hex();
  s.every = (s.draws * s.chains + most_diagnosed - 1) / most_diagnosed;
  diagnose_columns(s, result, first, all_draws);
  s.components.emplace_back();
  for (int k = 0; k < s.chains; ++k) s.components.back().push_back(k);
  warn_of_the_unknown(s, all_draws);
  warn_of_components(s, result, first, sampling.code->coordinates.size());
  warn(s);
  return s;
}

std::string to_json(const SamplingSummary& s) {
  return Json::object({{"model", s.model},
                       {"chains", s.chains},
                       {"draws", s.draws},
                       {"warmup", s.warmup},
                       {"thin", s.thin},
                       {"seed", s.seed},
                       {"kernel", s.kernel},
                       {"measure", s.measure},
                       {"step", s.step},
                       {"steps", Json(s.steps)},
                       {"metric", Json(s.metrics)},
                       {"accept", s.accept},
                       {"rejections", rejections_of(s)},
                       {"mean", named(s, &ColumnDiagnostics::mean)},
                       {"sd", named(s, &ColumnDiagnostics::sd)},
                       {"mcse", named(s, &ColumnDiagnostics::mcse)},
                       {"rhat", named(s, &ColumnDiagnostics::rhat)},
                       {"ess_bulk", named(s, &ColumnDiagnostics::ess_bulk)},
                       {"ess_tail", named(s, &ColumnDiagnostics::ess_tail)},
                       {"ess_per_second", divided(s, s.draw_seconds)},
                       {"ess_per_gradient", divided(s, static_cast<double>(s.gradients))},
                       {"ebfmi", Json(s.ebfmi)},
                       {"components", components_of(s)},
                       {"diagnosed_every", s.every},
                       {"bias", by_name(s, s.bias)},
                       {"bias_error", by_name(s, s.bias_error)},
                       {"gradients", s.gradients},
                       {"warnings", Json(s.warnings)},
                       {"seconds", s.seconds},
                       {"draw_seconds", s.draw_seconds},
                       {"sha256", s.sha256}})
      .to_text();
}

std::string to_text(const SamplingSummary& s) {
  std::string text =
      fmt::format("{}: {} chain{} of {} draws after {} of warm-up, {}, measure {}, seed {}\n", s.model,
                  s.chains, s.chains == 1 ? "" : "s", s.draws, s.warmup, s.kernel, s.measure, s.seed);
  text += fmt::format(
      "step {:.4g}, acceptance {:.3f}, {} gradients, {:.3g} s ({:.3g} s of the processor for draws)\n",
      s.step, s.accept, s.gradients, s.seconds, s.draw_seconds);
  std::string kinds;
  for (std::size_t k = 1; k < s.counts.size(); ++k)
    if (s.counts[k] > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", s.counts[k], names_of(Outcome{})[k]);
  for (char& c : kinds)
    if (c == '_') c = ' ';
  text += fmt::format("rejections: {}\n", kinds.empty() ? "none" : kinds);
  if (s.every > 1)
    text += fmt::format("R-hat and effective sizes are those of one draw of {}; more draws have no less.\n",
                        s.every);
  text += "\n";
  std::size_t width = 8;
  for (const std::string& name : s.names) width = std::max(width, name.size());
  constexpr std::size_t most = 40;
  text += fmt::format("{:<{}} {:>12} {:>10} {:>10} {:>7} {:>9} {:>9} {:>10}\n", "", width, "mean", "sd",
                      "mcse", "R-hat", "ESS bulk", "ESS tail", "ESS/s");
  for (std::size_t k = 0; k < std::min(most, s.of.size()); ++k) {
    const ColumnDiagnostics& d = s.of[k];
    text +=
        fmt::format("{:<{}} {:>12.5g} {:>10.4g} {:>10.3g} {:>7.4f} {:>9.0f} {:>9.0f} {:>10.4g}\n", s.names[k],
                    width, d.mean, d.sd, d.mcse, d.rhat, d.ess_bulk, d.ess_tail, d.ess_bulk / s.draw_seconds);
  }
  if (!s.bias.empty()) {
    text += "\nBias of the means, from a second run with half of the step:\n";
    for (std::size_t k = 0; k < std::min(most, s.bias.size()); ++k)
      text += fmt::format("{:<{}} {:>12.3g} ± {:.2g}\n", s.names[k], width, s.bias[k], s.bias_error[k]);
  }
  if (s.of.size() > most) text += fmt::format("… and {} more; --json has them all.\n", s.of.size() - most);
  return text;
}

}  // namespace taut
