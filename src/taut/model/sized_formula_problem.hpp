// The natural problem of formulas once more, with a diagonal mass and for a size that the compiler knows.
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/model/known_size.hpp>
#include <taut/problem/gradient_count.hpp>
#include <taut/problem/tiers.hpp>

namespace taut {

template <class T, int n, int m>
class SizedFormulaProblem : public Shape<T, n, m, PatternJacobian<T, FullPattern<m, n>>>,
                            public GradientCount {
 public:
  using Base = Shape<T, n, m, PatternJacobian<T, FullPattern<m, n>>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;

  // The system must have this size.
  explicit SizedFormulaProblem(std::shared_ptr<const FormulaSystem> s)
      : system_(std::move(s)),
        V_(system_->V),
        grad_V_(system_->grad_V),
        g_(system_->g),
        G_(system_->whole_G) {
    for (int i = 0; i < n; ++i)
      mass_.inverse[i] = number_as<T>(system_->inverse_mass[static_cast<std::size_t>(i)]);
  }

  int coordinates() const { return n; }
  int constraints() const { return m; }
  Jacobian make_jacobian() const { return {}; }
  T V(const Vec& q) const {
    T value;
    V_(q.data(), nullptr, nullptr, &value);
    return value;
  }
  void grad_V(const Vec& q, Vec& out) const {
    count_gradient();
    grad_V_(q.data(), nullptr, nullptr, out.data());
  }
  const DiagonalMass<T, n>& W() const { return mass_; }
  void g(const Vec& q, Multiplier& out) const { g_(q.data(), nullptr, nullptr, out.data()); }
  void G(const Vec& q, Jacobian& out) const { G_(q.data(), nullptr, nullptr, out.entries.data()); }

  template <class U>
  SizedFormulaProblem<U, n, m> cast() const {
    return SizedFormulaProblem<U, n, m>(system_);
  }

  // Gives one lane the constants of another system of the same shape: see lane_constants.hpp.
  void take_constants(int lane, std::span<const double> constants) {
    for (Evaluator<T>* const f : {&V_, &grad_V_, &g_, &G_}) constants = f->take_constants(lane, constants);
    for (int i = 0; i < n; ++i) mass_.inverse[i].set(lane, constants[static_cast<std::size_t>(i)]);
  }
  void copy_constants(int lane, int other) {
    for (Evaluator<T>* const f : {&V_, &grad_V_, &g_, &G_}) f->copy_constants(lane, other);
    for (int i = 0; i < n; ++i) mass_.inverse[i].set(lane, mass_.inverse[i][other]);
  }

 private:
  std::shared_ptr<const FormulaSystem> system_;
  Evaluator<T> V_, grad_V_, g_, G_;
  DiagonalMass<T, n> mass_;
};

}  // namespace taut
