// The natural problem of formulas once more, for a few small sizes that the compiler of this program knows: a step on vectors of known length costs half of
// one on vectors whose length is looked up, and small systems are what people begin with.
#pragma once

#include <taut/model/formula_problem.hpp>

namespace taut {

// Coordinates and constraints: a body on a curve in the plane, one on a surface in space, two bodies in the plane.
template <int n_, int m_>
struct KnownSize {
  static constexpr int n = n_, m = m_;
};
template <class Visit>
bool with_known_size(int n, int m, Visit&& visit) {
  const auto one = [&](auto size) {
    if (n != size.n || m != size.m) return false;
    visit(size);
    return true;
  };
  return one(KnownSize<2, 1>{}) || one(KnownSize<3, 1>{}) || one(KnownSize<4, 2>{});
}

inline bool has_known_size(const FormulaSystem& s) {
  return s.kind == System::Kind::natural && s.diagonal_mass && with_known_size(s.n, s.m, [](auto) {});
}

template <class T, int n, int m>
class SizedFormulaProblem : public Shape<T, n, m, PatternJacobian<T, FullPattern<m, n>>> {
 public:
  using Base = Shape<T, n, m, PatternJacobian<T, FullPattern<m, n>>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;

  // Of a system that has this size.
  explicit SizedFormulaProblem(std::shared_ptr<const FormulaSystem> s)
      : system_(std::move(s)),
        V_(system_->V),
        grad_V_(system_->grad_V),
        g_(system_->g),
        G_(system_->whole_G) {
    for (int i = 0; i < n; ++i)
      mass_.inverse[i] = number_as<T>(system_->inverse_mass[mass_entry(*system_, i, i)]);
  }

  int coordinates() const { return n; }
  int constraints() const { return m; }
  Jacobian make_jacobian() const { return {}; }
  T V(const Vec& q) const {
    T value;
    V_(q.data(), nullptr, nullptr, &value);
    return value;
  }
  void grad_V(const Vec& q, Vec& out) const { grad_V_(q.data(), nullptr, nullptr, out.data()); }
  const DiagonalMass<T, n>& W() const { return mass_; }
  void g(const Vec& q, Multiplier& out) const { g_(q.data(), nullptr, nullptr, out.data()); }
  void G(const Vec& q, Jacobian& out) const { G_(q.data(), nullptr, nullptr, out.entries.data()); }

  template <class U>
  SizedFormulaProblem<U, n, m> cast() const {
    return SizedFormulaProblem<U, n, m>(system_);
  }

 private:
  std::shared_ptr<const FormulaSystem> system_;
  Evaluator<T> V_, grad_V_, g_, G_;
  DiagonalMass<T, n> mass_;
};

}  // namespace taut
