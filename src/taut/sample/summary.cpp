#include <taut/sample/summary.hpp>

#include <taut/bytes/json.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut {

namespace {

constexpr std::size_t accept_column = 1, energy_column = 6;
constexpr double much_apart = 1.05;  // an R-hat from which on it is asked who is apart

// The hash is over the coordinates of all draws, chain after chain.
std::string hash_of(const SamplingResult& result, std::size_t first, std::size_t count) {
  Sha256 hash;
  for (int k = 0; k < result.chain_count(); ++k) {
    std::int64_t left = result.draws();
    const auto take = [&](std::span<const double> rows) {
      std::string bytes;
      for (std::size_t row = 0; row + result.columns <= rows.size() && left > 0;
           row += result.columns, --left)
        for (std::size_t j = 0; j < count; ++j) put_number(bytes, rows[row + first + j]);
      hash.add(bytes);
    };
    if (result.folder != nullptr)
      result.folder->read(k, take);
    else
      take(result.chains[static_cast<std::size_t>(k)].rows);
  }
  return hash.hex();
}

// Chains whose ranges of a coordinate do not touch, directly or through others, are in different groups.
std::vector<std::vector<int>> groups_of(const ChainsOfColumn& column) {
  struct Range {
    double low, high;
    int chain;
  };
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < column.size(); ++k) {
    const auto [low, high] = std::minmax_element(column[k].begin(), column[k].end());
    ranges.push_back({*low, *high, static_cast<int>(k)});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  std::vector<std::vector<int>> groups;
  double reach = 0;
  for (const Range& range : ranges) {
    if (groups.empty() || range.low > reach) {
      groups.emplace_back();
      reach = range.high;
    }
    reach = std::max(reach, range.high);
    groups.back().push_back(range.chain + 1);
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

std::string list_of(const std::vector<int>& chains) { return fmt::format("{}", fmt::join(chains, ", ")); }

void warn_of_components(SamplingSummary& s, const std::string& name, const ChainsOfColumn& column) {
  const auto groups = groups_of(column);
  if (groups.size() < 2) return;
  std::string text = fmt::format("chains never meet in {}: ", name);
  for (std::size_t k = 0; k < groups.size(); ++k)
    text +=
        fmt::format("{}chain{} {}", k == 0 ? "" : "; ", groups[k].size() == 1 ? "" : "s", list_of(groups[k]));
  s.warnings.push_back(
      text +
      ". They may sit in components of g = 0 that no step connects; each is sampled by itself, "
      "and their weights are not known.");
}

void warn(SamplingSummary& s) {
  const auto worst = [&](auto value, bool largest) {
    std::size_t at = 0;
    for (std::size_t k = 1; k < s.of.size(); ++k)
      if (largest ? value(s.of[k]) > value(s.of[at]) : value(s.of[k]) < value(s.of[at])) at = k;
    return at;
  };
  if (s.of.empty() || s.draws < 6) return;
  if (s.chains > 1) {
    const std::size_t at = worst([](const ColumnDiagnostics& d) { return d.rhat; }, true);
    if (s.of[at].rhat > most_rhat)
      s.warnings.push_back(
          fmt::format("R-hat of {} is {:.3f}, above {}: the chains do not agree yet. Draw more.", s.names[at],
                      s.of[at].rhat, most_rhat));
  }
  for (const bool bulk : {true, false}) {
    const auto size = [bulk](const ColumnDiagnostics& d) { return bulk ? d.ess_bulk : d.ess_tail; };
    const std::size_t at = worst(size, false);
    if (size(s.of[at]) < least_ess)
      s.warnings.push_back(
          fmt::format("the effective size of the {} of {} is {:.0f}, below {:.0f}: draw more.",
                      bulk ? "bulk" : "tails", s.names[at], size(s.of[at]), least_ess));
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

}  // namespace

SamplingSummary summarise(const Sampling& sampling, const SamplingResult& result) {
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
  const auto gather = [&](std::size_t place) {
    ChainsOfColumn column;
    for (int k = 0; k < result.chain_count(); ++k) column.push_back(result.column(k, place));
    return column;
  };
  std::vector<double> accepts;
  for (const auto& chain : gather(accept_column)) accepts.push_back(mean_of_list(chain));
  s.accept = mean_of_list(accepts);
  for (const auto& chain : gather(energy_column)) s.ebfmi.push_back(ebfmi(chain));
  std::vector<std::string> apart;
  for (std::size_t k = first; k < all.size(); ++k) {
    const ChainsOfColumn column = gather(k);
    s.of.push_back(diagnose(column));
    if (s.of.back().rhat > much_apart) warn_of_components(s, all[k], column);
  }
  warn(s);
  s.sha256 = hash_of(result, first, sampling.code->coordinates.size());
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
                       {"gradients", s.gradients},
                       {"warnings", Json(s.warnings)},
                       {"seconds", s.seconds},
                       {"draw_seconds", s.draw_seconds},
                       {"sha256", s.sha256}})
      .to_text();
}

std::string to_text(const SamplingSummary& s) {
  std::string text = fmt::format("{}: {} chains of {} draws after {} of warm-up, {}, measure {}, seed {}\n",
                                 s.model, s.chains, s.draws, s.warmup, s.kernel, s.measure, s.seed);
  text += fmt::format(
      "step {:.4g}, acceptance {:.3f}, {} gradients, {:.3g} s ({:.3g} s of the processor for draws)\n",
      s.step, s.accept, s.gradients, s.seconds, s.draw_seconds);
  std::string kinds;
  for (std::size_t k = 1; k < s.counts.size(); ++k)
    if (s.counts[k] > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", s.counts[k], names_of(Outcome{})[k]);
  for (char& c : kinds)
    if (c == '_') c = ' ';
  text += fmt::format("rejections: {}\n\n", kinds.empty() ? "none" : kinds);
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
  if (s.of.size() > most) text += fmt::format("… and {} more; --json has them all.\n", s.of.size() - most);
  return text;
}

}  // namespace taut
