#include <taut/bytes/carry.hpp>
#include <taut/contract/request.hpp>
#include <taut/model/model.hpp>
#include <taut/run/events/event_watch.hpp>
#include <taut/run/events/reflection.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr int most_reflections = 1000;  // in one step; more are a ball that comes to rest in a corner

PlainState mesh_of(const Machine& machine) {
  return {{machine.q().begin(), machine.q().end()}, {machine.p().begin(), machine.p().end()}};
}

bool crosses(double before, double after) {
  return before != 0 && (after == 0 || (before < 0) != (after < 0));
}

}  // namespace

double place_of_time(double time, double step) {
  constexpr double rounding = 1e-12;
  const double place = time / step, nearest = std::round(place);
  return std::abs(place - nearest) <= rounding * std::max(1.0, std::abs(nearest)) ? nearest : place;
}

EventWatch::EventWatch(const Model& model, const Mechanism& mechanism, Probe probe, double step)
    : mechanism_(mechanism),
      probe_(std::move(probe)),
      step_(step),
      formulas_(model),
      times_(model.dynamics.at),
      places_(model.dynamics.at.size()),
      s_(formulas_.count()),
      s_before_(formulas_.count()),
      s_now_(formulas_.count()),
      fresh_(formulas_.count(), false) {
  for (const EventRule& event : model.dynamics.events) {
    rules_.push_back({event.name, event.direction, static_cast<int>(event.action)});
    reflects_ = reflects_ || event.action == EventRule::Action::reflect;
  }
  std::sort(times_.begin(), times_.end(), [&](double a, double b) { return step > 0 ? a < b : a > b; });
  std::transform(times_.begin(), times_.end(), places_.begin(),
                 [&](double time) { return place_of_time(time, step); });
}

void EventWatch::begin(const Machine& machine, std::int64_t steps) {
  steps_ = steps;
  before_ = mesh_of(machine);
  formulas_.values(before_.q.data(), before_.p.data(), time_of(0), s_.data());
  s_before_ = s_;
  fresh_.assign(s_.size(), false);
  if (steps == 0)
    for (std::size_t k = 0; k < times_.size(); ++k)
      if (places_[k] == 0) record(static_cast<int>(rules_.size() + k), 0, machine);
}

double EventWatch::time_of(double theta) const { return (static_cast<double>(steps_) + theta) * step_; }

bool EventWatch::look(Machine& machine, Tally& tally) {
  std::span<const double> q = machine.q(), p = machine.p();
  formulas_.values(q.data(), p.data(), time_of(1), s_now_.data());
  bool quiet = true;
  for (std::size_t k = 0; k < s_.size(); ++k) {
    // A value far from zero beside what it changed by in the last two steps has no two zeros in a step.
    const double change = std::abs(s_now_[k] - s_[k]) + std::abs(s_[k] - s_before_[k]);
    // (A formula without a value is not quiet.)
    quiet = quiet && !crosses(s_[k], s_now_[k]) && std::min(std::abs(s_[k]), std::abs(s_now_[k])) > change;
  }
  const auto done = static_cast<double>(steps_);
  quiet = quiet && std::none_of(places_.begin(), places_.end(),
                                [&](double place) { return place > done && place <= done + 1; });
  // Not all steps that pass quietly are asked how fast their formulas turn: it costs as much as their values.
  constexpr int asked = 16;
  if (!quiet || steps_ % asked == 0) see_fast_turns(q, p);
  Ended ended = Ended::no;
  if (!quiet) {
    Leg leg{before_, 0, s_, fresh_};
    fresh_.assign(s_.size(), false);
    ended = follow(std::move(leg), mesh_of(machine), s_now_, machine, tally);
    q = machine.q();
    p = machine.p();
  }
  if (ended == Ended::no && !quiet && !has_values()) return false;
  ++steps_;
  std::copy(q.begin(), q.end(), before_.q.begin());
  std::copy(p.begin(), p.end(), before_.p.begin());
  s_before_.swap(s_);
  s_.swap(s_now_);
  return ended == Ended::no;
}

