// Events are found to rounding on the manifold: their times against elliptic functions, two in one step,
// reflections that keep the energy, and a run that is not changed by being watched.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/own_model.hpp"

namespace {

using namespace taut;
using test::run_json;

// The quarter period of the pendulum from the horizontal: K(1/√2) = Γ(1/4)²/(4√π).
double quarter() {
  const double gamma = std::tgamma(0.25);
  return gamma * gamma / (4 * std::sqrt(M_PI));
}

TEST(Events, ComeAtTheTimesOfEllipticFunctions) {
  const auto run =
      run_json("pendulum --method 'lobatto(6)' --step 0.1 --until 40 --event 'when=x, name=lowest'", "/");
  ASSERT_EQ(run["events"].size(), 11U);
  for (std::size_t k = 0; k < 11; ++k) {
    const auto& event = run["events"][k];
    EXPECT_NEAR(event["time"].get<double>(), static_cast<double>(2 * k + 1) * quarter(), 1e-13) << k;
    const double x = event["q"][0], y = event["q"][1];
    EXPECT_LE(std::abs(x), 1e-15);
    EXPECT_LE(std::abs(x * x + y * y - 1), 4e-16);
    EXPECT_EQ(event["name"], "lowest");
  }
}

// ... and not with a method of low order, whose own motion it is that crosses.
TEST(Events, AreThoseOfTheMethod) {
  const auto run = run_json("pendulum --method rattle --step 0.1 --until 3 --event when=x", "/");
  EXPECT_GT(std::abs(run["events"][0]["time"].get<double>() - quarter()), 1e-4);
}

TEST(Events, HaveADirectionAndMayStopTheRun) {
  const std::string start = "pendulum --method 'lobatto(6)' --step 0.1 --until 10 ";
  const auto up = run_json(start + "--event 'when=x, direction=up, do=stop'", "/");
  EXPECT_NEAR(up["time"].get<double>(), 3 * quarter(), 1e-13);
  EXPECT_EQ(up["events"].size(), 1U);
  EXPECT_EQ(up["stopped_by"], "event 1");
  EXPECT_EQ(up["q"], up["events"][0]["q"]);
  EXPECT_GT(up["p"][0].get<double>(), 0);
  const auto down = run_json(start + "--event 'when=x, direction=down'", "/");
  EXPECT_EQ(down["events"].size(), 2U);
  EXPECT_EQ(run_json(start + "--event 'when=y - 0.5'", "/")["events"].size(), 0U);
  // p_y is 0 at the start, which is no event.
  EXPECT_NEAR(run_json(start + "--event 'when=p_y'", "/")["events"][0]["time"].get<double>(), quarter(),
              1e-13);
}

// y is below -0.999 for 0.13 of time, shorter than a step of 0.2.
TEST(Events, TwoInOneStepAreToldApart) {
  const std::string start = "pendulum --method 'lobatto(6)' --step 0.2 --until 2.2 ";
  const auto run = run_json(start + "--event 'when=y + 0.999'", "/");
  ASSERT_EQ(run["events"].size(), 2U);
  const double a = run["events"][0]["time"], b = run["events"][1]["time"];
  EXPECT_LT(b - a, 0.2);
  EXPECT_EQ(std::floor(a / 0.2), std::floor(b / 0.2));
  EXPECT_NEAR((a + b) / 2, quarter(), 1e-13);
  EXPECT_EQ(run_json(start + "--event 'when=y + 1.0001'", "/")["events"].size(), 0U);
}

TEST(Events, WatchingDoesNotChangeTheRun) {
  const std::string start = "pendulum --step 0.05 --steps 500 ";
  const auto plain = run_json(start, "/"),
             watched = run_json(start + "--event 'when=x*p_y' --at 0.33,0.1", "/");
  EXPECT_EQ(plain["q"], watched["q"]);
  EXPECT_EQ(plain["p"], watched["p"]);
  EXPECT_FALSE(plain.contains("events"));
  ASSERT_EQ(watched["at"].size(), 2U);
  EXPECT_EQ(watched["at"][0]["time"], 0.1);
  EXPECT_EQ(watched["at"][1]["time"], 0.33);
  const auto short_run = run_json("pendulum --step 0.1 --steps 1 --method 'lobatto(6)'", "/");
  const auto at = run_json("pendulum --step 0.25 --steps 1 --method 'lobatto(6)' --at 0.1", "/")["at"][0];
  EXPECT_NEAR(at["q"][1].get<double>(), short_run["q"][1].get<double>(), 1e-15);
}

// Without a field a point on a sphere runs along a great circle at constant speed; two walls are hit at times
// that are known, and the energy stays to rounding.
TEST(Events, ReflectionsAreElasticInTheTangentSpace) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y", "z"]
mass = [1.0, 1.0, 1.0]
potential = "0"
constraints = ["(x^2 + y^2 + z^2 - 1)/2"]
[initial]
x = 1.0
v_y = 0.8
v_z = 0.6
[[events]]
name = "wall"
when = "x - cos(0.5)"
do = "reflect"
[run]
method = "lobatto(5)"
step = 0.1
until = 20.0
)toml");
  const auto run = run_json("m.toml", model.folder.string());
  ASSERT_EQ(run["events"].size(), 20U);
  for (std::size_t k = 0; k < 20; ++k)  // at angles 0.5, then -0.5, …
    EXPECT_NEAR(run["events"][k]["time"].get<double>(), 0.5 + static_cast<double>(k), 2e-13) << k;
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-14);
  EXPECT_LE(run["residual"]["position_max"].get<double>(), 1e-15);
  EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-15);
}

