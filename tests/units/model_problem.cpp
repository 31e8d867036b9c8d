// A model becomes a problem of the right kind, with the derivatives, the sparsity and the mass
// of its formulas.

#include <taut/formulation/manifold.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/method/explicit_maps.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/code/interpreter.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/problem/ready_made/ready_made.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

#include "support/source_files.hpp"

namespace {

using namespace taut;

// One type has the functions of every tier; which of them may be called, tier() says.
template <class P>
inline constexpr bool has_every_tier = Graded<P> && Split<P> && OwnHamiltonian<P> && Castable<P>;
static_assert(has_every_tier<FormulaProblem<>>);
static_assert(has_every_tier<FormulaProblem<Float128>> && has_every_tier<FormulaProblem<Pack<4>>>);
static_assert(has_every_tier<FormulaProblem<Dual<double, 2>>>);

Model model_of(const std::string& text, const std::vector<std::string>& set = {}) {
  const ReadModel read = read_model(text, "test.toml", set);
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model.value();
}

Model example(const std::string& name, const std::vector<std::string>& set = {}) {
  for (const auto& file : test::files_under("examples", {".toml"}))
    if (file.path == "examples/" + name + ".toml") return model_of(file.text, set);
  ADD_FAILURE() << "no example " << name;
  return {};
}

Model with_hamiltonian(const std::string& H) {
  return model_of(
      "[parameters]\nm = 3.0\nzero = 0.0\n[system]\ncoordinates = [\"x\", \"y\"]\nhamiltonian = \"" + H +
      "\"\nconstraints = [\"x - y\"]\n[initial]\np_x = 0.5\np_y = 0.25\n");
}

TEST(ModelProblem, AHamiltonianThatIsNaturalIsFound) {
  for (const char* H :
       {"(p_x^2 + p_y^2)/2 + x*y", "p_x^2/(2*m) + p_y*p_y/2/m - sin(x)",
        "p_x^2 + p_x*p_y + p_y^2 + exp(x + y)", "(p_x + p_y)^2/4 + (p_x - p_y)^2/m",
        "0.5*(p_x^2 + p_y^2)*cos(m - 3)", "(p_x^2 + p_y^2)/2 + zero*x*p_x + y", "sqrt(p_x^2 + p_y^2)^2/2 + x",
        "(p_x^2 + p_y^2)/2 + (x - x)*p_y", "p_x^2/2 + p_y^2/2"})
    EXPECT_EQ(derive(with_hamiltonian(H)).kind, System::Kind::natural) << H;
}

TEST(ModelProblem, AndOthersAreNot) {
  for (const char* H : {"(p_x^2 + p_y^2)/2*(1 + x^2)",  // W depends on q
                        "(p_x^2 + p_y^2)/2 + x*p_y",    // H_qp
                        "(p_x^2 + p_y^2)/2 + 0.1*p_x",  // a term linear in p
                        "(p_x^2 + p_y^2)/2 + p_x^4",    // H_pp depends on p
                        "p_x^2/2 - p_y^2/2 + x",        // W not positive
                        "sqrt(1 + p_x^2 + p_y^2)", "(p_x^2 + p_y^2)/2 + abs(p_x)^3"})
    EXPECT_EQ(derive(with_hamiltonian(H)).kind, System::Kind::hamiltonian) << H;
}

TEST(ModelProblem, TheMassOfARecognisedHamiltonian) {
  const auto s = compile(with_hamiltonian("p_x^2/(2*m) + p_y^2/8 + x^2*y"));
  EXPECT_TRUE(s->diagonal_mass);
  const FormulaProblem<> problem(s);
  EXPECT_EQ(problem.tier(), Tier::natural);
  EXPECT_DOUBLE_EQ(problem.W().weight(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(problem.W().weight(1), 0.25);
  Eigen::VectorXd q(2), f(2);
  q << 2, 3;
  EXPECT_DOUBLE_EQ(problem.V(q), 12);
  problem.grad_V(q, f);
  EXPECT_DOUBLE_EQ(f[0], 12);
  EXPECT_DOUBLE_EQ(f[1], 4);

  const auto coupled = compile(with_hamiltonian("p_x^2 + p_x*p_y + p_y^2"));
  EXPECT_FALSE(coupled->diagonal_mass);
  const FormulaProblem<> full(coupled);
  EXPECT_EQ(full.tier(), Tier::natural);
  const auto& W = full.W();
  EXPECT_FALSE(W.is_diagonal);
  EXPECT_LT((W.matrix.inverse - Eigen::Matrix2d{{2, 1}, {1, 2}}).norm(), 1e-15);
  EXPECT_LT((W.matrix.mass * W.matrix.inverse - Eigen::Matrix2d::Identity()).norm(), 1e-15);
}

// The problem the formulas describe is the one written by hand.
template <class P, class Q>
void same_problem(const P& formula, const Q& hand) {
  const auto here = formula.start();
  const auto there = hand.start();
  const int n = formula.coordinates(), m = formula.constraints();
  ASSERT_EQ(n, hand.coordinates());
  ASSERT_EQ(m, hand.constraints());
  EXPECT_LE((here.q - Eigen::VectorXd(there.q)).norm() + (here.p - Eigen::VectorXd(there.p)).norm(), 4e-15);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shake(-0.1, 0.1);
  for (int trial = 0; trial < 5; ++trial) {
    Eigen::VectorXd q = there.q, p = there.p, a(n), b(n), ga(m), gb(m), v(n);
    for (int i = 0; i < n; ++i) q[i] += shake(random), p[i] += shake(random), v[i] = shake(random);
    const typename Q::Vec hq = q, hp = p, hv = v;
    typename Q::Vec hb = hq;
    typename Q::Multiplier hg = zero_multiplier(hand);
    EXPECT_NEAR(H(formula, q, p), H(hand, hq, hp), 1e-13);
    H_q(formula, q, p, a), H_q(hand, hq, hp, hb);
    EXPECT_LE((a - Eigen::VectorXd(hb)).norm(), 1e-12 * (1 + a.norm()));
    H_p(formula, q, p, a), H_p(hand, hq, hp, hb);
    EXPECT_LE((a - Eigen::VectorXd(hb)).norm(), 1e-13 * (1 + a.norm()));
    H_pp_times(formula, q, p, v, a), H_pp_times(hand, hq, hp, hv, hb);
    EXPECT_LE((a - Eigen::VectorXd(hb)).norm(), 1e-13);
    formula.g(q, ga), hand.g(hq, hg);
    EXPECT_LE((ga - Eigen::VectorXd(hg)).norm(), 1e-14);
    auto G = formula.make_jacobian();
    auto hG = hand.make_jacobian();
    formula.G(q, G), hand.G(hq, hG);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n), B = A;
    int entries = 0;
    G.for_each([&](int i, int j, double x) { A(i, j) += x, ++entries; });
    hG.for_each([&](int i, int j, double x) { B(i, j) += x; });
    EXPECT_LE((A - B).norm(), 1e-14);
    EXPECT_EQ(entries, (B.array() != 0).count()) << "known zeros are not stored";
    const auto l = multiplier(formula, q, p);
    const auto hl = multiplier(hand, hq, hp);
    ASSERT_TRUE(l && hl);
    EXPECT_LE((*l - Eigen::VectorXd(*hl)).norm(), 1e-11 * (1 + l->norm()));
  }
}

template <class Q>
void same_as_example(const std::string& name, const Q& hand) {
  SCOPED_TRACE(name);
  const FormulaProblem<> problem(example(name));
  EXPECT_EQ(problem.tier(), Split<Q> ? Tier::split : Natural<Q> ? Tier::natural : Tier::hamiltonian);
  same_problem(problem, hand);
}

TEST(ModelProblem, ExamplesAreTheReadyMadeProblems) {
  same_as_example("pendulum", PlanarPendulum<>{});
  same_as_example("spherical-pendulum", SphericalPendulum<>{});
  same_as_example("double-pendulum", DoublePendulum<>{});
  same_as_example("charged-particle", ChargedParticle<>{});
  same_as_example("six-node-chain", SixNodeChain<>{});
  same_as_example("lennard-jones-chain", LennardJonesChain<>{});
  same_as_example("four-bar", FourBar<>{});
  same_as_example("heavy-top", heavy_top());
  same_as_example("stiff-pendulum", StiffPendulum<>{});
}

// A method that needs more than the tier of the model is not bound to it.
TEST(ModelProblem, TheTierDecidesWhichMethodsFit) {
  const auto fit = [](const char* name) {
    const FormulaProblem<> s(example(name));
    const auto x = s.start();
    return std::array{bind(Rattle{}, s, x) != nullptr, bind(Projected<Impulse>{}, s, x) != nullptr,
                      bind(Lobatto<>{.s = 2}, s, x) != nullptr};
  };
  EXPECT_EQ(fit("pendulum"), (std::array{true, false, true}));
  EXPECT_EQ(fit("heavy-top"), (std::array{true, false, true}));
  EXPECT_EQ(fit("stiff-pendulum"), (std::array{true, true, true}));
  EXPECT_EQ(fit("relativistic-pendulum"), (std::array{false, false, true}));
}

TEST(ModelProblem, TheSplitPotentialAddsUp) {
  const FormulaProblem<> s(example("stiff-pendulum"));
  const auto x = s.start();
  Eigen::VectorXd all(4), fast(4), slow(4);
  s.grad_V(x.q, all), s.grad_V_fast(x.q, fast), s.grad_V_slow(x.q, slow);
  EXPECT_LE((all - fast - slow).norm(), 1e-15);
  EXPECT_NEAR(s.V_fast(x.q), 0.125, 1e-14);
}

TEST(ModelProblem, NumbersOfTheModelAreExactIn128Bits) {
  const auto s = compile(example("spherical-pendulum"));
  const auto fine = FormulaProblem<>(s).cast<Float128>();
  EXPECT_LT(static_cast<double>(magnitude(fine.start().q[0] - Float128(3) / 5)), 1e-33);
  EXPECT_LT(static_cast<double>(position_residual(fine, fine.start().q)), 1e-33);
}

TEST(ModelProblem, SettingsActBeforeAnythingIsEvaluated) {
  const Model model =
      example("pendulum", {"L=2", "gravity=2*pi", "run.steps=7", "p_y=0.5", "run.method=lobatto(3)"});
  EXPECT_EQ(static_cast<double>(model.q[0].value), 2);  // x = "L"
  EXPECT_EQ(static_cast<double>(model.p[1].value), 0.5);
  EXPECT_DOUBLE_EQ(static_cast<double>(model.parameters[1].value), 2 * 3.14159265358979323846);
  EXPECT_EQ(model.run.steps, 7);
  EXPECT_FALSE(model.run.until) << "steps replaced it";
  EXPECT_EQ(model.run.method, "lobatto(3)");
  EXPECT_EQ(model.run.step, 0.05);
}

TEST(ModelProblem, WhatTheFileSaysIsThere) {
  const Model model = example("charged-particle", {"output.directory=out/charged-particle"});
  EXPECT_EQ(model.title, "Charged particle on a sphere (Jay 1996, example 1)");
  EXPECT_EQ(model.run.method, "lobatto(3)");
  EXPECT_EQ(model.run.step, 0.12);
  EXPECT_EQ(model.run.steps, 5000);
  EXPECT_EQ(model.run.every, 10);
  EXPECT_EQ(model.output_directory, "out/charged-particle");
  const FormulaProblem<> problem(model);
  EXPECT_EQ(problem.tier(), Tier::hamiltonian);
  EXPECT_EQ(constraint_name(problem, 0), "constraint 1 (sqrt(x^2 + y^2 + z^2) - R)");
}

TEST(ModelProblem, ParametersAreEvaluatedInTheOrderOfTheFile) {
  const Model model = model_of(
      "[parameters]\nz = 2.0\nb = \"z + 1\"\na = \"b*z\"\n[system]\ncoordinates = [\"x\", \"y\"]\nmass = "
      "\"a\"\n"
      "potential = \"a*x\"\nconstraints = [\"x - y\"]\n");
  EXPECT_EQ(static_cast<double>(model.parameters[2].value), 6);
  EXPECT_EQ(model.parameters[2].name, "a");
}

TEST(ModelProblem, CopiesServeThreadsWithoutSharingRegisters) {
  const FormulaProblem<> s(example("stiff-pendulum"));
  const auto x = s.start();
  Eigen::VectorXd expected(4);
  s.grad_V(x.q, expected);
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, copy = s, q = x.q, expected, t] {
      Eigen::VectorXd f(4);
      for (int k = 0; k < 20000; ++k) {
        copy.grad_V(k % 2 == 0 ? q : Eigen::VectorXd(q * (1 + t)), f);
        if (k % 2 == 0 && f != expected) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  for (auto& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(ModelProblem, AFreeSystemHasNoConstraints) {
  const Model model =
      model_of("[system]\ncoordinates = [\"x\"]\nmass = [1.0]\npotential = \"x^2/2\"\n[initial]\nx = 1\n");
  const FormulaProblem<> s(model);
  EXPECT_EQ(s.constraints(), 0);
  EXPECT_TRUE(check_start(s, s.start()).consistent());
}

}  // namespace
