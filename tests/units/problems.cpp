// Every ready-made problem: it starts on M, its derivatives are those of its functions, its Jacobian is one
// matrix whatever its storage, and it is the same problem in every scalar type.

#include <taut/problem/check_bend.hpp>
#include <taut/problem/ready_made/ready_made.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taut;
using Slope = Dual<double, 1>;

// These are not templates, so that the checks are compiled once and not for each problem.
void expect_near(double a, double b, double tolerance, std::string_view name, int i = -1, int j = -1) {
  EXPECT_NEAR(a, b, tolerance) << name << " " << i << ", " << j;
}
void expect_near(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double tolerance,
                 std::string_view name) {
  EXPECT_LE((a - b).norm(), tolerance) << name;
}
Eigen::VectorXd product(const Eigen::MatrixXd& A, const Eigen::VectorXd& x) { return A * x; }

// Forces reach 1e2, momenta and coordinates 10; measured 7e-15.
constexpr double rounding = 5e-14;

template <class Vec>
Vec shaken(Vec v, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  for (auto& x : v) x += uniform(random);
  return v;
}

// Calls f at three points near the start; the rods are strained, so that nothing vanishes by luck.
template <class X, class F>
void near_start(const X& start, F f) {
  for (unsigned seed = 1; seed <= 3; ++seed)
    f(X{shaken(start.q, 0.05, seed), shaken(start.p, 0.5, seed + 10)});
}

template <class U, class P, class Vec>
auto as(const P&, const Vec& v) {
  return Vector<U, P::n>(v.unaryExpr([](double x) { return U(x); }));
}

// Returns `v` moving along coordinate j.
template <class P, class Vec>
auto moving(const P& s, const Vec& v, int j) {
  auto dual = as<Slope>(s, v);
  dual[j].tangent[0] = 1;
  return dual;
}

template <class P>
auto dense(const P& s, const typename P::Vec& q) {
  auto G = s.make_jacobian();
  s.G(q, G);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(s.constraints(), s.coordinates());
  G.for_each([&](int i, int j, const auto& entry) { A(i, j) += static_cast<double>(entry); });
  return A;
}

template <class P>
double off_manifold(const P& s, const StateOf<P>& x) {
  using T = typename P::Scalar;
  auto G = s.make_jacobian();
  typename P::Multiplier g = zero_multiplier(s), f = g;
  typename P::Vec v = zero_vector(s);
  s.g(x.q, g);
  s.G(x.q, G);
  H_p(s, x.q, x.p, v);
  G.times(v, f);
  T largest(0);
  for (int k = 0; k < s.constraints(); ++k)
    largest = larger(largest, larger(magnitude(g[k]), magnitude(f[k])));
  return static_cast<double>(largest);
}

TEST(ReadyMade, NamesAreUniqueAndConstraintsHaveNames) {
  std::set<std::string_view> names;
  for_each_ready_made([&](auto name, auto what, const auto& s, const auto& x) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(what.empty()) << name;
    EXPECT_EQ(x.q.size(), s.coordinates()) << name;
    EXPECT_EQ(x.p.size(), s.coordinates()) << name;
    std::set<std::string> constraints;
    for (int k = 0; k < s.constraints(); ++k) constraints.insert(constraint_name(s, k));
    EXPECT_EQ(static_cast<int>(constraints.size()), s.constraints()) << name;
  });
  EXPECT_EQ(names.size(), 11U);
}

TEST(ReadyMade, StartsOnTheManifoldInEveryPrecision) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& x) {
    EXPECT_LE(off_manifold(s, x), 8 * epsilon<double>()) << name;
    const auto fine = s.template cast<Float128>();
    EXPECT_LE(off_manifold(fine, fine.start()), 8 * epsilon<Float128>()) << name;
  });
}

TEST(ReadyMade, DerivativesOfHAreTheDerivatives) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& start) {
    const auto dual = s.template cast<Slope>();
    auto along_q = zero_vector(s), along_p = along_q, unit = along_q, column = along_q;
    auto dual_velocity = zero_vector(dual);
    near_start(start, [&](const auto& x) {
      H_q(s, x.q, x.p, along_q);
      H_p(s, x.q, x.p, along_p);
      for (int j = 0; j < s.coordinates(); ++j) {
        const auto q = as<Slope>(s, x.q), p = as<Slope>(s, x.p);
        const auto q_moving = moving(s, x.q, j), p_moving = moving(s, x.p, j);
        expect_near(along_q[j], H(dual, q_moving, p).tangent[0], rounding, name, j);
        expect_near(along_p[j], H(dual, q, p_moving).tangent[0], rounding, name, j);
        unit.setZero();
        unit[j] = 1;
        H_pp_times(s, x.q, x.p, unit, column);
        H_p(dual, q, p_moving, dual_velocity);
        for (int i = 0; i < s.coordinates(); ++i)
          expect_near(column[i], dual_velocity[i].tangent[0], rounding, name, i, j);
      }
    });
  });
}

