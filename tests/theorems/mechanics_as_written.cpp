// A Lagrangian, a kinetic energy and a mass matrix of formulas are the same mechanics as the Hamiltonian that
// a textbook gives; velocities of the start become its momenta; what is not of that kind is refused.

#include <taut/model/formula_problem.hpp>
#include <taut/model/model.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/own_model.hpp"

namespace {

using namespace taut;

// The double pendulum in angles; its Hamiltonian is in textbooks, such as Landau and Lifshitz, §40.
std::string double_pendulum(const std::string& system, const std::string& start = "v_a = 0.3\nv_b = -0.2\n") {
  return R"toml([parameters]
m1 = 1.0
m2 = 0.5
l1 = 1.0
l2 = 0.8
[definitions]
T = "(m1 + m2)/2*l1^2*v_a^2 + m2/2*l2^2*v_b^2 + m2*l1*l2*v_a*v_b*cos(a - b)"
V = "-(m1 + m2)*9.81*l1*cos(a) - m2*9.81*l2*cos(b)"
[system]
coordinates = ["a", "b"]
)toml" + system +
         "[initial]\na = 1.0\nb = 0.5\n" + start +
         "[run]\nmethod = \"lobatto(4)\"\nstep = 0.01\nsteps = 300\n";
}

const std::string textbook =
    "hamiltonian = \"(m2*l2^2*p_a^2 + (m1 + m2)*l1^2*p_b^2 - 2*m2*l1*l2*cos(a - b)*p_a*p_b)/"
    "(2*m2*l1^2*l2^2*(m1 + m2*sin(a - b)^2)) + V\"\n";

TEST(MechanicsAsWritten, AreTheHamiltonianOfTheTextbook) {
  const auto reference = test::run_json("m.toml", test::OwnModel(double_pendulum(textbook)).folder.string());
  for (const std::string written :
       {"lagrangian = \"T - V\"\n", "kinetic = \"T\"\npotential = \"V\"\n",
        "mass = [[\"(m1 + m2)*l1^2\", \"m2*l1*l2*cos(a - b)\"], [\"m2*l1*l2*cos(a - b)\", "
        "\"m2*l2^2\"]]\npotential = \"V\"\n"}) {
    const test::OwnModel model(double_pendulum(written));
    const auto run = test::run_json("m.toml", model.folder.string());
    for (const char* part : {"q", "p"})
      for (int i = 0; i < 2; ++i)
        EXPECT_NEAR(run[part][i].get<double>(), reference[part][i].get<double>(), 1e-11)
            << written << part << i;
    EXPECT_NEAR(run["energy"]["initial"].get<double>(), reference["energy"]["initial"].get<double>(), 1e-14);
  }
}

// The start of a linkage from one speed: the others follow from the constraints, and what is given stays. A
// speed that no motion of the linkage has is refused as before.
TEST(MechanicsAsWritten, OneSpeedGivenFindsTheOthers) {
  const std::string linkage = R"toml([parameters]
rate = 0.0
along = "(10 + 2.25)/20"
across = "sqrt(0.625 - along^2)"
[system]
coordinates = ["xa", "ya", "xb", "yb"]
mass = [1.0, 2.0, 1.0, 1.0]
potential = "ya + yb"
constraints = [
  "xa^2 + (ya - rate*t)^2 - 1",
  "((xa - xb)^2 + (ya - yb)^2 - 2.5^2)/2",
  "((xb - 3)^2 + yb^2 - 4)/2",
]
[run]
method = "lobatto(4)"
step = 0.01
steps = 1
[initial]
ya = 1.0
xb = "3*along + across"
yb = "1 - along + 3*across"
)toml";
  const auto with = [&](const std::string& start) { return test::OwnModel(linkage + start); };
  const auto velocities = [&](const std::string& start, const std::string& options = "") {
    const test::OwnModel model = with(start);
    const test::Ran ran = model.run("--steps 0 --json " + options);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.status == 0 ? nlohmann::json::parse(ran.out)["p"] : nlohmann::json{0, 0, 0, 0};
  };
  const double along = 12.25 / 20, across = std::sqrt(0.625 - along * along);
  const double bx = 3 * along + across, by = 1 - along + 3 * across;
  const double turn = -bx / ((by - 1) * (bx - 3) - bx * by);  // the rate of the rocker if the crank has 1
  const auto p = velocities("v_xa = -1.0\n");
  EXPECT_EQ(p[0].get<double>(), -1);
  EXPECT_NEAR(p[1].get<double>(), 0, 1e-15);
  EXPECT_NEAR(p[2].get<double>(), -turn * by, 1e-14);
  EXPECT_NEAR(p[3].get<double>(), turn * (bx - 3), 1e-14);
  // All are in proportion if another one is given.
  const auto other = velocities("v_xb = 2.0\n");
  EXPECT_EQ(other[2].get<double>(), 2);
  EXPECT_NEAR(other[0].get<double>(), 2 / (turn * by), 1e-14);
  // A pivot that is lifted takes the crank along.
  EXPECT_NEAR(velocities("v_xa = 0.0\n", "--set rate=0.25")[1].get<double>(), 2 * 0.25, 1e-15);
  const test::Ran refused = with("v_ya = 1.0\n").run();
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(test::says(refused, "the start does not satisfy the constraints")) << refused.err;
}

