#include <taut/analysis/lyapunov.hpp>
#include <taut/bytes/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taut {

namespace {

// Makes the columns orthonormal, and gives the logarithms of the diagonal of R.                        (LY5)
std::vector<double> orthonormalise(std::vector<Coordinates>& columns) {
  std::vector<double> logs;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    Coordinates& v = columns[j];
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t i = 0; i < j; ++i) {
        const double part = std::inner_product(v.begin(), v.end(), columns[i].begin(), 0.0);
        for (std::size_t k = 0; k < v.size(); ++k) v[k] -= part * columns[i][k];
      }
    const double length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (!(length > 0) || !std::isfinite(length))
      throw AnalysisError("a tangent vector vanished or overflowed.");
    for (double& x : v) x /= length;
    logs.push_back(std::log(length));
  }
  return logs;
}

// The standard error of the mean of rates that come in time, from twenty blocks of them.
double standard_error(const std::vector<double>& rates) {
  constexpr std::size_t blocks = 20;
  if (rates.size() < 2 * blocks) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t from = b * rates.size() / blocks, to = (b + 1) * rates.size() / blocks;
    means.push_back(std::accumulate(rates.begin() + static_cast<std::ptrdiff_t>(from),
                                    rates.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                    static_cast<double>(to - from));
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / blocks;
  double sum = 0;
  for (const double x : means) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / (blocks - 1) / blocks);
}

// The factorisation gives them from the largest only in the limit.
void sort_from_the_largest(Exponents& e, std::vector<std::vector<double>>& running) {
  std::vector<std::size_t> order(e.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return e.values[a] > e.values[b]; });
  const std::vector<double> values = e.values, errors = e.errors;
  for (std::size_t k = 0; k < order.size(); ++k) {
    e.values[k] = values[order[k]];
    e.errors[k] = errors[order[k]];
    e.running.push_back(std::move(running[order[k]]));
  }
}

std::string null_verdict(const Exponents& e, bool timed) {
  const auto null = std::count_if(e.values.begin(), e.values.end(), [&](const double& value) {
    return e.is_null(static_cast<std::size_t>(&value - e.values.data()));
  });
  const char* const two = timed ? "the time, as one more coordinate, and its momentum" : "energy and time";
  if (null >= 2)
    return fmt::format("{} exponents are zero within their errors: {} make two of them", null, two);
  return fmt::format(
      "only {} of the exponents is zero within its error, and {} make two zero: the run is too short{}", null,
      two, timed ? "" : ", or the method loses energy");
}

}  // namespace

Exponents lyapunov_exponents(const ModelRun& run, int count, std::int64_t every, const Telling& telling,
                             const Keeping& keeping) {
  const DiscreteMap map(run, telling);
  if (map.steps() < 1) throw InputError("the run has no steps: exponents need some, --steps or --until.");
  PlainState x = map.start();
  Frame frame = map.frame(x);
  const std::size_t all = frame.size();
  if (count < 0 || static_cast<std::size_t>(count) > all)
    throw InputError(fmt::format("there are {} exponents, and {} were asked for.", all, count));
  const std::size_t wanted = count == 0 ? all : static_cast<std::size_t>(count);
  std::vector<Coordinates> Q;
  for (std::size_t j = 0; j < wanted; ++j) {
    Q.emplace_back(all, 0.0);
    Q.back()[j] = 1;
  }
  const double h = map.step();
  WatchedMotion motion(map, run, x, h, map.steps());
  std::vector<std::vector<double>> rates(wanted);
  std::vector<double> total(wanted, 0.0);
  std::vector<double> t;
  std::vector<std::vector<double>> running(wanted);
  std::int64_t next_kept = 0;
  const auto carry = [&](Carry& c) {
    motion.carry(c);
    for (Coordinates& column : Q) c(column);
    c(total);
    c(next_kept);
    carry_any(c, t);
    carry_each(c, rates);
    carry_each(c, running);
  };
  if (!keeping.from.empty()) {
    take_kept(keeping, carry);
    x = motion.state();
    frame = map.frame(x);
    keeping.resumed(fmt::format("step {} of {}", motion.steps(), map.steps()));
  }
  while (motion.steps() < map.steps()) {
    const std::int64_t block = std::min(every, map.steps() - motion.steps());
    std::vector<Coordinates> images;
    std::vector<PlainState> ends;
    for (const Coordinates& column : Q) ends.push_back(map.image(x, frame, column, h, block));  // (LY4)
    motion.advance(block);
    x = motion.state();
    frame = map.frame(x);
    for (const PlainState& end : ends) images.push_back(frame.of(end));
    Q = std::move(images);
    const std::vector<double> logs = orthonormalise(Q);
    const double time = static_cast<double>(motion.steps()) * h;
    for (std::size_t j = 0; j < wanted; ++j) {
      total[j] += logs[j];
      rates[j].push_back(logs[j] / (static_cast<double>(block) * h));
    }
    if (motion.steps() >= next_kept || motion.steps() == map.steps()) {
      next_kept = motion.steps() + std::max<std::int64_t>(1, map.steps() / 1000);
      t.push_back(time);
      for (std::size_t j = 0; j < wanted; ++j) running[j].push_back(total[j] / time);
    }
    if (motion.steps() == map.steps() || keeping.is_due()) give_to(keeping, carry);
  }
  Exponents out{.model = run.title(), .method = chosen_method(*run.mechanism, run.name, run.request).label()};
  out.steps = motion.steps();
  out.time = static_cast<double>(motion.steps()) * h;
  out.warnings = motion.doubts();
  out.forced = run.mechanism->forced();
  for (std::size_t j = 0; j < wanted; ++j) {
    out.values.push_back(total[j] / out.time);
    out.errors.push_back(standard_error(rates[j]));
  }
  sort_from_the_largest(out, running);
  const bool pairs = wanted == all && frame.symplectic();
  out.pairing_defect = pairs ? 0 : std::numeric_limits<double>::quiet_NaN();
  for (std::size_t j = 0; pairs && j < all; ++j)
    out.pairing_defect = std::max(out.pairing_defect, std::abs(out.values[j] + out.values[all - 1 - j]));
  out.t = std::move(t);
  if (wanted == all) out.null_verdict = null_verdict(out, run.mechanism->timed());
  return out;
}

// A null exponent falls as log(t)/t: its own share of that is allowed beside three standard errors.
bool Exponents::is_null(std::size_t k) const {
  const double slow = 3 * std::log1p(std::abs(time)) / std::abs(time);
  const double error = std::isfinite(errors[k]) ? 3 * errors[k] : 0;
  return std::abs(values[k]) <= slow + error;
}

std::string to_json(const Exponents& e) {
  Json object = Json::object({{"model", e.model},
                              {"method", e.method},
                              {"exponents", e.values},
                              {"errors", e.errors},
                              {"pairing_defect", e.pairing_defect},
                              {"null", e.null_verdict},
                              {"time", e.time},
                              {"steps", e.steps}});
  if (!e.warnings.empty()) object["warnings"] = e.warnings;
  return object.to_text(2);
}

}  // namespace taut
