// Time in H and g, forces and damping: exact solutions, the order of lobatto(s), the energy balance, and
// symplecticity in the extended phase space, which goes if forces act. Damping by its exponential, and
// constraints on velocities.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/own_model.hpp"

namespace {

using namespace taut;
using test::run_json;

// x'' = -x - 2c x' + F cos(ωt) has a solution in closed form.
double driven_oscillator(double c, double F, double omega, double t) {
  const double d = (1 - omega * omega) * (1 - omega * omega) + 4 * c * c * omega * omega;
  const double a = F * (1 - omega * omega) / d, b = F * 2 * c * omega / d;        // a cos + b sin
  const double w = std::sqrt(1 - c * c), A = 1 - a, B = (c * A - b * omega) / w;  // x(0) = 1, x'(0) = 0
  return std::exp(-c * t) * (A * std::cos(w * t) + B * std::sin(w * t)) + a * std::cos(omega * t) +
         b * std::sin(omega * t);
}

const std::string oscillator = R"toml([parameters]
c = 0.1
F = 0.3
omega = 1.7
[system]
coordinates = ["x"]
mass = [1.0]
potential = "x^2/2"
[initial]
x = 1.0
[run]
method = "lobatto(5)"
step = 0.05
until = 20.0
)toml";

TEST(DrivenAndDamped, AnOscillatorHasItsExactMotion) {
  const double exact = driven_oscillator(0.1, 0.3, 1.7, 20);
  for (const std::string forces :
       {"[[forces]]\non = \"x\"\nforce = \"-2*c*v_x + F*cos(omega*t)\"\n",
        "[damping]\nx = \"2*c\"\n[[forces]]\non = \"x\"\nforce = \"F*cos(omega*t)\"\n"}) {
    const test::OwnModel model(oscillator + forces);
    const auto run = run_json("m.toml", model.folder.string());
    ASSERT_EQ(run["q"].size(), 1U);
    EXPECT_NEAR(run["q"][0].get<double>(), exact, 1e-12) << forces;
    const double change = run["energy"]["final"].get<double>() - run["energy"]["initial"].get<double>();
    EXPECT_NEAR(change, run["work"].get<double>(), 1e-12);
    EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-12);
  }
}

// A force that is a potential of time does the same as that potential, and the work counts alike.
TEST(DrivenAndDamped, ADriveIsAForceOrAPotential) {
  const test::OwnModel forced(oscillator + "[[forces]]\non = \"x\"\nforce = \"F*cos(omega*t)\"\n");
  std::string text = oscillator;
  text.replace(text.find("x^2/2"), 5, "x^2/2 - F*x*cos(omega*t)");
  const test::OwnModel potential(text);
  const auto a = run_json("m.toml", forced.folder.string()),
             b = run_json("m.toml", potential.folder.string());
  EXPECT_NEAR(a["q"][0].get<double>(), b["q"][0].get<double>(), 1e-13);
  EXPECT_NEAR(b["q"][0].get<double>(), driven_oscillator(0, 0.3, 1.7, 20), 1e-12);
}

// A bead on a turning hoop in three coordinates, against the same bead in one.
TEST(DrivenAndDamped, AMotorIsAConstraintThatDependsOnTime) {
  const test::OwnModel one(R"toml([system]
coordinates = ["a"]
lagrangian = "v_a^2/2 + 1.5^2*sin(a)^2/2 + cos(a)"
[initial]
a = 0.4
[run]
method = "lobatto(6)"
step = 0.05
until = 20.0
)toml");
  const auto angle = run_json("m.toml", one.folder.string())["q"][0].get<double>();
  double before = 0;
  for (const auto& [method, order] : {std::pair{"lobatto(2)", 2}, std::pair{"lobatto(3)", 4}}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const auto run = run_json("rotating-hoop --until 20 --method '" + std::string(method) + "' --step " +
                                    (k == 0 ? "0.05" : "0.025"),
                                "/");
      error[k] = std::abs(run["quantities"]["angle"].get<double>() - angle);
      EXPECT_LE(run["residual"]["position_max"].get<double>(), 1e-13);
      EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-14);  // G v + g_t = 0
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.25) << method;
    before = error[1];
  }
  const auto run = run_json("rotating-hoop --until 20 --method 'lobatto(6)'", "/");
  EXPECT_NEAR(run["quantities"]["angle"].get<double>(), angle, 1e-11);
  EXPECT_GT(before, 1e-9);
}