TEST(ReadyMade, TheJacobianIsTheDerivativeOfG) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& start) {
    const auto dual = s.template cast<Slope>();
    auto g = zero_multiplier(dual);
    near_start(start, [&](const auto& x) {
      const auto G = dense(s, x.q);
      for (int j = 0; j < s.coordinates(); ++j) {
        dual.g(moving(s, x.q, j), g);
        for (int i = 0; i < s.constraints(); ++i) expect_near(G(i, j), g[i].tangent[0], rounding, name, i, j);
      }
    });
  });
}

TEST(ReadyMade, TheBendIsWhatTheJacobianLeavesOut) {
  int quadratic = 0;
  for_each_ready_made([&](auto name, auto, const auto& s, const auto& start) {
    using P = std::remove_cvref_t<decltype(s)>;
    if constexpr (Quadratic<P>) {
      ++quadratic;
      near_start(start, [&](const auto& x) {
        const auto d = shaken(zero_vector(s), 0.3, 7);
        auto G = s.make_jacobian();
        auto before = zero_multiplier(s), after = before, along = before, bend = before;
        s.g(x.q, before);
        s.G(x.q, G);
        s.g(typename P::Vec(x.q + d), after);
        G.times(d, along);
        s.bend(d, bend);
        expect_near(Eigen::VectorXd(after - before - along), Eigen::VectorXd(bend), rounding, name);
        EXPECT_NO_THROW(check_bend(s, x.q)) << name;
        EXPECT_NO_THROW(check_bend(s, typename P::Vec(1e6 * x.q))) << name;
      });
      const auto fine = s.template cast<Float128>();
      EXPECT_NO_THROW(check_bend(fine, fine.start().q)) << name;
      EXPECT_NO_THROW(check_bend(s.template cast<Pack<4>>(), as<Pack<4>>(s, start.q))) << name;
      EXPECT_NO_THROW(check_bend(s.template cast<Slope>(), moving(s, start.q, 0))) << name;
    }
  });
  EXPECT_GE(quadratic, 8);
}

// The constraints are of second degree except for `cubic`; bend is right if `twist` = 0 and `stretch` = 1,
// and G is right if `lever` = 1.
template <class T>
struct RailTerms {
  T far = T(1), cubic = T(0), twist = T(0), stretch = T(1), lever = T(1);
};

template <class T = double>
struct Rails : Shape<T, 3, 2> {
  using typename Shape<T, 3, 2>::Vec;
  using typename Shape<T, 3, 2>::Multiplier;
  using typename Shape<T, 3, 2>::Jacobian;
  RailTerms<T> t;
  explicit Rails(const RailTerms<T>& terms = {}) : t(terms) {}

  int coordinates() const { return 3; }
  int constraints() const { return 2; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& g) const {
    g << (q[0] - t.far) * (q[0] - t.far) - t.far * t.far + q[1] * q[2] + t.cubic * q[1] * q[1] * q[1],
        q[0] - 2 * q[2];
  }
  void G(const Vec& q, Jacobian& G) const {
    G.entries << 2 * (q[0] - t.far), q[2] + 3 * t.cubic * q[1] * q[1], t.lever * q[1], T(1), T(0), T(-2);
  }
  void bend(const Vec& d, Multiplier& b) const {
    b << d[0] * d[0] + t.stretch * d[1] * d[2], t.twist * d[0] * d[1];
  }
};

