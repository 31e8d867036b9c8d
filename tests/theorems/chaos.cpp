// Indicators of chaos and sections at one energy, on the system of Hénon and Heiles at E = 1/8, whose orbits
// are published: Skokos 2001, J. Phys. A 34, 10029.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/own_model.hpp"

namespace {

using namespace taut;

const std::string henon_heiles = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "(x^2 + y^2)/2 + x^2*y - y^3/3"
[initial]
y = 0.55
p_x = 0.2417
[run]
method = "yoshida4(verlet)"
step = 0.2
until = 3000
)toml";
const std::string chaotic = " --set y=-0.016 --set p_x=0.49974 ";

nlohmann::json json_of(const std::string& arguments, const test::OwnModel& model) {
  const test::Ran ran = test::run_taut(arguments + " --json", model.folder.string());
  EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
  return ran.status == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
}

TEST(Chaos, IndicatorsTellARegularOrbitFromAChaoticOne) {
  const test::OwnModel model(henon_heiles);
  const auto regular = json_of("indicators m.toml --block 20 --until 20000", model);
  EXPECT_EQ(regular["verdict"], "regular");
  EXPECT_NEAR(regular["megno"].get<double>(), 2, 0.1);
  EXPECT_GT(regular["sali"].get<double>(), 1e-3);
  const auto wild = json_of("indicators m.toml" + chaotic, model);
  EXPECT_EQ(wild["verdict"], "chaotic");
  EXPECT_LT(wild["sali"].get<double>(), 1e-8);
  EXPECT_GT(wild["megno"].get<double>(), 10);
  EXPECT_NEAR(wild["lyapunov"].get<double>(), 0.047, 0.015);
}

