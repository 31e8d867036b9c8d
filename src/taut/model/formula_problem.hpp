// Problems made of formulas: the concepts of problem/tiers.hpp, met by interpreting the graph of a model in any scalar type. Sizes are
// known at run time and G is sparse. A problem keeps its own registers: use one copy per thread.
//
//   NaturalFormulaProblem<T, Mass, split>   mass and potential, or a hamiltonian found to be ½ pᵀWp + V(q)
//   HamiltonianFormulaProblem<T>            any other hamiltonian
//   with_problem(model, visit)              visit(problem) with the one that fits
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/system.hpp>
#include <taut/model/model.hpp>
#include <taut/problem/tiers.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// What all copies and casts of a problem share.
struct FormulaSystem {
  using Code = std::shared_ptr<const Program>;
  System::Kind kind = System::Kind::natural;
  int n = 0, m = 0;
  Code V, grad_V, V_fast, grad_V_fast, grad_V_slow, H, H_q, H_p, H_pp_v, g, G;  // nullptr: of another kind
  Code
      whole_G;  // its zeros too, row by row: for problems of a known size (sized_formula_problem.hpp), nullptr for others
  static constexpr auto codes() {
    return std::array{&FormulaSystem::V,           &FormulaSystem::grad_V,      &FormulaSystem::V_fast,
                      &FormulaSystem::grad_V_fast, &FormulaSystem::grad_V_slow, &FormulaSystem::H,
                      &FormulaSystem::H_q,         &FormulaSystem::H_p,         &FormulaSystem::H_pp_v,
                      &FormulaSystem::g,           &FormulaSystem::G,           &FormulaSystem::whole_G};
  }
  std::vector<int> begin, column;
  bool diagonal_mass = true;
  Numbers inverse_mass, mass;  // n² row by row
  Numbers q, p;                // the start
  std::vector<std::string> constraint_names;
};

std::shared_ptr<const FormulaSystem> compile(const Model& model);

template <class T>
class FormulaConstraints : public Shape<T, dynamic, dynamic, SparseJacobian<T>> {
 public:
  using Base = Shape<T, dynamic, dynamic, SparseJacobian<T>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Point;
  using typename Base::Vec;

  explicit FormulaConstraints(std::shared_ptr<const FormulaSystem> system)
      : system_(std::move(system)), g_(system_->g), G_(system_->G) {}

  int coordinates() const { return system_->n; }
  int constraints() const { return system_->m; }
  Jacobian make_jacobian() const { return {system_->begin, system_->column}; }
  void g(const Vec& q, Multiplier& out) const { g_(q.data(), nullptr, nullptr, out.data()); }
  void G(const Vec& q, Jacobian& out) const { G_(q.data(), nullptr, nullptr, out.entries.data()); }
  std::string constraint_name(int k) const { return system_->constraint_names[static_cast<std::size_t>(k)]; }

  Point start() const {
    Point x{Vec(system_->n), Vec(system_->n)};
    for (int i = 0; i < system_->n; ++i) {
      x.q[i] = number_as<T>(system_->q[static_cast<std::size_t>(i)]);
      x.p[i] = number_as<T>(system_->p[static_cast<std::size_t>(i)]);
    }
    return x;
  }

  const std::shared_ptr<const FormulaSystem>& system() const { return system_; }

 private:
  std::shared_ptr<const FormulaSystem> system_;
  Evaluator<T> g_, G_;
};

// Where entry (i, j) of a mass matrix stands.
inline std::size_t mass_entry(const FormulaSystem& s, int i, int j) {
  return static_cast<std::size_t>(i) * static_cast<std::size_t>(s.n) + static_cast<std::size_t>(j);
}
template <class T>
DiagonalMass<T, dynamic> formula_mass(const FormulaSystem& s, std::type_identity<DiagonalMass<T, dynamic>>) {
  DiagonalMass<T, dynamic> W{Vector<T, dynamic>(s.n)};
  for (int i = 0; i < s.n; ++i) W.inverse[i] = number_as<T>(s.inverse_mass[mass_entry(s, i, i)]);
  return W;
}
template <class T>
FullMass<T, dynamic> formula_mass(const FormulaSystem& s, std::type_identity<FullMass<T, dynamic>>) {
  FullMass<T, dynamic> W{Matrix<T, dynamic, dynamic>(s.n, s.n), Matrix<T, dynamic, dynamic>(s.n, s.n)};
  for (int i = 0; i < s.n; ++i)
    for (int j = 0; j < s.n; ++j) {
      W.inverse(i, j) = number_as<T>(s.inverse_mass[mass_entry(s, i, j)]);
      W.mass(i, j) = number_as<T>(s.mass[mass_entry(s, i, j)]);
    }
  return W;
}

