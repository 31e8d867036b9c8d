// Coefficients of partitioned Runge-Kutta methods, generated from their definitions for any number of stages:
// q takes (A, b, c), p takes (Â, b, c). They are worked out in 128-bit arithmetic and rounded once, so that
// every digit of a narrower type is right. Labels: docs/theory/tableau.md.
#pragma once

#include <taut/problem/state.hpp>

#include <vector>

namespace taut {

template <class T>
struct Tableau {
  Matrix<T, dynamic, dynamic> A, A_hat;
  Vector<T, dynamic> b, b_hat, c;

  int stages() const { return static_cast<int>(b.size()); }

  template <class U>
  Tableau<U> cast() const {
    const auto to_u = [](const T& x) { return convert<U>(x); };
    return {A.unaryExpr(to_u), A_hat.unaryExpr(to_u), b.unaryExpr(to_u), b_hat.unaryExpr(to_u),
            c.unaryExpr(to_u)};
  }
};

namespace quadrature {

using Real = Float128;

// Legendre's P_k(x) and P_{k-1}(x), by the three-term recurrence.
struct Legendre {
  Real now = 1, before = 0;
};
inline Legendre legendre(int k, Real x) {
  Legendre p;
  for (int j = 0; j < k; ++j) p = {((2 * j + 1) * x * p.now - j * p.before) / (j + 1), p.now};
  return p;
}
inline Real legendre_slope(int k, Real x) {  // P_k'(x), |x| < 1
  const Legendre p = legendre(k, x);
  return k * (p.before - x * p.now) / (1 - x * x);
}

// Runs Newton's iteration from a guess until the correction is rounding.
template <class F, class Slope>
Real root_near(Real x, F&& f, Slope&& slope) {
  for (int k = 0; k < 100; ++k) {
    const Real step = f(x) / slope(x);
    x -= step;
    if (magnitude(step) < Real(1e-33)) break;
  }
  return x;
}

// This is exact to 1e-32; a guess needs no more.
inline const Real pi = Real(3.141592653589793116) + Real(1.224646799147353207e-16);

// The functions below return nodes on [0, 1] in rising order.
inline std::vector<Real> gauss_nodes(int s) {  // zeros of P_s
  std::vector<Real> c;
  for (int i = s; i >= 1; --i) {
    const Real x = root_near(
        cos(pi * (i - Real(0.25)) / (s + Real(0.5))), [&](Real t) { return legendre(s, t).now; },
        [&](Real t) { return legendre_slope(s, t); });
    c.push_back((1 + x) / 2);
  }
  return c;
}
inline std::vector<Real> lobatto_nodes(int s) {  // ends and zeros of P'_{s-1}
  std::vector<Real> c{0};
  const int k = s - 1;
  for (int i = k - 1; i >= 1; --i) {
    const Real x = root_near(
        cos(pi * i / k), [&](Real t) { return legendre_slope(k, t); },
        [&](Real t) {  // Legendre's equation gives P''
          return (2 * t * legendre_slope(k, t) - k * (k + 1) * legendre(k, t).now) / (1 - t * t);
        });
    c.push_back((1 + x) / 2);
  }
  c.push_back(1);
  return c;
}
inline std::vector<Real> radau_nodes(int s) {  // zeros of P_s - P_{s-1}; the last is 1
  std::vector<Real> c;
  for (int i = s; i >= 2; --i) {
    const Real x = root_near(
        cos(pi * (i - Real(1)) * 2 / (2 * s - 1)),
        [&](Real t) { return legendre(s, t).now - legendre(s, t).before; },
        [&](Real t) { return legendre_slope(s, t) - legendre_slope(s - 1, t); });
    c.push_back((1 + x) / 2);
  }
  c.push_back(1);
  return c;
}

// Evaluates the j-th Lagrange polynomial of the nodes as a product: no difference of large numbers at any s.
inline Real lagrange(const std::vector<Real>& c, std::size_t j, Real x) {
  Real value = 1;
  for (std::size_t m = 0; m < c.size(); ++m)
    if (m != j) value *= (x - c[m]) / (c[j] - c[m]);
  return value;
}

// Integrates it exactly from 0 to x, by Gauss quadrature.
inline Real lagrange_integral(const std::vector<Real>& c, std::size_t j, Real x) {
  const int s = static_cast<int>(c.size());
  static thread_local std::vector<std::vector<Real>> nodes(64);
  std::vector<Real>& xi = nodes[static_cast<std::size_t>(s)];
  if (xi.empty()) xi = gauss_nodes(s);
  Real sum = 0;
  for (const Real& t : xi) {
    const Real y = 2 * t - 1, slope = legendre_slope(s, y);
    sum += lagrange(c, j, x * t) / ((1 - y * y) * slope * slope);  // the weight on [0, 1]
  }
  return x * sum;
}

}  // namespace quadrature

// Makes A from C(s) and b from B(s):
// aᵢⱼ = ∫₀^{cᵢ} ℓⱼ                                                                                   (T1)
inline Tableau<Float128> collocation(const std::vector<Float128>& c) {
  const int s = static_cast<int>(c.size());
  Tableau<Float128> t{Matrix<Float128, dynamic, dynamic>(s, s),
                      {},
                      Vector<Float128, dynamic>(s),
                      {},
                      Vector<Float128, dynamic>(s)};
  for (int j = 0; j < s; ++j) {
    t.c[j] = c[j];
    t.b[j] = quadrature::lagrange_integral(c, j, 1);
    for (int i = 0; i < s; ++i)
      t.A(i, j) = c[i] == 0 ? Float128(0) : quadrature::lagrange_integral(c, j, c[i]);
    if (c[s - 1] == 1) t.A(s - 1, j) = t.b[j];  // stiffly accurate, to the last bit
  }
  t.A_hat = t.A;
  t.b_hat = t.b;
  return t;
}

inline Tableau<Float128> gauss_tableau(int s) { return collocation(quadrature::gauss_nodes(s)); }
inline Tableau<Float128> radau_tableau(int s) { return collocation(quadrature::radau_nodes(s)); }

// Makes the partner of a given Runge-Kutta method (A, b, c), Jay's Theorem 2.2: with A for q and Â for p the
// pair is symplectic. No bᵢ may be zero.
// âᵢⱼ = bⱼ(1 - aⱼᵢ/bᵢ)                                                                               (T2)
inline Tableau<Float128> with_partner(Tableau<Float128> t) {
  const int s = t.stages();
  t.b_hat = t.b;
  t.A_hat.resize(s, s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) t.A_hat(i, j) = t.b[j] * (1 - t.A(j, i) / t.b[i]);
  return t;
}

// Makes Lobatto IIIA for q, and its symplectic dual IIIB for p.
inline Tableau<Float128> new_lobatto_tableau(int s) {
  Tableau<Float128> t = with_partner(collocation(quadrature::lobatto_nodes(s)));
  t.A_hat.col(0).setConstant(t.b[0]);           // since a₁ⱼ = 0
  t.A_hat.col(s - 1).setConstant(Float128(0));  // since aₛⱼ = bⱼ
  return t;
}

// Each is made once in a thread: a step that begins anew, as each step towards an event does, asks for it
// again, and it costs as much as hundreds of steps.
inline Tableau<Float128> lobatto_tableau(int s) {
  static thread_local std::vector<Tableau<Float128>> made;
  const auto at = static_cast<std::size_t>(s);
  if (made.size() <= at) made.resize(at + 1);
  if (made[at].stages() == 0) made[at] = new_lobatto_tableau(s);
  return made[at];
}

}  // namespace taut
