#include <taut/bytes/carry.hpp>
#include <taut/contract/request.hpp>
#include <taut/run/time_loop.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr double look_every = 0.005, tell_every = 0.1, keep_every = 0.5;  // seconds

double seconds_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

TimeLoop::TimeLoop(Machine& machine, const Schedule& schedule, bool halve_on_failure, RunObserver& observer,
                   Tally& tally, const Quantities& quantities, PoleWatch* poles, EventWatch* events)
    : machine_(machine),
      schedule_(schedule),
      halve_(halve_on_failure),
      observer_(observer),
      tally_(tally),
      quantities_(quantities),
      variable_(machine.variable_steps()),
      events_(events) {
  if (poles != nullptr) poles_.emplace(*poles, machine, tally, schedule.step, events);
}

double TimeLoop::time() const {
  if (is_stopped()) return events_->stopped_at();
  return variable_ != nullptr ? variable_->time() : static_cast<double>(tally_.steps) * schedule_.step;
}

// A time that differs from the end by rounding alone is the end.
bool TimeLoop::has_ended() const {
  if (is_stopped()) return true;
  if (!schedule_.end || variable_ == nullptr) return tally_.steps >= schedule_.steps;
  const double left = *schedule_.end - variable_->time(), last = variable_->sizes().last;
  constexpr double rounding = 1e-9;
  return (schedule_.step > 0 ? left : -left) <= rounding * std::abs(last);
}

double TimeLoop::seconds() const { return before_.seconds + seconds_of(Clock::now() - began_); }

std::string TimeLoop::go(const std::string& start_digest, std::vector<BackendUse> backends, double seconds,
                         bool from_the_start) {
  before_.start_digest = start_digest;
  before_.backends = std::move(backends);
  before_.seconds = seconds;
  began_ = looked_ = told_ = Clock::now();
  wants_checkpoints_ = observer_.wants_checkpoints();
  keep();
  sampled_ = time();
  if (poles_) poles_->begin();
  try {
    if (from_the_start) {
      sample();
      if (wants_checkpoints_) observer_.checkpoint(snapshot(RunStatus::running));
    }
    while (!has_ended() && stop_.empty()) {
      advance();
      if (is_time_for_poles()) poles_->look();
      if (tally_.failed() || (events_ && !events_->trouble().empty())) break;
      if (schedule_.interval && variable_ != nullptr)
        sample_between();
      else if (tally_.steps % schedule_.every == 0 || has_ended())
        sample();
      if (tally_.failed()) break;
      if (since_look_ >= pace_) look();
    }
    settle_poles();
    if (tally_.failed()) back_to_last_good();
    if (wants_checkpoints_)
      observer_.checkpoint(snapshot(tally_.failed() ? RunStatus::failed
                                    : has_ended()   ? RunStatus::finished
                                                    : RunStatus::stopped));
  } catch (const WriteError& error) {
    save_after_failed_write();
    could_not_write_ = true;
    return error.what();
  }
  if (events_ && !events_->trouble().empty()) return events_->trouble();
  return has_ended() ? std::string() : stop_;
}

void TimeLoop::advance() {
  const std::int64_t before = tally_.steps, to_sample = schedule_.every - before % schedule_.every;
  std::int64_t count = std::min({to_sample, pace_, schedule_.steps - before});
  if (variable_ != nullptr && (schedule_.end || schedule_.interval)) count = 1;
  if (poles_) count = std::min(count, poles_->next_look() - before);
  if (events_) {
    advance_watched(count);
  } else {
    machine_.advance(schedule_.step, count, tally_);
    if (tally_.failed() && halve_) machine_.advance_by_halves(schedule_.step, tally_);
  }
  since_look_ += tally_.steps - before;
}

void TimeLoop::advance_watched(std::int64_t count) {
  for (; count > 0; --count) {
    machine_.advance(schedule_.step, 1, tally_);
    if (tally_.failed() && halve_) machine_.advance_by_halves(schedule_.step, tally_);
    if (tally_.failed() || !events_->look(machine_, tally_)) return;
  }
}

// Poles are looked for before each sample and now and then between.
bool TimeLoop::is_time_for_poles() const {
  return poles_ && !tally_.failed() &&
         (tally_.steps >= poles_->next_look() || tally_.steps % schedule_.every == 0 || has_ended());
}

// A run that stops, and what it leaves, has no open question.
void TimeLoop::settle_poles() {
  if (wants_checkpoints_ && awaits_poles()) poles_->look();
}