double measured(const std::string& arguments, const std::string& name) {
  const test::Ran ran = test::run_taut("check " + arguments + " --json");
  const auto certificate = nlohmann::json::parse(ran.out);
  for (const auto& check : certificate["checks"])
    if (check["name"] == name) return check["measured"].get<double>();
  return -1;
}

TEST(DrivenAndDamped, TheExtendedMapIsSymplecticWithoutForces) {
  EXPECT_LE(measured("rotating-hoop --steps 200", "symplectic defect"), 1e-11);
  EXPECT_GT(measured("driven-double-pendulum --steps 200", "symplectic defect"), 1e-3);
}

// With the time as one more coordinate other methods keep what they claim too, in extended phase space: on a
// turning hoop, on a pivot that is shaken, and on a linkage that is driven in all its coordinates.
TEST(DrivenAndDamped, EveryMethodKeepsWhatItClaimsInExtendedPhaseSpace) {
  const test::OwnModel pivot(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["((x - 0.3*sin(2*t))^2 + y^2 - 1)/2"]
[initial]
y = -1.0
v_x = 0.2
[run]
step = 0.05
until = 10.0
)toml");
  const std::vector<std::string> symplectic{"rattle",           "midpoint",
                                            "yoshida4",         "'kahan-li6(midpoint)'",
                                            "'dirac-gauss(2)'", "'gauss(2)' --formulation dirac"},
      others{"'radau-projected(2)'",
             "'gauss-projected(2)'",
             "'radau(2)' --formulation ggl",
             "hem",
             "'half-explicit(3)'",
             "rk4",
             "rk4 --formulation hamilton-dirac",
             "rk4 --formulation dirac-weak",
             "'gauss(2)' --formulation state-space"};
  for (const std::string& model :
       {std::string("rotating-hoop"), (pivot.folder / "m.toml").string(), std::string("motor-four-bar")})
    for (const auto* methods : {&symplectic, &others})
      for (const std::string& method : *methods) {
        const test::Ran ran = test::run_taut("check " + model + " --steps 100 --json --method " + method);
        ASSERT_EQ(ran.status, 0) << model << " " << method << "\n" << ran.err << ran.out;
        for (const auto& check : nlohmann::json::parse(ran.out)["checks"])
          if (methods == &symplectic && check["name"] == "symplectic defect") {
            EXPECT_LE(check["measured"].get<double>(), 1e-11) << model << " " << method;
          }
      }
}

// ... and what divides by H_pp, which is singular, or would make the time go in steps of its own is refused.
TEST(DrivenAndDamped, MethodsThatCannotTakeTheTimeAreRefused) {
  for (const char* method : {"'bdf(2)'", "'bdf-variable(2)'", "'adaptive(lobatto(3))' --step-function 1",
                             "rk4 --formulation dirac-simplified"}) {
    const test::Ran ran = test::run_taut("run rotating-hoop --method " + std::string(method));
    EXPECT_EQ(ran.status, 2) << method;
    EXPECT_TRUE(test::says(ran, "does not take a model that depends on t")) << ran.err;
  }
}

