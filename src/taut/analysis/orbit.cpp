#include <taut/analysis/orbit.hpp>
#include <taut/bytes/json.hpp>
#include <taut/solve/dense_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taut {

namespace {

std::int64_t steps_in(double period, double step) {
  return std::max<std::int64_t>(1, std::llround(period / step));
}

PlainState minus(const PlainState& a, const PlainState& b) {
  PlainState out = a;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    out.q[i] -= b.q[i];
    out.p[i] -= b.p[i];
  }
  return out;
}

double largest(const PlainState& x) {
  double most = 0;
  for (const auto* part : {&x.q, &x.p})
    for (const double y : *part) most = std::max(most, std::abs(y));
  return most;
}

// An orbit of the map that is open by no more than this, beside its size, counts as closed. A correction goes
// on until rounding stops it, or the method, whose orbits come in families only as nearly as it keeps H.
constexpr double closed = 1e-9;

// Everything that a correction needs at x, for a period in so many steps.
struct Linearised {
  Frame frame;
  DenseMatrix monodromy;
  PlainState end;
  Coordinates flow;  // the derivative of the end by the period
};

// Carries the vectors of a frame along an orbit, a few steps at a time: differences over all of an unstable
// orbit would see its curvature.
std::vector<PlainState> carried(const DiscreteMap& map, PlainState x, const Frame& frame, double h,
                                std::int64_t steps) {
  constexpr std::int64_t few = 5;
  const std::size_t size = frame.size();
  std::vector<PlainState> vectors;
  for (std::size_t j = 0; j < size; ++j) {
    Coordinates unit(size, 0.0);
    unit[j] = 1;
    vectors.push_back(frame.vector(unit));
  }
  for (std::int64_t done = 0; done < steps; done += few) {
    const std::int64_t block = std::min(few, steps - done);
    for (PlainState& v : vectors) v = map.image(x, v, h, block);
    if (done + block < steps) x = map.go(x, h, block);
  }
  return vectors;
}

Linearised linearised(const DiscreteMap& map, const PlainState& x, double period, std::int64_t steps) {
  const double h = period / static_cast<double>(steps);
  Frame frame = map.frame(x);
  const auto size = static_cast<int>(frame.size());
  Linearised out{std::move(frame), DenseMatrix(size, size), map.go(x, h, steps), {}};
  const std::vector<PlainState> images = carried(map, x, out.frame, h, steps);
  for (int j = 0; j < size; ++j) {
    const Coordinates image = out.frame.of(images[static_cast<std::size_t>(j)]);
    std::copy(image.begin(), image.end(), out.monodromy.column(j));
  }
  const double change = 1e-4 * period;
  PlainState slope = minus(map.go(x, (period + change) / static_cast<double>(steps), steps),
                           map.go(x, (period - change) / static_cast<double>(steps), steps));
  for (auto* part : {&slope.q, &slope.p})
    for (double& y : *part) y /= 2 * change;
  out.flow = out.frame.of(slope);
  return out;
}

// A change of x in its frame, and behind it of the period.
using Change = std::vector<double>;

// One more condition on a change: this row of numbers times it.
struct Condition {
  Change row;
  double value = 0;
};

// dH(c) = ω(ẋ, c); the period has no part in it.
Condition energy_changes_by(const Linearised& at, double value) {
  const std::size_t size = at.flow.size();
  Condition out{Change(size + 1, 0.0), value};
  for (std::size_t i = 0; i < size / 2; ++i) {
    out.row[size - 1 - i] = at.flow[i];
    out.row[i] = -at.flow[size - 1 - i];
  }
  return out;
}

// Solves for a change by the equations (LY6): closure, up to `open`, no shift along the orbit, and the
// further condition.
std::optional<Change> solved(const Linearised& at, const PlainState& open, const Condition& further) {
  const int size = at.monodromy.rows;
  DenseMatrix A(size + 2, size + 1), M = at.monodromy;
  Change right = at.frame.of(open);
  for (double& y : right) y = -y;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) A(i, j) = M(i, j) - (i == j ? 1 : 0);
  for (int i = 0; i < size; ++i) A(i, size) = A(size, i) = at.flow[static_cast<std::size_t>(i)];
  for (int i = 0; i <= size; ++i) A(size + 1, i) = further.row[static_cast<std::size_t>(i)];
  right.push_back(0);
  right.push_back(further.value);
  return least_squares(A, right, 1e-12);
}

