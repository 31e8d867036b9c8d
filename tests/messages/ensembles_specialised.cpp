// Ensembles whose steps are specialised: in lanes as alone, and alone as in `taut run`.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "support/ensembles.hpp"
#include "support/in_full.hpp"

namespace {

using taut::test::ensemble, taut::test::hash_of, taut::test::OwnFolder, taut::test::Ran, taut::test::run_taut;

TEST(Ensembles, SpecialisedLanesHaveTheBitsOfSpecialisedRuns) {
  const std::string what =
      "pendulum --size 21 --steps 500 --backend specialise --project-start "
      "--vary 'p_y ~ normal(0, 0.5)' --vary 'L ~ uniform(0.9, 1.1)'";
  const std::string alone = hash_of(what + " --lanes 1 --threads 1");
  std::vector<std::string> layouts = {" --lanes 16 --threads 2"};
  if (taut::test::in_full())
    layouts.insert(layouts.end(), {" --lanes 8 --threads 1", " --lanes 4 --threads 3"});
  for (const std::string& layout : layouts) EXPECT_EQ(hash_of(what + layout), alone) << layout;
}

const std::string full_mass = R"([system]
coordinates = ["x", "y"]
mass = [["2", "0.5"], ["0.5", "1"]]
potential = "gravity*y"
constraints = ["x^2 + y^2 - 1"]
[parameters]
gravity = 1.0
[initial]
x = 1.0
[run]
step = 0.05
)";

// A ring of springs with 42 coordinates, of which a few are on a sphere: more than is specialised.
std::string many_coordinates() {
  std::string names, mass, potential = "0";
  for (int k = 0; k < 42; ++k) {
    const std::string x = "x" + std::to_string(k), next = "x" + std::to_string((k + 1) % 42);
    names += "\"" + x + "\", ";
    mass += "1.0, ";
    potential += " + (" + next + " - " + x + ")^4/4";
  }
  return "[system]\ncoordinates = [" + names + "]\nmass = [" + mass + "]\npotential = \"" + potential +
         "\"\nconstraints = [\"x0^2 + x1^2 + x2^2 - 1\"]\n[initial]\nx0 = 1.0\n[run]\nstep = "
         "0.05\n";
}

struct Specialised {
  std::string name, model, method, vary, backend;
  bool lanes;
  bool takes_long = false;  // to compile, or is much like another one
};
std::ostream& operator<<(std::ostream& to, const Specialised& of) {
  return to << of.model << ", " << of.method;
}
class OneTrajectory : public testing::TestWithParam<Specialised> {};

// What --backend specialise leaves of a step depends on the model and the method, and not on whether it is a
// run or an ensemble.
TEST_P(OneTrajectory, IsTheSpecialisedRun) {
  const Specialised& of = GetParam();
  if (of.takes_long && !taut::test::in_full())
    GTEST_SKIP() << "only in the long form: it takes a compiler long";
  const OwnFolder folder;
  std::ofstream(folder / "full-mass.toml") << full_mass;
  std::ofstream(folder / "many.toml") << many_coordinates();
  const std::string what = of.model + " --steps 300 --backend specialise --method '" + of.method + "' ";
  const Ran run = run_taut("run " + what + "--hash", folder.string());
  ASSERT_EQ(run.status, 0) << run.err;
  const auto one = ensemble(what + "--size 1", folder.string());
  EXPECT_EQ(one["sha256"].get<std::string>() + "\n", run.out);
  EXPECT_EQ(one["backend"], of.backend);
  const std::string several = what + "--project-start " + of.vary;
  const auto together = ensemble(several, folder.string());
  EXPECT_EQ(together["sha256"], ensemble(several + " --lanes 1", folder.string())["sha256"]);
  EXPECT_EQ(together["backend"], of.backend);
  EXPECT_EQ(together["lanes_busy"].get<double>() > 0, of.lanes);
}

const std::string starts = "--size 21 --vary 'p_y ~ normal(0, 0.5)'";
INSTANTIATE_TEST_SUITE_P(
    Of, OneTrajectory,
    testing::Values(Specialised{"OfLobatto3", "pendulum", "lobatto(3)", starts, "specialise", true},
                    Specialised{"WithAFullMass", "full-mass.toml", "rattle", starts, "specialise", false},
                    Specialised{"OfManyCoordinates", "many.toml", "rattle",
                                "--size 21 --vary 'p_x1 ~ normal(0, 0.5)'", "compile", true},
                    Specialised{"OfRattle", "pendulum", "rattle", starts, "specialise", true, true},
                    Specialised{"OfMidpoint", "pendulum", "midpoint", starts, "specialise", true, true},
                    Specialised{"OfAComposition", "pendulum", "yoshida4(lobatto(2))", starts, "specialise",
                                true, true},
                    Specialised{"OfDiracGauss", "pendulum", "dirac-gauss(2)",
                                "--size 3 --vary 'p_y ~ normal(0, 0.5)'", "specialise", false, true},
                    // Each trajectory has a unit of its own.
                    Specialised{"WithFullMassAndOtherParameters", "full-mass.toml", "rattle",
                                "--size 3 --vary 'gravity ~ uniform(1, 2)'", "specialise", false, true}),
    [](const auto& of) { return of.param.name; });

}  // namespace
