// Leimkuhler & Skeel (1994): SHAKE in velocity form (VS) and RATTLE (VR) are one method at the half steps;
// their multipliers, their momenta and the underlying ODE are tied by the identities below. The problem is
// the six-node chain, h = 0.01 on [0, 10], unit masses.

#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace taut;
using Chain = SixNodeChain<>;
using X = StateOf<Chain>;
using Vec = Chain::Vec;
using Multiplier = Chain::Multiplier;

constexpr double h = 0.01;
constexpr int steps = 1000;

Matrix<double, 5, 12> dense_G(const Chain& s, const Vec& q) {
  Chain::Jacobian G = s.make_jacobian();
  s.G(q, G);
  Matrix<double, 5, 12> dense = Matrix<double, 5, 12>::Zero();
  G.for_each([&](int i, int j, double entry) { dense(i, j) = entry; });
  return dense;
}

// Returns Gᵀ (G Gᵀ)⁻¹ y.
Vec along_G(const Matrix<double, 5, 12>& G, const Multiplier& y) {
  return G.transpose() * (G * G.transpose()).ldlt().solve(y);
}

// g_k = (|r_k - r_{k+1}|² - 1)/2, so g''_k[v, v] = |v_k - v_{k+1}|².
Multiplier g_qq(const Vec& v) {
  Multiplier y;
  for (int k = 0; k < 5; ++k) y[k] = (v.segment<2>(2 * k) - v.segment<2>(2 * k + 2)).squaredNorm();
  return y;
}

double size(const auto& v) { return v.cwiseAbs().maxCoeff(); }

// Entry n belongs to mesh point n; half[n] is p_{n+1/2}. The multipliers are λ, not the impulses (h/2)λ.
struct RattleRun {
  std::vector<Vec> q, p, half;
  std::vector<Multiplier> lambda_r, lambda_v;  // λ⁽ᵛ⁾₀ plays no part
};

const RattleRun& vr() {
  static const RattleRun run = [] {
    const Chain s;
    X x = s.start();
    Rattle::Memory<Chain, X> at(s, x);
    RattleRun r;
    r.lambda_v.push_back(Multiplier::Zero());
    for (int n = 0; n <= steps; ++n) {
      const Vec without_G = x.p - h / 2 * at.grad_V;
      r.q.push_back(x.q);
      r.p.push_back(x.p);
      EXPECT_TRUE(Rattle{}.step(s, x, at, h));
      r.half.push_back(without_G - dense_G(s, r.q.back()).transpose() * at.mu);
      r.lambda_r.push_back(2 / h * at.mu);
      r.lambda_v.push_back(2 / h * at.nu);
    }
    return r;
  }();
  return run;
}

// half and lambda begin with n = 1, because VS finds them together with p_n.
struct ShakeRun {
  std::vector<Vec> q, p, half{Vec::Zero()};
  std::vector<Multiplier> lambda{Multiplier::Zero()};
};

ShakeRun run_vs(int count) {
  const Chain s;
  X x = s.start();
  ShakeVelocity::Memory<Chain, X> at(s, x, ShakeVelocity{});
  ShakeRun r;
  r.q.push_back(x.q);
  r.p.push_back(x.p);
  for (int n = 1; n <= count; ++n) {
    EXPECT_TRUE(ShakeVelocity{}.step(s, x, at, h));
    r.q.push_back(x.q);
    r.p.push_back(x.p);
    r.half.push_back(at.half.p);
    r.lambda.push_back(2 / h * at.mu);
  }
  return r;
}

const ShakeRun& vs() {
  static const ShakeRun run = run_vs(10 * steps);
  return run;
}

// Returns the largest error(n) over the mesh points 1 … steps.
template <class Error>
double worst_of(Error&& error) {
  double worst = 0;
  for (int n = 1; n <= steps; ++n) worst = std::max(worst, size(error(n)));
  return worst;
}

// Two runs that are equal in exact arithmetic differ by the rounding of 1000 steps. The measured value stands
// beside each bound.
TEST(ShakeEqualsRattle, InPositions) {
  EXPECT_LT(worst_of([](int n) { return Vec(vs().q[n] - vr().q[n]); }), 1e-12);  // 1.7e-14
}
TEST(ShakeEqualsRattle, InMomentaAtTheHalfSteps) {
  EXPECT_LT(worst_of([](int n) { return Vec(vs().half[n] - vr().half[n]); }), 1e-12);  // 6.0e-14
}
TEST(ShakeEqualsRattle, ButNotInMomentaAtTheMeshPoints) {
  EXPECT_GT(worst_of([](int n) { return Vec(vs().p[n] - vr().p[n]); }), 1e-4);  // O(h²), 8.2e-4
}

