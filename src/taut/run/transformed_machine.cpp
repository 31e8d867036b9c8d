#include <taut/bytes/carry.hpp>
#include <taut/run/transformed_machine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

TransformedMachine::TransformedMachine(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                                       std::unique_ptr<StepFunction> sigma)
    : machine_(std::move(steps)),
      between_(std::move(between)),
      shown_(machine_.get()),
      sigma_(std::move(sigma)),
      of_K_(machine_->read(), -1),
      energy_(-machine_->p().back()) {}

// H - E₀ = K/σ and λ = λ_K/σ. Velocities, and the hidden residual with them, are σ times as large in K. (AD8)
Reading TransformedMachine::in_time(const Machine& at, Reading of_K) const {
  const double s = sigma(at);
  of_K.energy = energy_ + of_K.energy / s;
  of_K.energy_rest = 0;
  of_K.momentum /= std::abs(s);
  return of_K;
}

std::vector<double> TransformedMachine::over_sigma(std::vector<double> x) const {
  const double s = sigma(*shown_);
  for (double& component : x) component /= s;
  return x;
}

// K has p·K_p/2 = σ(p·H_p + p_time)/2 where p_time = -E₀.
double TransformedMachine::kinetic_energy() const {
  return shown_->kinetic_energy() / sigma(*shown_) + energy_ / 2;
}

void TransformedMachine::advance(double step, std::int64_t count, Tally& tally) {
  show_mesh_point();
  of_K_.stops_at_jumps = tally.stops_at_jumps;
  for (; count > 0; --count) {
    const double before = time(), s = sigma(*machine_);
    if (!(s > 0) || !std::isfinite(s)) {
      tally.failure = Failure{.kind = FailureKind::step_size};
      return;
    }
    const std::int64_t iterations = of_K_.iterations, gradients = of_K_.gradients, steps = of_K_.steps;
    machine_->advance(step, 1, of_K_);
    tally.gradients += of_K_.gradients - gradients;
    if (of_K_.steps == steps) {
      tally.failure = of_K_.failure;
      tally.energy_not_finite = of_K_.energy_not_finite;
      of_K_.clear_failure();
      return;
    }
    const double size = time() - before;
    if (!(size * step > 0)) {  // σ was not positive between, or the time is too large for such a step
      tally.failure = Failure{.kind = FailureKind::step_size};
      return;
    }
    if (!tally.add(in_time(*machine_, of_K_.now), static_cast<int>(of_K_.iterations - iterations))) return;
    tally.jumps = of_K_.jumps;
    tally.first_jump = of_K_.first_jump;
    tally.largest_jump = of_K_.largest_jump;
    tally.least_pivot = of_K_.least_pivot;
    tally.least_pivot_step = of_K_.least_pivot_step;
    last_ = size;
    shortest_ = steps_ == 0 ? std::abs(size) : std::min(shortest_, std::abs(size));
    longest_ = std::max(longest_, std::abs(size));
    ++steps_;
  }
}

StepSizes TransformedMachine::sizes() const {
  const double mean = steps_ > 0 ? std::abs(time()) / static_cast<double>(steps_) : 0;
  return {.shortest = shortest_, .mean = mean, .longest = longest_, .last = last_};
}

// A step back from the mesh point is as good as one forth. Newton's iteration finds how long it is in
// fictitious time: the time goes on by σ for a unit of it.
bool TransformedMachine::show_at(double t) {
  show_mesh_point();
  if (t == time()) return true;
  constexpr int most = 50;
  const std::string here = machine_->save();
  const double near = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(last_));
  double step = (t - time()) / sigma(*machine_);
  for (int k = 0; k < most; ++k) {
    if (!between_->restore(here)) return false;
    Tally scratch(between_->read(), 1);
    scratch.stops_at_jumps = false;
    between_->advance(step, 1, scratch);
    if (scratch.failed()) return false;
    const double off = t - between_->q().back();
    if (std::abs(off) <= near) {
      shown_ = between_.get();
      return true;
    }
    step += off / sigma(*between_);
  }
  return false;
}

template <class Carry>
void TransformedMachine::carry(Carry& c) {
  of_K_.carry(c);
  c(last_);
  c(shortest_);
  c(longest_);
  c(steps_);
}

std::string TransformedMachine::save() {
  return saved_with([this](Carry& c) { carry(c); }, *machine_);
}

bool TransformedMachine::restore(std::string_view bytes) {
  show_mesh_point();
  return restored_with([this](Carry& c) { carry(c); }, *machine_, bytes);
}

}  // namespace taut