// Goes along the step from event to event. After a reflection the rest of the step is made anew.
EventWatch::Ended EventWatch::follow(Leg leg, PlainState end, std::vector<double>& s_end, Machine& machine,
                                     Tally& tally) {
  settle(leg, s_end);
  for (int reflections = 0; reflections < most_reflections; ++reflections) {
    bool again = false;
    for (const Found& found : crossings(leg, end, s_end, tally)) {
      if (tally.failed()) return Ended::failed;
      const double theta = leg.from + found.theta * (1 - leg.from);
      const auto rule = static_cast<std::size_t>(found.rule);
      const bool of_times = rule >= rules_.size();
      const double time = of_times ? times_[rule - rules_.size()] : time_of(theta);
      Machine* const here = go(leg, found.theta, tally);
      if (!here) return Ended::failed;
      record(found.rule, time, *here);
      if (of_times || rules_[rule].action == static_cast<int>(EventRule::Action::record)) continue;
      if (rules_[rule].action == static_cast<int>(EventRule::Action::stop)) {
        stopped_by_ = rules_[rule].name;
        stopped_at_ = time;
        tally.now = here->read();
        end_ = std::move(leg.probe);
        return Ended::stop;
      }
      const PlainState x = mesh_of(*here);
      const auto mirrored = reflected(mechanism_, x, formulas_.gradient(rule, x.q.data(), x.p.data(), time));
      if (!mirrored) {
        trouble_ = fmt::format(
            "the event `{}` cannot reflect at t = {:.10g}: its gradient has no part in the tangent space "
            "there, "
            "or H is not quadratic in the momenta.",
            rules_[rule].name, time);
        return Ended::failed;
      }
      reflect(leg, rule, *mirrored, theta, time);
      again = true;
      break;
    }
    if (tally.failed()) return Ended::failed;
    if (!again && reflections == 0) return Ended::no;
    Machine* const last = go(leg, 1, tally);
    if (!last) return Ended::failed;
    end = mesh_of(*last);
    formulas_.values(end.q.data(), end.p.data(), time_of(1), s_end.data());
    settle(leg, s_end);
    if (again) continue;
    for (std::size_t k = 0; k < fresh_.size(); ++k)
      fresh_[k] = leg.fresh[k] && std::abs(s_end[k]) == std::numeric_limits<double>::min();
    if (!machine.restore(last->save())) {
      trouble_ = "an event that reflects needs a step that is not specialised: use --backend interpret.";
      return Ended::failed;
    }
    tally.now = machine.read();
    return Ended::no;
  }
  trouble_ = fmt::format(
      "there are more than {} reflections in the step after t = {:.10g}: what moves comes to rest between "
      "walls. Stop the run there with an event, or use a shorter step.",
      most_reflections, time_of(0));
  return Ended::failed;
}

// A wall may be met at a mesh point, or so shortly before it that rounding decides on which side of it what
// was thrown back is seen next.
void EventWatch::settle(const Leg& leg, std::vector<double>& s) {
  for (std::size_t k = 0; k < s.size(); ++k)
    if (leg.fresh[k] && std::abs(s[k]) <= (leg.noise.empty() ? 0 : leg.noise[k]))
      s[k] = std::copysign(std::numeric_limits<double>::min(), leg.s[k]);
}

// Another wall may meet this one here, and be zero too, up to rounding. What is thrown back is then still on
// the side of it from which it came.
void EventWatch::reflect(Leg& leg, std::size_t rule, PlainState mirrored, double theta, double time) const {
  constexpr double tiny = std::numeric_limits<double>::min();
  const std::vector<double> before = leg.s;
  leg.x = std::move(mirrored);
  leg.probe.reset();
  leg.from = theta;
  formulas_.values(leg.x.q.data(), leg.x.p.data(), time, leg.s.data());
  leg.noise.resize(leg.s.size());
  for (std::size_t k = 0; k < leg.s.size(); ++k) {
    leg.noise[k] = noise_of(k, leg.x, time);
    const bool meets = k == rule || std::abs(leg.s[k]) <= leg.noise[k];
    if (meets && before[k] != 0) leg.s[k] = std::copysign(tiny, before[k]);
    leg.fresh[k] = k == rule || (meets && leg.fresh[k]);
  }
}

double EventWatch::noise_of(std::size_t rule, const PlainState& x, double time) const {
  constexpr double some = 0x1p-48;  // sixteen roundings
  const std::vector<double> slope = formulas_.gradient(rule, x.q.data(), x.p.data(), time);
  double sum = std::abs(formulas_.rate(rule, x.q.data(), x.p.data(), time) * time);
  for (std::size_t j = 0; j < slope.size(); ++j) sum += std::abs(slope[j] * x.q[j]);
  std::vector<double> here(s_.size());
  formulas_.values(x.q.data(), x.p.data(), time, here.data());
  return std::max(some * sum, 4 * std::abs(here[rule]));
}