// rattle is for natural systems, and a model with the time in it is none; the same map has another name.
TEST(DrivenAndDamped, RattleIsCalledLobattoThere) {
  const auto renamed = [](const std::string& arguments) {
    const test::Ran ran = test::run_taut("run " + arguments + " --json", "/");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(test::says(ran, "with the time as one more coordinate, ")) << ran.err;
    return nlohmann::json::parse(ran.out);
  };
  const auto a = renamed("rotating-hoop --until 5 --method rattle"),
             b = run_json("rotating-hoop --until 5 --method 'lobatto(2)'", "/"),
             c = renamed("rotating-hoop --until 5 --method 'yoshida4(rattle)'");
  EXPECT_EQ(a["q"], b["q"]);
  EXPECT_EQ(a["method"], "lobatto(2)");
  EXPECT_EQ(a["warnings"][0], "with the time as one more coordinate, rattle is called lobatto(2).");
  EXPECT_EQ(c["method"], "yoshida4(lobatto(2))");
  EXPECT_FALSE(b.contains("warnings"));
  // It is rattle to rounding where t has nothing to say.
  const auto natural = run_json("pendulum --until 5", "/"),
             timed = renamed("pendulum --until 5 --set 'system.potential=gravity*y + 0*t'");
  EXPECT_EQ(timed["method"], "lobatto(2)");
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(timed["p"][i].get<double>(), natural["p"][i].get<double>(), 1e-13);
}

// The damped pendulum comes to rest, and the balance of its energy holds all the way.
TEST(DrivenAndDamped, EnergyIsWhatTheWorkLeavesOfIt) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[damping]
x = 0.05
y = 0.05
[initial]
x = 1.0
[run]
method = "lobatto(4)"
step = 0.02
until = 200.0
)toml");
  const auto run = run_json("m.toml", model.folder.string());
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 1e-10);
  EXPECT_NEAR(run["work"].get<double>(), -1, 1e-4);
  EXPECT_NEAR(run["energy"]["final"].get<double>(), -1, 1e-4);
}

// A slider that is torn beyond the length of its rod: the run ends, with the time and what it had so far.
TEST(DrivenAndDamped, ADriveThatTearsTheMechanismApartEndsTheRun) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y", "u", "z"]
mass = 1.0
potential = "y + z^2/2"
constraints = ["u - 0.5 - t", "((x - u)^2 + y^2 - 1)/2", "x + 0.2"]
[initial]
x = -0.2
u = 0.5
y = "-sqrt(1 - 0.49)"
v_u = 1.0
v_y = "0.7/sqrt(0.51)"
[run]
method = "lobatto(3)"
step = 0.01
until = 2.0
)toml");
  const test::Ran ran = model.run("--json");
  EXPECT_EQ(ran.status, 1);
  const auto out = nlohmann::json::parse(ran.out);
  ASSERT_TRUE(out.contains("error"));
  EXPECT_NEAR(out["time"].get<double>(), 0.3, 0.02);
  // The rod is as long as it is at t = 0.3, and the gap that is left is what the drive goes beyond that.
  const std::string error = out["error"];
  for (const char* words : {"cannot be met from t = 0.3 on", "the gap\n  is max |g| = "})
    EXPECT_NE(error.find(words), std::string::npos) << words << "\n" << error;
  EXPECT_EQ(error.find("midpoint"), std::string::npos);
}

// A step that fails without any tear is not called one: the forces are what is too fast for it.
TEST(DrivenAndDamped, AFailedStepIsNoTear) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "1e6*sin(50*x)"
constraints = ["(x^2 + y^2 - 1)/2 + 0*t"]
[initial]
x = 0.1
y = "-sqrt(0.99)"
v_x = 40.0
v_y = "4/sqrt(0.99)"
[run]
method = "lobatto(3)"
step = 0.5
until = 20.0
)toml");
  const test::Ran ran = model.run();
  EXPECT_EQ(ran.status, 1);
  EXPECT_FALSE(test::says(ran, "tears the mechanism apart")) << ran.err;
}

