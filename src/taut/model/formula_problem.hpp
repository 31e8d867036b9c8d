// The problem that a model is: the concepts of problem/tiers.hpp, met by running the programs of its
// formulas in any scalar type. Sizes are known at run time, and G is sparse. Its kind is data: the mass is
// diagonal, sparse or full, and tier() says whether the system is natural, split, or has a Hamiltonian of
// its own. Functions that its tier does not have must not be called. A problem keeps its own registers: use
// one copy per thread.
#pragma once

#include <taut/model/code/dependence.hpp>
#include <taut/model/code/evaluator.hpp>
#include <taut/model/formula_map.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/problem/gradient_count.hpp>
#include <taut/problem/tiers.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taut {

template <class T>
DiagonalOrFullMass<T> mass_of(const FormulaSystem& s) {
  DiagonalOrFullMass<T> W{.is_diagonal = s.diagonal_mass, .entries = {}, .matrix = {}, .sparse = {}};
  if (s.inverse_mass.empty()) return W;
  if (s.diagonal_mass) {
    W.entries.inverse.resize(s.n);
    for (int i = 0; i < s.n; ++i)
      W.entries.inverse[i] = number_as<T>(s.inverse_mass[static_cast<std::size_t>(i)]);
    return W;
  }
  if (!s.mass_order.empty()) {
    std::vector<typename SparseMass<T>::Entry> entries;
    for (int i = 0; i < s.n; ++i)
      for (int j = 0; j < s.n; ++j)
        if (const auto& value = s.mass[mass_entry(s, i, j)]; value != 0)
          entries.push_back({i, j, number_as<T>(value)});
    W.sparse.emplace(s.mass_order, std::move(entries));
    return W;
  }
  W.matrix.inverse.resize(s.n, s.n);
  W.matrix.mass.resize(s.n, s.n);
  for (int i = 0; i < s.n; ++i)
    for (int j = 0; j < s.n; ++j) {
      W.matrix.inverse(i, j) = number_as<T>(s.inverse_mass[mass_entry(s, i, j)]);
      W.matrix.mass(i, j) = number_as<T>(s.mass[mass_entry(s, i, j)]);
    }
  return W;
}

template <class T = double>
class FormulaProblem : public Shape<T, dynamic, dynamic, SparseJacobian<T>>, public GradientCount {
 public:
  using Base = Shape<T, dynamic, dynamic, SparseJacobian<T>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Point;
  using typename Base::Vec;

  explicit FormulaProblem(std::shared_ptr<const FormulaSystem> system)
      : system_(std::move(system)),
        g_(system_->g),
        G_(system_->G),
        V_(system_->V),
        grad_V_(system_->grad_V),
        V_fast_(system_->V_fast),
        grad_V_fast_(system_->grad_V_fast),
        grad_V_slow_(system_->grad_V_slow),
        H_(system_->H),
        H_q_(system_->H_q),
        H_p_(system_->H_p),
        H_pp_(system_->H_pp_v),
        mass_(mass_of<T>(*system_)) {}
  explicit FormulaProblem(const Model& model) : FormulaProblem(compile(model)) {}

  Tier tier() const {
    if (system_->kind == System::Kind::hamiltonian) return Tier::hamiltonian;
    return system_->kind == System::Kind::split ? Tier::split : Tier::natural;
  }
  int coordinates() const { return system_->n; }
  int constraints() const { return system_->m; }
  // [damping]: the rates of the momenta, if there are any, what they take in a time, and the same problem
  // without it.
  const Numbers& damping() const { return system_->damping; }
  void lost_by_damping(const T& time, Vec& out) const {
    out.setZero();
    for (std::size_t i = 0; i < system_->damping.size(); ++i)
      out[static_cast<int>(i)] = number_as<T>(taut::lost_by_damping(system_->damping[i], Float128(time)));
  }
  FormulaProblem without_damping() const {
    return system_->undamped ? FormulaProblem(system_->undamped) : *this;
  }
  bool least_squares() const { return system_->least_squares; }
  int holonomic() const { return system_->holonomic; }  // the others are on velocities: g is 0, G is A(q)
  std::string constraint_name(int k) const { return system_->constraint_names[static_cast<std::size_t>(k)]; }
  Point start() const {
    Point x{Vec(system_->n), Vec(system_->n)};
    for (int i = 0; i < system_->n; ++i) {
      x.q[i] = number_as<T>(system_->q[static_cast<std::size_t>(i)]);
      x.p[i] = number_as<T>(system_->p[static_cast<std::size_t>(i)]);
    }
    return x;
  }

