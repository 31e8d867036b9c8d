// W = M⁻¹, constant: the same number for every coordinate, one number each, a full symmetric positive
// definite matrix, or one of these as the data say.
//
//   times(p, v)        v = W p
//   times(h, p, d)     d = h W p
//   mass_times(v, p)   p = M v
//   weight(i)          entry (i, i), if W is diagonal
#pragma once

#include <taut/problem/sparse_mass.hpp>
#include <taut/problem/state.hpp>

#include <Eigen/Cholesky>

#include <optional>

namespace taut {

template <class T>
struct ScalarMass {
  static constexpr bool diagonal = true;
  T inverse = T(1);
  T mass = T(1) / inverse;

  const T& weight(int) const { return inverse; }
  template <class Vec>
  void times(const Vec& p, Vec& v) const {
    v = inverse * p;
  }
  template <class Vec>
  void times(const T& h, const Vec& p, Vec& d) const {
    d = (h * inverse) * p;
  }
  template <class Vec>
  void mass_times(const Vec& v, Vec& p) const {
    p = mass * v;
  }
  template <class U>
  ScalarMass<U> cast() const {
    return {convert<U>(inverse), convert<U>(mass)};
  }
};

template <class T, int n>
struct DiagonalMass {
  static constexpr bool diagonal = true;
  Vector<T, n> inverse;

  const T& weight(int i) const { return inverse[i]; }
  void times(const Vector<T, n>& p, Vector<T, n>& v) const { v = inverse.cwiseProduct(p); }
  void times(const T& h, const Vector<T, n>& p, Vector<T, n>& d) const { d = (h * inverse).cwiseProduct(p); }
  void mass_times(const Vector<T, n>& v, Vector<T, n>& p) const { p = v.cwiseQuotient(inverse); }
  template <class U>
  DiagonalMass<U, n> cast() const {
    return {inverse.unaryExpr([](const T& x) { return convert<U>(x); })};
  }
};

template <class T, int n>
struct FullMass {
  static constexpr bool diagonal = false;
  Matrix<T, n, n> inverse, mass;

  // Makes it from the mass matrix itself; gives nothing if that is not symmetric positive definite.
  static std::optional<FullMass> from_mass(const Matrix<T, n, n>& M) {
    if (!M.isApprox(M.transpose())) return std::nullopt;
    const Eigen::LLT<Matrix<T, n, n>> factor(M);
    if (factor.info() != Eigen::Success) return std::nullopt;
    const Matrix<T, n, n> w = factor.solve(Matrix<T, n, n>::Identity(M.rows(), M.cols()));
    return FullMass{(w + w.transpose()) / T(2),
                    M};  // symmetric to the last bit: the kinetic energy is a function
  }

  void times(const Vector<T, n>& p, Vector<T, n>& v) const { v.noalias() = inverse.lazyProduct(p); }
  void times(const T& h, const Vector<T, n>& p, Vector<T, n>& d) const {
    d.noalias() = h * inverse.lazyProduct(p);
  }
  void mass_times(const Vector<T, n>& v, Vector<T, n>& p) const { p.noalias() = mass.lazyProduct(v); }
  template <class U>
  FullMass<U, n> cast() const {
    const auto to_u = [](const T& x) { return convert<U>(x); };
    return {inverse.unaryExpr(to_u), mass.unaryExpr(to_u)};
  }
};

// A mass that is diagonal, sparse or full, as a model says at run time. The others stay empty.
template <class T>
struct DiagonalOrFullMass {
  static constexpr bool diagonal = false;  // not known to the compiler
  using Vec = Vector<T, dynamic>;
  bool is_diagonal = true;
  DiagonalMass<T, dynamic> entries;
  FullMass<T, dynamic> matrix;
  std::optional<SparseMass<T>> sparse;

  const T& weight(int i) const { return entries.inverse[i]; }
  void times(const Vec& p, Vec& v) const { is_diagonal ? entries.times(p, v) : matrix_times(p, v); }
  void times(const T& h, const Vec& p, Vec& d) const {
    is_diagonal ? entries.times(h, p, d) : matrix_times(h, p, d);
  }
  void mass_times(const Vec& v, Vec& p) const {
    if (is_diagonal)
      entries.mass_times(v, p);
    else
      sparse ? sparse->mass_times(v, p) : matrix.mass_times(v, p);
  }

 private:
  // They are calls, so that a loop over a diagonal W stays short.
  [[gnu::noinline]] void matrix_times(const Vec& p, Vec& v) const {
    sparse ? sparse->times(p, v) : matrix.times(p, v);
  }
  [[gnu::noinline]] void matrix_times(const T& h, const Vec& p, Vec& d) const {
    sparse ? sparse->times(h, p, d) : matrix.times(h, p, d);
  }
};

}  // namespace taut