double reciprocal_defect(const std::vector<std::complex<double>>& all) {
  double most = 0;
  for (const auto& mu : all) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& other : all) best = std::min(best, std::abs(mu * other - 1.0));
    most = std::max(most, best);
  }
  return most;
}

// Returns how often an orbit of this diameter is gone through in its period. If a part of the period is no
// whole number of steps, steps of nearly the same length are made, whose orbit is nearly as well closed.
int turns_of(const DiscreteMap& map, const PlainState& x, double period, std::int64_t steps,
             double diameter) {
  constexpr std::int64_t most = 32, few = 8;
  for (std::int64_t k = std::min(most, steps / few); k > 1; --k) {
    const std::int64_t part = std::llround(static_cast<double>(steps) / static_cast<double>(k));
    const double near = k * part == steps ? 1e-6 : 1e-4;
    const PlainState end = map.go(x, period / static_cast<double>(k * part), part);
    if (largest(minus(end, x)) < near * diameter) return static_cast<int>(k);
  }
  return 1;
}

void name(Orbit& orbit, const ModelRun& run) {
  orbit.model = run.title();
  orbit.method = chosen_method(*run.mechanism, run.name, run.request).label();
}

Orbit orbit_at(const ModelRun& run, const DiscreteMap& map, const PlainState& x, double period,
               std::int64_t steps) {
  const Linearised at = linearised(map, x, period, steps);
  // The corrections do not look at poles and jumps.
  WatchedMotion motion(map, run, x, period / static_cast<double>(steps), steps);
  double diameter = 0;
  while (motion.steps() < steps) {
    motion.advance(std::min(steps / 50 + 1, steps - motion.steps()));
    diameter = std::max(diameter, largest(minus(motion.state(), x)));
  }
  Orbit out;
  name(out, run);
  out.period = period;
  out.steps = steps;
  out.step = period / static_cast<double>(steps);
  out.x = x;
  out.energy = map.energy(x);
  out.multipliers = eigenvalues(at.monodromy);
  std::sort(out.multipliers.begin(), out.multipliers.end(), [](const auto& a, const auto& b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  out.reciprocal_defect = reciprocal_defect(out.multipliers);
  out.closure = largest(minus(at.end, x));
  out.turns = turns_of(map, x, period, steps, diameter);
  out.warnings = motion.doubts();
  return out;
}

// The direction of a family at one of its orbits: a tangent vector, and what the period does, of length 1.
struct Direction {
  PlainState along;
  double period = 0;
};

Condition condition_along(const Linearised& at, const Direction& direction, double value) {
  Condition out{at.frame.of(direction.along), value};
  out.row.push_back(direction.period);
  return out;
}

// The change that leaves the orbit closed and has a part 1 in the further condition, made 1 long. (LY12)
std::optional<Direction> direction_of(const Linearised& at, const Condition& further) {
  const PlainState nothing{std::vector<double>(at.frame.N.front().size(), 0.0),
                           std::vector<double>(at.frame.N.front().size(), 0.0)};
  const auto change = solved(at, nothing, further);
  if (!change) return std::nullopt;
  const double length = std::sqrt(std::inner_product(change->begin(), change->end(), change->begin(), 0.0));
  if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
  Direction out{at.frame.vector(Coordinates(change->begin(), change->end() - 1)), change->back() / length};
  for (auto* part : {&out.along.q, &out.along.p})
    for (double& y : *part) y /= length;
  return out;
}

// Brings a guess at right angles to the direction onto the family. (LY13)
bool correct(const DiscreteMap& map, const Direction& direction, PlainState& x, double& period,
             std::int64_t steps) {
  constexpr int most = 12, first = 3;  // those that may overshoot
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most; ++k) {
    const Linearised at = linearised(map, x, period, steps);
    const double off = largest(minus(at.end, x));
    if (k >= first && off > before / 2) return off <= closed * std::max(1.0, largest(x));
    before = off;
    const auto change = solved(at, minus(at.end, x), condition_along(at, direction, 0));
    if (!change) return false;
    x = map.moved(x, at.frame.vector(Coordinates(change->begin(), change->end() - 1)), 1);
    period += change->back();
  }
  return false;
}

void check_kind(const ModelRun& run) {
  if (run.mechanism->timed())
    throw InputError("periodic orbits are looked for in models without t and without forces.");
  if (run.mechanism->velocity_constraints() > 0)
    throw InputError(
        "with constraints on velocities periodic orbits come in families beside that of the energy, and the "
        "iteration would not know which one to take: look at where the motion returns, with taut section.");
}

// Looks for an orbit from x on, with this energy and a period near the one given.
Orbit orbit_from(const ModelRun& run, const DiscreteMap& map, PlainState x, double energy, double period) {
  if (!(std::abs(period) > 0) || period * map.step() < 0)
    throw InputError(fmt::format("a period of {} cannot be made of steps of {}.", period, map.step()));
  const std::int64_t steps = steps_in(period, map.step());
  const double near = period;
  const double scale = std::max(1.0, largest(x));
  constexpr int most = 40;
  const auto off = [&](const PlainState& at, double T) {
    return largest(minus(map.go(at, T / static_cast<double>(steps), steps), at)) +
           std::abs(map.energy(at) - energy);
  };
  double now = off(x, period);
  int corrections = 0;
  for (; corrections < most; ++corrections) {
    const Linearised at = linearised(map, x, period, steps);
    const auto change = solved(at, minus(at.end, x), energy_changes_by(at, energy - map.energy(x)));
    if (!change)
      throw AnalysisError("the equations of the orbit are singular: it is an equilibrium, or a bifurcation.");
    const Coordinates c(change->begin(), change->end() - 1);
    const PlainState along = at.frame.vector(c);
    bool better = false;
    for (double part = 1; part > 1e-3 && !better; part /= 2) {
      const double T = period + part * change->back();
      // A period of 0 closes every orbit.
      if (!(T / near > 0.5 && T / near < 2)) continue;
      const PlainState there = map.moved(x, along, part);
      const double next = off(there, T);
      if (next < now) {
        better = true;
        x = there;
        period = T;
        now = next;
      }
    }
    if (!better) break;
  }
  if (now > closed * scale)
    throw AnalysisError(
        fmt::format("no periodic orbit was found near the start: after {} corrections it is open by {:.1e}, "
                    "with a period of "
                    "{:.6g}. Begin nearer to it, with a better --period.",
                    corrections, now, period));
  Orbit out = orbit_at(run, map, x, period, steps);
  out.corrections = corrections;
  return out;
}

}  // namespace