// V_fast and the rest: only where the model splits its potential, so that the concept Split tells the two apart.
template <class T, bool split>
class FormulaSplit {
 public:
  explicit FormulaSplit(const FormulaSystem&) {}
};
template <class T>
class FormulaSplit<T, true> {
 public:
  using Vec = Vector<T, dynamic>;
  explicit FormulaSplit(const FormulaSystem& s) : V_(s.V_fast), fast_(s.grad_V_fast), slow_(s.grad_V_slow) {}
  T V_fast(const Vec& q) const {
    T value;
    V_(q.data(), nullptr, nullptr, &value);
    return value;
  }
  void grad_V_fast(const Vec& q, Vec& out) const { fast_(q.data(), nullptr, nullptr, out.data()); }
  void grad_V_slow(const Vec& q, Vec& out) const { slow_(q.data(), nullptr, nullptr, out.data()); }

 private:
  Evaluator<T> V_, fast_, slow_;
};

template <class T = double, class Mass = DiagonalMass<T, dynamic>, bool split = false>
class NaturalFormulaProblem : public FormulaConstraints<T>, public FormulaSplit<T, split> {
 public:
  using Vec = typename FormulaConstraints<T>::Vec;

  explicit NaturalFormulaProblem(const std::shared_ptr<const FormulaSystem>& s)
      : FormulaConstraints<T>(s),
        FormulaSplit<T, split>(*s),
        V_(s->V),
        grad_V_(s->grad_V),
        mass_(formula_mass(*s, std::type_identity<Mass>{})) {}

  T V(const Vec& q) const {
    T value;
    V_(q.data(), nullptr, nullptr, &value);
    return value;
  }
  void grad_V(const Vec& q, Vec& out) const { grad_V_(q.data(), nullptr, nullptr, out.data()); }
  const Mass& W() const { return mass_; }
  NaturalFormulaProblem<T, Mass> without_split() const
    requires split
  {
    return NaturalFormulaProblem<T, Mass>(this->system());
  }

  template <class U>
  auto cast() const {
    return NaturalFormulaProblem<U, decltype(mass_.template cast<U>()), split>(this->system());
  }

 private:
  Evaluator<T> V_, grad_V_;
  Mass mass_;
};

template <class T = double>
class HamiltonianFormulaProblem : public FormulaConstraints<T> {
 public:
  using Vec = typename FormulaConstraints<T>::Vec;

  explicit HamiltonianFormulaProblem(const std::shared_ptr<const FormulaSystem>& s)
      : FormulaConstraints<T>(s), H_(s->H), H_q_(s->H_q), H_p_(s->H_p), H_pp_(s->H_pp_v) {}

  T H(const Vec& q, const Vec& p) const {
    T value;
    H_(q.data(), p.data(), nullptr, &value);
    return value;
  }
  void H_q(const Vec& q, const Vec& p, Vec& out) const { H_q_(q.data(), p.data(), nullptr, out.data()); }
  void H_p(const Vec& q, const Vec& p, Vec& out) const { H_p_(q.data(), p.data(), nullptr, out.data()); }
  void H_pp_times(const Vec& q, const Vec& p, const Vec& v, Vec& out) const {
    H_pp_(q.data(), p.data(), v.data(), out.data());
  }

  template <class U>
  HamiltonianFormulaProblem<U> cast() const {
    return HamiltonianFormulaProblem<U>(this->system());
  }

 private:
  Evaluator<T> H_, H_q_, H_p_, H_pp_;
};

// The five types a model can become, in double precision; cast<U>() gives the others.
using FullMassFormulaProblem = NaturalFormulaProblem<double, FullMass<double, dynamic>>;
using SplitFormulaProblem = NaturalFormulaProblem<double, DiagonalMass<double, dynamic>, true>;
using SplitFullMassFormulaProblem = NaturalFormulaProblem<double, FullMass<double, dynamic>, true>;

template <class Visit>
decltype(auto) with_problem(const std::shared_ptr<const FormulaSystem>& s, Visit&& visit) {
  if (s->kind == System::Kind::hamiltonian) return visit(HamiltonianFormulaProblem<>(s));
  if (s->kind == System::Kind::split)
    return s->diagonal_mass ? visit(SplitFormulaProblem(s)) : visit(SplitFullMassFormulaProblem(s));
  return s->diagonal_mass ? visit(NaturalFormulaProblem<>(s)) : visit(FullMassFormulaProblem(s));
}
template <class Visit>
decltype(auto) with_problem(const Model& model, Visit&& visit) {
  return with_problem(compile(model), std::forward<Visit>(visit));
}

}  // namespace taut
