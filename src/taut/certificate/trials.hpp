// Short runs of a mechanism from many starts, by which the certificate measures a method.
#pragma once

#include <taut/measure/order.hpp>
#include <taut/measure/symplectic_defect_by_differences.hpp>
#include <taut/mechanism/mechanism.hpp>

namespace taut {

// A method on a mechanism. States are measured in units of q and p of their own, so that neither hides the
// other. This multiplies dq ∧ dp by a factor, so a map that preserves it still does.
class Trials {
 public:
  // Takes a `start` on M. `keeps` is what the method claims to keep.
  Trials(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
         bool plain_updates, Keeps keeps, const PlainState& start, double h);

  struct Order {
    enum class Outcome { seen, at_rounding, not_asymptotic } outcome = Outcome::not_asymptotic;
    OrderFit fit = {};                 // for the errors that were seen
    double largest = 0, smallest = 0;  // step sizes at which it was seen
  };
  static constexpr double order_slack = 0.3;  // what the fit of a few steps may miss; a whole order is 1
  // Measures the order from how the state after a fixed time changes with the step size: at h, or at the
  // nearest step size at which the error falls with the expected power. The higher the order, the fewer step
  // sizes lie between the asymptotic range and rounding.
  Order order(int expected) const;

  Expected<DifferenceDefect> symplectic_defect() const;  // over a few steps
  Expected<double> reversal_defect() const;              // |Φ₋ₕᴺ Φₕᴺ x - x|
  // Returns the residuals of nearby points of M, solved for as well as possible; its energy is the size of
  // the terms of the energy.
  Reading rounding() const;

 private:
  Expected<PlainState> after(const PlainState& x, double h, std::int64_t steps) const;
  Expected<Eigen::VectorXd> onto(const Eigen::VectorXd& y) const;  // onto what the method keeps
  Order order_at(double h, int expected) const;
  Eigen::MatrixXd directions(Eigen::Index count) const;
  PlainState scaled(const PlainState& x) const { return {x.q / size_q_, x.p / size_p_}; }
  Eigen::VectorXd packed(const PlainState& x) const;
  PlainState unpacked(const Eigen::VectorXd& y) const;

  const Mechanism& mechanism_;
  MethodChoice choice_;
  SolveOptions options_;
  bool plain_updates_;
  Keeps keeps_;
  double h_;
  PlainState reached_;  // a few steps of the method from the start, so that it is no point of symmetry
  PlainState x_;        // the same point, on M
  double size_q_ = 1, size_p_ = 1;
};

}  // namespace taut