// The observer's own time is not that of steps: otherwise one that is slow would be asked after every step.
void TimeLoop::sample() {
  const auto before = Clock::now();
  const bool at_end = schedule_.end && variable_ != nullptr && has_ended();
  if (at_end && !variable_->show_at(*schedule_.end))
    tally_.failure = Failure{.kind = FailureKind::not_finite};
  else
    show_sample(at_end ? *schedule_.end : time(), at_end ? machine_.read() : tally_.now);
  looked_ += Clock::now() - before;
}

// Times are whole multiples of the interval; the end is always among them.
void TimeLoop::sample_between() {
  const auto before = Clock::now();
  const double side = schedule_.step > 0 ? 1 : -1, gap = *schedule_.interval, now = side * time();
  constexpr double rounding = 1e-12;
  const auto index = [&](double t) { return std::floor(t / gap * (1 + rounding) + rounding); };
  for (double k = index(side * sampled_) + 1; k * gap <= now * (1 + rounding); ++k) {
    const double t = side * k * gap;
    if (schedule_.end && side * t >= side * *schedule_.end * (1 - rounding)) break;
    if (!variable_->show_at(t)) {
      tally_.failure = Failure{.kind = FailureKind::not_finite};
      return;
    }
    show_sample(t, machine_.read());
  }
  variable_->show_mesh_point();
  sampled_ = time();
  looked_ += Clock::now() - before;
  if (has_ended()) sample();
}

void TimeLoop::show_sample(double time, const Reading& reading) {
  Machine& here = end();
  if (const auto wide = quantities_.wide(here, tally_.steps)) observer_.all_digits(*wide);
  observer_.sample(time, here.q(), here.p(), reading, quantities_.measure(here, tally_, time));
}

void TimeLoop::look() {
  const auto now = Clock::now();
  const double each = seconds_of(now - looked_) / static_cast<double>(since_look_);
  pace_ =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(look_every / std::max(each, 1e-9)), 1, 2 * pace_);
  since_look_ = 0;
  if (seconds_of(now - told_) > tell_every) {
    // If the number of steps is not known, the part of the time that is done tells how many there will be.
    const double done = schedule_.end && time() != 0 ? time() / *schedule_.end : 0;
    observer_.progress(tally_.steps, done > 0
                                         ? static_cast<std::int64_t>(static_cast<double>(tally_.steps) / done)
                                         : schedule_.steps);
    told_ = Clock::now();  // the time of a slow observer does not count
  }
  // What may lie behind a pole is not kept before somebody has looked.
  if (!awaits_poles()) {
    if (observer_.checkpoint_due()) observer_.checkpoint(snapshot(RunStatus::running));
    if (wants_checkpoints_ && seconds_of(now - kept_at_) > keep_every) keep();
  }
  stop_ = observer_.stop_reason();
  looked_ = Clock::now();
}

void TimeLoop::keep() {
  if (wants_checkpoints_) kept_ = snapshot(RunStatus::running);
  kept_at_ = Clock::now();
}

// Goes back to the last good step. A step that fails may leave the machine beyond it; the steps since the
// last copy are made again, to the same bits.
void TimeLoop::back_to_last_good() {
  if (!wants_checkpoints_) return;
  const Tally failed = tally_;
  Carry saved(kept_.tally);
  tally_.carry(saved);
  machine_.restore(kept_.machine);
  tally_.clear_failure();
  if (events_) {
    events_->begin(machine_, tally_.steps);
    events_->restore(kept_.events);
    while (tally_.steps < failed.steps && !tally_.failed()) advance_watched(1);
  }
  while (tally_.steps < failed.steps)
    advance_again(machine_, schedule_.step, failed.steps - tally_.steps, tally_);
  tally_.failure = failed.failure;
  tally_.energy_not_finite = failed.energy_not_finite;
}

// Saves the state, which may find room although something else did not. The failed write has been
// reported by then.
void TimeLoop::save_after_failed_write() {
  if (!wants_checkpoints_) return;
  try {
    settle_poles();
    observer_.checkpoint(snapshot(tally_.failed() ? RunStatus::failed : RunStatus::stopped));
  } catch (const WriteError&) {  // NOLINT(bugprone-empty-catch): the last checkpoint stands
  }
}

Snapshot TimeLoop::snapshot(RunStatus status) const {
  Snapshot s = before_;
  s.steps = tally_.steps;
  s.status = status;
  s.machine = machine_.save();
  Carry c;
  Tally tally = tally_;
  tally.carry(c);
  s.tally = c.bytes();
  s.seconds = seconds();
  if (events_) s.events = events_->save();
  return s;
}

}  // namespace taut
