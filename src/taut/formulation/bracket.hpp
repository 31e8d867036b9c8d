// Poisson and Dirac brackets of functions on phase space. A function is anything that can be called with (q,
// p) in every scalar type and returns a number of that type, or a vector of them; derivatives come from dual
// numbers. Brackets are functions again, so that they nest as deep as an identity asks for. Labels:
// docs/theory/bracket.md.
#pragma once

#include <taut/formulation/formulation.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <limits>

namespace taut {

// Reads a vector as k functions, and a number as one function.
template <class Value>
decltype(auto) entry(const Value& value, Eigen::Index i) {
  if constexpr (requires { value[i]; })
    return value[i];
  else
    return (value);
}
template <class Value>
constexpr int entries_at_compile_time() {
  if constexpr (requires { Value::RowsAtCompileTime; })
    return Value::RowsAtCompileTime;
  else
    return 1;
}
template <class Value>
Eigen::Index entries_of(const Value& value) {
  if constexpr (requires { value.size(); })
    return value.size();
  else
    return 1;
}

// F_q and F_p, with one row per function.
template <class T, int k, int n>
struct Derivative {
  Matrix<T, k, n> q, p;
};

template <class F, class Vec>
auto derivative(const F& f, const Vec& q, const Vec& p) {
  using T = typename Vec::Scalar;
  constexpr int n = Vec::RowsAtCompileTime;
  constexpr int width = n == dynamic ? 1 : 2 * n;  // directions differentiated at a time
  using Along = Dual<T, width>;
  const int size = static_cast<int>(q.size());
  Vector<Along, n> q1 = Vector<Along, n>::Zero(size), p1 = q1;
  using Value = std::remove_cvref_t<decltype(f(q1, p1))>;
  Derivative<T, entries_at_compile_time<Value>(), n> d;
  for (int from = 0; from < 2 * size; from += width) {
    for (int i = 0; i < size; ++i) {
      q1[i] = Along(q[i]);
      p1[i] = Along(p[i]);
      if (i >= from && i < from + width) q1[i].tangent[static_cast<std::size_t>(i - from)] = T(1);
      if (size + i >= from && size + i < from + width)
        p1[i].tangent[static_cast<std::size_t>(size + i - from)] = T(1);
    }
    const Value value = f(q1, p1);
    if (from == 0) {
      d.q.setZero(entries_of(value), size);
      d.p = d.q;
    }
    for (Eigen::Index i = 0; i < entries_of(value); ++i)
      for (int j = 0; j < width; ++j)
        (from + j < size ? d.q(i, from + j) : d.p(i, from + j - size)) =
            entry(value, i).tangent[static_cast<std::size_t>(j)];
  }
  return d;
}

// Forms the matrix of two vectors of functions from their derivatives:
// {φᵢ, ψⱼ} = φ_q ψ_pᵀ - φ_p ψ_qᵀ                                                                       (BR1)
template <class T, int k, int l, int n>
Matrix<T, k, l> bracket_matrix(const Derivative<T, k, n>& phi, const Derivative<T, l, n>& psi) {
  return phi.q.lazyProduct(psi.p.transpose()) - phi.p.lazyProduct(psi.q.transpose());
}

// The bracket {F, G} of two numbers.
template <class F, class G>
struct PoissonBracket {
  F f;
  G g;
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    return bracket_matrix(derivative(f, q, p), derivative(g, q, p))(0, 0);
  }
};
template <class F, class G>
PoissonBracket(F, G) -> PoissonBracket<F, G>;

// Solves Ω y = b, Ω = {χ, χ}: the system behind every Dirac bracket. Returns false if Ω is singular.
template <class T, int k>
bool solve_constraint_brackets(const Matrix<T, k, k>& omega, Vector<T, k>& b) {
  PivotedLU<T, k> lu(static_cast<int>(omega.rows()));
  lu.a = omega;
  if (lu.factor() >= 0) return false;
  lu.solve(b);
  return true;
}

// The constraints χ are Casimirs of this bracket. It is NaN if Ω is singular.
// {F, G}* = {F, G} - {F, χ} Ω⁻¹ {χ, G}                                                                 (BR2)
template <class F, class G, class Chi>
struct DiracBracket {
  F f;
  G g;
  Chi chi;
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    using T = typename Vec::Scalar;
    const auto df = derivative(f, q, p), dg = derivative(g, q, p);
    const auto dchi = derivative(chi, q, p);
    const auto omega = bracket_matrix(dchi, dchi);
    constexpr int k = std::remove_cvref_t<decltype(omega)>::RowsAtCompileTime;
    Vector<T, k> y = bracket_matrix(dchi, dg).col(0);
    if (!solve_constraint_brackets<T, k>(omega, y)) return T(std::numeric_limits<double>::quiet_NaN());
    const auto left = bracket_matrix(df, dchi);
    T value = bracket_matrix(df, dg)(0, 0);
    for (Eigen::Index i = 0; i < y.size(); ++i) value -= left(0, i) * y[i];
    return value;
  }
};
template <class F, class G, class Chi>
DiracBracket(F, G, Chi) -> DiracBracket<F, G, Chi>;

// The product F G of two functions.
template <class F, class G>
struct Product {
  F f;
  G g;
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    return f(q, p) * g(q, p);
  }
};
template <class F, class G>
Product(F, G) -> Product<F, G>;

// The functions of a problem: H, φ = g, ψ = G H_p, and χ = (φ, ψ).
template <Smooth P>
struct EnergyFunction {
  P problem;
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    return H(problem.template cast<typename Vec::Scalar>(), q, p);
  }
};
template <Smooth P>
struct ConstraintFunctions {
  P problem;
  static constexpr int k = P::m == dynamic ? dynamic : 2 * P::m;
  template <class Vec>
  Vector<typename Vec::Scalar, k> operator()(const Vec& q, const Vec& p) const {
    using U = typename Vec::Scalar;
    const auto s = problem.template cast<U>();
    auto g = zero_multiplier(s), psi = g;
    auto v = zero_vector(s);
    auto G = s.make_jacobian();
    s.g(q, g);
    s.G(q, G);
    H_p(s, q, p, v);
    G.times(v, psi);
    Vector<U, k> chi = Vector<U, k>::Zero(2 * g.size());
    chi.head(g.size()) = g;
    chi.tail(g.size()) = psi;
    return chi;
  }
};
// One entry of a vector of functions.
template <class F>
struct EntryFunction {
  F f;
  int i;
  template <class Vec>
  typename Vec::Scalar operator()(const Vec& q, const Vec& p) const {
    return f(q, p)[i];
  }
};

}  // namespace taut
