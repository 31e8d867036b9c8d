// A generated unit for a device includes this beside its problem and its method. A thread does what a Machine
// of the same problem and method does, to the last bit, as long as its steps are ordinary. A step that is not
// (its solve fails or is in doubt, its residual or its change of H stands out) is left to that machine, as a
// lane leaves it: mechanism/lane_machine_of.hpp. The same text is compiled for the processor, with the
// threads as a loop, so that it can be tested where there is no device.
#pragma once

#include <taut/formulation/damped_impulse.hpp>
#include <taut/formulation/kept_units.hpp>
#include <taut/formulation/landing_move.hpp>
#include <taut/measure/gauge.hpp>
#include <taut/measure/watch.hpp>
#include <taut/mechanism/device_job.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/check_bend.hpp>

#include <algorithm>
#include <optional>

namespace taut {

// A model that notes if a step asks for what a device leaves to the processor.
template <class Model>
struct OnDevice : Model {
  mutable bool left = false;
  void leave() const { left = true; }
};
template <class P>
concept LeavesHardSteps = requires(const P& s) { s.leave(); };

// These take the place of what only hard steps ask for. The functions that they replace use the heap, or
// functions of the mathematical library, and would cost every thread its registers.
template <Quadratic P>
  requires LeavesHardSteps<P>
void check_bend(const P&, const typename P::Vec&) {}  // the machine has checked it

template <Constrained P, class Noise>
  requires LeavesHardSteps<P>
void noise_of_positions(const P& s, const typename P::Vec&, Noise&) {
  s.leave();
}
template <Hamiltonian P>
  requires LeavesHardSteps<P>
std::optional<Failure> missed_position(const P& s, const typename P::Vec&, const typename P::Vec&,
                                       const typename P::Vec&, const typename P::Scalar&,
                                       const typename P::Multiplier&, const Mask<typename P::Scalar>&) {
  s.leave();
  return std::nullopt;
}
template <Hamiltonian P>
  requires LeavesHardSteps<P>
std::optional<Failure> missed_momentum(const P& s, const typename P::Vec&, const typename P::Vec&,
                                       const typename P::Scalar&, const typename P::Multiplier&,
                                       const Mask<typename P::Scalar>&, double) {
  s.leave();
  return std::nullopt;
}
template <class P>
  requires LeavesHardSteps<P>
DampedImpulse<P> damped_impulse_of(StraightMove<P> move) {
  move.s.leave();
  return {zero_multiplier(move.s)};
}

// The numbers of one slot.
class Slot {
 public:
  Slot(const DeviceJob& job, std::int64_t index) : job_(job), index_(index) {}

  // Calls f(vector, k) with each vector of a state and the place of its first number.
  template <class X, class F>
  [[gnu::always_inline]] static void each_vector(X& x, const F& f) {
    const int n = static_cast<int>(x.q.size());
    f(x.q, 0);
    f(x.p, n);
    if constexpr (requires { x.q_low; }) {
      f(x.q_low, 2 * n);
      f(x.p_low, 3 * n);
    }
  }
  // What has an address cannot live in registers, so that these are no calls.
  template <class X>
  [[gnu::always_inline]] void load(X& x) const {
    each_vector(x, [&](auto& to, int from)
                       [[gnu::always_inline]] { each_index(to, [&](int j) { to[j] = number(from + j); }); });
  }
  template <class X>
  [[gnu::always_inline]] void store(const X& x) const {
    each_vector(x, [&](const auto& from, int to) [[gnu::always_inline]] {
      each_index(from, [&](int j) { number(to + j) = from[j]; });
    });
  }
  template <class X>
  static constexpr int numbers_of_state(int n) {
    return requires(X& x) { x.q_low; } ? 4 * n : 2 * n;
  }
  double& number(int k) const { return job_.numbers[k * job_.slots + index_]; }
  double& block_sum(std::int64_t block) const { return job_.block_sums[block * job_.slots + index_]; }