// A mechanism that a motor drives in all its coordinates: what is left to find is the work, and it has the
// order of the method. The map of what moves still, the time and its momentum, is symplectic.
TEST(DrivenAndDamped, AMotorMayDriveAWholeMechanism) {
  for (const auto& [method, order] : {std::pair{"lobatto(2)", 2}, std::pair{"lobatto(3)", 4}}) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      const auto run = run_json("motor-four-bar --until 6 --method '" + std::string(method) + "' --step " +
                                    (k == 0 ? "0.1" : "0.05"),
                                "/");
      off[k] = run["energy"]["max_error"].get<double>();
      EXPECT_NEAR(run["q"][0].get<double>(), -std::sin(6.0), 1e-14);
      EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-14);
    }
    EXPECT_NEAR(std::log2(off[0] / off[1]), order, 0.3) << method;
  }
  EXPECT_LE(measured("motor-four-bar --steps 200", "symplectic defect"), 1e-11);
  const test::OwnModel one(R"toml([system]
coordinates = ["x"]
mass = 1.0
potential = "0"
constraints = ["x - sin(t)"]
[initial]
v_x = 1.0
[run]
step = 0.1
until = 5.0
)toml");
  const auto run = run_json("m.toml", one.folder.string());
  EXPECT_NEAR(run["q"][0].get<double>(), std::sin(5.0), 1e-15);
  EXPECT_NEAR(run["work"].get<double>(), (std::cos(5.0) * std::cos(5.0) - 1) / 2, 1e-6);
  EXPECT_NEAR(run["lambda"][0].get<double>(), std::sin(5.0), 1e-12);
}

// Each bounce at a wall that moves with velocity w changes v to 2w - v, whether or not anything else in the
// model depends on t.
TEST(DrivenAndDamped, AMovingWallGivesAndTakesEnergy) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x"]
mass = 1.0
potential = "0"
[initial]
v_x = 1.0
[[events]]
when = "x - 1 - 0.1*sin(t)"
direction = "up"
do = "reflect"
[run]
step = 0.1
until = 2.0
)toml");
  const auto run = run_json("m.toml", model.folder.string());
  ASSERT_EQ(run["events"].size(), 1U);
  const double v = 2 * 0.1 * std::cos(run["events"][0]["time"].get<double>()) - 1;
  EXPECT_NEAR(run["p"][0].get<double>(), v, 1e-13);
  EXPECT_NEAR(run["energy"]["final"].get<double>(), v * v / 2, 1e-13);
  EXPECT_NEAR(run["work"].get<double>(), v * v / 2 - 0.5, 1e-13);
}

// The exact exponential multiplies the 2-form by e^{-γt}; a Runge-Kutta pair does so to its order.
TEST(DrivenAndDamped, DampingByItsExponentialScalesTheFormExactly) {
  const test::OwnModel model(R"toml([system]
coordinates = ["x"]
mass = 1.0
potential = "-cos(x)"
[damping]
x = 0.3
[initial]
x = 0.7
p_x = 0.4
[run]
step = 0.1
steps = 10
)toml");
  // Differences of fourth order leave 1e-12 of the derivatives.
  constexpr double delta = 1e-3;
  const auto area = [&](const std::string& method) {
    double d[2][2] = {};
    for (int j = 0; j < 2; ++j)
      for (const auto& [places, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
        const double x = 0.7 + (j == 0 ? places * delta : 0), p = 0.4 + (j == 1 ? places * delta : 0);
        const auto run = run_json("m.toml --method '" + method + "' --set x=" + fmt::format("{}", x) +
                                      " --set p_x=" + fmt::format("{}", p),
                                  model.folder.string());
        d[0][j] += weight * run["q"][0].get<double>() / (12 * delta);
        d[1][j] += weight * run["p"][0].get<double>() / (12 * delta);
      }
    return d[0][0] * d[1][1] - d[0][1] * d[1][0];
  };
  EXPECT_NEAR(area("conformal"), std::exp(-0.3), 3e-12);
  EXPECT_NEAR(area("yoshida4(conformal)"), std::exp(-0.3), 3e-12);
  EXPECT_GT(std::abs(area("lobatto(2)") - std::exp(-0.3)), 1e-6);
}

TEST(DrivenAndDamped, DampingByItsExponentialHasItsOrderAndItsWork) {
  const test::OwnModel pendulum(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["((x - 0.1*sin(t))^2 + y^2 - 1)/2"]
[damping]
x = 0.02
y = 0.02
[initial]
y = -1.0
v_x = 1.0
v_y = 0.0
[run]
step = 0.05
until = 10.0
)toml");
  for (const char* method : {"conformal", "'yoshida4(conformal)'"}) {
    const test::Ran ran = pendulum.check("--steps 200 --method " + std::string(method));
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  }
  const test::OwnModel different(oscillator + "[damping]\nx = 0.1\n");
  EXPECT_EQ(different.run("--method conformal").status, 0);
  EXPECT_TRUE(test::says(test::OwnModel(oscillator).run("--method conformal"), "for models with [damping]"));
  const test::Ran unequal = pendulum.run("--method conformal --set damping.y=0.01");
  EXPECT_EQ(unequal.status, 2);
  EXPECT_TRUE(test::says(unequal, "the same rate")) << unequal.err;
}

// A skate on a slope turns at a constant rate and does not go down: it draws a cycloid.
const std::string skate = R"toml([parameters]
w = 1.3
slope = 0.4
[system]
coordinates = ["x", "y", "a"]
mass = [1.0, 1.0, 0.2]
potential = "-slope*x"
velocity-constraints = ["v_x*sin(a) = v_y*cos(a)"]
[initial]
v_a = "w"
v_x = 0
v_y = 0
[run]
step = 0.05
until = 20.0
)toml";

