// Particles with [[forces]] and [damping]: closed forms, the order of the step, work, the same motion as a
// model of formulas has, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <taut/run/model_run.hpp>

#include <cmath>
#include <string>

#include "support/own_model.hpp"

namespace {

using namespace taut;
using test::OwnModel;
using test::run_json;
using test::says;

nlohmann::json run_of(const std::string& text, const std::string& options = "") {
  return run_json("m.toml" + options, OwnModel(text).folder.string());
}

// Without other forces the damping is exact, for any step; each particle has its own rate.
TEST(DrivenParticles, FreeOnesFadeByTheExponential) {
  const auto run = run_of(R"toml([particles]
dimension = 1
count = 3
position = ["i"]
velocity = ["1 + i"]
[[damping]]
rate = "0.1*(i + 1)"
[run]
step = 0.5
steps = 40
)toml");
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(run["p"][i].get<double>(), (1 + i) * std::exp(-0.1 * (i + 1) * 20), 1e-14) << i;
  double lost = 0;
  for (int i = 0; i < 3; ++i) lost += (1 + i) * (1 + i) * (std::exp(-0.2 * (i + 1) * 20) - 1) / 2;
  EXPECT_NEAR(run["work"].get<double>(), lost, 1e-13);
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-13);
}

// x'' = -x - 2c x' + F cos(ωt), whose solution is known.
double oscillator(double c, double F, double omega, double t) {
  const double d = (1 - omega * omega) * (1 - omega * omega) + 4 * c * c * omega * omega;
  const double a = F * (1 - omega * omega) / d, b = F * 2 * c * omega / d;
  const double w = std::sqrt(1 - c * c), A = 1 - a, B = (c * A - b * omega) / w;
  return std::exp(-c * t) * (A * std::cos(w * t) + B * std::sin(w * t)) + a * std::cos(omega * t) +
         b * std::sin(omega * t);
}

TEST(DrivenParticles, AnOscillatorIsDrivenToSecondOrderAndItsWorkIsTheEnergyItGains) {
  const auto model = [](const std::string& force) {
    return R"toml([particles]
dimension = 2
count = 2
position = ["1 - i", "i"]
[[field]]
potential = "(x^2 + y^2)/2"
[damping]
rate = 0.2
[[forces]]
of = [0]
)toml" + force +
           "\n[run]\nuntil = 20.0\n";
  };
  const std::string as_force = model("force = [\"0.3*cos(1.7*t)\", \"0\"]"),
                    as_potential = model("potential = \"-0.3*x*cos(1.7*t)\"");
  const double expected = oscillator(0.1, 0.3, 1.7, 20), free = oscillator(0.1, 0, 1.7, 20);
  double error[2], energy[2];
  for (int k = 0; k < 2; ++k) {
    const auto run = run_of(as_force, fmt::format(" --step {}", 0.02 / (k + 1)));
    error[k] = run["q"][0].get<double>() - expected;
    energy[k] = run["energy"]["max_error"].get<double>();
    EXPECT_NEAR(run["q"][3].get<double>(), free, 1e-3);
    const double gained = run["energy"]["final"].get<double>() - run["energy"]["initial"].get<double>();
    EXPECT_NEAR(gained, run["work"].get<double>(), energy[k]);
    EXPECT_LT(run["work"].get<double>(), -0.5);
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
  EXPECT_NEAR(energy[0] / energy[1], 4, 0.4);
  EXPECT_LT(std::abs(error[1]), 1e-4);
  EXPECT_NEAR(run_of(as_potential, " --step 0.02")["q"][0].get<double>() - expected, error[0], 1e-13);
}

// A double pendulum in a field that turns, with drag that is quadratic in v and a force across v: as a model
// of formulas it is integrated by lobatto(3).
TEST(DrivenParticles, RodsUnderForcesMoveAsTheirFormulasSay) {
  const std::string particles = R"toml([particles]
dimension = 2
count = 3
mass = [1, 2, 1.5]
position = [[0, 0], [1, 0], [1, 1]]
[[rods]]
between = ["i", "i+1"]
for = "i in 0..1"
[[surface]]
of = [0]
formula = "x"
[[surface]]
of = [0]
formula = "y"
[[field]]
potential = "m*y"
[damping]
rate = 0.05
[[forces]]
of = "i"
for = "i in 1..2"
force = ["0.3*cos(t) - 0.2*v_x*sqrt(v_x^2 + v_y^2) + 0.4*v_y", "0.3*m*sin(t) - 0.2*v_y*sqrt(v_x^2 + v_y^2) - 0.4*v_x"]
[run]
until = 4.0
)toml";
  std::string formulas = R"toml([system]
coordinates = ["x1", "y1", "x2", "y2"]
mass = [2, 2, 1.5, 1.5]
potential = "2*y1 + 1.5*y2"
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"]
[initial]
x1 = 1
x2 = 1
y2 = 1
[damping]
x1 = 0.05
y1 = 0.05
x2 = 0.05
y2 = 0.05
)toml";
  for (const auto& [body, mass] : {std::pair{"1", "2"}, {"2", "1.5"}}) {
    const std::string x = std::string("v_x") + body, y = std::string("v_y") + body,
                      speed = fmt::format("sqrt({0}^2 + {1}^2 + 1e-30)", x, y);
    formulas += fmt::format("[[forces]]\non = \"x{0}\"\nforce = \"0.3*cos(t) - 0.2*{1}*{3} + 0.4*{2}\"\n",
                            body, x, y, speed);
    formulas += fmt::format("[[forces]]\non = \"y{0}\"\nforce = \"0.3*{4}*sin(t) - 0.2*{2}*{3} - 0.4*{1}\"\n",
                            body, x, y, speed, mass);
  }
  const auto exact = run_of(formulas, " --method 'lobatto(3)' --step 0.005 --until 4");
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const auto run = run_of(particles, fmt::format(" --step {}", 0.01 / (k + 1)));
    error[k] = 0;
    for (std::size_t i = 0; i < 4; ++i)
      error[k] = std::max(error[k], std::abs(run["q"][i + 2].get<double>() - exact["q"][i].get<double>()));
    EXPECT_LE(run["residual"]["position_max"].get<double>(), 1e-14);
    EXPECT_NEAR(run["work"].get<double>(), exact["work"].get<double>(), 1e-3);
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

