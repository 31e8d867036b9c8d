#include <taut/run/pole_guard.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace taut {

void advance_again(Machine& machine, double step, std::int64_t count, Tally& tally) {
  machine.advance(step, count, tally);
  if (tally.failed()) machine.advance_by_halves(step, tally);  // as it was the first time
}

const Machine& PoleGuard::here() const {
  const Machine* const stopped = events_ != nullptr ? events_->stopped() : nullptr;
  return stopped != nullptr ? *stopped : machine_;
}

void PoleGuard::begin() {
  poles_.begin(machine_.q(), machine_.p());
  keep();
  plan();
}

bool PoleGuard::look() {
  const bool changed = is_pending();
  if (changed) find();
  if (tally_.failed()) return changed;
  if (changed || tally_.steps >= next_copy_) keep();
  if (changed || tally_.steps >= next_look_) plan();
  return changed;
}

// A pole that is crossed there and back between two looks would not be seen: divisors that come near zero are
// looked at more often, at last after each step.
void PoleGuard::plan() {
  is_pending();  // evaluates the divisors here
  const std::int64_t ahead = poles_.steps_ahead(tally_.steps - planned_at_);
  planned_at_ = tally_.steps;
  next_look_ = std::min(next_copy_, tally_.steps + std::max(ahead, least_gap_));
}

// The copies cost far less than a hundredth of the steps between them.
void PoleGuard::keep() {
  constexpr std::int64_t part = 8, most = 4096;
  machine_before_ = machine_.save();
  tally_before_ = tally_;
  if (events_ != nullptr) events_before_ = events_->mark();
  next_copy_ = tally_.steps + std::clamp<std::int64_t>(tally_.steps / part, 1, most);
}

void PoleGuard::back() {
  machine_.restore(machine_before_);
  tally_ = *tally_before_;
  if (events_ != nullptr) events_->go_back(events_before_, machine_);
}

// What happened in these steps happens again, reflections and the event that ended the run among it.
void PoleGuard::find() {
  const std::int64_t end = tally_.steps;
  back();
  while (tally_.steps < end) {
    machine_before_ = machine_.save();
    tally_before_ = tally_;
    if (events_ != nullptr) events_before_ = events_->mark();
    const std::vector<double> q(machine_.q().begin(), machine_.q().end());
    const std::vector<double> p(machine_.p().begin(), machine_.p().end());
    advance_again(machine_, step_, 1, tally_);
    if (events_ != nullptr) events_->look(machine_, tally_);
    if (!poles_.changed(here().q(), here().p())) continue;
    std::string pole = poles_.between(q, p, here().q(), here().p());
    poles_.begin(here().q(), here().p());
    // A pole that showed in the energy is counted already.
    if (pole.empty() || tally_.jumps > tally_before_->jumps) continue;
    const Failure failure{.kind = FailureKind::jumped,
                          .residual = std::abs(energy_above(tally_.now, tally_before_->now))};
    if (tally_.goes_on_after(failure, tally_.steps)) continue;
    back();
    tally_.failure = failure;
    pole_ = std::move(pole);
    return;
  }
}

}  // namespace taut