TEST(VelocityConstraints, ASkateDrawsItsCycloid) {
  const test::OwnModel model(skate);
  const double w = 1.3, r = 0.4 / (2 * w * w), t = 20;
  const auto off = [&](const std::string& method) {
    const auto run = run_json("m.toml --method '" + method + "'", model.folder.string());
    EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-14);
    return std::hypot(run["q"][0].get<double>() - r * std::pow(std::sin(w * t), 2),
                      run["q"][1].get<double>() - r * (w * t - std::sin(2 * w * t) / 2));
  };
  EXPECT_LE(off("nonholonomic"), 1e-2);
  EXPECT_LE(off("kahan-li8(nonholonomic)"), 1e-8);
  for (const char* method : {"nonholonomic", "'yoshida4(nonholonomic)'"}) {
    const test::Ran ran = model.check("--steps 200 --method " + std::string(method));
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  }
  const auto compared = nlohmann::json::parse(
      test::run_taut("compare rolling-disc --methods nonholonomic --until 1 --report '" +
                     (model.folder / "page.html").string() + "' --json")
          .out);
  EXPECT_EQ(compared["methods"].size(), 1U) << "their errors have a reference";
  const auto run = nlohmann::json::parse(model.run("--method dop853 --formulation underlying --json").out);
  EXPECT_NEAR(run["q"][1].get<double>(), r * (w * t - std::sin(2 * w * t) / 2), 1e-9);
}

// With a constant mass the positions obey the discrete Lagrange-d'Alembert equations of the trapezoidal
// discrete Lagrangian: what is left of M (q₂ - 2q₁ + q₀)/h² + V_q(q₁) is a multiple of A(q₁).
TEST(VelocityConstraints, PositionsObeyTheDiscreteLagrangeDAlembertEquations) {
  const test::OwnModel model(skate);
  std::vector<std::vector<double>> q;
  for (const char* steps : {"30", "31", "32"})
    q.push_back(run_json("m.toml --steps " + std::string(steps), model.folder.string())["q"]
                    .get<std::vector<double>>());
  const double h = 0.05, mass[] = {1, 1, 0.2}, slope[] = {-0.4, 0, 0};
  const auto row = [](const std::vector<double>& at) {
    return std::vector{std::sin(at[2]), -std::cos(at[2]), 0.0};
  };
  const std::vector<double> A = row(q[1]), before = row(q[0]);
  std::vector<double> force(3);
  double along = 0, rolled = 0, moved = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    force[i] = mass[i] * (q[2][i] - 2 * q[1][i] + q[0][i]) / (h * h) + slope[i];
    along += force[i] * A[i];
    rolled += (before[i] + A[i]) / 2 * (q[1][i] - q[0][i]);
    moved += std::abs(q[1][i] - q[0][i]);
  }
  EXPECT_GT(std::abs(along), 1e-3);  // there is a reaction
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(force[i], along * A[i], 1e-11) << i;
  EXPECT_NEAR(rolled, 0, 1e-15);
  EXPECT_GT(moved, 1e-3);
}