// With one rate γ exponents of the map pair to -γ: the 2-form is multiplied by e^{-γh}.
TEST(DrivenParticles, EqualDampingScalesTheTwoForm) {
  const OwnModel model(R"toml([particles]
dimension = 2
count = 2
position = [[1, 0], [2, 0]]
[[rods]]
between = [0, 1]
[[field]]
potential = "y + x^2/4"
[damping]
rate = 0.3
[run]
step = 0.1
until = 20.0
)toml");
  const test::Ran ran = test::run_taut("lyapunov m.toml --json", model.folder.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto exponents = nlohmann::json::parse(ran.out)["exponents"];
  ASSERT_EQ(exponents.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(exponents[i].get<double>() + exponents[5 - i].get<double>(), -0.3, 1e-8) << i;
  EXPECT_EQ(model.check().status, 0) << model.check().out;
}

// The time is kept with a checkpoint: a run in two parts has the bits of one.
class Keeper final : public RunObserver {
 public:
  void sample(double, std::span<const double> q, std::span<const double>, const Reading&,
              std::span<const double>) override {
    last_q.assign(q.begin(), q.end());
  }
  void progress(std::int64_t, std::int64_t) override {}
  bool wants_checkpoints() const override { return true; }
  void checkpoint(const Snapshot& now) override { last = now; }
  std::vector<double> last_q;
  Snapshot last;
};

TEST(DrivenParticles, GoOnFromACheckpointToTheSameBits) {
  const auto text = [](int steps) {
    return fmt::format(R"toml([particles]
count = 2
position = ["i", "0", "0"]
[[rods]]
between = [0, 1]
[[forces]]
force = ["cos(t)", "0.1*t*x", "-v_z"]
[run]
step = 0.1
steps = {}
)toml",
                       steps);
  };
  Keeper whole, first, rest;
  const RunSummary all = model_run(text(50), "test.toml").run(whole, "");
  ASSERT_EQ(all.error, "");
  model_run(text(20), "test.toml").run(first, "");
  const RunSummary resumed = model_run(text(50), "test.toml").run(rest, "", &first.last);
  EXPECT_EQ(resumed.q, all.q);
  EXPECT_EQ(resumed.p, all.p);
  EXPECT_EQ(resumed.work, all.work);
}

// There is one method for them, and no other to measure its errors by; neither is there for a [thermostat].
TEST(DrivenParticles, HaveAPage) {
  for (const char* table : {"[damping]\nrate = 1\n", "[thermostat]\ntemperature = 1\n"}) {
    const OwnModel model(std::string("[particles]\ncount = 2\nposition = [\"i\", \"0\", \"0\"]\n") + table +
                         "[run]\nstep = 0.1\nsteps = 20\n");
    const test::Ran ran = model.run("--report page.html");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(test::read_text((model.folder / "page.html").string()).find("no reference"), std::string::npos);
  }
}

TEST(DrivenParticles, RefuseInWordsWhatIsNotThere) {
  const std::string head = "[particles]\ndimension = 2\ncount = 2\nposition = [\"i\", \"0\"]\n",
                    rods = "[[rods]]\nbetween = [0, 1]\n", run = "[run]\nstep = 0.1\nsteps = 2\n";
  const auto refused = [&](const std::string& tables, const std::string& options, const std::string& words) {
    const test::Ran ran = OwnModel(head + tables + run).run(options);
    EXPECT_EQ(ran.status, 2) << tables;
    EXPECT_TRUE(says(ran, words)) << ran.err;
  };
  const std::string timed = "[[forces]]\nforce = [\"sin(t)\", \"0\"]\n";
  refused(rods + "[[damping]]\nof = [0]\nrate = 1\n", "", "rod 0-1 joins particles with the rates 1 and 0");
  refused("[damping]\nrate = -1\n", "", "the rate is -1");
  refused("[damping]\n", "", "[damping] has no rate");
  refused("[[forces]]\n", "", "[[forces]] has no force");
  refused("[[forces]]\nforce = [\"x\"]\n", "", "the force must be a list of 2 formulas");
  refused("[[forces]]\npotential = \"x*v_y\"\n", "", "the potential has a velocity in it");
  refused("[parameters]\nt = 1\n" + timed, "", "the parameter `t` has the name of a variable of [[forces]]");
  refused(timed + "[thermostat]\ntemperature = 1\n", "", "beside [thermostat]");
  refused(timed, "--method 'lobatto(2)'", "move by rattle between halves of these");
  refused(timed, "--on-failure halve", "--on-failure halve does not go with");
  const OwnModel model(head + timed + run);
  EXPECT_TRUE(says(model.check(), "goes back from states in which the time is not kept"));
  const test::Ran lyapunov = test::run_taut("lyapunov m.toml", model.folder.string());
  EXPECT_EQ(lyapunov.status, 2);
  EXPECT_TRUE(says(lyapunov, "its states have no time")) << lyapunov.err;
}

}  // namespace