Orbit periodic_orbit(const ModelRun& run, double period, const Telling& telling) {
  check_kind(run);
  const DiscreteMap map(run, telling);
  return orbit_from(run, map, map.start(), map.energy(map.start()), period);
}

Orbit periodic_orbit_beside(const ModelRun& run, const Orbit& other) {
  check_kind(run);
  const DiscreteMap map(run);
  PlainState x = other.x;
  if (const auto moved = run.mechanism->project(x); !moved)
    throw AnalysisError("the last orbit has no point near the manifold of the next value.");
  return orbit_from(run, map, x, other.energy, other.period);
}

void Orbit::carry(Carry& c) {
  for (double* number : {&period, &step, &energy, &reciprocal_defect, &closure}) c(*number);
  c(steps);
  for (auto* part : {&x.q, &x.p}) carry_any(c, *part);
  carry_any(c, multipliers);
  carry_any(c, warnings);
  c(corrections);
  c(turns);
}

OrbitFamily orbit_family(const ModelRun& run, double period, int count, double arc, const Keeping& keeping) {
  constexpr int most_halvings = 12;
  const DiscreteMap map(run);
  OrbitFamily out;
  Direction along;
  double length = std::abs(arc);
  bool begun = false;
  const auto carry = [&](Carry& c) {
    carry_any(c, out.members);
    for (auto* part : {&along.along.q, &along.along.p}) carry_any(c, *part);
    c(along.period);
    c(length);
    c(begun);
  };
  if (keeping.from.empty()) {
    out.members.push_back(periodic_orbit(run, period));
  } else {
    take_kept(keeping, carry);
    if (out.members.empty()) throw InputError("what was kept is not of this analysis");
    for (Orbit& one : out.members) name(one, run);
    keeping.resumed(fmt::format("{} of {} orbits", out.members.size(), count + 1));
  }
  PlainState x = out.members.back().x;
  period = out.members.back().period;
  std::int64_t steps = begun ? steps_in(period, map.step()) : out.members.back().steps;
  Linearised at = linearised(map, x, period, steps);
  auto direction = begun ? direction_of(at, condition_along(at, along, 1))
                         : direction_of(at, energy_changes_by(at, arc < 0 ? -1 : 1));
  while (static_cast<int>(out.members.size()) <= count) {
    bool found = false;
    PlainState next;
    double of_next = 0;
    for (int k = 0; direction && k < most_halvings && !found; ++k) {
      try {
        next = map.moved(x, direction->along, length);
        of_next = period + length * direction->period;
        found = correct(map, *direction, next, of_next, steps);
      } catch (const AnalysisError&) {  // a step failed, or there was no point of M: too far
        found = false;
      }
      if (!found) length /= 2;
    }
    if (!found || !(of_next * period > 0)) {
      out.ended = fmt::format(
          "after {} orbits no further one was found near H = {:.10g}: the family ends or branches",
          out.members.size(), out.members.back().energy);
      break;
    }
    x = std::move(next);
    period = of_next;
    out.members.push_back(orbit_at(run, map, x, period, steps));
    steps = steps_in(period, map.step());  // as the period grows, so that the steps do not
    at = linearised(map, x, period, steps);
    along = *direction;
    begun = true;
    direction = direction_of(at, condition_along(at, along, 1));
    length = std::min(2 * length, std::abs(arc));
    if (static_cast<int>(out.members.size()) > count || keeping.is_due()) give_to(keeping, carry);
  }
  for (std::size_t k = 1; k + 1 < out.members.size(); ++k) {
    const double before = out.members[k - 1].energy, here = out.members[k].energy,
                 after = out.members[k + 1].energy;
    if ((here - before) * (after - here) < 0) out.folds.push_back(here);
  }
  return out;
}