// If A is the derivative of a g of second degree, the step is that of lobatto(2) on g = 0.
TEST(VelocityConstraints, OfADerivativeAreTheConstraintItself) {
  const std::string
      head = "[system]\ncoordinates = [\"x\", \"y\"]\nmass = [1, 2]\npotential = \"y + x^4\"\n",
      tail = "[initial]\nx = 0.6\ny = -0.8\nv_x = 0.4\nv_y = 0.3\n[run]\nstep = 0.05\nuntil = 10\n";
  const test::OwnModel rolls(head + "velocity-constraints = [\"x*v_x + y*v_y\"]\n" + tail),
      swings(head + "constraints = [\"x^2 + y^2 = 1\"]\n" + tail),
      fourth(head + "velocity-constraints = [\"x^3*v_x + y^3*v_y\"]\n" +
             "[initial]\nx = 0.6\ny = -0.8\nv_x = 0.4\n[run]\nstep = 0.05\nuntil = 10\n");
  const auto a = run_json("m.toml", rolls.folder.string()),
             b = run_json("m.toml --method 'lobatto(2)'", swings.folder.string()),
             c = run_json("m.toml", fourth.folder.string());
  const auto place = [](const auto& run, int k) {
    return run["q"][static_cast<std::size_t>(k)].template get<double>();
  };
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(place(a, k), place(b, k), 1e-11);
  const double g =
      std::pow(place(c, 0), 4) + std::pow(place(c, 1), 4) - (std::pow(0.6, 4) + std::pow(0.8, 4));
  EXPECT_GT(std::abs(g), 1e-8);  // a g of higher degree is kept to order 2
  EXPECT_LE(std::abs(g), 1e-2);
}

// A ball that rolls on a table turning at the rate W circles at 2W/7, wherever it is and however it started.
TEST(VelocityConstraints, ABallOnATurntableCircles) {
  const test::OwnModel model(R"toml([parameters]
W = 1.5
[definitions]
spin = ["v_a", "v_b"]
[system]
coordinates = ["x", "y", "a", "b"]
mass = [1.0, 1.0, 0.4, 0.4]
potential = "0"
velocity-constraints = ["v_x = spin[2] - W*y", "v_y = -spin[1] + W*x"]
[initial]
x = 1.0
v_x = 0.2
v_y = 0.1
[run]
method = "kahan-li8(nonholonomic)"
step = 0.05
until = 10.0
)toml");
  const auto run = run_json("m.toml", model.folder.string());
  const double rate = 2 * 1.5 / 7, vx = 0.2 * std::cos(rate * 10) - 0.1 * std::sin(rate * 10);
  ASSERT_EQ(run["p"].size(), 4U);
  EXPECT_NEAR(run["p"][0].get<double>(), vx, 1e-10);
}

// Modin and Verdier (2020) say that energies stay in usual tests because each leaf is its own mirror image in
// time. Here a point on a circle changes the gear between two oscillators.
TEST(VelocityConstraints, EnergyStaysIfTheLeafIsReversible) {
  const auto model = [](const std::string& gear) {
    return R"toml([definitions]
gear = ")toml" +
           gear + R"toml("
[system]
coordinates = ["x", "y", "a", "b"]
mass = 1.0
potential = "(x^2 + 2.3*y^2 + a^2 + b^2)/2"
velocity-constraints = ["v_x + gear*v_y"]
[initial]
x = 1.0
y = 0.3
a = 1.0
v_a = 0.0
v_b = 1.0
v_y = 0.4
[run]
step = 0.2
until = 3000.0
)toml";
  };
  const auto moved = [&](const std::string& gear) {
    const test::OwnModel made(model(gear));
    const auto run = run_json("m.toml", made.folder.string());
    return std::abs(run["energy"]["final"].get<double>() - run["energy"]["initial"].get<double>());
  };
  EXPECT_LE(moved("sin(a) + 0.8*cos(2*b)*cos(a)"), 0.02);
  EXPECT_GE(moved("sin(a) + 0.8*sin(2*b)*cos(a)"), 0.05);
}

