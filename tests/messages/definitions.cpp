// The table [definitions]: names for parts of formulas, written out where they are used, and what is wrong
// with one.

#include <taut/model/formula_problem.hpp>
#include <taut/model/model.hpp>
#include <taut/report/drawing.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace taut;

ReadModel read(const std::string& text) { return read_model(text, "model.toml"); }

void refused(const std::string& text, const std::string& message) {
  const ReadModel made = read(text);
  EXPECT_FALSE(made.model);
  EXPECT_EQ(text_of(made.errors), message) << text;
}

const std::string with_names = R"toml([parameters]
L = 2.0
[definitions]
r2 = "x^2 + y^2"
gap = "sqrt(r2) - L"
v2 = "p_x^2 + p_y^2"
[system]
coordinates = ["x", "y"]
hamiltonian = "v2/2 + exp(y/L)*r2"
constraints = ["gap"]
[initial]
x = 2.0
p_y = 0.5
[quantities]
speed = "sqrt(v2) + 0*gap"
)toml";

const std::string without_names = R"toml([parameters]
L = 2.0
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + exp(y/L)*(x^2 + y^2)"
constraints = ["sqrt(x^2 + y^2) - L"]
[initial]
x = 2.0
p_y = 0.5
)toml";

TEST(Definitions, GiveTheProblemThatIsWrittenOut) {
  const ReadModel named = read(with_names), plain = read(without_names);
  ASSERT_TRUE(named.model && plain.model) << text_of(named.errors) << text_of(plain.errors);
  const FormulaProblem<> a(*named.model), b(*plain.model);
  EXPECT_EQ(a.tier(), Tier::natural);
  auto x = a.start();
  x.q << 1.2, -1.7;
  Eigen::VectorXd fa(2), fb(2), ga(1), gb(1);
  a.grad_V(x.q, fa), b.grad_V(x.q, fb);
  a.g(x.q, ga), b.g(x.q, gb);
  EXPECT_EQ(fa, fb);
  EXPECT_EQ(ga, gb);
  EXPECT_EQ(named.model->constraints[0].text, "gap");
  EXPECT_EQ(named.model->definitions.size(), 3);
}

// If definitions were written out wherever their names occur, this formula would have a million parts.
TEST(Definitions, AreWrittenOutOnce) {
  std::string text = "[definitions]\na0 = \"x\"\na1 = \"x + 1\"\n";
  for (int k = 2; k < 30; ++k)
    text += "a" + std::to_string(k) + " = \"sin(a" + std::to_string(k - 1) + ")*a" + std::to_string(k - 2) +
            "\"\n";
  text += "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"a29\"\n";
  const ReadModel made = read(text);
  ASSERT_TRUE(made.model) << text_of(made.errors);
  EXPECT_LT(made.model->potential.nodes.size(), 200);
}

TEST(Definitions, ManyInARowAreRead) {
  std::string text = "[definitions]\na0 = \"x\"\n";
  for (int k = 1; k < 20000; ++k)
    text += "a" + std::to_string(k) + " = \"a" + std::to_string(k - 1) + "/2 + x\"\n";
  text += "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"a19999\"\n";
  EXPECT_TRUE(read(text).model);
}

TEST(Definitions, ErrorsInThem) {
  refused(R"toml([parameters]
L = 1.0
[definitions]
L = "x"
r = "rr + x"
s = "later + lenght"
later = "x"
v = "p_x"
[system]
coordinates = ["x", "y"]
mass = "later"
potential = "r"
constraints = ["v - x"]
[initial]
x = "later"
)toml",
          R"text(model.toml:4:1: the definition `L` has the name of a parameter
   4 | L = "x"
     | ^
model.toml:5:6: unknown name `rr` in the definition `r`
   5 | r = "rr + x"
     |      ^^  known here: x, y, p_x, p_y, v_x, v_y, L.
model.toml:6:6: the definition `s` uses `later`, which comes later
   6 | s = "later + lenght"
     |      ^^^^^  definitions may use those before them
model.toml:6:14: unknown name `lenght` in the definition `s`
   6 | s = "later + lenght"
     |              ^^^^^^  known here: x, y, p_x, p_y, v_x, v_y, L.
model.toml:13:17: constraint 1 uses `v`, which has the momentum `p_x`
  13 | constraints = ["v - x"]
     |                 ^  here coordinates and parameters are allowed
model.toml:15:6: the initial value of `x` uses the definition `later`
  15 | x = "later"
     |      ^^^^^  here only parameters are allowed
)text");
}

TEST(Definitions, AConstraintUsesNoMomentaThroughThem) {
  refused(R"toml([definitions]
v = "p_x"
w = "2*v"
[system]
coordinates = ["x", "y"]
mass = 1
potential = "y"
constraints = ["w - x"]
)toml",
          R"text(model.toml:8:17: constraint 1 uses `w`, which has the momentum `p_x`
   8 | constraints = ["w - x"]
     |                 ^  here coordinates and parameters are allowed
)text");
}

TEST(Definitions, AValueThatIsNotFiniteIsNamed) {
  refused(R"toml([definitions]
u = "1/x"
[system]
coordinates = ["x", "y"]
mass = 1
potential = "y + u"
)toml",
          R"text(model.toml:6:13: `1/x` in the potential is infinite at the start
   6 | potential = "y + u"
     |             ^^^^^^^
)text");
}

TEST(Definitions, ParticlesHaveNone) {
  refused(R"toml([definitions]
u = "1"
[particles]
dimension = 2
count = 1
position = ["0", "0"]
)toml",
          R"text(model.toml:1:2: [definitions] beside [particles]
   1 | [definitions]
     |  ^^^^^^^^^^^  a model is one or the other
)text");
}

// Places of [draw] may be formulas of coordinates, definitions among them.
TEST(Draw, PlacesAreFormulasOfCoordinates) {
  const ReadModel made = read(R"toml([parameters]
L = 2.0
[definitions]
height = "-L*cos(a)"
[system]
coordinates = ["a"]
mass = "L^2"
potential = "height"
[initial]
a = 0.5
[draw]
bodies = [["L*sin(a)", "height"], ["a", 1]]
anchors = [[0, 0]]
links = [[0, 2]]
)toml");
  ASSERT_TRUE(made.model) << text_of(made.errors);
  const Drawing drawing = find_drawing(drawing_hints(*made.model), {{0.5}});
  std::vector<float> places;
  const std::vector<double> q{0.5}, p{0};
  drawing.put(q, p, places);
  ASSERT_EQ(places.size(), 4);
  EXPECT_FLOAT_EQ(places[0], static_cast<float>(2 * std::sin(0.5)));
  EXPECT_FLOAT_EQ(places[1], static_cast<float>(-2 * std::cos(0.5)));
  EXPECT_FLOAT_EQ(places[2], 0.5F);
  EXPECT_FLOAT_EQ(places[3], 1.0F);
}

}  // namespace
