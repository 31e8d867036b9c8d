// What a projection after a step does to the energy and to the symplectic form: Seiler, Propositions 2 to 4
// and the expansions (21)-(24).

#include <taut/formulation/underlying.hpp>
#include <taut/measure/growth.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using namespace taut;

// Returns a point of M at this angle, moving at this speed.
template <class T>
State<T, 2> on_circle(const T& angle, const T& speed) {
  return {{sin(angle), -cos(angle)}, {speed * cos(angle), speed * sin(angle)}};
}

template <class P>
P with_masses() {
  P s;
  if constexpr (requires { P::masses(1, 3); })
    s.inverse_mass = P::masses(typename P::Scalar(1), typename P::Scalar(3));
  return s;
}

template <class P>
StateOf<P> moving_start(const P& s) {
  StateOf<P> x = s.start();
  if constexpr (P::n == 2) {
    x = on_circle(typename P::Scalar(0.7), typename P::Scalar(1.3));
  } else {
    for (int i = 0; i < x.p.size(); ++i) x.p[i] += typename P::Scalar(0.4 - 0.3 * i);
  }
  typename P::Multiplier nu = zero_multiplier(s);
  auto G = s.make_jacobian();
  s.G(x.q, G);
  EXPECT_TRUE(SolverOf<P>(s).project(s, ToRounding{}, x, G, nu));
  return x;
}

// Makes one step and returns by how much the projection after it changes the energy.
template <class P>
double energy_change(const P& s, const char* scheme, ProjectionKind kind, double h) {
  using T = typename P::Scalar;
  OdeMethod<ExplicitRungeKutta, Underlying> plain{.scheme = {find_explicit(scheme)}};
  auto projected = plain;
  projected.projection.kind = kind;
  StateOf<P> x = moving_start(s), y = x;
  auto memory = make_memory(plain, s, x);
  auto memory_of_projected = make_memory(projected, s, y);
  EXPECT_TRUE(plain.step(s, x, memory, T(h)));
  EXPECT_TRUE(projected.step(s, y, memory_of_projected, T(h)));
  return lane(T(H(s, y.q, y.p) - H(s, x.q, x.p)), 0);
}

template <class P>
double power(const P& s, const char* scheme, ProjectionKind kind) {
  // The step is small, and its tenth power above rounding.
  const double h = kind == ProjectionKind::momentum ? 0.02 : 0.002;
  const double a = energy_change(s, scheme, kind, h), b = energy_change(s, scheme, kind, h / 2);
  return std::log2(std::abs(a / b));
}

TEST(Projections, PowersOfTheEnergyChange) {  // Proposition 4: 2r + 2 and r + 1
  const PlanarPendulum<Float128> one;
  const auto two = with_masses<DoublePendulum<Float128>>();
  const struct {
    const char* scheme;
    int order;
  } rows[] = {{"euler", 1}, {"rk2", 2}, {"rk4", 4}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.scheme);
    EXPECT_NEAR(power(one, row.scheme, ProjectionKind::momentum), 2 * row.order + 2, 0.1);
    EXPECT_NEAR(power(one, row.scheme, ProjectionKind::position), row.order + 1, 0.1);
    EXPECT_NEAR(power(two, row.scheme, ProjectionKind::momentum), 2 * row.order + 2, 0.1);
    EXPECT_NEAR(power(two, row.scheme, ProjectionKind::position), row.order + 1, 0.1);
  }
}

// Proposition 4 assumes a mass-orthogonal move. If p moves along M⁻¹Gᵀ instead, the change is of
// first order in ψ.
TEST(Projections, AnotherDirectionChangesTheEnergyMore) {
  using P = DoublePendulum<Float128>;
  const auto s = with_masses<P>();
  const auto change = [&](double h) {
    OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk2")}};
    StateOf<P> x = moving_start(s);
    auto memory = make_memory(method, s, x);
    EXPECT_TRUE(method.step(s, x, memory, Float128(h)));
    auto G = s.make_jacobian();
    s.G(x.q, G);
    Matrix<Float128, 2, 4> D = Matrix<Float128, 2, 4>::Zero();
    G.for_each([&](int i, int j, const Float128& entry) { D(i, j) = entry; });
    const Matrix<Float128, 4, 4> W = s.W().inverse.asDiagonal();
    const Matrix<Float128, 2, 1> psi = D * W * x.p;
    PivotedLU<Float128, 2> lu(2);
    lu.a = D * W * W * D.transpose();
    lu.factor();
    Vector<Float128, 2> nu = psi;
    lu.solve(nu);
    const Vector<Float128, 4> p = x.p - W * D.transpose() * nu;
    return lane(Float128(H(s, x.q, p) - H(s, x.q, x.p)), 0);
  };
  EXPECT_NEAR(std::log2(std::abs(change(0.002) / change(0.001))), 3, 0.1);
}

