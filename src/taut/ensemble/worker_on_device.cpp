// The part of a worker that has a device make the steps. The first steps of a trajectory, and those that the
// device leaves, are made here by the machine of the trajectory, so that the bits and what is found wrong
// with a step are those of the processor.
#include <taut/backend/cuda_driver.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/worker.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace taut {

namespace {

// Slots of a worker at most; all workers together fill a device. More would only take memory.
constexpr std::int64_t most_slots = 1 << 18;
// The first calls are short, because many slots fall behind in the first steps; later ones take about this
// many seconds, so that a slot that falls behind loses little, and a signal is noticed.
constexpr std::int64_t first_steps_of_a_call = 64;
constexpr double shortest_call = 0.02, longest_call = 0.08;
// If all slots fall behind soon, calls stay short however many steps they may make, and this number would
// grow until it overflows.
constexpr std::int64_t most_steps_of_a_call = 1 << 24;

}  // namespace

void Worker::work_on_device() try {
  const std::int64_t share = ensemble_.size() / std::max<std::int64_t>(1, gathering_.workers) + 1;
  const auto count = static_cast<int>(std::clamp<std::int64_t>(share, 32, most_slots));
  Slots slots{ensemble_.machines->device(count), {}};
  slots.in.resize(static_cast<std::size_t>(count));
  steps_of_a_call_ = first_steps_of_a_call;
  while (!gathering_.is_stopped()) {
    refill(slots);
    if (slots.busy == 0) break;
    advance(slots);
  }
} catch (const DeviceError& error) {
  throw DeviceError(fmt::format("--device {}: {}.", name_of(ensemble_.method.device), error.what()));
}

void Worker::refill(Slots& slots) {
  for (std::size_t k = 0; k < slots.in.size() && !is_dry_; ++k) {
    if (slots.in[k]) continue;
    slots.in[k] = begin_side_by_side();
    if (!slots.in[k]) return;
    ++slots.busy;
    fill(slots, static_cast<int>(k));
  }
}

void Worker::fill(Slots& slots, int slot) {
  const Current& c = *slots.in[static_cast<std::size_t>(slot)];
  if (!slots.machine->fill(slot, c.machine->save(), c.tally, *c.t.constants))
    throw std::logic_error("a machine and a slot of one trajectory do not fit together");
  slots.machine->stop_at(slot, c.tally.steps + to_next_stop(c));
}

void Worker::advance(Slots& slots) {
  DeviceMachine& device = *slots.machine;
  const double before = device.seconds();
  device.advance(ensemble_.schedule.step, steps_of_a_call_);
  const double took = device.seconds() - before;
  std::int64_t made = 0;
  for (std::size_t k = 0; k < slots.in.size(); ++k) {
    if (!slots.in[k]) continue;
    Current& c = *slots.in[k];
    const int slot = static_cast<int>(k);
    made += device.steps(slot) - c.tally.steps;
    c.tally.steps = device.steps(slot);
    if (device.is_behind(slot))
      step_alone(slots, slot);
    else if (is_stop(c))
      stop_at(slots, slot);
  }
  gathering_.steps.fetch_add(made, std::memory_order_relaxed);
  gathering_.device_steps.fetch_add(made, std::memory_order_relaxed);
  const double nanoseconds = 1e9 * took;
  gathering_.device_nanoseconds.fetch_add(static_cast<std::int64_t>(nanoseconds), std::memory_order_relaxed);
  if (took < shortest_call) steps_of_a_call_ = std::min(2 * steps_of_a_call_, most_steps_of_a_call);
  if (took > longest_call) steps_of_a_call_ = std::max<std::int64_t>(1, steps_of_a_call_ / 2);
}

// Brings the machine of a slot's trajectory to where the slot is.
void Worker::take_out(const Slots& slots, int slot) {
  Current& c = *slots.in[static_cast<std::size_t>(slot)];
  if (!c.machine->restore(slots.machine->save(slot)))
    throw std::logic_error("a slot and a machine of one trajectory do not fit together");
  c.tally = slots.machine->tally(slot);
  c.tally.now = c.machine->read();
}

// Makes the step alone that was no ordinary one.
void Worker::step_alone(Slots& slots, int slot) {
  Current& c = *slots.in[static_cast<std::size_t>(slot)];
  take_out(slots, slot);
  run_alone(c, c.tally.steps + 1);
  gathering_.handed_back.fetch_add(1, std::memory_order_relaxed);
  if (has_ended(c))
    leave(slots, slot);
  else
    fill(slots, slot);
}

// Samples a slot, looks for poles, or ends it.
void Worker::stop_at(Slots& slots, int slot) {
  Current& c = *slots.in[static_cast<std::size_t>(slot)];
  take_out(slots, slot);
  const bool again = arrive(c);
  if (has_ended(c))
    leave(slots, slot);
  else if (again)
    fill(slots, slot);
  else
    slots.machine->stop_at(slot, c.tally.steps + to_next_stop(c));
}

void Worker::leave(Slots& slots, int slot) {
  end(*slots.in[static_cast<std::size_t>(slot)]);
  slots.machine->clear(slot);
  slots.in[static_cast<std::size_t>(slot)].reset();
  --slots.busy;
}

}  // namespace taut