namespace {

struct ModelOfValue {
  explicit ModelOfValue(ModelRun made) : run(std::move(made)), map(run) {}
  ModelRun run;
  DiscreteMap map;
};

// How a closed orbit opens as the parameter changes, its start kept on the manifold.
struct ByParameter {
  Coordinates open;
  double energy = 0;
};

ByParameter by_parameter(const OfParameter& parameter, double value, const Frame& frame, const PlainState& x,
                         double period, std::int64_t steps) {
  const double change = 1e-4 * std::max(1.0, std::abs(value));
  ByParameter out{Coordinates(frame.size(), 0.0)};
  for (const double sign : {1.0, -1.0}) {
    const ModelOfValue there(parameter.model(value + sign * change));
    const PlainState start = there.map.moved(x, x, 0);
    const PlainState open = minus(there.map.go(start, period / static_cast<double>(steps), steps), start);
    const Coordinates part = frame.of(open);
    for (std::size_t i = 0; i < part.size(); ++i) out.open[i] += sign * part[i] / (2 * change);
    out.energy += sign * there.map.energy(start) / (2 * change);
  }
  return out;
}

// Solves (LY6) with the parameter as one unknown more, behind the period, and the further condition.   (LY18)
std::optional<Change> solved(const Linearised& at, const ByParameter& by, const PlainState& open,
                             double energy_off, const Condition& further) {
  const int size = at.monodromy.rows;
  DenseMatrix A(size + 3, size + 2), M = at.monodromy;
  Change right = at.frame.of(open);
  for (double& y : right) y = -y;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) A(i, j) = M(i, j) - (i == j ? 1 : 0);
  const Condition energy = energy_changes_by(at, -energy_off);
  for (int i = 0; i < size; ++i) {
    A(i, size) = A(size, i) = at.flow[static_cast<std::size_t>(i)];
    A(i, size + 1) = by.open[static_cast<std::size_t>(i)];
    A(size + 1, i) = energy.row[static_cast<std::size_t>(i)];
  }
  A(size + 1, size + 1) = by.energy;
  for (int i = 0; i < size + 2; ++i) A(size + 2, i) = further.row[static_cast<std::size_t>(i)];
  right.insert(right.end(), {0.0, energy.value, further.value});
  return least_squares(A, right, 1e-12);
}