// H(after) - H(before) = -½ψᵀR⁻¹ψ, R = G W Gᵀ, for any state: this is the proof of Proposition 4 with its
// factor and sign.
TEST(Projections, TheEnergyLostIsHalfTheSquareOfThePsi) {
  using P = DoublePendulum<>;
  const auto s = with_masses<P>();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    StateOf<P> x = s.start();
    for (int i = 0; i < 4; ++i) {
      x.q[i] += 0.2 * any(random);
      x.p[i] = any(random);
    }
    auto G = s.make_jacobian();
    s.G(x.q, G);
    Matrix<double, 2, 4> D = Matrix<double, 2, 4>::Zero();
    G.for_each([&](int i, int j, double entry) { D(i, j) = entry; });
    const Matrix<double, 4, 4> W = s.W().inverse.asDiagonal();
    const Vector<double, 2> psi = D * W * x.p;
    const double before = H(s, x.q, x.p);
    Projector<P> projector(s);
    ASSERT_TRUE(projector(s, x, {ProjectionKind::momentum, 0}, {}));
    const double expected = -psi.dot((D * W * D.transpose()).inverse() * psi) / 2;
    EXPECT_NEAR(H(s, x.q, x.p) - before, expected, 1e-13);
  }
}

// Returns the largest |ω(Dξ, Dη) - ω(ξ, η)| of a projection over pairs of tangent vectors of {g =
// const}, or of all.
template <class P>
double form_change(const P& s, const StateOf<P>& x, ProjectionKind kind, bool on_level_set) {
  constexpr int n = P::n, k = 2 * n;
  using Tangent = Dual<double, k>;
  const auto lifted = s.template cast<Tangent>();
  using Lifted = std::remove_cvref_t<decltype(lifted)>;
  StateOf<Lifted> y{zero_vector(lifted), zero_vector(lifted)};
  for (int i = 0; i < n; ++i) {
    y.q[i] = Tangent(x.q[i]);
    y.p[i] = Tangent(x.p[i]);
    y.q[i].tangent[static_cast<std::size_t>(i)] = 1;
    y.p[i].tangent[static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] = 1;
  }
  Projector<Lifted> projector(lifted);
  EXPECT_TRUE(projector(lifted, y, {kind, 0}, {}));
  Eigen::MatrixXd D(k, k), J = Eigen::MatrixXd::Zero(k, k), rows = Eigen::MatrixXd::Zero(P::m, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      D(i, j) = y.q[i].tangent[static_cast<std::size_t>(j)];
      D(n + i, j) = y.p[i].tangent[static_cast<std::size_t>(j)];
    }
    J(i, n + i) = 1;
    J(n + i, i) = -1;
  }
  Eigen::MatrixXd change = D.transpose() * J * D - J;
  if (on_level_set) {
    auto G = s.make_jacobian();
    s.G(x.q, G);
    G.for_each([&](int i, int j, double entry) { rows(i, j) = entry; });
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(k, k - P::m);
    const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(rows.transpose()).householderQ();
    basis.topLeftCorner(n, n - P::m) = Q.rightCols(n - P::m);
    basis.bottomRightCorner(n, n).setIdentity();
    change = basis.transpose() * change * basis;
  }
  return change.lpNorm<Eigen::Infinity>();
}

template <class P>
StateOf<P> off_the_manifold(const P& s) {
  StateOf<P> x = s.start();
  for (int i = 0; i < x.q.size(); ++i) {
    x.q[i] += 0.1 * std::sin(3.0 * i + 1);
    x.p[i] += 0.5 * std::cos(2.0 * i);
  }
  return x;
}

// Checks Propositions 2 and 3. The first holds on level sets of g only, which the paper leaves unsaid: in the
// whole space the projection does not have full rank.
template <class P>
void expect_canonical_in_p_only(const P& s) {
  const StateOf<P> x = off_the_manifold(s);
  EXPECT_LT(form_change(s, x, ProjectionKind::momentum, true), 1e-14);
  EXPECT_GT(form_change(s, x, ProjectionKind::momentum, false), 0.1);
  EXPECT_GT(form_change(s, x, ProjectionKind::position, true), 1e-3);
}

