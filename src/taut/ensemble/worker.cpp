#include <taut/ensemble/worker.hpp>
#include <taut/run/run_mechanism.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace taut {

namespace {

using Clock = std::chrono::steady_clock;

// The first steps of a trajectory are made alone. The first one is always looked at, and in the next few the
// largest residual and the largest change of H so far are still being found: each step that exceeds them
// leaves its lane.
constexpr std::int64_t steps_alone = 16;

constexpr double shortest = 0.005, longest = 0.02;  // seconds between two looks at the clock

}  // namespace

Worker::Worker(const Ensemble& ensemble, Gathering& gathering)
    : ensemble_(ensemble), gathering_(gathering), trajectories_(ensemble) {}

void Worker::work() {
  if (ensemble_.method.device != Device::cpu) return work_on_device();
  waiting_ = begin();
  if (waiting_ && make_lanes())
    work_in_lanes();
  else
    work_alone();
}

bool Worker::Lanes::any_busy() const {
  return std::any_of(in.begin(), in.end(), [](const auto& c) { return c != nullptr; });
}

bool Worker::has_ended(const Current& c) const {
  return c.tally.failed() || c.tally.steps == ensemble_.schedule.steps;
}

bool Worker::is_sample(const Current& c) const {
  const Schedule& s = ensemble_.schedule;
  return ensemble_.samples && (c.tally.steps == s.steps || c.tally.steps % s.every == 0);
}

std::int64_t Worker::to_next_stop(const Current& c) const {
  const Schedule& s = ensemble_.schedule;
  std::int64_t next = s.steps - c.tally.steps;
  if (ensemble_.samples) next = std::min(next, s.every - c.tally.steps % s.every);
  if (c.guard) next = std::min(next, c.guard->next_look() - c.tally.steps);
  return next;
}

bool Worker::arrive(Current& c) {
  const bool again = c.guard && c.guard->look();
  if (!c.tally.failed() && is_sample(c)) sample(c);
  return again;
}

std::unique_ptr<Worker::Current> Worker::begin() {
  while (!gathering_.is_stopped()) {
    const auto index = gathering_.next_trajectory();
    if (!index) break;
    ReadyTrajectory t = trajectories_.ready(*index);
    auto machine = t.refusal.empty() ? ensemble_.machines->machine(t.model, t.start, t.constants) : nullptr;
    if (!machine) {
      refuse(t);
      continue;
    }
    const Reading start = machine->read();
    auto c = std::make_unique<Current>(
        Current{std::move(t), std::move(machine), Tally(start, ensemble_.schedule.steps)});
    c->quantities = c->t.own ? c->t.own->quantities() : trajectories_.quantities();
    c->tally.stops_at_jumps = !ensemble_.run.request.warn_at_jumps;
    c->poles = std::make_unique<PoleWatch>(*c->t.model.model);
    if (c->poles->watches()) {
      constexpr std::int64_t least_gap = 32;
      c->guard = std::make_unique<PoleGuard>(*c->poles, *c->machine, c->tally, ensemble_.schedule.step,
                                             nullptr, least_gap);
      c->guard->begin();
    }
    if (is_sample(*c)) sample(*c);
    return c;
  }
  is_dry_ = true;
  return nullptr;
}

void Worker::refuse(const ReadyTrajectory& t) {
  row_.assign(ensemble_.columns.size(), 0);
  std::copy(t.start.q.begin(), t.start.q.end(), row_.begin());
  std::copy(t.start.p.begin(), t.start.p.end(), row_.begin() + static_cast<std::ptrdiff_t>(t.start.q.size()));
  std::copy(t.values.begin(), t.values.end(), row_.end() - static_cast<std::ptrdiff_t>(t.values.size()));
  gathering_.put({t.index, row_, {}, {.kind = Ended::start_refused}});
}

void Worker::run_alone(Current& c, std::int64_t steps) {
  const double h = ensemble_.schedule.step;
  const bool halves = ensemble_.run.request.halve_on_failure;
  while (c.tally.steps < steps && !c.tally.failed() && !gathering_.is_stopped()) {
    const auto began = Clock::now();
    const std::int64_t before = c.tally.steps, count = std::min({steps - before, to_next_stop(c), pace_});
    c.machine->advance(h, count, c.tally);
    if (c.tally.failed() && halves) c.machine->advance_by_halves(h, c.tally);
    gathering_.steps.fetch_add(c.tally.steps - before, std::memory_order_relaxed);
    if (!c.tally.failed() && is_stop(c)) arrive(c);
    pace_by(Clock::now() - began);
  }
}