TEST(MechanicsAsWritten, AndNotOneWithAnotherSignInTheCoupling) {
  const auto reference = test::run_json("m.toml", test::OwnModel(double_pendulum(textbook)).folder.string());
  const test::OwnModel other(double_pendulum("lagrangian = \"T - V - 2*m2*l1*l2*v_a*v_b*cos(a - b)\"\n"));
  const auto run = test::run_json("m.toml", other.folder.string());
  EXPECT_GT(std::abs(run["q"][0].get<double>() - reference["q"][0].get<double>()), 1e-3);
}

// p = M v + b, and b comes from a term linear in the velocities, as in a magnetic field.
TEST(MechanicsAsWritten, VelocitiesOfTheStartBecomeMomenta) {
  const ReadModel read = read_model(R"toml([parameters]
B = 0.7
[system]
coordinates = ["x", "y"]
lagrangian = "v_x^2 + v_y^2/2 + v_x*v_y/2 + B*(x*v_y - y*v_x) - y"
[initial]
x = 2.0
y = 3.0
v_x = 0.25
v_y = -1.5
)toml",
                                    "m.toml");
  ASSERT_TRUE(read.model) << text_of(read.errors);
  EXPECT_NEAR(static_cast<double>(read.model->p[0].value), 2 * 0.25 - 0.75 - 0.7 * 3, 1e-15);
  EXPECT_NEAR(static_cast<double>(read.model->p[1].value), -1.5 + 0.125 + 0.7 * 2, 1e-15);
  const FormulaProblem<> problem(*read.model);
  const auto x = problem.start();
  auto v = x.q;
  problem.H_p(x.q, x.p, v);
  EXPECT_NEAR(v[0], 0.25, 1e-14);
  EXPECT_NEAR(v[1], -1.5, 1e-14);
}

// The relativistic H has velocities below 1; one of them belongs to no momentum above it.
TEST(MechanicsAsWritten, VelocitiesOfAGivenHamiltonian) {
  const std::string model =
      "[system]\ncoordinates = [\"x\"]\nhamiltonian = \"sqrt(1 + p_x^2)\"\n[initial]\nv_x = ";
  const ReadModel read = read_model(model + "0.6\n", "m.toml");
  ASSERT_TRUE(read.model) << text_of(read.errors);
  EXPECT_NEAR(static_cast<double>(read.model->p[0].value), 0.75, 1e-15);
  EXPECT_FALSE(read_model(model + "1.5\n", "m.toml").model);
}