// The direction of a family in a parameter.
struct Heading {
  Direction orbit;
  double parameter = 0;

  void carry(Carry& c) {
    for (auto* part : {&orbit.along.q, &orbit.along.p}) carry_any(c, *part);
    c(orbit.period);
    c(parameter);
  }
};

Condition condition_along(const Linearised& at, const Heading& heading, double value) {
  Condition out = condition_along(at, heading.orbit, value);
  out.row.push_back(heading.parameter);
  return out;
}

std::optional<Heading> heading_of(const Linearised& at, const ByParameter& by, const Condition& further) {
  const PlainState nothing{std::vector<double>(at.frame.N.front().size(), 0.0),
                           std::vector<double>(at.frame.N.front().size(), 0.0)};
  const auto change = solved(at, by, nothing, 0, further);
  if (!change) return std::nullopt;
  const double length = std::sqrt(std::inner_product(change->begin(), change->end(), change->begin(), 0.0));
  if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
  const std::size_t size = at.frame.size();
  Heading out{{at.frame.vector(Coordinates(change->begin(), change->end() - 2)), (*change)[size] / length},
              (*change)[size + 1] / length};
  for (auto* part : {&out.orbit.along.q, &out.orbit.along.p})
    for (double& y : *part) y /= length;
  return out;
}

// The place that a family in a parameter has come to.
struct Along {
  PlainState x;
  double period = 0, value = 0;
};

// Brings a guess at right angles to the heading onto the family.
bool correct(const OfParameter& parameter, const Heading& heading, double energy, Along& now,
             std::int64_t steps) {
  constexpr int most = 12, first = 3;  // those that may overshoot
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most; ++k) {
    const ModelOfValue here(parameter.model(now.value));
    now.x = here.map.moved(now.x, now.x, 0);
    const Linearised at = linearised(here.map, now.x, now.period, steps);
    const double energy_off = here.map.energy(now.x) - energy;
    const double off = largest(minus(at.end, now.x)) + std::abs(energy_off);
    if (k >= first && off > before / 2) return off <= closed * std::max(1.0, largest(now.x));
    before = off;
    const auto change = solved(at, by_parameter(parameter, now.value, at.frame, now.x, now.period, steps),
                               minus(at.end, now.x), energy_off, condition_along(at, heading, 0));
    if (!change) return false;
    now.x = here.map.moved(now.x, at.frame.vector(Coordinates(change->begin(), change->end() - 2)), 1);
    now.period += (*change)[change->size() - 2];
    now.value += change->back();
  }
  return false;
}

// Returns the values at which a family turns: those that lie on one side of both of their neighbours.
std::vector<double> turns_among(const std::vector<double>& values) {
  std::vector<double> out;
  for (std::size_t k = 1; k + 1 < values.size(); ++k)
    if ((values[k] - values[k - 1]) * (values[k + 1] - values[k]) < 0) out.push_back(values[k]);
  return out;
}

}  // namespace

