// A system of particles runs with every method of its tier through the same text as a system of
// formulas, to the same trajectory; and a machine that was saved continues with another number of
// threads to the same bits.
#include <taut/bytes/carry.hpp>
#include <taut/method/methods.hpp>
#include <taut/parallel/workers.hpp>
#include <taut/run/model_run.hpp>

#include <gtest/gtest.h>

#include <fstream>

#include "support/particle_models.hpp"
#include "support/run_program.hpp"

namespace taut {
namespace {

// A rod, a spring and gravity: three particles in the plane, the first on a circle.
const std::string as_particles = R"toml([particles]
dimension = 2
count = 3
mass = "1 + i/2"
position = [[1, 0], [1, -1], [1.8, -1.6]]
velocity = [[0, 0.3], [-0.2, 0.3], [0.1, 0]]
[[surface]]
of = 0
formula = "(x^2 + y^2 - 1)/2"
[[rods]]
between = [[0, 1]]
[[springs]]
between = [[1, 2]]
potential = "10*(r - 0.9)^2"
[[field]]
potential = "m*y"
part = "slow"
[run]
method = "rattle"
step = 0.02
steps = 10
)toml";
const std::string as_formulas = R"toml([system]
coordinates = ["x0", "y0", "x1", "y1", "x2", "y2"]
mass = [1, 1, 1.5, 1.5, 2, 2]
potential_fast = "10*(sqrt((x1 - x2)^2 + (y1 - y2)^2) - 0.9)^2"
potential_slow = "y0 + 1.5*y1 + 2*y2"
constraints = ["(x0^2 + y0^2 - 1)/2", "((x0 - x1)^2 + (y0 - y1)^2 - 1)/2"]
[initial]
x0 = 1
x1 = 1
y1 = -1
x2 = 1.8
y2 = -1.6
p_y0 = 0.3
p_x1 = -0.3
p_y1 = 0.45
p_x2 = 0.2
[run]
method = "rattle"
step = 0.02
steps = 10
)toml";

ModelRun read(const test::OwnFolder& folder, const std::string& name, const std::string& text,
              const std::vector<std::string>& set = {}) {
  const std::string path = (folder / name).string();
  std::ofstream(path) << text;
  return read_model_run(path, {}, set);
}

TEST(ParticlesWithEveryMethod, GoAsTheSameSystemOfFormulas) {
  const test::OwnFolder folder;
  const ModelRun particles = read(folder, "particles.toml", as_particles);
  const ModelRun formulas = read(folder, "formulas.toml", as_formulas);
  ASSERT_EQ(particles.mechanism->tier(), Tier::split);
  int compared = 0;
  for (const std::string& method : method_names()) {
    if (needs_formulation(method) || !particles.mechanism->fits(method)) continue;
    ASSERT_TRUE(formulas.mechanism->fits(method)) << method;
    std::vector<std::vector<double>> ends;
    for (const ModelRun* run : {&particles, &formulas}) {
      const auto machine =
          run->mechanism->bind({.method = method, .ode = {}}, run->mechanism->start(), {}, false);
      ASSERT_TRUE(machine) << method;
      Tally tally(machine->read(), 10);
      machine->advance(0.02, 10, tally);
      EXPECT_FALSE(tally.failed()) << method;
      EXPECT_LT(tally.position_max, 1e-14) << method;
      ends.emplace_back(machine->q().begin(), machine->q().end());
      ends.back().insert(ends.back().end(), machine->p().begin(), machine->p().end());
    }
    double apart = 0;
    for (std::size_t j = 0; j < ends[0].size(); ++j)
      apart = std::max(apart, std::abs(ends[0][j] - ends[1][j]));
    EXPECT_LT(apart, 1e-12) << method;
    ++compared;
  }
  for (const char* method : {"impulse(4)", "mixed-midpoint", "shake", "rattle", "lobatto(3)", "suzuki4"})
    EXPECT_TRUE(particles.mechanism->fits(method)) << method;
  EXPECT_GT(compared, 20);
}

// Nothing is called slow: the methods for two parts are not offered.
TEST(ParticlesWithEveryMethod, AsksForTwoPartsWhereAMethodNeedsThem) {
  const test::OwnFolder folder;
  std::string text = as_particles;
  text.erase(text.find("part = \"slow\"\n"), 14);
  const ModelRun run = read(folder, "particles.toml", text);
  EXPECT_EQ(run.mechanism->tier(), Tier::natural);
  EXPECT_FALSE(run.mechanism->fits("impulse(4)"));
  EXPECT_TRUE(run.mechanism->fits("rattle"));
}

// The chain has 340 beads with springs, bends and torsions in the fast part: V'' is sparse, and the map is
// RATTLE's up to O(h²).
TEST(ParticlesWithEveryMethod, MixedMidpointOnALongChain) {
  const test::OwnFolder folder;
  const std::string bonded = test::polymer.substr(0, test::polymer.find("[[pairs]]"));
  const ModelRun run = read(folder, "polymer.toml",
                            bonded + "[[field]]\npotential = \"0.1*z^2\"\npart = \"slow\"\n", {"N=170"});
  EXPECT_GT(run.mechanism->coordinates(), 1000);
  const auto end = [&](const std::string& method, int steps) {
    const auto machine =
        run.mechanism->bind({.method = method, .ode = {}}, run.mechanism->start(), {}, false);
    if (!machine) {
      ADD_FAILURE() << method;
      return std::vector<double>(1);
    }
    Tally tally(machine->read(), steps);
    machine->advance(0.08 / steps, steps, tally);
    EXPECT_FALSE(tally.failed()) << method;
    EXPECT_LT(tally.position_max, 1e-12) << method;
    return std::vector<double>(machine->q().begin(), machine->q().end());
  };
  const auto apart = [](const std::vector<double>& x, const std::vector<double>& y) {
    double largest = 0;
    for (std::size_t j = 0; j < std::min(x.size(), y.size()); ++j)
      largest = std::max(largest, std::abs(x[j] - y[j]));
    return largest;
  };
  const double coarse = apart(end("mixed-midpoint", 4), end("rattle", 4));
  const double fine = apart(end("mixed-midpoint", 8), end("rattle", 8));
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
  EXPECT_LT(apart(end("yoshida4(mixed-midpoint)", 8), end("yoshida4", 8)), fine / 20);
}

TEST(ParticlesWithEveryMethod, GoOnWithAnotherNumberOfThreads) {
  const test::OwnFolder folder;
  const ModelRun run =
      read(folder, "chain.toml", test::zigzag_chain + "[[field]]\npotential = \"0.01*z^2\"\n", {"N=15000"});
  const auto machine = [&] {
    return run.mechanism->bind({.method = "rattle", .ode = {}}, run.mechanism->start(), {}, false);
  };
  const auto whole = machine(), first = machine(), second = machine();
  Tally tally(whole->read(), 4);
  whole->advance(0.05, 4, tally);
  first->advance(0.05, 2, tally);
  ASSERT_FALSE(tally.failed());
  ASSERT_TRUE(second->restore(first->save()));
  Workers workers(3);
  {
    const SharedWith three(&workers);
    second->advance(0.05, 2, tally);
  }
  EXPECT_TRUE(second->save() == whole->save());
}

}  // namespace
}  // namespace taut
