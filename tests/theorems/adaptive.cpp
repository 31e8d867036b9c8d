// The theorems about reversible steps of different sizes (Hairer & Söderlind 2005): the steps go back the way
// they came, they have the order of their method in ε, and the energy does not drift. If the size is chosen
// from the last state alone, the first and the third are lost.

#include <taut/mechanism/machine.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/run/step_function.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace taut;

ModelRun kepler(const std::string& method, const std::string& sigma = "(x^2 + y^2)^0.75") {
  RunRequest request;
  request.method = method;
  request.step_function = sigma;
  request.backend = Backend::interpret;
  return read_model_run("kepler-on-sphere", request, {});
}

std::unique_ptr<Machine> machine_of(const ModelRun& run, const std::string& method) {
  return run.machine({.method = method}, run.mechanism->start(), 1000, [](const std::string&) {}).machine;
}

double distance(const Machine& machine, const PlainState& x) {
  double most = 0;
  for (std::size_t i = 0; i < x.q.size(); ++i)
    most = std::max({most, std::abs(machine.q()[i] - x.q[i]), std::abs(machine.p()[i] - x.p[i])});
  return most;
}

// A controller as it is often written: each step has the size that the state before it asks for.
struct Naive {
  std::unique_ptr<Machine> machine;
  std::unique_ptr<StepFunction> sigma;
  double time = 0;
  void advance(double epsilon, Tally& tally) {
    const double h = epsilon * sigma->sigma(machine->q(), machine->p());
    machine->advance(h, 1, tally);
    time += h;
  }
};
Naive naive(const ModelRun& run, const std::string& method) {
  return {machine_of(run, method), run.step_function(run.mechanism->start())};
}

constexpr double epsilon = 0.014;  // some 310 steps a unit of time

// Ten orbits forth and back: rounding grows with the orbit's shear. The controller without memory ends
// elsewhere.
TEST(Adaptive, TheStepsGoBackTheWayTheyCame) {
  for (const std::string method : {"rattle", "lobatto(3)", "kahan-li8"}) {
    const ModelRun run = kepler("adaptive(" + method + ")");
    const auto machine = machine_of(run, "adaptive(" + method + ")");
    Tally tally(machine->read(), 6000);
    for (const double step : {epsilon, -epsilon}) machine->advance(step, 3000, tally);
    ASSERT_FALSE(tally.failed());
    EXPECT_LT(distance(*machine, run.mechanism->start()), 1e-9) << method;
    EXPECT_LT(std::abs(machine->variable_steps()->time()), 1e-9) << method;

    Naive other = naive(run, method);
    Tally seen(other.machine->read(), 6000);
    for (const double step : {epsilon, -epsilon})
      for (int i = 0; i < 3000; ++i) other.advance(step, seen);
    ASSERT_FALSE(seen.failed());
    EXPECT_GT(distance(*other.machine, run.mechanism->start()), 1e-7) << method;
  }
}

PlainState at_time(const ModelRun& run, const std::string& method, double step, double end) {
  const auto machine = machine_of(run, method);
  Tally tally(machine->read(), 1);
  VariableSteps& steps = *machine->variable_steps();
  while (steps.time() < end && !tally.failed()) machine->advance(step, 1, tally);
  EXPECT_FALSE(tally.failed());
  EXPECT_TRUE(steps.show_at(end));
  return {{machine->q().begin(), machine->q().end()}, {machine->p().begin(), machine->p().end()}};
}

// The state at one time has the order of the method, though ρ is integrated by a formula of order 2.
TEST(Adaptive, TheOrderInEpsilonIsThatOfTheMethod) {
  struct Case {
    std::string method;
    double step, order;
  };
  constexpr double end = 1.7;  // past the pole
  const ModelRun fine = kepler("adaptive(kahan-li8)");
  const PlainState exact = at_time(fine, "adaptive(kahan-li8)", 0.02, end);
  for (const Case& c : {Case{"adaptive(rattle)", 0.01, 2}, Case{"adaptive(lobatto(3))", 0.08, 4},
                        Case{"adaptive(yoshida4)", 0.02, 4}}) {
    const ModelRun run = kepler(c.method);
    std::vector<double> errors;
    for (const double step : {c.step, c.step / 2}) {
      const PlainState x = at_time(run, c.method, step, end);
      double error = 0;
      for (std::size_t i = 0; i < 3; ++i) error = std::max(error, std::abs(x.q[i] - exact.q[i]));
      errors.push_back(error);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), c.order, 0.15) << c.method << " " << errors[0];
  }
}