OrbitFamily orbit_family_along(const OfParameter& parameter, double period, int count, double arc,
                               const Keeping& keeping) {
  constexpr int most_halvings = 12;
  OrbitFamily out{.parameter = parameter.name};
  Heading heading;
  double length = std::abs(arc);
  bool begun = false;
  const auto carry = [&](Carry& c) {
    carry_any(c, out.members);
    carry_any(c, out.values);
    heading.carry(c);
    c(length);
    c(begun);
  };
  const ModelOfValue first(parameter.model(parameter.value));
  if (keeping.from.empty()) {
    out.members.push_back(periodic_orbit(first.run, period));
    out.values.push_back(parameter.value);
  } else {
    take_kept(keeping, carry);
    if (out.members.empty() || out.members.size() != out.values.size())
      throw InputError("what was kept is not of this analysis");
    for (Orbit& one : out.members) name(one, first.run);
    keeping.resumed(fmt::format("{} of {} orbits", out.members.size(), count + 1));
  }
  const double energy = out.members.front().energy;
  while (static_cast<int>(out.members.size()) <= count) {
    const Along last{out.members.back().x, out.members.back().period, out.values.back()};
    std::optional<Heading> next;
    std::int64_t steps = out.members.back().steps;
    {
      const ModelOfValue here(parameter.model(last.value));
      if (begun) steps = steps_in(last.period, here.map.step());
      const Linearised at = linearised(here.map, last.x, last.period, steps);
      Condition further{Change(at.frame.size() + 2, 0.0), arc < 0 ? -1.0 : 1.0};
      further.row.back() = 1;
      if (begun) further = condition_along(at, heading, 1);
      next =
          heading_of(at, by_parameter(parameter, last.value, at.frame, last.x, last.period, steps), further);
    }
    bool found = false;
    Along now;
    for (int k = 0; next && k < most_halvings && !found; ++k) {
      try {
        now = last;
        now.value += length * next->parameter;
        now.period += length * next->orbit.period;
        for (std::size_t i = 0; i < now.x.q.size(); ++i) {
          now.x.q[i] += length * next->orbit.along.q[i];
          now.x.p[i] += length * next->orbit.along.p[i];
        }
        found = correct(parameter, *next, energy, now, steps);
      } catch (const AnalysisError&) {  // a step failed, or there was no point of M: too far
        found = false;
      }
      if (!found) length /= 2;
    }
    if (!found || !(now.period * last.period > 0)) {
      out.ended = fmt::format(
          "after {} orbits no further one was found near {} = {:.10g}: the family ends or "
          "branches",
          out.members.size(), parameter.name, last.value);
      break;
    }
    const ModelOfValue there(parameter.model(now.value));
    out.members.push_back(orbit_at(there.run, there.map, now.x, now.period, steps));
    out.values.push_back(now.value);
    heading = *next;
    begun = true;
    length = std::min(2 * length, std::abs(arc));
    if (static_cast<int>(out.members.size()) > count || keeping.is_due()) give_to(keeping, carry);
  }
  out.folds = turns_among(out.values);
  return out;
}

namespace {

Json json_of(const Orbit& o) {
  Json multipliers = Json::list();
  for (const auto& mu : o.multipliers) multipliers.push_back(Json(std::vector<double>{mu.real(), mu.imag()}));
  Json object = Json::object({{"model", o.model},
                              {"method", o.method},
                              {"period", o.period},
                              {"step", o.step},
                              {"steps", o.steps},
                              {"q", o.x.q},
                              {"p", o.x.p},
                              {"energy", o.energy},
                              {"multipliers", std::move(multipliers)},
                              {"reciprocal_defect", o.reciprocal_defect},
                              {"closure", o.closure},
                              {"corrections", o.corrections},
                              {"turns", o.turns}});
  if (!o.warnings.empty()) object["warnings"] = o.warnings;
  return object;
}

}  // namespace

std::string to_json(const Orbit& o) { return json_of(o).to_text(2); }

std::string to_json(const OrbitFamily& family) {
  Json members = Json::list();
  for (std::size_t k = 0; k < family.members.size(); ++k) {
    Json one = json_of(family.members[k]);
    if (k < family.values.size()) one[family.parameter] = family.values[k];
    members.push_back(std::move(one));
  }
  Json object = Json::object({{"members", std::move(members)}, {"folds", Json(family.folds)}});
  if (!family.ended.empty()) object["ended"] = family.ended;
  return object.to_text(2);
}

}  // namespace taut
