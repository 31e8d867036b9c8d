#include <taut/bytes/carry.hpp>
#include <taut/mechanism/device_machine.hpp>
#include <taut/method/projection_count.hpp>

#include <algorithm>
#include <utility>

namespace taut {

namespace {

// A state as a machine saves it.
struct SavedState {
  SavedState(std::size_t n, bool compensated) : parts(compensated ? 4 : 2, std::vector<double>(n)) {}
  std::vector<std::vector<double>> parts;  // q, p, and their low parts
  void carry(Carry& c) {
    for (std::vector<double>& part : parts) c(part);
  }
};

}  // namespace

DeviceMachine::DeviceMachine(std::unique_ptr<StepsOfSlots> steps, const SlotLayout& layout, int slots,
                             std::int64_t length, const SolveOptions& options)
    : make_(std::move(steps)),
      layout_(layout),
      block_(length / static_cast<std::int64_t>(BlockAverages::blocks)),
      options_(options),
      numbers_(static_cast<std::size_t>(layout.numbers()) * at(slots)),
      block_sums_(block_ > 0 ? BlockAverages::blocks * at(slots) : 0),
      constants_(layout.constants * at(slots)),
      steps_(at(slots)),
      stops_(at(slots)),
      states_(at(slots), SlotState::idle),
      tallies_(at(slots), Tally({}, length)) {}

bool DeviceMachine::fill(int slot, std::string_view saved, const Tally& tally,
                         std::span<const double> constants) {
  const auto n = static_cast<std::size_t>(layout_.coordinates);
  SavedState x(n, layout_.compensated), mesh = x;
  ProjectionCount projected;
  Carry c(saved);
  x.carry(c);
  mesh.carry(c);
  c(projected);
  if (!c.complete() || constants.size() != layout_.constants) return false;
  fetch();
  int k = 0;
  for (const std::vector<double>& part : x.parts)
    for (const double entry : part) number(k++, slot) = entry;
  for (const auto& [which, value] : {std::pair(SlotSum::first, tally.first.energy),
                                     {SlotSum::now, tally.now.energy},
                                     {SlotSum::energy_error, tally.energy_error},
                                     {SlotSum::change_max, tally.change_max},
                                     {SlotSum::position_max, tally.position_max},
                                     {SlotSum::momentum_max, tally.momentum_max},
                                     {SlotSum::block_sum, tally.blocks.open_sum()},
                                     {SlotSum::kinetic_max, tally.kinetic_max},
                                     {SlotSum::kinetic_owned, tally.kinetic_owned}})
    sum(which, slot) = value;
  for (std::size_t j = 0; j < constants.size(); ++j) constants_[j * states_.size() + at(slot)] = constants[j];
  tallies_[at(slot)] = tally;
  steps_[at(slot)] = stops_[at(slot)] = tally.steps;
  states_[at(slot)] = SlotState::running;
  changed_ = true;
  return true;
}

void DeviceMachine::clear(int slot) {
  states_[at(slot)] = SlotState::idle;
  changed_ = true;
}

void DeviceMachine::stop_at(int slot, std::int64_t steps) {
  changed_ = changed_ || stops_[at(slot)] != steps;
  stops_[at(slot)] = steps;
}

DeviceJob DeviceMachine::job(double h, std::int64_t most) {
  return {.numbers = numbers_.data(),
          .block_sums = block_sums_.data(),
          .constants = constants_.empty() ? nullptr : constants_.data(),
          .steps = steps_.data(),
          .stop = stops_.data(),
          .states = states_.data(),
          .slots = static_cast<std::int64_t>(states_.size()),
          .block = block_,
          .most = most,
          .h = h,
          .options = options_};
}

void DeviceMachine::advance(double h, std::int64_t most) {
  if (changed_) fetch();  // what goes there again must be what is there
  seconds_ += make_->make(job(h, most), std::exchange(changed_, false));
  fetched_ = false;
}

void DeviceMachine::fetch() {
  if (!std::exchange(fetched_, true)) make_->fetch(job(0, 0));
}

std::string DeviceMachine::save(int slot) {
  fetch();
  SavedState x(static_cast<std::size_t>(layout_.coordinates), layout_.compensated);
  int k = 0;
  for (std::vector<double>& part : x.parts)
    for (double& entry : part) entry = number(k++, slot);
  ProjectionCount projected;
  Carry c;
  x.carry(c);
  x.carry(c);
  c(projected);
  return c.bytes();
}

Tally DeviceMachine::tally(int slot) {
  fetch();
  Tally t = tallies_[at(slot)];
  std::int64_t more = steps_[at(slot)] - t.steps;
  for (std::int64_t block = block_ > 0 ? t.steps / block_ : 0; more > 0; ++block) {
    const auto left = t.blocks.left_in_block();
    if (!left || more < *left) break;
    t.blocks.set_open(block_sums_[static_cast<std::size_t>(block) * states_.size() + at(slot)], *left);
    more -= *left;
  }
  t.blocks.set_open(sum(SlotSum::block_sum, slot), more);
  t.steps = steps_[at(slot)];
  t.now.energy = sum(SlotSum::now, slot);
  t.energy_error = sum(SlotSum::energy_error, slot);
  t.change_max = sum(SlotSum::change_max, slot);
  t.position_max = sum(SlotSum::position_max, slot);
  t.momentum_max = sum(SlotSum::momentum_max, slot);
  t.kinetic_max = sum(SlotSum::kinetic_max, slot);
  t.kinetic_owned = sum(SlotSum::kinetic_owned, slot);
  return t;
}

}  // namespace taut