// The pendulum is integrable. Over so many steps in a block the errors of the differences make its directions
// grow, MEGNO leaves 2, and SALI falls below what is called chaos.
TEST(Chaos, IsNotClaimedForAGrowthThatErrorsMayFeign) {
  const std::string ask = "indicators pendulum --step 0.4 --until 742000 --block 4000";
  const test::Ran ran = test::run_taut(ask + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto found = nlohmann::json::parse(ran.out);
  EXPECT_GT(found["megno"].get<double>(), 2.1);
  EXPECT_LT(found["sali"].get<double>(), 1e-8);
  EXPECT_EQ(found["verdict"], "not resolved");
  EXPECT_NE(ran.err.find("Take a smaller --block than 4000"), ran.err.npos) << ran.err;
}

// GALI(2) is the area of a parallelogram of unit vectors, whose diagonals are |w1 + w2| and |w1 - w2|.
TEST(Chaos, GaliOfTwoVectorsIsTheProductOfTheDiagonals) {
  const test::OwnModel model(henon_heiles);
  const auto found = json_of("indicators m.toml --until 50 --vectors 4", model);
  ASSERT_EQ(found["gali"].size(), 3U);
  const double s = found["sali"], area = found["gali"][0];
  EXPECT_NEAR(area, s * std::sqrt(4 - s * s) / 2, 1e-12);
  EXPECT_LT(found["gali"][2].get<double>(), found["gali"][1].get<double>());
  const auto other = json_of("indicators m.toml --until 50 --seed 2", model);
  EXPECT_NE(other["sali"], found["sali"]);
  EXPECT_EQ(json_of("indicators m.toml --until 50", model)["sali"], found["sali"]);
}

TEST(Chaos, TheSpectrumHasItsPublishedValueAndTwoNullExponents) {
  const auto found =
      json_of("lyapunov m.toml --step 0.1 --until 3000" + chaotic, test::OwnModel(henon_heiles));
  EXPECT_NEAR(found["exponents"][0].get<double>(), 0.047, 3 * found["errors"][0].get<double>());
  EXPECT_LE(found["errors"][0].get<double>(), 0.008);
  EXPECT_NEAR(found["exponents"][1].get<double>(), 0, 0.003);
  EXPECT_LE(found["pairing_defect"].get<double>(), 1e-8);
  EXPECT_NE(found["null"].get<std::string>().find("2 exponents are zero"), std::string::npos);
}

TEST(Chaos, AMapHasTheIndicatorsOfItsCells) {
  const test::OwnModel model(henon_heiles);
  const auto map = json_of(
      "map m.toml --x 'y = [-0.016, 0.55]' --y 'p_x = [0.2417, 9]' --indicator sali --until 100", model);
  ASSERT_EQ(map["cells"].size(), 4U);
  EXPECT_EQ(map["cells"][1]["y"], 0.55);
  EXPECT_EQ(map["cells"][1]["p_x"], 0.2417);
  EXPECT_EQ(map["cells"][1]["sali"], json_of("indicators m.toml --until 100", model)["sali"]);
  EXPECT_TRUE(map["cells"][3]["sali"].is_null());  // it runs away to infinity
  EXPECT_TRUE(map["cells"][3].contains("error"));
}

TEST(Chaos, StartsOfASectionHaveOneEnergy) {
  const test::OwnModel model(henon_heiles);
  const auto found = json_of(
      "section m.toml --event 'when=x, direction=up' --until 100 --method 'kahan-li8(verlet)' "
      "--vary 'y = linspace(-0.4, 0.6, 5)' --energy-by p_x",
      model);
  const auto energy = [](const nlohmann::json& r) {
    const double x = r[1], y = r[2], px = r[3], py = r[4];
    return (px * px + py * py + x * x + y * y) / 2 + x * x * y - y * y * y / 3;
  };
  const double H = 0.2417 * 0.2417 / 2 + 0.55 * 0.55 / 2 - std::pow(0.55, 3) / 3;
  ASSERT_EQ(found["begin"].size(), 5U);
  ASSERT_GE(found["points"].size(), 50U);
  for (const auto& point : found["points"]) {
    EXPECT_NEAR(energy(point), H, 1e-8);
    EXPECT_LE(std::abs(point[1].get<double>()), 1e-14);
  }
  const auto apart = json_of(
      "section m.toml --event 'when=x, direction=up' --until 100 "
      "--vary 'y = linspace(-0.4, 0.6, 5)'",
      model);
  EXPECT_GT(std::abs(energy(apart["points"][0]) - H), 1e-3);
}

// On the manifold the momentum that is changed is one of many: the others follow in the cotangent space.
TEST(Chaos, StartsOnAManifoldHaveOneEnergyToo) {
  const test::Ran ran = test::run_taut(
      "section spherical-pendulum --event 'when=x, direction=up' --until 20 --vary 'p_y = [0.5, 0.7, 0.8]' "
      "--energy-by p_x --method kahan-li8 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto found = nlohmann::json::parse(ran.out);
  ASSERT_EQ(found["begin"].size(), 3U);
  for (const auto& r : found["points"]) {
    const double x = r[1], y = r[2], z = r[3], px = r[4], py = r[5], pz = r[6];
    EXPECT_NEAR(x * px + y * py + z * pz, 0, 1e-13);
    EXPECT_NEAR((px * px + py * py + pz * pz) / 2 + z, 0.9 * 0.9 / 2 - 0.8, 1e-8);
  }
}

const char* const bead = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
CONSTRAINTS
[run]
step = 0.05
)toml";

test::OwnModel bead_with(const std::string& constraints, const std::string& start) {
  std::string text = bead;
  text.replace(text.find("CONSTRAINTS"), 11, constraints + "\n[initial]\n" + start);
  return test::OwnModel(text);
}

// A constraint that follows from others takes nothing from the tangent space.
TEST(Chaos, RedundantConstraintsChangeNoExponents) {
  const std::string start = "x = 0.6\ny = -0.8";
  const test::OwnModel one = bead_with("constraints = [\"x^2 + y^2 = 1\"]", start),
                       two = bead_with("constraints = [\"x^2 + y^2 = 1\", \"3*x^2 = 3 - 3*y^2\"]", start);
  const std::string twice = " --set run.redundant=least-squares";
  const auto few = json_of("lyapunov m.toml --until 20", one),
             many = json_of("lyapunov m.toml --until 20" + twice, two);
  ASSERT_EQ(many["exponents"].size(), 2U);
  EXPECT_NEAR(many["exponents"][0].get<double>(), few["exponents"][0].get<double>(), 1e-9);
  EXPECT_LE(many["pairing_defect"].get<double>(), 1e-8);
  const auto megno = json_of("indicators m.toml --until 20" + twice, two);
  EXPECT_NEAR(megno["lyapunov"].get<double>(),
              json_of("indicators m.toml --until 20", one)["lyapunov"].get<double>(), 1e-9);
  const auto orbit = json_of("orbit m.toml --period 6.7" + twice, two);
  EXPECT_NEAR(orbit["period"].get<double>(),
              json_of("orbit m.toml --period 6.7", one)["period"].get<double>(), 1e-9);
  // A method that cannot leave out a square says so, as it does in a run.
  const test::OwnModel square = bead_with("constraints = [\"x^2 + y^2 = 1\", \"(x^2 + y^2 - 1)^2\"]", start);
  for (const char* command : {"lyapunov", "indicators"}) {
    const test::Ran failed = test::run_taut(
        std::string(command) + " m.toml --method 'lobatto(3)' --until 1" + twice, square.folder.string());
    EXPECT_EQ(failed.status, 1);
    EXPECT_TRUE(test::says(failed, "has no gradient on the manifold")) << failed.err;
    EXPECT_TRUE(test::says(failed, "State it without the square")) << failed.err;
  }
  // rattle leaves it out.
  const std::string brief = "lyapunov m.toml --method rattle --step 0.01 --until 10";
  EXPECT_NEAR(json_of(brief + twice, square)["exponents"][0].get<double>(),
              json_of(brief, one)["exponents"][0].get<double>(), 1e-9);
  const test::Ran bricard = test::run_taut("lyapunov bricard --until 0.2 --json");
  ASSERT_EQ(bricard.status, 0) << bricard.err;
  const auto found = nlohmann::json::parse(bricard.out);
  EXPECT_EQ(found["exponents"].size(), 2U);
  EXPECT_LE(found["pairing_defect"].get<double>(), 1e-8);
}

// At the upper equilibrium both maps have the same eigenvalues. The one with the constraint on velocities has
// one more, 1, for the radius is free. Its states fill no T*M, and its exponents are in no pairs.
TEST(Chaos, ExponentsWithConstraintsOnVelocities) {
  const std::string start = "y = 1.0";
  const auto holonomic = json_of("lyapunov m.toml --method 'lobatto(2)' --until 100",
                                 bead_with("constraints = [\"x^2 + y^2 = 1\"]", start));
  const test::OwnModel rolls = bead_with("velocity-constraints = [\"x*v_x + y*v_y = 0\"]", start);
  const auto found = json_of("lyapunov m.toml --method nonholonomic --until 100", rolls);
  ASSERT_EQ(found["exponents"].size(), 3U);
  EXPECT_NEAR(holonomic["exponents"][0].get<double>(), 1, 0.02);
  EXPECT_NEAR(found["exponents"][0].get<double>(), holonomic["exponents"][0].get<double>(), 0.02);
  EXPECT_NEAR(found["exponents"][1].get<double>(), 0, 0.02);
  EXPECT_NEAR(found["exponents"][2].get<double>(), holonomic["exponents"][1].get<double>(), 0.02);
  EXPECT_TRUE(found["pairing_defect"].is_null());
  const auto indicators = json_of("indicators m.toml --method nonholonomic --until 50 --vectors 3", rolls);
  EXPECT_NEAR(indicators["lyapunov"].get<double>(), 1, 0.05);
  EXPECT_EQ(indicators["gali"].size(), 2U);
  const test::Ran orbit =
      test::run_taut("orbit m.toml --method nonholonomic --period 6.7", rolls.folder.string());
  EXPECT_EQ(orbit.status, 2);
  EXPECT_NE(orbit.err.find("come in families beside that of the energy"), std::string::npos) << orbit.err;
}

TEST(Chaos, RefusalsSayWhy) {
  const auto refused = [](const std::string& arguments, int status, const std::string& words) {
    const test::Ran ran = test::run_taut(arguments);
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  refused("indicators pendulum --vectors 3", 2, "GALI(k) has k from 2 to 2, not 3");
  refused("indicators rotating-hoop", 2, "without t and without forces");
  refused("map pendulum --x 'L = [1, 2]' --y 'gravity = [1, 2]' --indicator chaos", 2, "there is no `chaos`");
  refused("map pendulum --x 'L = [1, 2]' --y 'L = [1, 2]'", 2, "L");
  refused("map pendulum --x 'x = [2, 3]' --y 'gravity = [1, 2]' --until 1", 1,
          "no cell of the map has a value");
  refused("section pendulum --event when=x --energy-by p_x", 2, "give --vary too");
  refused("section pendulum --event when=x --vary 'gravity = [1, 2]' --energy-by p_z", 2,
          "there is no momentum `p_z`");
  refused("section pendulum --event when=x --axes x --report", 2, "--axes takes two columns");
}

}  // namespace
