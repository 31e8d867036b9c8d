// Sections, Lyapunov exponents, periodic orbits and frequencies, against closed forms: elliptic integrals,
// the exponents of an equilibrium, synthetic signals.

#include <taut/analysis/frequencies.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "support/own_model.hpp"

namespace {

using namespace taut;

nlohmann::json json_of(const std::string& arguments, const std::string& where = "/") {
  const test::Ran ran = test::run_taut(arguments + " --json", where);
  EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
  return ran.status == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
}

TEST(KindsOfMotion, FrequenciesOfASyntheticSignal) {
  const double omega[] = {1.0, std::sqrt(2.0), -std::sqrt(5.0) / 3};
  const std::complex<double> amplitude[] = {{1, 0}, {0.2, 0.1}, {0, -0.05}};
  std::vector<std::complex<double>> signal;
  const double dt = 0.5;
  const int n = 12600;  // a thousand periods of the first
  for (int j = 0; j < n; ++j) {
    std::complex<double> sum = 0;
    for (int k = 0; k < 3; ++k) sum += amplitude[k] * std::polar(1.0, omega[k] * j * dt);
    signal.push_back(sum);
  }
  const Spectrum found = frequencies_of(signal, dt, 3, 3);
  for (int k = 0; k < 3; ++k) {
    const Line& line = found.lines[static_cast<std::size_t>(k)];
    EXPECT_NEAR(line.frequency, omega[k], 1e-12) << k;
    EXPECT_LE(std::abs(line.amplitude - amplitude[k]), 1e-9) << k;
  }
  EXPECT_LE(found.residual, 1e-9);
  // ... and not from a signal that is too short to tell them apart
  signal.resize(12);
  EXPECT_GT(std::abs(frequencies_of(signal, dt, 1, 1).lines[0].frequency - 1), 1e-3);
}

TEST(KindsOfMotion, TheFrequencyOfAPendulum) {
  const double gamma = std::tgamma(0.25), period = gamma * gamma / std::sqrt(M_PI);
  const auto found =
      json_of("spectrum pendulum --method 'lobatto(6)' --step 0.1 --until 400 --of x --count 2 --window 4");
  EXPECT_NEAR(std::abs(found["lines"][0]["frequency"].get<double>()), 2 * M_PI / period, 1e-9);
}

// Samples are equally far apart in time, whatever the steps are.
TEST(KindsOfMotion, FrequenciesFromStepsThatDiffer) {
  const std::string text =
      "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2/2\"\n[initial]\nx = 1.0\n[run]\nstep = "
      "0.01\n";
  for (const char* way : {"method = \"adaptive(rattle)\"\nstep-function = \"1/(1 + x^2)\"\n",
                          "method = \"lobatto(2)\"\ntime-transform = \"1/(1 + x^2)\"\n"}) {
    const test::OwnModel model(text + way + "until = 40\ninterval = 0.05\n");
    const auto found = json_of("spectrum m.toml --count 1", model.folder.string());
    EXPECT_NEAR(std::abs(found["lines"][0]["frequency"].get<double>()), 1, 1e-4) << way;
    const test::OwnModel unequal(text + way + "steps = 4096\n");
    const test::Ran refused = test::run_taut("spectrum m.toml --count 1", unequal.folder.string());
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(test::says(refused, "equally far apart")) << refused.err;
  }
}

// The period that is found may be a multiple of that of the orbit.
TEST(KindsOfMotion, AnOrbitThatIsGoneThroughTwiceIsSaidToBe) {
  EXPECT_EQ(json_of("orbit pendulum --period 14.8")["turns"], 2);
  EXPECT_EQ(json_of("orbit pendulum --period 7.4")["turns"], 1);
}

// An analysis of a run that `taut run` would call a failure says so.
TEST(KindsOfMotion, AnUnstableRunIsNamed) {
  const test::OwnModel model(
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"1e4*(x^2 + y^2)/2\"\n[initial]\nx = "
      "1.0\n"
      "[run]\nmethod = \"rattle\"\nstep = 0.03\nsteps = 150\n");
  const auto found = json_of("indicators m.toml", model.folder.string());
  ASSERT_EQ(found["warnings"].size(), 1U);
  EXPECT_NE(found["warnings"][0].get<std::string>().find("the run is unstable"), std::string::npos);
  EXPECT_FALSE(json_of("indicators pendulum --until 10").contains("warnings"));
  const auto section = json_of("section pendulum --step 0.1 --until 10 --event 'when=sin(100*t)'");
  EXPECT_EQ(section["warnings"].size(), 1U);
}

// Upside down and at rest, δq grows as cosh t and δp as sinh t: the exponents go to ±1, and after the time t
// they are ±log(cosh 2t)/2t.
TEST(KindsOfMotion, ExponentsOfAnUnstableEquilibrium) {
  const auto found =
      json_of("lyapunov pendulum --set x=0 --set y=1 --method 'lobatto(4)' --step 0.05 --until 10");
  ASSERT_EQ(found["exponents"].size(), 2U);
  EXPECT_NEAR(found["exponents"][0].get<double>(), std::log(std::cosh(20)) / 20, 1e-9);
  EXPECT_NEAR(found["exponents"][1].get<double>(), -std::log(std::cosh(20)) / 20, 1e-9);
  EXPECT_LE(found["pairing_defect"].get<double>(), 1e-9);
}

TEST(KindsOfMotion, ExponentsPairBecauseTheMapIsSymplectic) {
  const std::string run = "lyapunov double-pendulum --step 0.02 --steps 500 ";
  const auto found = json_of(run + "--method 'lobatto(3)'");
  ASSERT_EQ(found["exponents"].size(), 4U);
  EXPECT_LE(found["pairing_defect"].get<double>(), 1e-8 * std::max(1.0, found["exponents"][0].get<double>()));
  const auto broken = json_of("lyapunov double-pendulum --step 0.1 --steps 100 --method 'radau(2)'");
  EXPECT_GT(broken["pairing_defect"].get<double>(), 1e-6);
  const auto one = json_of(run + "--method 'lobatto(3)' --exponents 1");
  ASSERT_EQ(one["exponents"].size(), 1U);
  // One direction alone goes as it goes among all; after so short a time it need not be that of the largest.
  double nearest = 1;
  for (const auto& exponent : found["exponents"])
    nearest = std::min(nearest, std::abs(one["exponents"][0].get<double>() - exponent.get<double>()));
  EXPECT_LE(nearest, 1e-9);
}

TEST(KindsOfMotion, ThePeriodOfAPendulum) {
  const double gamma = std::tgamma(0.25), period = gamma * gamma / std::sqrt(M_PI);
  const auto found = json_of("orbit pendulum --method 'lobatto(6)' --step 0.1 --period 7.3");
  EXPECT_NEAR(found["period"].get<double>(), period, 1e-11);
  EXPECT_LE(found["closure"].get<double>(), 1e-13);
  for (const auto& mu : found["multipliers"]) EXPECT_NEAR(mu[0].get<double>(), 1, 1e-4);
}

// A nonlinear normal mode of the double pendulum, begun from the linear one.
TEST(KindsOfMotion, AModeOfTheDoublePendulum) {
  const test::OwnModel model(R"toml([system]
coordinates = ["a", "b"]
lagrangian = "v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b) + 2*cos(a) + cos(b)"
[initial]
a = 0.3
b = "0.3*sqrt(2)"
[run]
method = "lobatto(5)"
step = 0.1
until = "2*pi/sqrt(2 - sqrt(2))"
)toml");
  const auto found = json_of("orbit m.toml", model.folder.string());
  EXPECT_LE(found["closure"].get<double>(), 1e-13);
  EXPECT_LE(found["reciprocal_defect"].get<double>(), 1e-5);
  ASSERT_EQ(found["multipliers"].size(), 4U);
  for (const auto& mu : found["multipliers"])  // stable: on the unit circle
    EXPECT_NEAR(std::hypot(mu[0].get<double>(), mu[1].get<double>()), 1, 1e-4);
  const double linear = 2 * M_PI / std::sqrt(2 - std::sqrt(2.0));
  EXPECT_GT(found["period"].get<double>(), linear);
  EXPECT_LT(found["period"].get<double>(), 1.05 * linear);
}

// Circular orbits about -1/r - 1/(3r³) have H = -1/2r + 1/6r³ and the period 2πr/√(1/r + 1/r³). The energy is
// least at r = 1: the family turns there, and its orbits become unstable.
TEST(KindsOfMotion, AFamilyOfOrbitsGoesOnThroughAFold) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "-1/sqrt(x^2 + y^2) - 1/(3*sqrt(x^2 + y^2)^3)"
[initial]
x = 1.2
v_y = "sqrt(1/1.2 + 1/1.2^3)"
[run]
method = "lobatto(5)"
step = 0.1
until = "2*pi*1.2/sqrt(1/1.2 + 1/1.2^3)"
)toml");
  const auto found = json_of("orbit m.toml --family 10 --arc -0.4", model.folder.string());
  ASSERT_EQ(found["members"].size(), 11U);
  EXPECT_FALSE(found.contains("ended"));
  for (const auto& orbit : found["members"]) {
    const double r = std::hypot(orbit["q"][0].get<double>(), orbit["q"][1].get<double>());
    EXPECT_NEAR(orbit["energy"].get<double>(), -1 / (2 * r) + 1 / (6 * r * r * r), 1e-12);
    EXPECT_NEAR(orbit["period"].get<double>(), 2 * M_PI * r / std::sqrt(1 / r + 1 / (r * r * r)), 1e-11);
    EXPECT_LE(orbit["closure"].get<double>(), 1e-13);
    // κ² = (r² - 1)/r⁵: the multipliers are exp(±iκT) outside the fold, and exp(±|κ|T) inside.
    const double kappa = std::sqrt(std::abs(r * r - 1) / std::pow(r, 5)), T = orbit["period"];
    const double trace = 2 + 2 * (r > 1 ? std::cos(kappa * T) : std::cosh(kappa * T));
    double sum = 0;
    for (const auto& mu : orbit["multipliers"]) sum += mu[0].get<double>();
    EXPECT_NEAR(sum, trace, 1e-6 * trace);
  }
  ASSERT_EQ(found["folds"].size(), 1U);
  EXPECT_NEAR(found["folds"][0].get<double>(), -1.0 / 3, 1e-3);
  EXPECT_GT(found["members"].back()["multipliers"][0][0].get<double>(), 1.5);
}

