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

// A range may begin or end where an index before it says: each pair once, without a list of them.
TEST(MechanicsAsWritten, RangesOfIndicesMayDependOnEachOther) {
  const auto run = [](const std::string& springs) {
    return test::run_json("m.toml", test::OwnModel(R"toml([particles]
dimension = 3
count = 4
mass = 1.0
position = ["i", "0.1*i^2", "0"]
[[springs]]
length = 0.5
stiffness = 1.0
)toml" + springs + "[run]\nstep = 0.05\nsteps = 20\n")
                                        .folder.string());
  };
  const auto listed = run("between = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]\n");
  EXPECT_EQ(run("between = [\"i\", \"j\"]\nfor = \"i in 0..2, j in i+1..3\"\n")["q"], listed["q"]);
  EXPECT_EQ(run("between = [\"i\", \"j\"]\nfor = \"i in 0..3, j in i+1..3\"\n")["q"], listed["q"]);
  EXPECT_NE(run("between = [\"i\", \"j\"]\nfor = \"i in 0..2, j in i+1..i+1\"\n")["q"], listed["q"]);
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

// The time may stand on one side of an equation alone, through a definition too.
TEST(MechanicsAsWritten, AnEquationMayHaveTheTimeOnItsRight) {
  for (const char* right : {"0.3*sin(t)", "drive", "across[1]"}) {
    const auto run = test::run_json(
        "m.toml", test::OwnModel(std::string("[definitions]\ndrive = \"0.3*sin(t)\"\nacross = "
                                             "\"[drive, 0]\"\n[system]\ncoordinates = [\"x\"]\nmass = "
                                             "1.0\npotential = \"0\"\nconstraints = [\"x = ") +
                                 right + "\"]\n[initial]\nv_x = 0.3\n[run]\nstep = 0.1\nuntil = 2\n")
                      .folder.string());
    ASSERT_EQ(run["q"].size(), 1U);
    EXPECT_NEAR(run["q"][0].get<double>(), 0.3 * std::sin(2.0), 1e-15) << right;
  }
}

// Bricard's mechanism has 24 equations on 24 coordinates, of which 23 are independent.
TEST(MechanicsAsWritten, RedundantConstraintsAreSolvedOnRequest) {
  const test::Ran refused = test::run_taut("run bricard --set run.redundant=refuse");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(test::says(refused, "20 constraints on 20 coordinates")) << refused.err;
  const auto run = test::run_json("bricard --until 2", "/");
  EXPECT_LE(run["residual"]["position_max"].get<double>(), 1e-14);
  EXPECT_LE(run["residual"]["momentum_max"].get<double>(), 1e-13);
  EXPECT_LE(run["energy"]["max_error"].get<double>(), 0.15);
  EXPECT_FALSE(run.contains("smallest_pivot")) << "they are dependent everywhere";
  const auto exact = test::run_json("bricard --until 2 --method kahan-li8 --step 0.01", "/"),
             other = test::run_json("bricard --until 2 --method 'lobatto(4)' --step 0.01", "/");
  EXPECT_LE(exact["energy"]["max_error"].get<double>(), 1e-4);
  double moved = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(exact["q"][i].get<double>(), other["q"][i].get<double>(), 1e-5) << i;
    EXPECT_NEAR(exact["lambda"][i].get<double>(), other["lambda"][i].get<double>(), 1e-2) << i;
    moved = std::max(moved, std::abs(run["q"][i].get<double>() - (i == 0 ? 1 : 0)));
  }
  EXPECT_GT(moved, 0.1);
  // A constraint twice makes half the force each, and the motion of one.
  const auto pendulum = [](const std::string& constraints) {
    return test::run_json("m.toml", test::OwnModel("[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\n"
                                                   "potential = \"y\"\nconstraints = [" +
                                                   constraints +
                                                   "]\n[initial]\nx = 1.0\n[run]\nstep = 0.05\n"
                                                   "until = 5.0\nredundant = \"least-squares\"\n")
                                        .folder.string());
  };
  const auto one = pendulum("\"x^2 + y^2 = 1\""), two = pendulum("\"x^2 + y^2 = 1\", \"1 = x^2 + y^2\"");
  EXPECT_NEAR(one["q"][0].get<double>(), two["q"][0].get<double>(), 1e-13);
  EXPECT_NEAR(two["lambda"][0].get<double>(), one["lambda"][0].get<double>() / 2, 1e-12);
  EXPECT_NEAR(two["lambda"][1].get<double>(), -one["lambda"][0].get<double>() / 2, 1e-12);
}

// A square has no gradient where it is zero. Whichever constraint comes first, its direction is noise, and
// makes no force.
TEST(MechanicsAsWritten, RedundantSquaresAreLeftOutOrNamed) {
  const auto model = [](const std::string& constraints) {
    return test::OwnModel(
        "[system]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = 1.0\npotential = \"y\"\n"
        "constraints = [" +
        constraints +
        "]\n[initial]\nx = 1.0\n[run]\nstep = 0.05\nuntil = 5.0\n"
        "redundant = \"least-squares\"\n");
  };
  const std::string circle = "\"(x^2 + y^2 - 1)/2\"", square = "\"(sqrt(x^2 + y^2) - 1)^2*exp(x)\"";
  const auto plain = test::run_json("m.toml", model(circle).folder.string());
  const test::OwnModel first = model(square + ", " + circle);
  for (const std::string options : {"", " --solver sweep"}) {
    const auto before = test::run_json("m.toml" + options, first.folder.string()),
               after = test::run_json("m.toml" + options, model(circle + ", " + square).folder.string());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(before["q"][i].get<double>(), plain["q"][i].get<double>(), 1e-12) << options << i;
      EXPECT_NEAR(after["q"][i].get<double>(), plain["q"][i].get<double>(), 1e-12) << options << i;
    }
  }
  const test::Ran refused = test::run_taut("run m.toml --method 'lobatto(3)'", first.folder.string());
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(test::says(refused, "constraint 1 ((sqrt(x^2 + y^2) - 1)^2*exp(x)) has no gradient"))
      << refused.err;
  const test::Ran long_step = test::run_taut("run bricard --step 2 --steps 20");
  EXPECT_EQ(long_step.status, 1);
  EXPECT_FALSE(test::says(long_step, "above 1e13")) << long_step.err;
  EXPECT_TRUE(test::says(long_step, "the step is too long")) << long_step.err;
}