 private:
  const DeviceJob& job_;
  std::int64_t index_;
};

// What a tally adds up, while a thread has it in hand.
struct SlotTally {
  double first, now, energy_error, change_max, position_max, momentum_max, block_sum, kinetic_max,
      kinetic_owned;
  int to_look;            // steps up to the next one whose kinetic energy is looked at
  std::int64_t in_block;  // steps that are missing in the block that is being filled; 0: there is none
  std::int64_t block;     // its number

  SlotTally(const Slot& slot, int behind_state, std::int64_t steps, std::int64_t length)
      : to_look(static_cast<int>(steps % steps_between_looks)), in_block(0), block(0) {
    if (to_look > 0) to_look = static_cast<int>(steps_between_looks) - to_look;
    if (length > 0 && steps / length < static_cast<std::int64_t>(BlockAverages::blocks)) {
      block = steps / length;
      in_block = length - steps % length;
    }
    int k = behind_state;
    for (double* number : {&first, &now, &energy_error, &change_max, &position_max, &momentum_max, &block_sum,
                           &kinetic_max, &kinetic_owned})
      *number = slot.number(k++);
  }
  void store(const Slot& slot, int behind_state) const {
    int k = behind_state;
    for (const double number : {first, now, energy_error, change_max, position_max, momentum_max, block_sum,
                                kinetic_max, kinetic_owned})
      slot.number(k++) = number;
  }

  // Adds a step, unless it stands out; then it returns false and has changed nothing. `kinetic` gives the
  // kinetic energy after the step.
  template <class Measured, class Kinetic>
  bool add(const Measured& reading, const Slot& slot, std::int64_t length, const Kinetic& kinetic) {
    const double error = reading.energy - first, change = magnitude(reading.energy - now);
    if (reading.position > position_max || reading.momentum > momentum_max ||
        change > more_than_ever * change_max || !finite(error))
      return false;
    if (to_look == 0 && !looked_at(kinetic(), error, change)) return false;
    to_look = to_look == 0 ? static_cast<int>(steps_between_looks) - 1 : to_look - 1;
    now = reading.energy;
    energy_error = larger(energy_error, magnitude(error));
    change_max = larger(change_max, change);
    if (in_block == 0) return true;
    block_sum = block_sum + error;
    if (--in_block == 0) end_block(slot, length);
    return true;
  }

