// Short runs of a mechanism from many starts, by which the certificate measures a method.
#pragma once

#include <taut/measure/difference_defect.hpp>
#include <taut/measure/order_fit.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace taut {

// One method on one mechanism. q and p are each measured in a unit of their own, so that neither hides the
// other; small differences are taken in units of what is moved (state_units.hpp).
class Trials {
 public:
  // Takes a `start` on M. `keeps` is what the method claims to keep.
  // `bind`, if it is given, makes the machines in place of the mechanism.
  using Bind = std::function<std::unique_ptr<Machine>(const PlainState& x)>;
  Trials(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
         bool plain_updates, Keeps keeps, const PlainState& start, double h, Bind bind = {});
  ~Trials();

  struct Order {
    enum class Outcome { seen, at_rounding, not_asymptotic } outcome = Outcome::not_asymptotic;
    OrderFit fit = {};                 // a fit of the errors that were seen
    double largest = 0, smallest = 0;  // the step sizes at which the order was seen
  };
  static constexpr double order_slack = 0.3;  // what the fit of a few steps may miss; a whole order is 1
  // Measures the order from how the state after a fixed time changes with the step size. It does so at h, or
  // at the nearest step size at which the error falls with the expected power. The higher the order, the
  // fewer step sizes lie between the asymptotic range and rounding.
  Order order(int expected) const;

  // Measures over a few steps, once for the coordinates of each size, from the largest to the smallest.
  Expected<std::vector<DifferenceDefect>> symplectic_defects() const;
  Expected<double> reversal_defect() const;  // |Φ₋ₕᴺ Φₕᴺ x - x|
  // How much H and the modified Hamiltonian of the map move along a trajectory.
  struct EnergySwings {
    double energy = 0, modified = 0;
    double noise = 0;  // what another order of the differences changes in `modified`
    double time = 0;   // the length of the trajectory
    int order = 0;     // the order, 8, 12 or 16, of the differences by which the modified one moves least
  };
  // Follows a trajectory over `paths` pieces, and finds the modified Hamiltonian at their ends. `expected` is
  // the order of the method. It must stay on M and have no memory.
  Expected<EnergySwings> energy_swings(int expected, int paths) const;
  // Returns states on M that are h apart on a trajectory from the start.
  Expected<std::vector<PlainState>> trajectory(int steps) const;
  // Gives the residuals that the best solve leaves at nearby points of M, and as energy the size of the terms
  // of H.
  Reading rounding() const;
  // Returns the kinetic energy at one of these points.
  double kinetic_energy() const;

 private:
  class Work;
  std::unique_ptr<const Work> work_;
};

}  // namespace taut