// A run that is interrupted and resumed has the events of one that was not, reflections included.
TEST(Events, OfAnInterruptedRunGoOnAfterAResume) {
  const test::OwnFolder folder;
  const std::string options = "ellipsoid-billiard --until 3000";
  const auto whole = run_json(options, "/");
  const std::string command = "cd '" + folder.string() + "' && timeout -s INT 0.3 '" TAUT_PROGRAM "' run " +
                              options + " --out cut >/dev/null 2>&1";
  std::system(command.c_str());
  const test::Ran resumed = test::run_taut("resume cut --json", folder.string());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const auto all = nlohmann::json::parse(resumed.out);
  EXPECT_EQ(all["events"], whole["events"]);
  EXPECT_EQ(all["q"], whole["q"]);
  EXPECT_GE(whole["events"].size(), 100U);
}

// Steps that are too long to see a formula turn say so; those that see it do not.
TEST(Events, ThatMayBeMissedAreWarnedOf) {
  const std::string start = "pendulum --method 'lobatto(3)' --until 10 --step ";
  const test::Ran ran =
      test::run_taut("run " + start + "0.1 --event 'when=sin(100*t), name=fast' --json", "/");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(test::says(ran, "Try --step 0.0125")) << ran.err;
  const auto coarse = nlohmann::json::parse(ran.out);
  EXPECT_LT(coarse["events"].size(), 318U);
  ASSERT_EQ(coarse["warnings"].size(), 1U);
  EXPECT_NE(coarse["warnings"][0].get<std::string>().find("`fast` may have been missed"), std::string::npos);
  const auto fine = run_json(start + "0.01 --event 'when=sin(100*t)'", "/");
  EXPECT_EQ(fine["events"].size(), 318U);
  EXPECT_FALSE(fine.contains("warnings"));
  for (const char* calm : {"x", "y", "y + 0.999", "x - t/10", "sin(10*t)"})
    EXPECT_FALSE(run_json(start + "0.1 --event 'when=" + calm + "'", "/").contains("warnings")) << calm;
}

// A particle between walls, without a force.
std::string between_walls(const std::string& potential, const std::string& start) {
  return "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"" + potential + "\"\n[initial]\n" + start +
         R"toml(
[run]
step = 0.01
steps = 5000
every = 5000
[[events]]
name = "right"
when = "x - 30"
do = "reflect"
[[events]]
name = "left"
when = "x + 0.3"
do = "reflect"
)toml";
}