 private:
  // Looks at the kinetic energy as judged() does. Returns false if the error of H is large beside it.
  bool looked_at(double kinetic, double error, double change) {
    const double most = larger(kinetic_max, kinetic);
    if (magnitude(error) > Tally::part_lost * most || change > Tally::part_in_a_step * most) return false;
    kinetic_max = most;
    kinetic_owned = larger(kinetic_owned, kinetic - larger(error, 0.0));
    return true;
  }
  void end_block(const Slot& slot, std::int64_t length) {
    slot.block_sum(block) = block_sum;
    block_sum = 0;
    if (++block < static_cast<std::int64_t>(BlockAverages::blocks)) in_block = length;
  }
};

// Returns the index as a number of which the compiler knows nothing: the addresses of the numbers of a slot
// are computed anew from it, and no registers keep them during the steps.
inline std::int64_t anew(std::int64_t index) {
#ifdef __NVPTX__
  asm volatile("" : "+l"(index));
#else
  asm volatile("" : "+r"(index));
#endif
  return index;
}

// Steps are made in place if a state has at most so many numbers.
inline constexpr int most_numbers_in_hand = 16;
inline constexpr int steps_between_stores = 16;

// Makes `left` steps and counts them down, up to one that is no ordinary one: then x is the state before it.
// No second state is in hand: the one that was stored a few steps ago takes the place of that in which a
// step went wrong, and the steps since then are made again. `place` gives the slot.
template <class X, class Place, class Step, class Counts, class Renew>
[[gnu::always_inline]] inline void make_in_hand(X& x, int& left, const Place& place, const Step& step,
                                                const Counts& counts, const Renew& renew) {
  int since = 0, again = -1;  // steps since the state was stored, and of those to be made again
  while (left > 0 && again != 0) {
    const bool clear = step(x);
    if (again > 0) {
      --again;
    } else if (clear && counts(x)) {
      --left;
      if (++since < steps_between_stores) continue;
      place().store(x);
      since = 0;
    } else {
      place().load(x);
      renew();
      again = since;
    }
  }
}
// Does the same with a second state in hand, in which each step is made: it costs a large system less than
// the way through memory.
template <class X, class Step, class Counts>
[[gnu::always_inline]] inline void make_beside(X& x, int& left, const Step& step, const Counts& counts) {
  for (; left > 0; --left) {
    X next = x;
    if (!step(next) || !counts(next)) return;
    x = next;
  }
}
// Does the same for a method that is not known to fit into registers: the state before each step is put down.
template <class X, class Place, class Step, class Counts>
[[gnu::always_inline]] inline void make_put_down(X& x, int& left, const Place& place, const Step& step,
                                                 const Counts& counts) {
  for (; left > 0; --left) {
    place().store(x);
    if (step(x) && counts(x)) continue;
    place().load(x);
    return;
  }
}

// Makes the steps of one slot: up to its stop, and at most as many as a call makes.
template <template <class, int> class Point, class P, class Method>
void advance_slot(const Method& usual, P& s, const DeviceJob& job, std::int64_t index) {
  using X = Point<double, P::n>;
  if (job.states[index] != SlotState::running) return;
  const Method method = with_options(usual, job.options);
  const auto place = [&] { return Slot(job, anew(index)); };
  const Slot slot(job, index);
  X x;
  slot.load(x);
  constexpr int behind_state = Slot::numbers_of_state<X>(P::n);
  SlotTally tally(slot, behind_state, job.steps[index], job.block);
  auto memory = make_memory(method, s, x);
  Gauge<P> gauge(s);
  constexpr std::int64_t most = 1 << 30;  // a long counter would take two registers
  const std::int64_t here = std::min({job.stop[index] - job.steps[index], job.most, most});
  int left = static_cast<int>(here);
  const auto counts = [&](const X& end) {
    const auto kinetic = [&] {
      typename P::Vec velocity = zero_vector(s);
      H_p(s, end.q, end.p, velocity);
      return magnitude(end.p.dot(velocity)) / 2;
    };
    return tally.add(gauge.measure(s, end.q, end.p), slot, job.block, kinetic);
  };
  constexpr bool knows_clear_steps = requires { method.step_if_clear(s, x, memory, job.h); };
  const auto step = [&](X& end) {
    if constexpr (knows_clear_steps)
      return method.step_if_clear(s, end, memory, job.h) && !s.left;
    else
      return method.step(s, end, memory, job.h) && !s.left;
  };
  if constexpr (!knows_clear_steps)
    make_put_down(x, left, place, step, counts);
  else if constexpr (behind_state > most_numbers_in_hand)
    make_beside(x, left, step, counts);
  else
    make_in_hand(x, left, place, step, counts, [&] { memory.refresh(s, x.q); });
  place().store(x);
  if (left > 0) job.states[anew(index)] = SlotState::behind;
  tally.store(place(), behind_state);
  job.steps[anew(index)] += here - left;
}

// The constants of all slots, if they have the same.
template <class Model>
struct SharedConstants {
  static constexpr std::size_t count = decltype(Model::c){}.size();
  double number[count > 0 ? count : 1];
};
template <class Model>
void take_shared(OnDevice<Model>& s, const SharedConstants<Model>& constants) {
  for (std::size_t k = 0; k < SharedConstants<Model>::count; ++k) s.c[k] = constants.number[k];
}
template <class Model>
void take_own(OnDevice<Model>& s, const DeviceJob& job, std::int64_t index) {
  for (std::size_t k = 0; k < SharedConstants<Model>::count; ++k)
    s.c[k] = job.constants[static_cast<std::int64_t>(k) * job.slots + index];
}

}  // namespace taut
