// Uniform bars as a table: the period of a physical pendulum by the elliptic integral, the same motion as
// with the masses written out, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/own_model.hpp"

namespace {

using namespace taut;
using test::OwnModel;
using test::run_json;

// A bar of length L that hangs from one end is a pendulum with ω² = 3g/(2L); from the horizontal it takes
// K(sin 45°)/ω to the lowest point. A point mass at the end would have ω² = g/L, one in the middle 2g/L.
TEST(UniformBars, APhysicalPendulumHasThePeriodOfTheEllipticIntegral) {
  const OwnModel model(R"toml([parameters]
L = 2.0
g = 9.81
[system]
coordinates = ["x", "y"]
[[bars]]
between = [[0, 0], ["x", "y"]]
mass = 3.0
length = "L"
gravity = [0, "-g"]
[initial]
x = "L"
[run]
method = "lobatto(6)"
step = 0.02
until = 3.0
)toml");
  const auto run = run_json("m.toml --event 'when=x'", model.folder.string());
  const double quarter = 1.8540746773013719 / std::sqrt(1.5 * 9.81 / 2);
  ASSERT_GE(run["events"].size(), 2U);
  EXPECT_NEAR(run["events"][0]["time"].get<double>(), quarter, 1e-12);
  EXPECT_NEAR(run["events"][1]["time"].get<double>(), 3 * quarter, 1e-12);
}

const std::string chain = R"toml(coordinates = ["x1", "y1", "x2", "y2"]
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 4)/2"]
)toml";
const std::string start = R"toml([initial]
x1 = 1.0
x2 = 1.0
y2 = 2.0
[run]
method = "lobatto(3)"
step = 0.02
until = 2.0
)toml";
const std::string bars = R"toml([[bars]]
between = [[0, 0], ["x1", "y1"]]
mass = 3.0
[[bars]]
between = [["x1", "y1"], ["x2", "y2"]]
mass = "2*3"
)toml";

// The masses 3/3 + 6/3 and 6/3, 6/6 between them, and a point mass of 1/2 at the end.
TEST(UniformBars, AreTheMassesThatTheyMean) {
  const OwnModel by_bars("[system]\n" + chain + "potential = \"y1 + y2\"\nmass = [0, 0, 0.5, 0.5]\n" + bars +
                         start);
  const OwnModel written("[system]\n" + chain +
                         "potential = \"y1 + y2\"\nmass = [[3, 0, 1, 0], [0, 3, 0, 1], [1, 0, 2.5, 0], "
                         "[0, 1, 0, 2.5]]\n" +
                         start);
  const OwnModel kinetic("[system]\n" + chain +
                         "potential = \"y1 + y2\"\nkinetic = \"(v_x2^2 + v_y2^2)/4\"\n" + bars + start);
  const OwnModel lagrangian("[system]\n" + chain + "lagrangian = \"(v_x2^2 + v_y2^2)/4 - y1 - y2\"\n" + bars +
                            start);
  const auto expected = run_json("m.toml", written.folder.string());
  for (const OwnModel* one : {&by_bars, &kinetic, &lagrangian}) {
    const auto run = run_json("m.toml", one->folder.string());
    for (const char* part : {"q", "p"})
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(run[part][i].get<double>(), expected[part][i].get<double>(), 1e-12) << part << i;
  }
  // rattle takes them too, and the page draws them: from the point at rest, which comes behind the bodies.
  const test::Ran page =
      test::run_taut("run m.toml --method rattle --report page.html", by_bars.folder.string());
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_NE(test::read_text((by_bars.folder / "page.html").string()).find("\"links\":[[2,0],[0,1]]"),
            std::string::npos);
}

TEST(UniformBars, RefuseInWordsWhatTheyAreNotFor) {
  const auto refused = [](const std::string& system, const std::string& bar) {
    const test::Ran ran = OwnModel("[system]\ncoordinates = [\"x\", \"y\"]\n" + system + "[[bars]]\n" + bar +
                                   "[initial]\nx = 1.0\n[run]\nstep = 0.1\n")
                              .run();
    EXPECT_EQ(ran.status, 2) << bar;
    return ran.err;
  };
  const std::string good = "between = [[0, 0], [\"x\", \"y\"]]\n";
  const auto has = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), text.npos) << text;
  };
  has(refused("", good + "mass = -1\n"), "the mass of bar 1 is -1");
  has(refused("", good), "bar 1 has no `mass`");
  has(refused("", good + "mass = 1\nradius = 2\n"), "unknown key `radius` in [[bars]]");
  has(refused("", "between = [[0, 0], [\"2*x\", \"y\"]]\nmass = 1\n"), "write its energy into `kinetic`");
  has(refused("", "between = [[0, 0], [1, 0]]\nmass = 1\n"), "has no coordinate at its ends");
  has(refused("", "between = [[0, 0], [\"x\"]]\nmass = 1\n"), "must be two points");
  has(refused("", good + "mass = 1\ngravity = 9.81\n"), "must be a list of 2 components");
  has(refused("hamiltonian = \"p_x^2 + p_y^2\"\n", good + "mass = 1\n"), "[[bars]] beside a hamiltonian");
}

}  // namespace