// Steps are made again if the sign of a divisor has changed, with the reflections that were in them. The
// particle meets the wall x = 30 at a mesh point, up to rounding or exactly.
TEST(Events, ReflectionsComeOnce) {
  for (const std::string p : {"-9.5", "8", "10.5", "-1"})
    for (const char* potential : {"1e-9*sin(x)/x", "0*x"}) {
      const double speed = std::abs(std::stod(p));
      const bool left = p[0] == '-';
      const double from = speed > 9 ? speed : 8;  // as many steps as there are to a mesh point
      const test::OwnModel model(between_walls(potential, "x = " + std::to_string(from) + "\np_x = " + p));
      const auto run = run_json("m.toml --backend interpret", model.folder.string());
      ASSERT_FALSE(run.contains("error")) << run["error"];
      const double way = speed * 50, first = left ? from + 0.3 : 30 - from;
      const auto times = static_cast<std::size_t>(1 + (way - first) / 30.3 + 1e-9);
      EXPECT_EQ(run["events"].size(), times) << potential << p;
      for (std::size_t k = 0; k < run["events"].size(); ++k)
        EXPECT_NEAR(run["events"][k]["time"].get<double>(), (first + 30.3 * static_cast<double>(k)) / speed,
                    1e-6)
            << potential << p << " " << k;
    }
}

// Two walls that meet in a corner act both, at a mesh point and between two.
TEST(Events, BothWallsOfACornerReflect) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1
potential = "0*x"
[initial]
x = 1.0
y = 1.0
p_x = -1.0
p_y = -1.0
[run]
steps = 20
[[events]]
when = "x"
do = "reflect"
[[events]]
when = "y"
do = "reflect"
)toml");
  for (const std::string step : {"0.125", "0.3"}) {
    const auto run = run_json("m.toml --step " + step, model.folder.string());
    EXPECT_EQ(run["events"].size(), 2U) << step;
    for (const auto* of : {"q", "p"}) EXPECT_GT(run[of][0].get<double>(), 0.9) << step;
    for (const auto* of : {"q", "p"}) EXPECT_GT(run[of][1].get<double>(), 0.9) << step;
  }
}

// Nobody can tell whether a formula crossed zero if it has no value there.
TEST(Events, WithoutAValueAreNotPassedOver) {
  const test::OwnModel model(
      "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"0*x\"\n[initial]\nx = 1.0\np_x = -1.0\n"
      "[run]\nstep = 0.1\nsteps = 20\n");
  // The zero lies before the edge of the domain.
  const auto found = run_json("m.toml --event 'when=sqrt(x) - 0.01, do=stop'", model.folder.string());
  EXPECT_NEAR(found["time"].get<double>(), 0.9999, 1e-14);
  const test::Ran stopped = model.run("--event 'when=sqrt(x) + 0.01, name=edge, do=stop'");
  EXPECT_EQ(stopped.status, 1);
  EXPECT_TRUE(test::says(stopped, "the formula of the event `edge` has no value in the step from t = 0.9"))
      << stopped.err;
  const test::Ran recorded = model.run("--event 'when=log(x) + 5, name=edge' --json");
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_EQ(nlohmann::json::parse(recorded.out)["events"].size(), 1U);
  EXPECT_TRUE(test::says(recorded, "`edge` may have been missed: its formula has no value in 11 steps"))
      << recorded.err;
}

TEST(Events, RefusalsSayWhy) {
  const auto refused = [](const std::string& options, const std::string& words) {
    const test::Ran ran = test::run_taut("run pendulum " + options);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  refused("--event 'when=p_x, do=reflect'", "reflects, and uses the momentum `p_x`");
  refused("--event 'when=x, do=jump'", "unknown action `jump`");
  refused("--event 'when=x, direction=left'", "unknown direction `left`");
  refused("--event 'direction=up'", "an event has no `when`");
  refused("--event 'when=lambda_1'", "uses the multiplier `lambda_1`");
  refused("--event 'when=z'", "known here: x, y, p_x, p_y, v_x, v_y, L, gravity, t.");
  refused("--event 'when=x' --precision quad", "double precision");
  refused("--event 'when=x - 0.5, do=reflect' --backend specialise", "not specialised");
}

}  // namespace