void Worker::pace_by(Clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  if (seconds > longest) pace_ = std::max<std::int64_t>(1, pace_ / 2);
  if (seconds < shortest) pace_ = std::min<std::int64_t>(2 * pace_, 1 << 20);
}

void Worker::sample(Current& c) {
  const double time = static_cast<double>(c.tally.steps) * ensemble_.schedule.step;
  const std::vector<double> more = c.quantities.measure(*c.machine, c.tally, time);
  std::vector<double>& to = c.sampled;
  to.push_back(time);
  to.insert(to.end(), c.machine->q().begin(), c.machine->q().end());
  to.insert(to.end(), c.machine->p().begin(), c.machine->p().end());
  for (const double number : {c.tally.now.energy, c.tally.now.position, c.tally.now.momentum})
    to.push_back(number);
  to.insert(to.end(), more.begin(), more.end());
}

Ending Worker::ending_of(const Current& c) const {
  Ending ending{.time = static_cast<double>(c.tally.steps) * ensemble_.schedule.step, .steps = c.tally.steps};
  if (c.tally.failure) {
    const Failure& failure = *c.tally.failure;
    ending.kind = static_cast<Ended>(static_cast<int>(Ended::not_solved) + static_cast<int>(failure.kind));
    ending.stage = static_cast<std::uint8_t>(failure.stage);
    ending.constraint = failure.constraint;
    ending.residual = failure.residual;
  } else if (c.tally.energy_not_finite) {
    ending.kind = Ended::no_energy;
  } else if (c.tally.is_unstable(c.machine->kinetic_energy())) {
    ending.kind = Ended::unstable;
    ending.residual = c.tally.energy_error;
  } else if (ensemble_.claims_no_drift && !ensemble_.run.request.warn_at_jumps &&
             has_lost_energy(*c.machine, c.tally, ensemble_.schedule.step)) {
    ending.kind = Ended::lost;
    ending.residual = c.tally.energy_off_for_a_while();
  }
  return ending;
}

// The machine is at the last good state.
void Worker::end(Current& c) {
  const double time = static_cast<double>(c.tally.steps) * ensemble_.schedule.step;
  row_.clear();
  row_.insert(row_.end(), c.machine->q().begin(), c.machine->q().end());
  row_.insert(row_.end(), c.machine->p().begin(), c.machine->p().end());
  const StartMove moved = c.t.moved.value_or(StartMove{});
  for (const double x : {time, c.tally.first.energy, c.tally.now.energy, c.tally.energy_error,
                         c.tally.position_max, c.tally.momentum_max, moved.q, moved.p})
    row_.push_back(x);
  for (const double x : c.quantities.measure(*c.machine, c.tally, time)) row_.push_back(x);
  row_.insert(row_.end(), c.t.values.begin(), c.t.values.end());
  gathering_.put({c.t.index, row_, c.sampled, ending_of(c)});
}

void Worker::work_alone() {
  for (auto c = std::move(waiting_); c; c = begin()) {
    run_alone(*c, ensemble_.schedule.steps);
    if (has_ended(*c)) end(*c);
  }
}

bool Worker::make_lanes() {
  int wanted = ensemble_.method.lanes;
  do {
    Lanes lanes{ensemble_.machines->lanes(waiting_->t.start), {}};
    if (!lanes.machine) return false;
    const int width = lanes.machine->lanes();
    lanes.in.resize(static_cast<std::size_t>(wanted > 0 ? std::min(wanted, width) : width));
    wanted -= width;
    lanes_.push_back(std::move(lanes));
  } while (wanted > 0);
  return true;
}

void Worker::work_in_lanes() {
  bool busy = true;
  while (busy && !gathering_.is_stopped()) {
    busy = false;
    for (Lanes& lanes : lanes_) {
      refill(lanes);
      if (!lanes.any_busy()) continue;
      busy = true;
      advance(lanes);
    }
  }
}