template <class T>
std::string refusal(const Rails<T>& s, const typename Rails<T>::Vec& q) {
  try {
    check_bend(s, q);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

TEST(AWrongBend, IsRefused) {
  const Vector<double, 3> q{0.3, -0.2, 0.7};
  EXPECT_EQ(refusal(Rails<>{}, q), "");
  EXPECT_NE(refusal(Rails<>({.stretch = 2}), q), "");
  EXPECT_NE(refusal(Rails<>({.stretch = 1 + 1e-11}), q), "");
  EXPECT_NE(refusal(Rails<>({.twist = 1e-6}), q), "");
  EXPECT_NE(refusal(Rails<>({.cubic = 1e-6}), q), "");  // g is not of second degree: no bend is right
  EXPECT_NE(refusal(Rails<>({.stretch = std::nan("")}), q), "");
  EXPECT_EQ(refusal(Rails<>({.twist = 1e-3}), q).find("bend does not fit g and G in constraint 2: "), 0U);
  EXPECT_NE(refusal(Rails<Float128>({.stretch = 1 + Float128(1e-25)}), q.cast<Float128>()), "");
}

// The wrong entry of G vanishes at this q.
TEST(AWrongBend, IsSeenBesideAStartThatHidesIt) {
  EXPECT_EQ(refusal(Rails<>{}, {0.3, 0, 0.7}), "");
  EXPECT_NE(refusal(Rails<>({.lever = 1.5}), {0.3, 0, 0.7}), "");
  EXPECT_NE(refusal(Rails<>({.lever = 1 + 1e-9}), {0, 0, 0}), "");
}

// A far anchor makes g a difference of large numbers near q = 0.
TEST(AWrongBend, IsNotSeenInTheRoundingOfG) {
  EXPECT_EQ(refusal(Rails<>({.far = 1e5}), {1e-3, 0, 0}), "");
  EXPECT_EQ(refusal(Rails<>({.far = 0.1}), {1e-9, 1e-12, 0}), "");
  EXPECT_EQ(refusal(Rails<>{}, {1e9, -1, 0}), "");
}

TEST(AWrongBend, IsSeenInOneLaneAndInATangent) {
  Rails<Pack<4>> lanes;
  const Vector<Pack<4>, 3> q{Pack<4>(0.3), Pack<4>(-0.2), Pack<4>(0.7)};
  EXPECT_EQ(refusal(lanes, q), "");
  lanes.t.stretch.set(2, 1.5);
  EXPECT_NE(refusal(lanes, q), "");

  Rails<Slope> dual;
  Vector<Slope, 3> moving{Slope(0.3), Slope(-0.2), Slope(0.7)};
  moving[1].tangent[0] = 1;
  EXPECT_EQ(refusal(dual, moving), "");
  dual.t.stretch.tangent[0] = 1e-3;
  EXPECT_NE(refusal(dual, moving), "");
}

// The step fails there, and says so.
TEST(AWrongBend, IsNotBlamedForAStartThatIsNotANumber) {
  EXPECT_EQ(refusal(Rails<>{}, {std::nan(""), 0, 0}), "");
}

TEST(ReadyMade, TheJacobianActsAsTheMatrixItLists) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& start) {
    auto G = s.make_jacobian();
    auto y = zero_multiplier(s);
    near_start(start, [&](const auto& x) {
      const Eigen::MatrixXd A = dense(s, x.q);
      s.G(x.q, G);
      G.times(x.p, y);
      expect_near(y, product(A, x.p), rounding, name);
      const auto l = shaken(zero_multiplier(s), 1, 7);
      auto z = x.p;
      G.subtract_transpose(l, z);
      expect_near(x.p - z, product(A.transpose(), l), rounding, name);
      const auto size = x.p.cwiseAbs().eval();
      G.row_bounds(size, y);
      expect_near(y, product(A.cwiseAbs(), size), rounding, name);
      std::vector<bool> uses(static_cast<std::size_t>(A.cols()), false);
      int seen = 0;
      G.until([&](int j, double entry) {
        if (entry != 0) uses[static_cast<std::size_t>(j)] = true;
        ++seen;
        return false;
      });
      for (Eigen::Index j = 0; j < A.cols(); ++j)
        EXPECT_EQ(uses[static_cast<std::size_t>(j)], (A.col(j).array() != 0).any()) << name << j;
      int first = 0;
      G.until([&](int, double) { return ++first == 1; });
      EXPECT_EQ(first, std::min(seen, 1)) << name;
    });
  });
}

TEST(ReadyMade, IsTheSameProblemInQuadruplePrecision) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& start) {
    const auto fine = s.template cast<Float128>();
    auto force = zero_vector(s);
    auto fine_force = zero_vector(fine);
    auto g = zero_multiplier(s);
    auto fine_g = zero_multiplier(fine);
    near_start(start, [&](const auto& x) {
      const auto q = as<Float128>(s, x.q), p = as<Float128>(s, x.p);
      expect_near(H(s, x.q, x.p), static_cast<double>(H(fine, q, p)), rounding, name);
      H_q(s, x.q, x.p, force);
      H_q(fine, q, p, fine_force);
      for (int i = 0; i < s.coordinates(); ++i)
        expect_near(force[i], static_cast<double>(fine_force[i]), rounding, name, i);
      s.g(x.q, g);
      fine.g(q, fine_g);
      for (int i = 0; i < s.constraints(); ++i)
        expect_near(g[i], static_cast<double>(fine_g[i]), rounding, name, i);
      expect_near(dense(s, x.q).reshaped(), dense(fine, q).reshaped(), rounding, name);
    });
    const auto fine_start = fine.start();
    for (int i = 0; i < s.coordinates(); ++i) {
      expect_near(start.q[i], static_cast<double>(fine_start.q[i]), rounding, name, i);
      expect_near(start.p[i], static_cast<double>(fine_start.p[i]), rounding, name, i);
    }
  });
}

