#include <taut/analysis/indicators.hpp>
#include <taut/bytes/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taut {

namespace {

double product(const PlainState& a, const PlainState& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) sum += a.q[i] * b.q[i] + a.p[i] * b.p[i];
  return sum;
}

void add(PlainState& a, double factor, const PlainState& b) {
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    a.q[i] += factor * b.q[i];
    a.p[i] += factor * b.p[i];
  }
}

// Makes a vector one of length 1, and returns what its length was.
double normalise(PlainState& a) {
  const double length = std::sqrt(product(a, a));
  if (!(length > 0) || !std::isfinite(length))
    throw AnalysisError("a deviation vector vanished or overflowed.");
  for (auto* part : {&a.q, &a.p})
    for (double& x : *part) x /= length;
  return length;
}

// A sum that keeps what rounding loses.
class Sum {
 public:
  void add(double x) {
    const double y = x - rest_, t = value_ + y;
    rest_ = (t - value_) - y;
    value_ = t;
  }
  double value() const { return value_; }
  void carry(Carry& c) {
    c(value_);
    c(rest_);
  }

 private:
  double value_ = 0, rest_ = 0;
};

// Numbers between -1 and 1 that belong to a seed: splitmix64.
class Scattered {
 public:
  explicit Scattered(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_;
};

// The volume of the parallelepiped that the first k directions span.                                   (LY11)
std::vector<double> volumes(const std::vector<PlainState>& w) {
  std::vector<PlainState> basis;
  std::vector<double> out;
  double volume = 1;
  for (const PlainState& one : w) {
    PlainState left = one;
    for (int twice = 0; twice < 2; ++twice)
      for (const PlainState& u : basis) add(left, -product(u, left), u);
    const double height = std::sqrt(product(left, left));
    volume *= height;
    out.push_back(volume);
    if (height > 0) normalise(left);
    basis.push_back(std::move(left));
  }
  return out;
}

double sali_of(const PlainState& a, const PlainState& b) {
  PlainState sum = a, apart = a;
  add(sum, 1, b);
  add(apart, -1, b);
  return std::min(std::sqrt(product(sum, sum)), std::sqrt(product(apart, apart)));
}

// What the differences that carry directions may do to them. An error η in each block turns a direction that
// only shears, by a factor s, into one that grows: the eigenvalues of (1 s; η 1) are 1 ± √(sη).        (LY15)
class Resolution {
 public:
  bool is_due(double time) const { return time >= next_; }
  // `ends` are images of unit vectors, and `wide` is that of the first with differences twice as wide: their
  // truncation is 16 times as large.
  void see(const std::vector<PlainState>& ends, PlainState wide, double time, double block) {
    for (const PlainState& one : ends) shear_ = std::max(shear_, std::sqrt(product(one, one)));
    add(wide, -1, ends[0]);
    error_ = std::max(error_, std::sqrt(product(wide, wide) / product(ends[0], ends[0])) / 15);
    next_ = std::max(1.01 * time, time + block);
  }
  double feigned() const { return std::sqrt(shear_ * error_); }
  void carry(Carry& c) {
    c(shear_);
    c(error_);
    c(next_);
  }

 private:
  double shear_ = 1, error_ = 0, next_ = 0;
};

constexpr double well_above = 10;

std::string verdict_of(const Indicators& i, std::int64_t every) {
  if (std::abs(i.megno - 2) < regular_megno) return "regular";
  if (!(i.sali < chaotic_sali)) return "not yet";
  const double growth = i.lyapunov * i.time / static_cast<double>(i.steps) * static_cast<double>(every);
  return growth > well_above * i.feigned ? "chaotic" : "not resolved";
}

}  // namespace