TEST(Projections, TheMomentumProjectionIsCanonicalThePositionProjectionIsNot) {
  expect_canonical_in_p_only(PlanarPendulum<>{});
  expect_canonical_in_p_only(with_masses<DoublePendulum<>>());
  expect_canonical_in_p_only(ChargedParticle<>{});  // not natural: by Newton's iteration
}

using Quad = Float128;
using One = PlanarPendulum<Quad>;

// Makes one Euler step from x and a projection; the position projection by a single Newton correction,
// as in the paper.
State<Quad, 2> euler(const State<Quad, 2>& x, Quad h, ProjectionKind kind) {
  const One s;
  OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("euler")},
                                                   .projection = {kind, 0}};
  if (kind == ProjectionKind::position) {
    State<Quad, 2> y = euler(x, h, ProjectionKind::none);
    const double g = lane(Quad((y.q.dot(y.q) - 1) / 2), 0);
    method.solve.tolerance = std::abs(g) / 2;
  }
  State<Quad, 2> y = x;
  auto memory = make_memory(method, s, y);
  EXPECT_TRUE(method.step(s, y, memory, h));
  return y;
}
Quad phi(const State<Quad, 2>& x) { return (x.q.dot(x.q) - 1) / 2; }
Quad psi(const State<Quad, 2>& x) { return x.q.dot(x.p); }
Quad E(const State<Quad, 2>& x) { return x.p.dot(x.p) / 2 + x.q[1]; }

// Expects O(h^power), seen at two steps.
template <class F>
void expect_expansion(const char* which, F&& difference, double power) {
  const double a = lane(Quad(difference(Quad(1) / 1024)), 0), b = lane(Quad(difference(Quad(1) / 2048)), 0);
  EXPECT_GT(std::log2(std::abs(a / b)), power - 0.02) << which;
}

TEST(Projections, ExpansionsOfOneEulerStepOnM) {
  const State<Quad, 2> A = on_circle<Quad>(Quad(0.9), Quad(1.7));
  const Quad x = A.q[0], y = A.q[1], px = A.p[0], py = A.p[1], pp = px * px + py * py;
  const auto B = [&](Quad h) { return euler(A, h, ProjectionKind::none); };
  const auto Bp = [&](Quad h) { return euler(A, h, ProjectionKind::position); };
  const auto Bm = [&](Quad h) { return euler(A, h, ProjectionKind::momentum); };
  const Quad tiny = 1e-30;
  for (const Quad h : {Quad(0.1), Quad(0.01)}) {                                 // exact, for Euler's method
    EXPECT_LT(magnitude(phi(B(h)) - pp * h * h / 2), tiny);                      // (21a)
    EXPECT_LT(magnitude(psi(B(h)) + py * h * h), tiny);                          // (21b)
    EXPECT_LT(magnitude(E(B(h)) - E(A) - (pp * pp + x * x) * h * h / 2), tiny);  // (21c)
    const Quad r2 = B(h).q.dot(B(h).q);
    EXPECT_LT(magnitude(E(B(h)) - E(Bm(h)) - psi(B(h)) * psi(B(h)) / (2 * r2)), tiny);
    EXPECT_LT(magnitude(psi(Bm(h))), tiny);
  }
  expect_expansion("(23a)", [&](Quad h) { return phi(Bp(h)) - pp * pp * h * h * h * h / 8; }, 6);
  expect_expansion("(23b)", [&](Quad h) { return psi(Bp(h)) + py * h * h - py * pp * h * h * h * h / 2; }, 6);
  expect_expansion(
      "(23c)",
      [&](Quad h) { return E(Bp(h)) - E(A) - (px * (x * py - y * px) + x * x + pp * pp) * h * h / 2; }, 3);
  expect_expansion("dE - dE(p)", [&](Quad h) { return E(B(h)) - E(Bp(h)) - y * pp * h * h / 2; }, 3);
  expect_expansion("dE - dE(m)", [&](Quad h) { return E(B(h)) - E(Bm(h)) - py * py * h * h * h * h / 2; }, 5);
}