Machine* EventWatch::go(Leg& leg, double theta, Tally& tally) {
  if (!leg.probe) {
    leg.probe = probe_(leg.x);
    leg.start = leg.probe->save();
  } else {
    leg.probe->restore(leg.start);
  }
  const double h = theta * (1 - leg.from) * step_;
  if (h == 0) return leg.probe.get();
  Tally one(leg.probe->read(), 1);
  one.stops_at_jumps = false;
  leg.probe->advance(h, 1, one);  // (EV1)
  if (!one.failed()) return leg.probe.get();
  tally.failure = one.failure;
  tally.energy_not_finite = one.energy_not_finite;
  return nullptr;
}

double EventWatch::value(std::size_t rule, Leg& leg, double theta, Tally& tally) {
  const Machine* const machine = go(leg, theta, tally);
  if (!machine) return std::nan("");
  std::vector<double> s(s_.size());
  formulas_.values(machine->q().data(), machine->p().data(), time_of(leg.from + theta * (1 - leg.from)),
                   s.data());
  return s[rule];
}

std::vector<EventWatch::Found> EventWatch::crossings(Leg& leg, const PlainState& end,
                                                     const std::vector<double>& s_end, Tally& tally) {
  std::vector<Found> found;
  const auto add = [&](std::size_t k, double before, double theta) {
    const int way = before < 0 ? 1 : -1;
    if (rules_[k].direction == 0 || rules_[k].direction == way) found.push_back({static_cast<int>(k), theta});
  };
  for (std::size_t k = 0; k < rules_.size() && !tally.failed(); ++k) {
    if (std::isnan(s_end[k])) {
      double edge = 0;
      const double s = last_value(k, leg, edge, tally);
      if (crosses(leg.s[k], s)) add(k, leg.s[k], root(k, leg, 0, leg.s[k], edge, s, tally));
    } else if (crosses(leg.s[k], s_end[k])) {
      add(k, leg.s[k], root(k, leg, 0, leg.s[k], 1, s_end[k], tally));
    } else if (turns_near_zero(k, leg, end, s_end[k])) {
      double s = 0;
      const double middle = dip(k, leg, s_end[k], s, tally);
      if (tally.failed() || !crosses(leg.s[k], s)) continue;
      add(k, leg.s[k], root(k, leg, 0, leg.s[k], middle, s, tally));
      if (s != 0) add(k, s, root(k, leg, middle, s, 1, s_end[k], tally));
    }
  }
  const double a = leg.from, b = 1;
  for (std::size_t k = 0; k < times_.size(); ++k) {
    const double theta = places_[k] - static_cast<double>(steps_);
    if (theta > a && theta <= b)
      found.push_back({static_cast<int>(rules_.size() + k), (theta - a) / (b - a)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& x, const Found& y) { return x.theta < y.theta; });
  return found;
}

// The trapezoidal rule for the rate gives the change of s but for the third power of the step. If it is off
// by half of what the rates say, about three radians of an oscillation go into the step, and zeros of s may
// lie in it that its ends do not show. A formula with momenta has no rate here, and is not judged. (EV5)
void EventWatch::see_fast_turns(std::span<const double> q, std::span<const double> p) {
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    const double first = formulas_.rate(k, before_.q.data(), before_.p.data(), time_of(0)) * step_;
    const double last = formulas_.rate(k, q.data(), p.data(), time_of(1)) * step_;
    const double off = std::abs(s_now_[k] - s_[k] - (first + last) / 2);
    const double size = std::max(std::abs(s_now_[k]), std::abs(s_[k]));
    // A formula that stays far from zero beside its rates has no zeros to miss.
    if (!(off > (std::abs(first) + std::abs(last)) / 2) || size > std::abs(first) + std::abs(last)) continue;
    if (fast_turns_++ > 0) continue;
    fast_rule_ = static_cast<std::int32_t>(k);
    fast_time_ = time_of(0);
  }
}

// What a formula does where it has no value cannot be told. An event that only is recorded may be missed;
// one that ends the run, or throws back what moves, decides what comes next.
bool EventWatch::has_values() {
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    if (!std::isnan(s_[k]) && !std::isnan(s_now_[k])) continue;
    if (rules_[k].action != static_cast<int>(EventRule::Action::record)) {
      trouble_ = fmt::format(
          "the formula of the event `{}` has no value in the step from t = {:.10g} on, so nobody can tell "
          "whether the event came. Write it so that it has values on both sides of its zero.",
          rules_[k].name, time_of(0));
      return false;
    }
    if (without_value_++ > 0) continue;
    valueless_rule_ = static_cast<std::int32_t>(k);
    valueless_time_ = time_of(0);
  }
  return true;
}