// With -a/(3r³) they have H = -1/2r + a/6r³, and H = -1/3 if a = 3r² - 2r³: a is largest at r = 1.
TEST(KindsOfMotion, AFamilyInAParameterGoesOnThroughAFold) {
  const test::OwnModel model(R"toml([parameters]
a = "3*1.1^2 - 2*1.1^3"
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "-1/sqrt(x^2 + y^2) - a/(3*sqrt(x^2 + y^2)^3)"
[initial]
x = 1.1
v_y = "sqrt(1/1.1 + (3*1.1^2 - 2*1.1^3)/1.1^3)"
[run]
method = "lobatto(5)"
step = 0.1
until = "2*pi*1.1/sqrt(1/1.1 + (3*1.1^2 - 2*1.1^3)/1.1^3)"
)toml");
  const auto found = json_of("orbit m.toml --along a --family 6 --arc 0.2", model.folder.string());
  ASSERT_EQ(found["members"].size(), 7U);
  EXPECT_FALSE(found.contains("ended"));
  for (const auto& orbit : found["members"]) {
    const double r = std::hypot(orbit["q"][0].get<double>(), orbit["q"][1].get<double>()), a = orbit["a"];
    EXPECT_NEAR(a, 3 * r * r - 2 * r * r * r, 1e-10);
    EXPECT_NEAR(orbit["energy"].get<double>(), -1.0 / 3, 1e-12);
    EXPECT_NEAR(orbit["period"].get<double>(), 2 * M_PI * r / std::sqrt(1 / r + a / (r * r * r)), 1e-9);
    EXPECT_LE(orbit["closure"].get<double>(), 1e-13);
  }
  ASSERT_EQ(found["folds"].size(), 1U);
  EXPECT_NEAR(found["folds"][0].get<double>(), 1, 0.01);
  const test::Ran refused = test::run_taut("orbit m.toml --along b --family 6", model.folder.string());
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(test::says(refused, "the model has no parameter `b`")) << refused.err;
}