Indicators indicators_of(const ModelRun& run, const IndicatorOptions& options, const Telling& telling,
                         const Keeping& keeping) {
  const DiscreteMap map(run, telling);
  if (map.steps() < 1) throw InputError("the run has no steps: indicators need some, --steps or --until.");
  PlainState x = map.start();
  const Frame frame = map.frame(x);
  const std::size_t size = frame.size();
  if (options.vectors < 2 || static_cast<std::size_t>(options.vectors) > size)
    throw InputError(fmt::format("the motion has {} tangent directions: GALI(k) has k from 2 to {}, not {}.",
                                 size, size, options.vectors));
  if (run.mechanism->timed())
    throw InputError("indicators are for models without t and without forces, whose motion stays.");
  Scattered scattered(options.seed);
  std::vector<PlainState> w;
  for (int k = 0; k < options.vectors; ++k) {
    Coordinates c(size);
    for (double& y : c) y = scattered.next();
    w.push_back(frame.vector(c));
    normalise(w.back());
  }
  Indicators out{.model = run.title(),
                 .method = chosen_method(*run.mechanism, run.name, run.request).label(),
                 .verdict = {}};
  const double h = map.step();
  WatchedMotion motion(map, run, x, h, map.steps());
  Sum logs, weighted, mean;
  Resolution resolution;
  double last = 0, next_kept = 0;
  out.fli = 0;
  const auto look = [&] {
    const std::vector<double> all = volumes(w);
    out.gali.assign(all.begin() + 1, all.end());
    out.sali = sali_of(w[0], w[1]);
  };
  look();
  const auto carry = [&](Carry& c) {
    motion.carry(c);
    for (PlainState& one : w) c(one);
    for (Sum* sum : {&logs, &weighted, &mean}) sum->carry(c);
    resolution.carry(c);
    for (double* number : {&last, &next_kept, &out.time, &out.megno, &out.fli, &out.lyapunov}) c(*number);
    for (auto* list : {&out.t, &out.fli_at, &out.megno_at, &out.sali_at}) carry_any(c, *list);
  };
  if (!keeping.from.empty()) {
    take_kept(keeping, carry);
    x = motion.state();
    out.steps = motion.steps();
    look();
    keeping.resumed(fmt::format("step {} of {}", motion.steps(), map.steps()));
  }
  while (motion.steps() < map.steps()) {
    const std::int64_t block = std::min(options.every, map.steps() - motion.steps());
    std::vector<PlainState> ends;
    for (const PlainState& one : w) ends.push_back(map.image(x, one, h, block));
    if (resolution.is_due(last))
      resolution.see(ends, map.image(x, w[0], h, block, 2), last, std::abs(h) * static_cast<double>(block));
    motion.advance(block);
    x = motion.state();
    w = std::move(ends);
    double grown = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double length = normalise(w[k]);
      if (k == 0) grown = std::log(length);
    }
    logs.add(grown);
    out.steps = motion.steps();
    out.time = std::abs(static_cast<double>(motion.steps()) * h);
    // Y(t) = 2/t ∫ s d log|w|, each block with the time of its middle; then the mean of Y.             (LY10)
    weighted.add(grown * (last + out.time) / 2);
    mean.add(2 * weighted.value() / out.time * (out.time - last));
    last = out.time;
    out.megno = mean.value() / out.time;
    out.fli = std::max(out.fli, logs.value());
    out.lyapunov = logs.value() / out.time;
    look();
    if (out.time >= next_kept || motion.steps() == map.steps()) {
      next_kept = std::max(next_kept * 1.01, next_kept + std::abs(h) * static_cast<double>(block));
      out.t.push_back(out.time);
      out.fli_at.push_back(out.fli);
      out.megno_at.push_back(out.megno);
      out.sali_at.push_back(out.sali);
    }
    if (motion.steps() == map.steps() || keeping.is_due()) give_to(keeping, carry);
  }
  out.feigned = resolution.feigned();
  out.verdict = verdict_of(out, options.every);
  out.warnings = motion.doubts();
  if (out.verdict == "not resolved" && out.warnings.empty())
    out.warnings.push_back(fmt::format(
        "the directions grow so slowly that the differences which carry them may feign it: by a factor of up "
        "to 1 + {:.1e} in {} steps. Take a smaller --block than {}, or a shorter time.",
        out.feigned, options.every, options.every));
  return out;
}

int vectors_for(std::string_view name) {
  if (name == "fli" || name == "megno" || name == "lyapunov" || name == "sali") return 2;
  if (!name.starts_with("gali")) return 0;
  int k = 0;
  const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), k);
  return error == std::errc() && end == name.data() + name.size() && k >= 2 ? k : 0;
}

double value_of(const Indicators& found, std::string_view name) {
  if (name == "fli") return found.fli;
  if (name == "megno") return found.megno;
  if (name == "lyapunov") return found.lyapunov;
  if (name == "sali") return found.sali;
  return found.gali.at(static_cast<std::size_t>(vectors_for(name) - 2));
}

std::string to_json(const Indicators& i) {
  Json object = Json::object({{"model", i.model},
                              {"method", i.method},
                              {"time", i.time},
                              {"steps", i.steps},
                              {"fli", i.fli},
                              {"megno", i.megno},
                              {"lyapunov", i.lyapunov},
                              {"sali", i.sali},
                              {"gali", i.gali},
                              {"verdict", i.verdict},
                              {"t", i.t},
                              {"fli_at", i.fli_at},
                              {"megno_at", i.megno_at},
                              {"sali_at", i.sali_at}});
  if (!i.warnings.empty()) object["warnings"] = i.warnings;
  return object.to_text(2);
}

}  // namespace taut