std::vector<std::string> EventWatch::may_have_missed() const {
  std::vector<std::string> sentences;
  if (fast_turns_ > 0)
    sentences.push_back(fmt::format(
        "the event `{}` may have been missed: its formula turns faster than the steps can see, first in the "
        "one from t = {:.6g}. Try --step {:.3g}.",
        rules_[static_cast<std::size_t>(fast_rule_)].name, fast_time_, step_ / 8));
  if (without_value_ > 0)
    sentences.push_back(
        fmt::format("the event `{}` may have been missed: its formula has no value in {}, first in the one "
                    "from t = {:.6g}.",
                    rules_[static_cast<std::size_t>(valueless_rule_)].name,
                    counted(static_cast<std::size_t>(without_value_), "step"), valueless_time_));
  return sentences;
}

void EventWatch::go_back(const Mark& mark, const Machine& machine) {
  steps_ = mark.steps;
  before_ = mesh_of(machine);
  s_ = mark.s;
  s_before_ = mark.s_before;
  fresh_ = mark.fresh;
  records_.resize(mark.records);
  fast_turns_ = mark.fast_turns;
  without_value_ = mark.without_value;
  end_.reset();
  stopped_by_.clear();
}

// Asks whether |s| goes down at the beginning of a leg and up at its end: then it has a least value between.
// The rates of a formula with momenta come from the last mesh points.
bool EventWatch::turns_near_zero(std::size_t rule, const Leg& leg, const PlainState& end,
                                 double s_end) const {
  const double s0 = leg.s[rule];
  if (s0 == 0 || leg.fresh[rule] || s_end == 0) return false;
  double first = formulas_.rate(rule, leg.x.q.data(), leg.x.p.data(), time_of(leg.from)) * step_;
  double last = formulas_.rate(rule, end.q.data(), end.p.data(), time_of(1)) * step_;
  if (std::isnan(first)) {
    if (leg.from != 0) return false;
    first = (s_end - s_before_[rule]) / 2;
    last = (3 * s_end - 4 * s0 + s_before_[rule]) / 2;
  }
  return first * s0 < 0 && last * s0 > 0;
}

// Looks for the least |s| inside a leg, and ends as soon as s has another sign. Returns where, and s there.
double EventWatch::dip(std::size_t rule, Leg& leg, double s_end, double& s, Tally& tally) {
  constexpr int most = 24;
  const double golden = 0.3819660112501051, sign = leg.s[rule] < 0 ? -1 : 1;
  double a = 0, b = 1, x = golden, f = sign * value(rule, leg, x, tally);
  double fa = sign * leg.s[rule], fb = sign * s_end;
  for (int k = 0; k < most && f > 0 && !tally.failed(); ++k) {
    // The parabola through the ends and the least value so far, or a golden section if it does not help.
    const double da = (f - fa) / (x - a), db = (fb - f) / (b - x);
    double y = db > da ? (a + x) / 2 - da * (b - a) / (2 * (db - da)) : x;
    if (!(y > a + 0.02 * (b - a) && y < b - 0.02 * (b - a)) || std::abs(y - x) < 1e-3 * (b - a))
      y = x - a > b - x ? x - golden * (x - a) : x + golden * (b - x);
    const double fy = sign * value(rule, leg, y, tally);
    if (fy <= f) {
      (y < x ? b : a) = x;
      (y < x ? fb : fa) = f;
      x = y;
      f = fy;
    } else {
      (y < x ? a : b) = y;
      (y < x ? fa : fb) = fy;
    }
    if (b - a < 1e-7) break;  // |s| is least to rounding, and has not reached zero
  }
  s = sign * f;
  return x;
}

// Returns the value of a formula at the edge of its domain, from which on it has none in a leg.
double EventWatch::last_value(std::size_t rule, Leg& leg, double& edge, Tally& tally) {
  double s = leg.s[rule], beyond = 1;
  edge = 0;
  for (int k = 0; k < 52 && !tally.failed(); ++k) {
    const double middle = (edge + beyond) / 2, there = value(rule, leg, middle, tally);
    if (std::isnan(there)) {
      beyond = middle;
    } else {
      edge = middle;
      s = there;
    }
  }
  return s;
}

