// Every model of particles in examples/ loads, starts on its manifold, has independent constraints, and runs
// with its step.

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "support/particle_models.hpp"
#include "support/source_files.hpp"

namespace {

using namespace taut;

TEST(ParticleExamples, StartOnTheManifoldAndRun) {
  int count = 0;
  for (const auto& file : test::files_under("examples", {".toml"})) {
    if (file.text.find("[particles]") == std::string::npos) continue;
    SCOPED_TRACE(file.path);
    ++count;
    const Surroundings around{.file = [](const std::string& path) -> FoundText {
      return {test::read_text(std::filesystem::path(TAUT_SOURCE_DIR) / "examples" / path), path};
    }};
    const ReadModel read = read_model(file.text, file.path, {}, around);
    ASSERT_TRUE(read.model) << text_of(read.errors);
    const Model& model = *read.model;
    EXPECT_LE(std::count(file.text.begin(), file.text.end(), '\n'), 66) << "longer than a screen";
    EXPECT_EQ(file.text[0], '#') << "no word about what it is";
    EXPECT_NE(model.title, model.name);
    ASSERT_EQ(model.run.method, "rattle");

    const ParticleProblem<> s(model.particles);
    EXPECT_TRUE(check_start(s, s.start()).consistent());
    EXPECT_TRUE(dependent_constraints(s, s.start()).empty());
    CompensatedState<double, dynamic> x(s.start());
    const double energy = H(s, x.q, x.p);
    const auto stepper = bind(Rattle{}, s, x);
    for (int k = 0; k < 50; ++k) {
      ASSERT_TRUE(stepper->step(x, *model.run.step)) << "step " << k;
      EXPECT_LE(std::abs(H(s, x.q, x.p) - energy), 0.05);
    }
    EXPECT_LE(position_residual(s, x.q), 1e-13);
    EXPECT_LE(momentum_residual(s, x.q, x.p), 1e-13);
  }
  EXPECT_GE(count, 7);
}

// A start by a formula is the double nearest to its value, as 128 bits tell it. A long double of 64 bits
// would round one in two thousand twice and miss it, on those machines that have one.
TEST(ParticleExamples, StartsAreRoundedOnceAndAreTheSameOnEveryMachine) {
  constexpr int count = 20000;
  const auto model = test::particles_of(
      "[particles]\ndimension = 2\ncount = 20000\nmass = 1.0\nposition = [\"sin(i)\", \"3*i + cos(i)\"]\n"
      "[run]\nmethod = \"rattle\"\nstep = 0.01\nsteps = 1\n");
  ASSERT_NE(model, nullptr);
  const auto x = ParticleProblem<>(model).start();
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += x.q[i] != static_cast<double>(sin(Float128(i)));
    wrong += x.q[count + i] != static_cast<double>(3 * Float128(i) + cos(Float128(i)));
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