TEST(VelocityConstraints, ADiscRollsInACircle) {
  // At a constant tilt the gyroscopic torques balance gravity: this is the spin for v_phi = 2.
  const double tilt = 1.2, turn = 2, inertia = 0.25, axial = 0.5;
  const double spin = (inertia * turn * turn * std::sin(tilt) * std::cos(tilt) - 9.81 * std::cos(tilt)) /
                      ((axial + 1) * turn * std::sin(tilt));
  const auto run = run_json(
      "rolling-disc --method 'yoshida4(nonholonomic)' --until 5 --set theta=1.2 --set v_phi=2 "
      "--set v_psi=" +
          fmt::format("{}", spin - turn * std::cos(tilt)),
      "/");
  EXPECT_NEAR(run["q"][3].get<double>(), tilt, 1e-6);
  EXPECT_NEAR(run["q"][2].get<double>(), turn * 5, 1e-5);
  EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-13);
}

TEST(VelocityConstraints, RefusalsSayWhy) {
  const auto refused = [](const std::string& constraint, const std::string& words) {
    std::string text = skate;
    const std::string old = "v_x*sin(a) = v_y*cos(a)";
    text.replace(text.find(old), old.size(), constraint);
    const test::Ran ran = test::OwnModel(text).run();
    EXPECT_EQ(ran.status, 2) << constraint << "\n" << ran.out;
    EXPECT_TRUE(test::says(ran, words)) << ran.err;
  };
  refused("v_x^2 = v_y^2", "is not linear in the velocities");
  refused("abs(v_x) = v_y", "is not linear in the velocities");
  refused("x*sin(a)", "has no velocity in it");
  refused("v_x*sin(s) + v_y*t", ", t.");
  refused("v_x + p_y", "uses the momentum `p_y`");
  refused("v_x*sin(a) - v_q", "unknown name `v_q`");
  const test::OwnModel model(skate);
  for (const char* method : {"rattle", "'lobatto(3)'", "midpoint", "'rk4' --formulation dirac"}) {
    const test::Ran ran = model.run("--method " + std::string(method));
    EXPECT_EQ(ran.status, 2) << method;
    EXPECT_TRUE(test::says(ran, "constraints on velocities")) << ran.err;
  }
  EXPECT_TRUE(
      test::says(test::run_taut("run pendulum --method nonholonomic"), "for constraints on velocities"));
  EXPECT_TRUE(test::says(test::run_taut("orbit m.toml", model.folder.string()), "constraints on velocities"));
}

TEST(DrivenAndDamped, RefusalsSayWhy) {
  const test::OwnModel model(oscillator + "[[forces]]\non = \"x\"\nforce = \"-c*v_x\"\n");
  for (const char* method : {"rattle", "midpoint", "'dirac-gauss(2)'", "rk4", "'radau(2)'"}) {
    const test::Ran ran = model.run("--method " + std::string(method));
    EXPECT_EQ(ran.status, 2) << method;
    EXPECT_TRUE(test::says(ran, "does not take a model that has forces")) << ran.err;
  }
  const auto refused = [](const std::string& more, const std::string& words) {
    const test::Ran ran = test::OwnModel(oscillator + more).run();
    EXPECT_EQ(ran.status, 2) << more;
    EXPECT_TRUE(test::says(ran, words)) << ran.err;
  };
  refused("[[forces]]\non = \"y\"\nforce = \"1\"\n", "acts on `y`, which is no coordinate");
  refused("[[forces]]\non = \"x\"\n", "has no `force`");
  refused("[[forces]]\non = \"x\"\nforce = \"w\"\n", "unknown name `w` in force 1");
  refused("[damping]\nx = -1\n", "a rate is not negative");
  refused("[damping]\nz = 1\n", "which is no coordinate");
}

}  // namespace
