// A problem and a method bound to it, their types hidden: what the time loop and the certificate hold. One
// virtual call makes many steps, so that hiding the types costs nothing per step.
#pragma once

#include <taut/contract/wide.hpp>
#include <taut/measure/tally.hpp>
#include <taut/method/projection_count.hpp>

#include <span>
#include <string>
#include <string_view>

namespace taut {

// What a machine offers whose steps differ in size: the times that it has reached, the sizes, and states
// between its steps.
class VariableSteps {
 public:
  virtual double time() const = 0;  // the time of the last good mesh point
  virtual StepSizes sizes() const = 0;
  // Lets the machine show the state at time t, which lies in the last step, until the next step is made or
  // show_mesh_point() is called. Returns false if that state could not be computed.
  virtual bool show_at(double t) = 0;
  virtual void show_mesh_point() = 0;

 protected:
  ~VariableSteps() = default;
};

class Machine {
 public:
  virtual ~Machine() = default;
  // Null if the steps have the size that advance is given.
  virtual VariableSteps* variable_steps() { return nullptr; }
  // Makes at most `count` steps and adds each to the tally. Ends before the first that fails.
  virtual void advance(double h, std::int64_t count, Tally& tally) = 0;
  // Makes the step that failed again, from the last good mesh point, in 2, 4, … equal parts of h, at most in
  // 1024. It counts as one step of the tally. A method with a memory begins anew before and after it.
  virtual void advance_by_halves(double h, Tally& tally) = 0;
  // The last good mesh point, as the method puts it out.
  virtual std::span<const double> q() const = 0;
  virtual std::span<const double> p() const = 0;
  virtual Reading read() = 0;
  // Gives the mesh point after so many steps with all its digits, if the machine computes with more of them
  // than a double has.
  virtual std::optional<WideState> wide(std::int64_t) const { return std::nullopt; }
  virtual std::vector<double> multiplier() const = 0;  // λ(q, p); empty if the constraints are dependent
  // Gives the force -Gᵀλ(q, p) of the constraints, one number for each coordinate; empty if the constraints
  // are dependent.
  virtual std::vector<double> constraint_force() const = 0;
  virtual double kinetic_energy() const = 0;  // p·H_p/2: the kinetic energy if the system is natural
  virtual std::vector<double> last_multiplier(double h) const = 0;  // the method's own; empty if it has none
  virtual ProjectionCount projections() const = 0;
  // Lets tallies see the method's own estimate of the error of each step. Returns false if it has none.
  virtual bool watch_local_error() { return false; }

  // Saves all that the next step depends on as bytes. If a machine of the same problem and method is restored
  // from them, it goes on with the same bits. `restore` returns false if the bytes are not those of such a
  // machine; then the machine must not be used.
  virtual std::string save() = 0;
  virtual bool restore(std::string_view bytes) = 0;
};

}  // namespace taut