// Finds the zero between a and b by Chandrupatla's rule: inverse quadratic steps, halved if they do not help.
double EventWatch::root(std::size_t rule, Leg& leg, double a, double s_a, double b, double s_b,
                        Tally& tally) {
  if (s_b == 0) return b;
  // From a reflection the sign at the beginning is known and its value is rounding: begin in the middle.
  double x1 = b, f1 = s_b, x2 = a, f2 = s_a, x3 = x2, f3 = f2;
  double t = leg.fresh[rule] && a == 0 ? 0.5 : std::clamp(f1 / (f1 - f2), 0.0, 1.0);
  constexpr double least = 0x1p-53;
  constexpr int most = 200;
  for (int k = 0; k < most; ++k) {
    const double x = x1 + t * (x2 - x1);
    const double f = value(rule, leg, x, tally);
    if (tally.failed()) return x;
    if ((f < 0) == (f1 < 0)) {
      x3 = x1, f3 = f1;
    } else {
      x3 = x2, f3 = f2;
      x2 = x1, f2 = f1;
    }
    x1 = x, f1 = f;
    const double best = std::abs(f1) < std::abs(f2) ? x1 : x2;
    const double width = std::abs(x2 - x1);
    const double near = 2 * least * std::max(std::abs(best), 1e-3);
    if (f1 == 0 || width <= 2 * near) return best;
    const double tolerance = near / width;  // a shorter step would only creep
    const double ratio = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    const bool helps = phi * phi < ratio && (1 - phi) * (1 - phi) < 1 - ratio;
    t = helps ? f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
              : 0.5;
    t = std::clamp(t, tolerance, 1 - tolerance);
  }
  return x1;
}

void EventWatch::record(int rule, double time, const Machine& machine) {
  const PlainState x = mesh_of(machine);
  records_.push_back({rule, time, x.q, x.p});
}

std::vector<EventRecord> EventWatch::named(const std::vector<Record>& records, bool times) const {
  std::vector<EventRecord> out;
  for (const Record& r : records) {
    const auto rule = static_cast<std::size_t>(r.rule);
    if ((rule >= rules_.size()) != times) continue;
    out.push_back({times ? "" : rules_[rule].name, r.time, r.q, r.p});
  }
  return out;
}

std::string EventWatch::save() const {
  Carry c;
  std::vector<double> s_before = s_before_;
  c(s_before);
  auto count = static_cast<std::int64_t>(records_.size());
  c(count);
  for (Record r : records_) {
    c(r.rule);
    c(r.time);
    c(r.q);
    c(r.p);
  }
  std::int64_t turns = fast_turns_;
  std::int32_t rule = fast_rule_;
  double time = fast_time_;
  c(turns);
  c(rule);
  c(time);
  std::int64_t valueless = without_value_;
  std::int32_t of = valueless_rule_;
  double since = valueless_time_;
  c(valueless);
  c(of);
  c(since);
  std::vector<double> held(s_.size(), 0.0);  // formulas that were reflected at the mesh point
  for (std::size_t k = 0; k < held.size(); ++k) held[k] = fresh_[k] ? s_[k] : 0;
  c(held);
  return c.bytes();
}

bool EventWatch::restore(const std::string& bytes) {
  Carry c(bytes);
  c(s_before_);
  std::int64_t count = 0;
  c(count);
  records_.clear();
  for (std::int64_t k = 0; k < count && c.has_more(); ++k) {
    Record r{.q = before_.q, .p = before_.p};
    c(r.rule);
    c(r.time);
    c(r.q);
    c(r.p);
    if (r.rule < 0 || static_cast<std::size_t>(r.rule) >= rules_.size() + times_.size()) return false;
    records_.push_back(std::move(r));
  }
  if (static_cast<std::int64_t>(records_.size()) != count) return false;
  c(fast_turns_);
  c(fast_rule_);
  c(fast_time_);
  if (c.has_more()) {  // checkpoints of older versions end here
    c(without_value_);
    c(valueless_rule_);
    c(valueless_time_);
    std::vector<double> held(s_.size(), 0.0);
    c(held);
    for (std::size_t k = 0; k < held.size(); ++k) {
      fresh_[k] = held[k] != 0;
      if (fresh_[k]) s_[k] = held[k];
    }
  }
  return c.complete() && valueless_rule_ >= 0 && static_cast<std::size_t>(valueless_rule_) <= rules_.size() &&
         fast_rule_ >= 0 && static_cast<std::size_t>(fast_rule_) <= rules_.size();
}

}  // namespace taut