TEST(KindsOfMotion, PointsOfASectionAreOnTheManifold) {
  const auto found = json_of("section double-pendulum --until 20 --event 'when=x1, direction=up'");
  ASSERT_GE(found["points"].size(), 3U);
  ASSERT_EQ(found["columns"].size(), found["points"][0].size());
  EXPECT_EQ(found["columns"][0], "t");
  double before = 0;
  for (const auto& point : found["points"]) {
    EXPECT_GT(point[0].get<double>(), before);
    before = point[0];
    EXPECT_LE(std::abs(point[1].get<double>()), 1e-14);
    EXPECT_GT(point[5].get<double>(), 0);
  }
}

// The time goes on, and its momentum with it: the differences along a trajectory are not to grow with them.
TEST(KindsOfMotion, ExponentsOfADrivenModelPairAtAnyTime) {
  const auto found = json_of("lyapunov rotating-hoop --until 500 --block 20");
  ASSERT_EQ(found["exponents"].size(), 4U);
  EXPECT_LE(found["pairing_defect"].get<double>(), 1e-8);
  for (std::size_t k = 1; k < 4; ++k)
    EXPECT_LE(found["exponents"][k].get<double>(), found["exponents"][k - 1].get<double>());
  EXPECT_LE(found["exponents"][0].get<double>(),
            0.02);  // the bead swings to and fro: what is left of log(t)/t
  EXPECT_NE(found["null"].get<std::string>().find("the time, as one more coordinate"), std::string::npos);
}

