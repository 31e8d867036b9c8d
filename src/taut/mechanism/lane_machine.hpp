// Trajectories side by side, one in each lane, their types hidden. A lane does what a Machine of the same
// problem and method does, to the last bit, as long as its steps are ordinary. A step that is not (its solve
// fails, its residual or its change of H stands out) is left to that machine.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/measure/tally.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taut {

class LaneMachine {
 public:
  virtual ~LaneMachine() = default;
  virtual int lanes() const = 0;

  // Puts a trajectory into a lane: what Machine::save gives of it, its tally after at least one step, and the
  // constants of its formulas (empty: those that the lane has, at first those of this machine). Returns false
  // if the bytes are not those of such a machine.
  virtual bool fill(int lane, std::string_view saved, const Tally& tally,
                    std::span<const double> constants) = 0;
  // Takes the trajectory out. An empty lane does what another lane does, and counts for nothing.
  virtual void clear(int lane) = 0;

  // Makes at most `count` steps in all lanes, and returns how many. Ends after a step that was no ordinary
  // one in some lanes, which are then `behind`: they have not made that step.
  virtual std::int64_t advance(double h, std::int64_t count) = 0;
  virtual std::uint64_t behind() const = 0;  // bit l: lane l

  // What Machine::restore takes, and the tally so far. The number of corrections, the pivots and the turns of
  // H are those of the time before the lane was filled.
  virtual std::string save(int lane) const = 0;
  virtual Tally tally(int lane) const = 0;
  virtual void read(int lane, PlainState& x) const = 0;
};

}  // namespace taut
