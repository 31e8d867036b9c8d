// Models that teachers show, against published digits and closed forms: the car axis, Foucault's pendulum,
// Watt's governor.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/run_json.hpp"

namespace {

using namespace taut;
using test::run_json;

// Positions and velocities at t = 3 as the IVP Test Set gives them (problem 12). The masses are ε²M/2 = 5e-4.
TEST(DrivenExamples, TheCarAxisHasItsPublishedDigits) {
  const double position[] = {0.4934557842755629e-1, 0.4969894602303324, 0.1041742524885400e+1,
                             0.3739110272652214},
               velocity[] = {-0.7705836840321485e-1, 0.7446866596327776e-2, 0.1755681574942899e-1,
                             0.7703410437794031};
  const auto run = run_json("car-axis", "/"), coarse = run_json("car-axis --method 'lobatto(2)'", "/");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(run["q"][i].get<double>(), position[i], 2e-11) << i;
    EXPECT_NEAR(run["p"][i].get<double>() / 5e-4, velocity[i], 1e-9) << i;
  }
  EXPECT_GT(std::abs(coarse["q"][3].get<double>() - position[3]), 1e-7);
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-12);
}

// The plane of swing turns by -2π sin(latitude) a day, up to the square of the swing and of Ω against ω.
TEST(DrivenExamples, ThePlaneOfFoucaultsPendulumTurnsWithTheLatitude) {
  for (const double degrees : {48.85, 90.0, 0.0}) {
    const auto run =
        run_json("foucault-pendulum --set latitude='" + std::to_string(degrees) + "*pi/180'", "/");
    const double turned =
        run["quantities"]["plane"].get<double>() + 2 * M_PI * std::sin(degrees * M_PI / 180);
    EXPECT_LE(std::abs(std::remainder(turned, M_PI)), 0.05) << degrees;
    EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-12);
  }
}

// At rest the sleeve takes away what the engine has beyond the load, gain·lift = torque - load, and the balls
// carry their weight and that of the sleeve: cos(a) φ'² = (1 + sleeve/m) gravity/arm.
TEST(DrivenExamples, TheGovernorKeepsTheSpeedOfItsBalance) {
  const double lift = (4.0 - 2.0) / 6.0, cosine = 1 - lift, speed = std::sqrt(1.5 * 9.81 / (0.5 * cosine));
  const auto run = run_json("governor --until 100", "/");
  EXPECT_NEAR(run["quantities"]["height"].get<double>(), lift, 1e-4);
  EXPECT_NEAR(run["quantities"]["speed"].get<double>(), speed, 1e-3);
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-10);
  // ... and not without a heavy shaft: it hunts (Maxwell 1868)
  const auto light = run_json("governor --until 100 --set J=0.2", "/");
  EXPECT_GT(std::abs(light["quantities"]["speed"].get<double>() - speed), 0.1);
}

}  // namespace
