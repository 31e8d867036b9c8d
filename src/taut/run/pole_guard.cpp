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

void PoleGuard::begin() {
  poles_.begin(machine_.q(), machine_.p());
  keep();
}

bool PoleGuard::look() {
  const bool changed = poles_.changed(machine_.q(), machine_.p());
  if (changed) find();
  if (!tally_.failed() && (changed || tally_.steps >= next_look_)) keep();
  return changed;
}

// The copies cost far less than a hundredth of the steps between them.
void PoleGuard::keep() {
  constexpr std::int64_t part = 8, most = 4096;
  machine_before_ = machine_.save();
  tally_before_ = tally_;
  next_look_ = tally_.steps + std::clamp<std::int64_t>(tally_.steps / part, 1, most);
}

void PoleGuard::find() {
  const std::int64_t end = tally_.steps;
  machine_.restore(machine_before_);
  tally_ = *tally_before_;
  while (tally_.steps < end) {
    machine_before_ = machine_.save();
    tally_before_ = tally_;
    const std::vector<double> q(machine_.q().begin(), machine_.q().end());
    const std::vector<double> p(machine_.p().begin(), machine_.p().end());
    advance_again(machine_, step_, 1, tally_);
    if (!poles_.changed(machine_.q(), machine_.p())) continue;
    std::string pole = poles_.between(q, p, machine_.q(), machine_.p());
    poles_.begin(machine_.q(), machine_.p());
    // A pole that showed in the energy is counted already.
    if (pole.empty() || tally_.jumps > tally_before_->jumps) continue;
    const Failure failure{.kind = FailureKind::jumped,
                          .residual = std::abs(energy_above(tally_.now, tally_before_->now))};
    if (tally_.goes_on_after(failure, tally_.steps)) continue;
    machine_.restore(machine_before_);
    tally_ = *tally_before_;
    tally_.failure = failure;
    pole_ = std::move(pole);
    return;
  }
}

}  // namespace taut