// Constant masses are a natural system, however they are written: rattle takes it, with the same bits.
TEST(MechanicsAsWritten, ALagrangianWithConstantMassesIsNatural) {
  const std::string rest =
      "constraints = [\"(x^2 + y^2 - 1)/2\"]\n[initial]\nx = 1.0\nv_y = 0.5\n[run]\nmethod = "
      "\"rattle\"\nstep = 0.05\nsteps = 200\n[quantities]\nspeed = \"sqrt(v_x^2 + v_y^2)\"\n";
  const std::string head = "[system]\ncoordinates = [\"x\", \"y\"]\n";
  const test::OwnModel written(head + "lagrangian = \"v_x^2 + v_y^2 - y\"\n" + rest);
  const test::OwnModel plain(head + "mass = 2.0\npotential = \"y\"\n" + rest);
  const auto a = test::run_json("m.toml", written.folder.string()),
             b = test::run_json("m.toml", plain.folder.string());
  EXPECT_EQ(a["q"], b["q"]);
  EXPECT_EQ(a["p"], b["p"]);
  EXPECT_EQ(a["quantities"], b["quantities"]);
  const double px = b["p"][0], py = b["p"][1];
  EXPECT_NEAR(b["quantities"]["speed"].get<double>(), std::sqrt(px * px + py * py) / 2, 1e-15);
}

// The angles at t = 0.03 that the IVP Test Set gives for Andrews' squeezing mechanism, in its authors' form.
// The published ones are right to 2e-9: an extrapolation method on the equations of motion that the Test Set
// writes out, tests/oracles/squeezing_mechanism.py, ends at the others, and shares no code with taut.
TEST(MechanicsAsWritten, TheSqueezingMechanismHasItsPublishedDigits) {
  const double published[] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                              -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                              1.048080741042263};
  const double independent[] = {15.8107711951526,   -15.7563710584101, 0.0408222401196705, -0.534730116341976,
                                0.5244099658799061, 0.534730116341941, 1.048080741041923};
  const auto run = test::run_json("squeezing-mechanism --step 2.5e-5", "/");
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(run["q"][i].get<double>(), published[i], 2e-9) << i;
    EXPECT_NEAR(run["q"][i].get<double>(), independent[i], 1e-11) << i;
  }
  const auto coarse = test::run_json("squeezing-mechanism --method 'lobatto(2)'", "/");
  EXPECT_GT(std::abs(coarse["q"][0].get<double>() - published[0]), 1e-6);
}

void refused(const std::string& system, const std::string& words, const std::string& start = "v_a = 0.3\n") {
  const ReadModel read = read_model(double_pendulum(system, start), "m.toml");
  EXPECT_FALSE(read.model) << system;
  EXPECT_NE(text_of(read.errors).find(words), std::string::npos) << text_of(read.errors);
}

TEST(MechanicsAsWritten, RefusalsSayWhy) {
  refused("lagrangian = \"v_a^4 + v_b^2 - V\"\n",
          "the lagrangian is not of second degree in the velocities: look at `v_a`");
  refused("lagrangian = \"v_a^2 + v_b*abs(v_b) - V\"\n", "look at `v_b`");
  refused("lagrangian = \"v_a^2 - v_b^2 - V\"\n",
          "not positive definite at the start: look at the velocity of `b`");
  refused("lagrangian = \"v_a^2 - V\"\n", "not positive definite at the start");
  refused("mass = [[1, \"2*cos(a)\"], [\"2*cos(a)\", 1]]\npotential = \"V\"\n",
          "not positive definite at the start");
  refused("mass = [[1, \"cos(a)\"], [\"sin(a)\", 2]]\npotential = \"V\"\n",
          "the mass matrix is not symmetric");
  refused("kinetic = \"T\"\n", "a kinetic energy without a potential");
  refused("lagrangian = \"T - V\"\npotential = \"V\"\n", "`potential` beside a lagrangian");
  refused("lagrangian = \"T - V + p_a\"\n", "the lagrangian uses the momentum `p_a`");
  refused("hamiltonian = \"T + V\"\n", "uses `T`, which has the velocity");
  refused("lagrangian = \"T - V\"\n", "[initial] gives momenta beside velocities", "v_a = 0.3\np_b = 1.0\n");
}

}  // namespace