// What does not fit beside others, or has ended before, is done here.
std::unique_ptr<Worker::Current> Worker::begin_side_by_side() {
  while (!is_dry_ && !gathering_.is_stopped()) {
    auto c = waiting_ ? std::move(waiting_) : begin();
    if (!c) break;
    run_alone(*c,
              c->t.constants ? std::min(steps_alone, ensemble_.schedule.steps) : ensemble_.schedule.steps);
    if (has_ended(*c)) {
      end(*c);
      continue;
    }
    if (gathering_.is_stopped()) break;
    return c;
  }
  return nullptr;
}

// Puts trajectories that have begun into empty lanes.
void Worker::refill(Lanes& lanes) {
  for (std::size_t l = 0; l < lanes.in.size(); ++l) {
    if (lanes.in[l]) continue;
    lanes.in[l] = begin_side_by_side();
    if (!lanes.in[l]) return;
    fill(lanes, static_cast<int>(l));
  }
}

void Worker::fill(Lanes& lanes, int lane) {
  put_in(lanes, lane, *lanes.in[static_cast<std::size_t>(lane)]->t.constants);
}

// The lane has the constants of this trajectory: new ones would cost a new stepper.
void Worker::fill_again(Lanes& lanes, int lane) { put_in(lanes, lane, {}); }

void Worker::put_in(Lanes& lanes, int lane, std::span<const double> constants) {
  const Current& c = *lanes.in[static_cast<std::size_t>(lane)];
  if (!lanes.machine->fill(lane, c.machine->save(), c.tally, constants))
    throw std::logic_error("a machine and a lane of one trajectory do not fit together");
}

void Worker::advance(Lanes& lanes) {
  const auto began = Clock::now();
  std::int64_t count = pace_;
  std::int64_t busy = 0;
  for (const auto& c : lanes.in) {
    if (!c) continue;
    count = std::min(count, to_next_stop(*c));
    ++busy;
  }
  const std::int64_t made = lanes.machine->advance(ensemble_.schedule.step, count);
  const std::uint64_t behind = lanes.machine->behind();
  for (std::size_t l = 0; l < lanes.in.size(); ++l) {
    if (!lanes.in[l]) continue;
    lanes.in[l]->tally.steps += made;
    if ((behind >> l & 1U) != 0)
      step_alone(lanes, static_cast<int>(l));
    else if (is_stop(*lanes.in[l]))
      stop_at(lanes, static_cast<int>(l));
  }
  // The steps of lanes that were behind have been counted where they were made.
  gathering_.steps.fetch_add(busy * made - std::popcount(behind), std::memory_order_relaxed);
  gathering_.busy_lane_steps.fetch_add(busy * made, std::memory_order_relaxed);
  gathering_.lane_steps.fetch_add(made * lanes.machine->lanes(), std::memory_order_relaxed);
  pace_by(Clock::now() - began);
}

// Brings the machine of a lane's trajectory to where the lane is.
void Worker::take_out(const Lanes& lanes, int lane) {
  Current& c = *lanes.in[static_cast<std::size_t>(lane)];
  if (!c.machine->restore(lanes.machine->save(lane)))
    throw std::logic_error("a lane and a machine of one trajectory do not fit together");
  c.tally = lanes.machine->tally(lane);
}

// Makes the step alone that was no ordinary one for its lane.
void Worker::step_alone(Lanes& lanes, int lane) {
  auto& c = lanes.in[static_cast<std::size_t>(lane)];
  take_out(lanes, lane);
  run_alone(*c, c->tally.steps + 1);
  if (has_ended(*c)) {
    end(*c);
    lanes.machine->clear(lane);
    c.reset();
    return;
  }
  fill_again(lanes, lane);
}

// Samples a lane, looks for poles, or ends it.
void Worker::stop_at(Lanes& lanes, int lane) {
  auto& c = lanes.in[static_cast<std::size_t>(lane)];
  take_out(lanes, lane);
  const bool again = arrive(*c);
  if (!has_ended(*c)) {
    if (again) fill_again(lanes, lane);
    return;
  }
  end(*c);
  lanes.machine->clear(lane);
  c.reset();
}

}  // namespace taut