TEST(MechanicsAsWritten, ReactionsAreTheForcesOfSingleConstraints) {
  const auto run = test::run_json("double-pendulum --until 2 --set 'output.quantities=[\"reactions\"]'", "/");
  const auto& q = run["q"];
  const auto& lambda = run["lambda"];
  const auto of = [&](const char* name) { return run["quantities"][name].get<double>(); };
  // Each rod pulls along itself, and the lower one on both bodies.
  const double dx = q[2].get<double>() - q[0].get<double>(), dy = q[3].get<double>() - q[1].get<double>();
  EXPECT_NEAR(of("reaction_1_x1") * q[1].get<double>(), of("reaction_1_y1") * q[0].get<double>(), 1e-13);
  EXPECT_NEAR(of("reaction_2_x1"), -of("reaction_2_x2"), 1e-13);
  EXPECT_NEAR(of("reaction_2_x2") * dy, of("reaction_2_y2") * dx, 1e-13);
  EXPECT_FALSE(run["quantities"].contains("reaction_1_x2"));
  EXPECT_NE(lambda[0].get<double>(), 0);
}

TEST(MechanicsAsWritten, VectorsMeanTheirComponents) {
  std::string text = double_pendulum("lagrangian = \"m1*dot(v1, v1)/2 + m2*norm(v2)^2/2 - V\"\n");
  const std::string vectors = R"toml(upper = ["l1*sin(a)", "-l1*cos(a)"]
lower = "upper + l2*[sin(b), -cos(b)]"
v1 = "l1*v_a*[cos(a), sin(a)]"
v2 = ["v1[1] + l2*v_b*cos(b)", "v1[2] + l2*v_b*sin(b)"]
turn = [["cos(b)", "-sin(b)"], ["sin(b)", "cos(b)"]]
idle = ["1/(a - 1)", "a"]
[system]
)toml";
  text.replace(text.find("[system]\n"), 9, vectors);
  text += R"toml([quantities]
momentum = "m1*cross(upper, v1) + m2*cross(lower, v2)"
one = "dot(transpose(turn)*(turn*upper), upper)/l1^2"
same = "norm(turn*lower) - norm(lower)"
triple = "dot(cross([a, b, 1], [b, a, 2]), [a, b, 1])"
second = "idle[2]/a"
first = "(turn*turn)[1][2] + 2*cos(b)*sin(b)"
)toml";
  const auto reference = test::run_json("m.toml", test::OwnModel(double_pendulum(textbook)).folder.string());
  const auto run = test::run_json("m.toml", test::OwnModel(text).folder.string());
  for (const char* part : {"q", "p"})
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(run[part][i].get<double>(), reference[part][i].get<double>(), 1e-13) << part << i;
  const auto quantity = [&](const char* name) { return run["quantities"][name].get<double>(); };
  const double p = run["p"][0].get<double>() + run["p"][1].get<double>();
  EXPECT_NEAR(quantity("momentum"), p, 1e-13);
  EXPECT_NEAR(quantity("one"), 1, 1e-15);
  EXPECT_NEAR(quantity("same"), 0, 1e-15);
  EXPECT_NEAR(quantity("triple"), 0, 1e-15);
  EXPECT_NEAR(quantity("second"), 1, 0);
  EXPECT_NEAR(quantity("first"), 0, 1e-15);
}

TEST(MechanicsAsWritten, VectorsWhereNumbersAreWantedAreRefused) {
  const auto refused = [](const std::string& formula, const std::string& words) {
    const test::Ran ran = test::OwnModel(R"toml([definitions]
r = "[x, y, 0]"
M = [["x", 0], [0, "y"]]
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = ")toml" + formula + "\"\n[initial]\nx = 1\n[run]\nstep = 0.1\nsteps = 1\n")
                              .run();
    EXPECT_EQ(ran.status, 2) << formula;
    EXPECT_TRUE(test::says(ran, words)) << ran.err;
  };
  refused("r", "the potential is a vector of 3");
  refused("2*r", "the potential is a vector of 3");
  refused("r + 1", "a vector of 3 and a number cannot be added");
  refused("r*r", "there are dot(a, b) and cross(a, b)");
  refused("r^2", "cannot be a power");
  refused("sin(r)", "is of a vector of 3, and of numbers only");
  refused("r[4]", "a whole number from 1 to 3");
  refused("r[x]", "a whole number from 1 to 3");
  refused("x[1]", "is a component of a number");
  refused("dot(r, [x, y])", "is of two vectors of one size");
  refused("dot(r)", "takes two arguments");
  refused("cross(r, M)", "is of two vectors of 3, or of 2");
  refused("norm(M*r)", "cannot be multiplied");
  refused("norm([x, [y, x]])", "the parts of this list");
  refused("norm([x, y)", "is never closed");
  refused("norm([x, y", "is never closed");
  refused("norm([])", "follows");
  refused("dot(q, r)", "is of two vectors");
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