TEST(Projections, ExpansionsOfOneEulerStepOffM) {
  State<Quad, 2> A = on_circle<Quad>(Quad(0.9), Quad(1.7));
  A.q *= Quad(1.1);
  A.p += Quad(0.2) * A.q;
  const Quad Phi = phi(A), Psi = psi(A), r2 = A.q.dot(A.q), y = A.q[1], py = A.p[1], pp = A.p.dot(A.p);
  const Quad mu = (pp - y) / r2, tiny = 1e-30;
  for (const Quad h : {Quad(0.1), Quad(0.01)}) {
    const auto B = euler(A, h, ProjectionKind::none);
    EXPECT_LT(magnitude(phi(B) - (Phi + Psi * h + pp * h * h / 2)), tiny);  // (21a)
    EXPECT_LT(magnitude(psi(B) - (Psi - (mu * Psi + py) * h * h)), tiny);   // (21b)
    const Quad ff = mu * mu * r2 + 2 * mu * y + 1;
    EXPECT_LT(magnitude(E(B) - E(A) - (-mu * Psi * h + ff * h * h / 2)), tiny);  // (21c)
  }
  const Quad h = 0;  // the terms of order zero
  EXPECT_LT(magnitude(phi(euler(A, h, ProjectionKind::position)) - Phi * Phi / (2 * r2)), tiny);  // (22a)
  EXPECT_LT(magnitude(E(euler(A, h, ProjectionKind::position)) - E(A) + Phi * y / r2), tiny);     // (22c)
  EXPECT_LT(magnitude(E(euler(A, h, ProjectionKind::momentum)) - E(A) + Psi * Psi / (2 * r2)), tiny);  // (24)
}

// The direction and the scalar product are what was asked for: the way of q is orthogonal to the tangent
// space of g = 0, at the old or at the new point, in the metric of the masses or in that of the coordinates.
TEST(Directions, OfProjectionsAreAsAsked) {
  using P = DoublePendulum<>;
  const P s = with_masses<P>();
  const StateOf<P> before = [&] {
    StateOf<P> x = moving_start(s);
    for (int i = 0; i < x.q.size(); ++i) x.q[i] += 0.03 * std::sin(2.0 * i + 1);
    return x;
  }();
  const auto tangents = [&](const P::Vec& q) -> Eigen::MatrixXd {
    auto G = s.make_jacobian();
    s.G(q, G);
    Eigen::MatrixXd Gt = Eigen::MatrixXd::Zero(4, 2);
    G.for_each([&](int i, int j, double entry) { Gt(j, i) = entry; });
    return Eigen::FullPivLU<Eigen::MatrixXd>(Gt.transpose()).kernel();
  };
  const auto mass_times = [&](const P::Vec& v) {
    P::Vec out = zero_vector(s), unit = out;
    for (int j = 0; j < 4; ++j) {
      P::Vec column = zero_vector(s);
      unit.setZero();
      unit[j] = 1;
      s.W().times(unit, column);
      out[j] = v[j] / column[j];  // the masses are diagonal
    }
    return out;
  };
  for (const ProjectionMetric metric : {ProjectionMetric::mass, ProjectionMetric::euclidean})
    for (const ProjectionAlong along : {ProjectionAlong::before, ProjectionAlong::after}) {
      StateOf<P> x = before;
      Projector<P> project(s);
      ASSERT_TRUE(project(s, x, {ProjectionKind::both, 0, metric, along}, {}));
      P::Multiplier g = zero_multiplier(s), psi = g;
      s.g(x.q, g);
      EXPECT_LT(g.norm(), 1e-15);
      auto G = s.make_jacobian();
      s.G(x.q, G);
      P::Vec v = zero_vector(s);
      H_p(s, x.q, x.p, v);
      G.times(v, psi);
      EXPECT_LT(psi.norm(), 1e-14);
      const bool by_mass = metric == ProjectionMetric::mass, at_end = along == ProjectionAlong::after;
      const auto off = [&](bool mass, bool end) {
        const P::Vec way = x.q - before.q;
        const P::Vec dual = mass ? mass_times(way) : way;
        return (tangents(end ? x.q : before.q).transpose() * dual).norm() / dual.norm();
      };
      EXPECT_LT(off(by_mass, at_end), 1e-12);
      EXPECT_GT(off(!by_mass, at_end), 1e-4);  // with masses 1 and 3 the two scalar products differ
      EXPECT_GT(off(by_mass, !at_end), 1e-4);
      const P::Vec push = x.p - before.p;
      const P::Vec dual = by_mass ? push : mass_times(push);
      EXPECT_LT((tangents(x.q).transpose() * dual).norm() / dual.norm(), 1e-12);
    }
}

}  // namespace