// The impulse of VS at a mesh point is the mean of RATTLE's two. Rounding of g enters λ as ε/h², here 2e-12.
TEST(ShakeEqualsRattle, LambdaIsTheMeanOfRattlesTwo) {
  EXPECT_LT(
      worst_of([](int n) { return Multiplier(vs().lambda[n] - (vr().lambda_r[n] + vr().lambda_v[n]) / 2); }),
      1e-10);  // 1.7e-11
}

// Equation (32): p_VR = (I - Gᵀ(GGᵀ)⁻¹G) p_VS.
TEST(ShakeEqualsRattle, RattlesMomentumIsShakesProjected) {
  const Chain s;
  EXPECT_LT(worst_of([&](int n) {
              const auto G = dense_G(s, vs().q[n]);
              return Vec(vr().p[n] - (vs().p[n] - along_G(G, G * vs().p[n])));
            }),
            1e-12);  // 2.5e-14
}

// Leap-frog and two-step form are the same recursion; q_{n+1} - 2q_n + q_{n-1} = h²(…) loses
// ε/h² of the force.
template <class Method>
double worst_position(const Method& method) {
  const Chain s;
  X x = s.start();
  typename Method::template Memory<Chain, X> at(s, x, method);
  return worst_of([&](int n) {
    EXPECT_TRUE(method.step(s, x, at, h));
    return Vec(x.q - vr().q[n]);
  });
}
TEST(ShakeEqualsRattle, LeapFrogForm) { EXPECT_LT(worst_position(Shake{}), 1e-12); }        // 3.4e-14
TEST(ShakeEqualsRattle, TwoStepForm) { EXPECT_LT(worst_position(ShakeTwoStep{}), 1e-11); }  // 1.5e-12

// Theorem 5.1, equations (45)-(46): the half-step momenta solve the discretised underlying ODE, in which the
// constraint appears only by g'' of the two neighbouring momenta. `curvature(n)` stands for their sum.
template <class Curvature>
double underlying_defect(Curvature&& curvature) {
  const Chain s;
  return worst_of([&](int n) {
    if (n == 1) return Vec(Vec::Zero());  // p_{1/2} is not kept
    const auto G = dense_G(s, vs().q[n]);
    Vec grad_V;
    s.grad_V(vs().q[n], grad_V);
    return Vec(vs().half[n] - vs().half[n - 1] + h * (grad_V - along_G(G, G * grad_V)) +
               h / 2 * along_G(G, curvature(n)));
  });
}
TEST(Theorem51, ShakeSolvesTheUnderlyingOdeDiscretised) {
  EXPECT_LT(underlying_defect([](int n) { return Multiplier(g_qq(vs().half[n]) + g_qq(vs().half[n - 1])); }),
            1e-12);  // 8.5e-14
}
// If the curvature is taken at the mesh point, which would be as good an approximation, it is another method.
TEST(Theorem51, AndNotItsNeighbour) {
  EXPECT_GT(underlying_defect([](int n) { return Multiplier(2 * g_qq(vs().p[n])); }), 1e-6);  // 3.8e-5
}

// VS does not keep G p = 0, but does not amplify what it misses either: figure 2, and the identity behind it.
double velocity_residual(int n) { return size(Multiplier(dense_G(Chain{}, vs().q[n]) * vs().p[n])); }
double window(int from, int to) {
  double worst = 0;
  for (int n = from + 1; n <= to; ++n) worst = std::max(worst, velocity_residual(n));
  return worst;
}
TEST(VelocityResidualOfShake, IsTheDifferenceOfTwoCurvatures) {
  const Chain s;
  EXPECT_LT(worst_of([&](int n) {
              if (n == 1) return Multiplier(Multiplier::Zero());
              return Multiplier(dense_G(s, vs().q[n]) * vs().p[n] -
                                h / 4 * (g_qq(vs().half[n - 1]) - g_qq(vs().half[n])));
            }),
            1e-12);  // 3.1e-14
}
TEST(VelocityResidualOfShake, IsNotAmplified) {
  // An independent implementation gives these maxima in the four quarters of [0, 10], to two digits.
  constexpr std::array expected{8.2e-4, 5.3e-4, 6.4e-4, 9.9e-4};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(window(250 * k, 250 * (k + 1)), expected[k], 0.06e-4);
  // On [0, 100] the motion is chaotic, but windows of 20 stay within a factor of two or so of each other.
  for (int k = 0; k < 5; ++k) {
    EXPECT_GT(window(2000 * k, 2000 * (k + 1)), 1.0e-3);
    EXPECT_LT(window(2000 * k, 2000 * (k + 1)), 5.0e-3);
  }
}

}  // namespace