// They agree to the last bit: an ensemble run in lanes must be the run of its members.
TEST(ReadyMade, ALaneOfAPackIsTheScalarProblem) {
  for_each_ready_made([](auto name, auto, const auto& s, const auto& start) {
    const auto packed = s.template cast<Pack<4>>();
    auto force = zero_vector(s), velocity = force;
    auto packed_force = zero_vector(packed), packed_velocity = packed_force;
    auto g = zero_multiplier(s);
    auto packed_g = zero_multiplier(packed);
    auto G = s.make_jacobian();
    auto packed_G = packed.make_jacobian();
    near_start(start, [&](const auto& x) {
      const auto q = as<Pack<4>>(s, x.q), p = as<Pack<4>>(s, x.p);
      H_q(s, x.q, x.p, force);
      H_q(packed, q, p, packed_force);
      H_p(s, x.q, x.p, velocity);
      H_p(packed, q, p, packed_velocity);
      for (int i = 0; i < s.coordinates(); ++i) {
        expect_near(force[i], packed_force[i][2], 0, name, i);
        expect_near(velocity[i], packed_velocity[i][2], 0, name, i);
      }
      s.g(x.q, g);
      packed.g(q, packed_g);
      for (int i = 0; i < s.constraints(); ++i) expect_near(g[i], packed_g[i][2], 0, name, i);
      s.G(x.q, G);
      packed.G(q, packed_G);
      std::vector<double> entries, lanes;
      G.for_each([&](int, int, double entry) { entries.push_back(entry); });
      packed_G.for_each([&](int, int, const auto& entry) { lanes.push_back(entry[2]); });
      EXPECT_EQ(entries, lanes) << name;
    });
  });
}

TEST(StiffPendulum, IsTheSumOfItsParts) {
  static_assert(Split<StiffPendulum<>>);
  const StiffPendulum<> s;
  Vector<double, 4> all, fast, slow;
  near_start(s.start(), [&](const auto& x) {
    s.grad_V(x.q, all);
    s.grad_V_fast(x.q, fast);
    s.grad_V_slow(x.q, slow);
    EXPECT_LE((all - fast - slow).norm(), rounding);
    EXPECT_NEAR(s.V(x.q), s.V_fast(x.q) + s.V_slow(x.q), rounding);
    const auto dual = s.cast<Slope>();
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(fast[j], dual.V_fast(moving(s, x.q, j)).tangent[0], rounding);
  });
}

TEST(SixNodeChainDynamic, IsTheFixedOne) {
  for (const double kappa : {1.0, 0.3}) {
    SixNodeChain<> fixed;
    fixed.kappa = kappa;
    const SixNodeChainDynamic<> free(kappa);
    Vector<double, 12> f;
    Vector<double, 5> g;
    Eigen::VectorXd free_f(12), free_g(5);
    near_start(fixed.start(), [&](const auto& x) {
      EXPECT_NEAR(fixed.V(x.q), free.V(x.q), rounding);
      fixed.grad_V(x.q, f);
      free.grad_V(x.q, free_f);
      EXPECT_LE((f - free_f).norm(), rounding);
      fixed.g(x.q, g);
      free.g(x.q, free_g);
      EXPECT_LE((g - free_g).norm(), rounding);
      EXPECT_LE((dense(fixed, x.q) - dense(free, x.q)).norm(), 0);
    });
    EXPECT_EQ(fixed.start().q, free.start().q);
    EXPECT_EQ(fixed.start().p, free.start().p);
    EXPECT_EQ(constraint_name(fixed, 1), constraint_name(free, 1));
  }
}

// These are the numbers the papers print, and those of the readings of them that fill their gaps.
TEST(Start, HasThePublishedEnergy) {
  const auto energy = [](const auto& s) { return H(s, s.start().q, s.start().p); };
  EXPECT_NEAR(energy(PlanarPendulum<>{}), 0, 1e-15);
  EXPECT_NEAR(energy(DoublePendulum<>{}), -3 * std::sqrt(0.75), 1e-15);
  EXPECT_NEAR(energy(SixNodeChain<>{}), 10.5, 1e-14);
  EXPECT_NEAR(energy(ChargedParticle<>{}), 1.44 - std::sqrt(0.92), 1e-15);
  EXPECT_NEAR(energy(LennardJonesChain<>{}), -1.215727860, 5e-10);
  const auto lj = LennardJonesChain<>{}.start();
  EXPECT_NEAR(LennardJonesChain<>{}.V(lj.q), -1.253171830394, 5e-13);
  EXPECT_NEAR(lj.q[13] - lj.q[1], 0, 1e-15);
}

}  // namespace
