// Greek letters as names: a model with θ and φ is the model with other names, on every way through the
// program.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/own_model.hpp"
#include "support/run_program.hpp"

namespace {

using namespace taut::test;

const std::string in_greek = R"toml(title = "Spherical pendulum in angles, θ from below"
[parameters]
ω = 1.5
"λ_0" = "ω^2"
[definitions]
ρ = "sin(θ)"
[system]
coordinates = ["θ", "φ", "s"]
lagrangian = "(v_θ^2 + ρ^2*v_φ^2 + v_s^2)/2 + λ_0*cos(θ)"
constraints = ["s - θ/2"]
[initial]
θ = "π/3"
s = "pi/6"
v_φ = 0.7
[quantities]
Λ = "ρ^2*v_φ"
[run]
method = "lobatto(2)"
step = 0.05
steps = 200
)toml";

std::string in_latin() {
  std::string text = in_greek;
  const std::pair<std::string, std::string> names[] = {{"ω", "omega"}, {"\"λ_0\"", "l0"}, {"λ_0", "l0"},
                                                       {"ρ", "rho"},   {"θ", "a"},        {"φ", "b"},
                                                       {"π", "pi"},    {"Λ", "L"}};
  for (const auto& [from, to] : names)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

struct Models {
  OwnFolder folder;  // cases run at the same time, each in a process of its own
  std::string greek = (folder / "greek.toml").string(), latin = (folder / "latin.toml").string();
  Models() {
    std::ofstream(greek) << in_greek;
    std::ofstream(latin) << in_latin();
  }
};

TEST(GreekNames, GiveTheSameMotionByEveryBackend) {
  const Models models;
  for (const char* more : {"--backend interpret", "--backend compile", "--backend specialise"}) {
    const Ran one = run_taut("run " + models.greek + " --json --set ω=2 --quantity 'σ=θ*ω' " + more),
              other = run_taut("run " + models.latin + " --json --set omega=2 --quantity 'sigma=a*omega' " +
                               more);
    ASSERT_EQ(one.status, 0) << one.err;
    ASSERT_EQ(other.status, 0) << other.err;
    const auto a = nlohmann::json::parse(one.out), b = nlohmann::json::parse(other.out);
    EXPECT_EQ(a["q"], b["q"]);
    EXPECT_EQ(a["p"], b["p"]);
    EXPECT_EQ(a["quantities"]["Λ"], b["quantities"]["L"]);
    EXPECT_EQ(a["quantities"]["σ"].get<double>(), 2 * a["q"][0].get<double>());
  }
}

TEST(GreekNames, StandInColumnsReportsAndEnsembles) {
  const Models models;
  const std::string out = (models.folder / "out").string(), page = (models.folder / "page.html").string();
  const Ran ran = run_taut("run " + models.greek + " --out " + out + " --format csv --report " + page);
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::ifstream csv(out + "/samples.csv");
  std::string columns;
  std::getline(csv, columns);
  for (const char* name : {"θ", "φ", "p_θ", "p_φ", "Λ"})
    EXPECT_NE(("," + columns + ",").find("," + std::string(name) + ","), std::string::npos) << columns;
  EXPECT_NE(read_text(page).find("v_θ^2"), std::string::npos);
  const Ran many =
      run_taut("ensemble " + models.greek +
               " --size 3 --vary 'θ = linspace(1, 1.2, 3)' --vary 's = linspace(0.5, 0.6, 3)' --json");
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_EQ(run_taut("check " + models.greek).status, 0);
}

TEST(GreekNames, AreWordsInEmittedCode) {
  const Models models;
  const std::string header = (models.folder / "greek.hpp").string();
  const Ran ran = run_taut("compile " + models.greek + " --emit " + header + " --name Greek");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string text = read_text(header);
  for (const char c : text) ASSERT_GT(c, 0) << text;  // all of it is ASCII
  EXPECT_NE(text.find("q[0]  theta"), std::string::npos) << text;
  EXPECT_EQ(run_taut("compile " + models.greek + " --emit " + header + " --name ΣGreek").status, 2);
}

TEST(GreekNames, MistakesPointAtThem) {
  const Models models;
  const Ran ran = run_taut("run " + models.greek + " --quantity 'e=θ + ψ'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("unknown name `ψ`"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("Did you mean"), std::string::npos) << ran.err;  // no other letter is near
  EXPECT_EQ(run_taut("run " + models.greek + " --set ωo=1").status, 2);
  EXPECT_NE(run_taut("run " + models.greek + " --set ωo=1").err.find("Did you mean `ω`"), std::string::npos);
}

// A letter that only looks like one of names is named, wherever it stands.
TEST(GreekNames, LookAlikesAreNamed) {
  const auto said = [](const std::string& parameter, const std::string& potential) {
    return OwnModel("[parameters]\n" + parameter +
                    " = 1\n[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"" + potential +
                    "\"\n[run]\nstep = 0.1\nsteps = 1\n")
        .run("");
  };
  const std::string omicron =
                        "`\u03BF` is Greek and looks like `o`, which is the letter of names: write that one",
                    micro = "`\u00B5` is the sign of micro and looks like `\u03BC`, which is the letter";
  for (const Ran& ran : {said("\u03BF", "0"), said("\"\u03BF_1\"", "0"), said("o", "x*\u03BF")}) {
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.err.find(omicron), std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find("Greek ones too"), std::string::npos) << ran.err;
  }
  EXPECT_NE(said("\u03BC", "\u00B5*x").err.find(micro), std::string::npos);
  EXPECT_EQ(said("\u03BC", "\u03BC*x").status, 0);
}

}  // namespace