TEST(KindsOfMotion, ASectionOfADrivenModelHasTheTimeOnce) {
  const auto found = json_of("section rotating-hoop --until 20 --event when=x");
  const std::vector<std::string> columns{"t", "x", "y", "z", "p_x", "p_y", "p_z"};
  EXPECT_EQ(found["columns"], columns);
  ASSERT_GE(found["points"].size(), 3U);
  for (const auto& point : found["points"]) EXPECT_EQ(point.size(), columns.size());
}

// A bead on a hoop with friction comes to rest at the lowest point, or at cos a = gravity/(omega² R).
TEST(KindsOfMotion, ASectionOfManyParametersIsABifurcationDiagram) {
  const auto found = json_of(
      "section rotating-hoop --event 'when=sin(pi*t)' --vary 'omega = [0.6, 0.9, 1.5, 2.0]' --vary 'tilt = "
      "[-0.4, "
      "0.4]' --set damping.x=0.5 --set damping.y=0.5 --set damping.z=0.5 --until 80 --after 75 --axes "
      "omega,angle");
  const auto column = [&](const char* name) {
    const auto& all = found["columns"];
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
  };
  ASSERT_GE(found["points"].size(), 32U);
  for (const auto& point : found["points"]) {
    const double omega = point[column("omega")], angle = point[column("angle")], tilt = point[column("tilt")];
    const double rest = omega > 1 ? std::copysign(std::acos(1 / (omega * omega)), tilt) : 0;
    EXPECT_NEAR(angle, rest, omega > 0.8 && omega < 1 ? 0.05 : 1e-6) << omega;
    EXPECT_GE(point[0].get<double>(), 75);
  }
}

// Small circles about the centre of r²/2 + a r⁴/4 have H = v²: the period follows a parameter in closed form.
TEST(KindsOfMotion, AnOrbitIsFollowedInAParameter) {
  const test::OwnModel model(R"toml([parameters]
a = 0.5
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "(x^2 + y^2)/2 + a*(x^2 + y^2)^2/4"
[initial]
x = 1.0
v_y = "sqrt(1 + a)"
[run]
method = "lobatto(5)"
step = 0.1
until = "2*pi/sqrt(1 + a)"
)toml");
  const auto found = json_of("orbit m.toml --vary 'a = linspace(0.5, 1, 6)'", model.folder.string());
  ASSERT_EQ(found["members"].size(), 6U);
  const double energy = (1 + 0.5) / 2.0 + 0.5 + 0.5 / 4;
  for (const auto& orbit : found["members"]) {
    EXPECT_NEAR(orbit["energy"].get<double>(), energy, 1e-12);
    EXPECT_LE(orbit["closure"].get<double>(), 1e-12);
    EXPECT_TRUE(orbit.contains("a"));
  }
  EXPECT_NEAR(found["members"][5]["a"].get<double>(), 1.0, 1e-15);
}

TEST(KindsOfMotion, RefusalsSayWhy) {
  const auto refused = [](const std::string& arguments, int status, const std::string& words) {
    const test::Ran ran = test::run_taut(arguments);
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  refused("section pendulum", 2, "a section needs an event");
  refused("lyapunov pendulum --exponents 5", 2, "there are 2 exponents, and 5 were asked for");
  refused("lyapunov ellipsoid-billiard", 2, "reflections");
  refused("lyapunov pendulum --steps 0", 2, "the run has no steps");
  refused("orbit rotating-hoop", 2, "without t");
  refused("orbit double-pendulum --period 1", 1, "no periodic orbit was found near the start");
  refused("orbit pendulum --set x=0 --set y=-1 --period 6", 1, "it is an equilibrium");
  refused("orbit pendulum --period 7.4 --arc 0.1", 2, "--arc belongs to --family");
  refused("orbit pendulum --period 7.4 --family 2 --arc 0", 2, "is not 0");
  refused("orbit pendulum --period 7.4 --family 2 --vary 'L = [1, 2]'", 2, "give one of them");
  refused("spectrum pendulum --of z", 2, "there is no column `z`");
  refused("spectrum pendulum --steps 3 --every 1", 2, "too few samples");
}

}  // namespace
