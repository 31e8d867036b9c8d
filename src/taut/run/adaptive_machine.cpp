#include <taut/bytes/carry.hpp>
#include <taut/run/adaptive_machine.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

AdaptiveMachine::AdaptiveMachine(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                                 std::unique_ptr<StepFunction> function, const StepLimits& limits)
    : machine_(std::move(steps)),
      between_(std::move(between)),
      shown_(machine_.get()),
      function_(std::move(function)),
      limits_(limits),
      density_(1 / function_->sigma(machine_->q(), machine_->p()), 0),  // (AD1)
      rate_(function_->rate(machine_->q(), machine_->p())) {}

void AdaptiveMachine::advance(double epsilon, std::int64_t count, Tally& tally) {
  show_mesh_point();
  if (const auto sigma = function_->constant()) return advance_evenly(epsilon * *sigma, count, tally);
  for (; count > 0; --count) {
    const CompensatedSum<double> middle = density_ + epsilon / 2 * rate_;  // (AD3)
    const double h = middle.sum > 0 ? epsilon / middle.sum : 0;
    if (!allows(h, tally)) return;
    const std::int64_t before = tally.steps;
    machine_->advance(h, 1, tally);
    if (tally.steps == before) return;
    rate_ = function_->rate(machine_->q(), machine_->p());
    density_ = middle + epsilon / 2 * rate_;  // (AD4)
    time_ = time_ + h;
    this->count(h, 1);
  }
}

// Without a step function that varies, the steps are those of the method itself, to the bit.
void AdaptiveMachine::advance_evenly(double h, std::int64_t count, Tally& tally) {
  if (!allows(h, tally)) return;
  const std::int64_t before = tally.steps;
  machine_->advance(h, count, tally);
  const std::int64_t made = tally.steps - before;
  if (steps_ == even_steps_ && (steps_ == 0 || h == last_)) {
    even_steps_ += made;
    time_ = {static_cast<double>(even_steps_) * h, 0};
  } else {
    time_ = time_ + static_cast<double>(made) * h;
  }
  if (made > 0) this->count(h, made);
}

bool AdaptiveMachine::allows(double h, Tally& tally) const {
  const double size = std::abs(h), here = time_.sum;
  const bool moves = size > 0 && std::isfinite(size) && here + h != here;
  if (moves && size >= limits_.shortest && size <= limits_.longest) return true;
  const bool too_short = size < limits_.shortest || !moves;
  tally.failure = Failure{.kind = FailureKind::step_size,
                          .residual = std::isfinite(size) && size > 0 ? h : 0,
                          .allowed = !too_short ? limits_.longest
                                     : moves    ? limits_.shortest
                                                : std::max(limits_.shortest, std::abs(here) * 0x1p-53)};
  return false;
}

void AdaptiveMachine::count(double h, std::int64_t steps) {
  last_ = h;
  shortest_ = steps_ == 0 ? std::abs(h) : std::min(shortest_, std::abs(h));
  longest_ = std::max(longest_, std::abs(h));
  steps_ += steps;
}

StepSizes AdaptiveMachine::sizes() const {
  const double mean = steps_ > 0 ? std::abs(time_.sum) / static_cast<double>(steps_) : 0;
  return {.shortest = shortest_, .mean = mean, .longest = longest_, .last = last_};
}

// A symmetric method goes back from the mesh point as well as it went there.
bool AdaptiveMachine::show_at(double t) {
  show_mesh_point();
  const double back = (t - time_.sum) - time_.low;
  if (back == 0) return true;
  if (!between_->restore(machine_->save())) return false;
  Tally scratch(machine_->read(), 1);
  scratch.stops_at_jumps = false;
  between_->advance(back, 1, scratch);
  if (scratch.failed()) return false;
  shown_ = between_.get();
  return true;
}

template <class Carry>
void AdaptiveMachine::carry(Carry& c) {
  c(density_.sum);
  c(density_.low);
  c(time_.sum);
  c(time_.low);
  c(rate_);
  c(last_);
  c(shortest_);
  c(longest_);
  c(steps_);
  c(even_steps_);
}

std::string AdaptiveMachine::save() {
  return saved_with([this](Carry& c) { carry(c); }, *machine_);
}

bool AdaptiveMachine::restore(std::string_view bytes) {
  show_mesh_point();
  return restored_with([this](Carry& c) { carry(c); }, *machine_, bytes);
}

}  // namespace taut