// Largest |H - H₀| in the first of ten parts and in all of them, to t = 400 or so.
TEST(Adaptive, TheEnergyDoesNotDriftAndThatOfANaiveControllerDoes) {
  const ModelRun run = kepler("adaptive(rattle)");
  const auto machine = machine_of(run, "adaptive(rattle)");
  constexpr int part = 6000, parts = 10;
  Tally tally(machine->read(), part * parts);
  machine->advance(epsilon, part, tally);
  const double early = tally.energy_error;
  machine->advance(epsilon, part * (parts - 1), tally);
  ASSERT_FALSE(tally.failed());
  EXPECT_LT(tally.energy_error, 1.02 * early);

  Naive other = naive(run, "rattle");
  Tally seen(other.machine->read(), part * parts);
  double early_naive = 0;
  for (int i = 0; i < part * parts; ++i) {
    other.advance(epsilon, seen);
    if (i + 1 == part) early_naive = seen.energy_error;
  }
  ASSERT_FALSE(seen.failed());
  EXPECT_GT(seen.energy_error, 2 * early_naive);
}

TEST(Adaptive, AConstantStepFunctionGivesTheBitsOfFixedSteps) {
  for (const std::string method : {"rattle", "lobatto(3)", "kahan-li8"}) {
    const ModelRun run = kepler("adaptive(" + method + ")", "2");
    const auto machine = machine_of(run, "adaptive(" + method + ")"), fixed = machine_of(run, method);
    Tally tally(machine->read(), 500), of_fixed(fixed->read(), 500);
    machine->advance(0.0005, 500, tally);
    fixed->advance(0.001, 500, of_fixed);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(machine->q()[i], fixed->q()[i]) << method;
      EXPECT_EQ(machine->p()[i], fixed->p()[i]) << method;
    }
    EXPECT_EQ(machine->variable_steps()->time(), 0.5);
  }
}

// The derivative of log σ is compared with a difference along the motion.
TEST(Adaptive, TheRateIsThatOfTheStepFunction) {
  for (const std::string sigma : {"(x^2 + y^2)^0.75", "1 + x*y + z^2", "auto"}) {
    const ModelRun run = kepler("adaptive(rattle)", sigma);
    const auto function = run.step_function(run.mechanism->start());
    const auto machine = machine_of(run, "rattle");
    Tally tally(machine->read(), 1000);
    machine->advance(1e-3, 900, tally);
    const double rate = function->rate(machine->q(), machine->p());
    constexpr double h = 1e-4;
    const auto log_sigma = [&] { return std::log(function->sigma(machine->q(), machine->p())); };
    machine->advance(h, 1, tally);
    const double after = log_sigma();
    machine->advance(-2 * h, 1, tally);
    EXPECT_NEAR(rate, -(after - log_sigma()) / (2 * h), 1e-5 * std::abs(rate)) << sigma;
    std::vector<double> back(machine->p().begin(), machine->p().end());
    for (double& p : back) p = -p;
    EXPECT_EQ(function->rate(machine->q(), machine->p()), -function->rate(machine->q(), back)) << sigma;
  }
}

// The state between two steps lies on the manifold, and on the motion.
TEST(Adaptive, AStateBetweenStepsIsOneOfTheMotion) {
  const ModelRun run = kepler("adaptive(lobatto(3))");
  const auto machine = machine_of(run, "adaptive(lobatto(3))");
  Tally tally(machine->read(), 100);
  machine->advance(0.02, 100, tally);
  VariableSteps& steps = *machine->variable_steps();
  const std::vector<double> mesh(machine->q().begin(), machine->q().end());
  ASSERT_TRUE(steps.show_at(steps.time() - steps.sizes().last / 3));
  EXPECT_LT(machine->read().position, 1e-15);
  EXPECT_NEAR(machine->read().energy, tally.first.energy, 1e-6);  // the steps themselves: 1e-7
  EXPECT_NE(machine->q()[0], mesh[0]);
  steps.show_mesh_point();
  EXPECT_EQ(machine->q()[0], mesh[0]);
}

}  // namespace
