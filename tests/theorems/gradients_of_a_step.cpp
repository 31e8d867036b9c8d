// Reich, section 6, counts evaluations of ∇V: one for a step of the modified Verlet scheme, three for
// Yoshida's method of order four, and two for each iteration of the Lobatto pair with three stages.

#include <taut/measure/flow.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/pendulum.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

// The pendulum, which counts how often it is asked for ∇V.
struct Counted : Pendulum<double, 2> {
  long* count = nullptr;
  void grad_V(const Vec& q, Vec& f) const {
    ++*count;
    Pendulum::grad_V(q, f);
  }
};

struct Cost {
  double gradients = 0, iterations = 0;  // in a step, on average
};

template <class Method>
Cost cost_of(const Method& method, int steps = 100) {
  long count = 0;
  Counted s;
  s.count = &count;
  StateOf<Counted> x = s.start();
  const auto stepper = bind(method, s, x);
  const long before = count;  // what the first step needs once
  long iterations = 0;
  for (int n = 0; n < steps; ++n) {
    const auto done = stepper->step(x, 0.1);
    EXPECT_TRUE(done);
    if (done) iterations += *done;
  }
  return {static_cast<double>(count - before) / steps, static_cast<double>(iterations) / steps};
}

TEST(Gradients, OneForAStepOfVerlet) {
  EXPECT_EQ(cost_of(Rattle{}).gradients, 1);
  EXPECT_EQ(cost_of(ShakeVelocity{}).gradients, 1);
}

TEST(Gradients, ThreeForAStepOfYoshida) {
  for (const CompositionScheme& scheme : composition_schemes)
    if (scheme.name == "yoshida4") {
      const Composition<Rattle> yoshida{&scheme};
      EXPECT_EQ(cost_of(yoshida).gradients, 3);
    }
}

// Each of the l iterations evaluates ∇V at the two stages that move. Beyond those 2l there are the residual
// before the first correction and the stage at the start of the step.
TEST(Gradients, TwoForAnIterationOfLobatto) {
  const Cost cost = cost_of(Lobatto<>{3});
  EXPECT_GT(cost.iterations, 2);
  EXPECT_GE(cost.gradients, 2 * cost.iterations);
  EXPECT_LE(cost.gradients, 2 * cost.iterations + 3.001);
}

}  // namespace