  Jacobian make_jacobian() const { return {system_->begin, system_->column}; }
  // Returns how K = G W Gᵀ is factored; null if K is no envelope.
  const std::shared_ptr<const EnvelopePlan>& elimination() const { return system_->elimination; }
  void g(const Vec& q, Multiplier& out) const { g_(q.data(), nullptr, nullptr, out.data()); }
  void G(const Vec& q, Jacobian& out) const { G_(q.data(), nullptr, nullptr, out.entries.data()); }

  // Natural and split.
  T V(const Vec& q) const { return value_of(V_, q.data(), nullptr); }
  void grad_V(const Vec& q, Vec& out) const {
    count_gradient();
    grad_V_(q.data(), nullptr, nullptr, out.data());
  }
  const DiagonalOrFullMass<T>& W() const { return mass_; }

  // Split.
  T V_fast(const Vec& q) const { return value_of(V_fast_, q.data(), nullptr); }
  void grad_V_fast(const Vec& q, Vec& out) const {
    count_gradient();
    grad_V_fast_(q.data(), nullptr, nullptr, out.data());
  }
  void grad_V_slow(const Vec& q, Vec& out) const {
    count_gradient();
    grad_V_slow_(q.data(), nullptr, nullptr, out.data());
  }

  // The coordinates on which each entry of the force depends, and of its fast part: natural and split.
  std::vector<std::vector<int>> coordinates_in_force() const { return coordinates_in(*system_->grad_V); }
  std::vector<std::vector<int>> coordinates_in_fast_force() const {
    return coordinates_in(*system_->grad_V_fast);
  }

  // A Hamiltonian of its own.
  T H(const Vec& q, const Vec& p) const { return value_of(H_, q.data(), p.data()); }
  void H_q(const Vec& q, const Vec& p, Vec& out) const {
    count_gradient();
    H_q_(q.data(), p.data(), nullptr, out.data());
  }
  void H_p(const Vec& q, const Vec& p, Vec& out) const { H_p_(q.data(), p.data(), nullptr, out.data()); }
  void H_pp_times(const Vec& q, const Vec& p, const Vec& v, Vec& out) const {
    H_pp_(q.data(), p.data(), v.data(), out.data());
  }

  // A parametrisation of g = 0, if the model gives one.
  bool has_parametrisation() const { return system_->phi != nullptr; }
  FormulaMap<T> parametrisation() const { return FormulaMap<T>(*system_); }

  template <class U>
  FormulaProblem<U> cast() const {
    return FormulaProblem<U>(system_);
  }
  const std::shared_ptr<const FormulaSystem>& system() const { return system_; }

  // Gives one lane the constants of another system of the same shape: see lane_constants.hpp. W is diagonal.
  void take_constants(int lane, std::span<const double> constants) {
    for_each_evaluator([&](Evaluator<T>& f) { constants = f.take_constants(lane, constants); });
    for (Eigen::Index i = 0; i < mass_.entries.inverse.size(); ++i)
      mass_.entries.inverse[i].set(lane, constants[static_cast<std::size_t>(i)]);
  }
  void copy_constants(int lane, int other) {
    for_each_evaluator([&](Evaluator<T>& f) { f.copy_constants(lane, other); });
    for (auto& weight : mass_.entries.inverse) weight.set(lane, weight[other]);
  }

 private:
  // In the order of lane_constants.
  template <class F>
  void for_each_evaluator(F&& f) {
    for (Evaluator<T>* const one :
         {&V_, &grad_V_, &V_fast_, &grad_V_fast_, &grad_V_slow_, &H_, &H_q_, &H_p_, &H_pp_, &g_, &G_})
      f(*one);
  }
  static T value_of(const Evaluator<T>& f, const T* q, const T* p) {
    T value;
    f(q, p, nullptr, &value);
    return value;
  }

  std::shared_ptr<const FormulaSystem> system_;
  Evaluator<T> g_, G_, V_, grad_V_, V_fast_, grad_V_fast_, grad_V_slow_, H_, H_q_, H_p_, H_pp_;
  DiagonalOrFullMass<T> mass_;
};

}  // namespace taut
