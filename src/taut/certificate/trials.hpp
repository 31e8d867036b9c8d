// Short runs of a mechanism from many starts: what the certificate measures a method by.
#pragma once

#include <taut/measure/order.hpp>
#include <taut/measure/symplectic_defect_by_differences.hpp>
#include <taut/mechanism/mechanism.hpp>

namespace taut {

// A method on a mechanism. States are measured in units of q and p of their own, so that neither hides the other; dq ∧ dp is then
// changed by a factor, and what preserves it still does.
class Trials {
 public:
  // `start` lies on M. `keeps` is what the method claims to keep.
  Trials(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
         bool plain_updates, Keeps keeps, const PlainState& start, double h);

  struct Order {
    enum class Outcome { seen, at_rounding, not_asymptotic } outcome = Outcome::not_asymptotic;
    OrderFit fit = {};                 // of what was seen
    double largest = 0, smallest = 0;  // step sizes it was seen at
  };
  static constexpr double order_slack = 0.3;  // what the fit of a few steps may miss; a whole order is 1
  // By what a change of the step changes after a fixed time, at the step h or as near to it as the expected power of the step is to be
  // seen. The error of a high order falls from the asymptotic range to rounding within fewer step sizes.
  Order order(int expected) const;

  Expected<DifferenceDefect> symplectic_defect() const;  // of a few steps
  Expected<double> reversal_defect() const;              // |Φ₋ₕᴺ Φₕᴺ x - x|
  Reading rounding()
      const;  // residuals of points of M near by, solved for as well as can be; the energy: the size of its terms

 private:
  Expected<PlainState> after(const PlainState& x, double h, std::int64_t steps) const;
  Expected<Eigen::VectorXd> onto(const Eigen::VectorXd& y) const;  // what the method keeps
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
  PlainState reached_;  // by the method itself, a few steps from the start: no point of symmetry
  PlainState x_;        // the same on M
  double size_q_ = 1, size_p_ = 1;
};

}  // namespace taut
