// Models written as formulas, run by the program: every example, what the options replace, and the messages
// for a broken file.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/run_json.hpp"

namespace {

using nlohmann::json;
using taut::test::lines_of;
using taut::test::OwnFolder;
using taut::test::read_text;
using taut::test::run_json;
using taut::test::run_taut;

const std::filesystem::path examples = std::filesystem::path(TAUT_SOURCE_DIR) / "examples";

std::string example(const std::string& name) { return "'" + (examples / (name + ".toml")).string() + "'"; }

// A file with a text of its own.
struct OwnModel {
  explicit OwnModel(const std::string& text) { std::ofstream(folder / "m.toml") << text; }
  OwnFolder folder;
  json run(const std::string& options = "") const { return run_json("m.toml " + options, folder.string()); }
  taut::test::Ran refused(const std::string& options = "") const {
    const auto ran = run_taut("run m.toml " + options, folder.string());
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_EQ(ran.out, "") << options;
    return ran;
  }
};

const std::string pendulum = R"([parameters]
L = 1.0
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - L^2)/2"]
[initial]
x = "L"
[run]
step = 0.05
until = 5.0
)";

TEST(Models, ShowPrintsABundledModelAndItsFilesAsAStartForOnesOwn) {
  const OwnFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    const std::string name =
        entry.path().extension() == ".toml" ? entry.path().stem().string() : entry.path().filename().string();
    if (name.ends_with(".cpp")) continue;
    EXPECT_EQ(run_taut("show " + name, folder.string()).out, read_text(entry.path())) << name;
  }
  const auto named = run_taut("show c60", folder.string());
  EXPECT_EQ(named.status, 0);
  EXPECT_EQ(named.err,
            "taut: the model reads the file c60.pdb; `taut show c60.pdb > c60.pdb` puts it beside a copy.\n");
  EXPECT_EQ(
      run_taut("show pendulum > m.toml && '" TAUT_PROGRAM "' run m.toml --steps 5", folder.string()).err, "");
  const auto unknown = run_taut("show pendulun", folder.string());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err,
            "taut: there is no file, folder or bundled model pendulun. Did you mean `pendulum`?\n");
}

TEST(Models, BundledModelsWriteNothingUnasked) {
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    if (entry.path().extension() != ".toml") continue;
    const OwnFolder folder;
    EXPECT_EQ(run_taut("run " + entry.path().stem().string() + " --steps 2", folder.string()).status, 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.string())) << entry.path();
  }
}

// The energy of these oscillates with slow beats. It does not drift, as runs ten times as long show.
TEST(Models, SlowBeatsOfTheEnergyAreNoDrift) {
  for (const char* run : {"spherical-pendulum", "torus-in-magnetic-field --steps 4000",
                          "n-link-pendulum --steps 4000", "heavy-top --steps 200"})
    EXPECT_EQ(run_taut(std::string("run ") + run).out.find("(beyond its error bar"), std::string::npos)
        << run;
  EXPECT_NE(run_taut("run pendulum --method 'bdf(2)' --until 200").out.find("(beyond its error bar"),
            std::string::npos);
}

// H moves by 9e-4 here, so it cannot have drifted by more than twice that, whatever few blocks of it say.
TEST(Models, TheBarOfADriftIsNoLongerThanHMoved) {
  const json energy = run_json("pendulum --steps 200", "/")["energy"], drift = energy["drift"];
  EXPECT_LE(drift["error"].get<double>(),
            2 * energy["max_error"].get<double>() + std::abs(drift["total"].get<double>()) + 1e-18);
}

TEST(Models, EveryExampleRuns) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(examples)) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    // The output directory of a file is relative to the working directory.
    const OwnFolder folder;
    const json run = run_json("'" + entry.path().string() + "' --steps 50", folder.string());
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(run["steps"], 50) << name;
    EXPECT_LT(run["residual"]["position_max"], 1e-13) << name;
    EXPECT_LT(run["residual"]["momentum_max"], 1e-13) << name;
    EXPECT_LT(run["energy"]["max_error"], 0.05 * std::max(1.0, static_cast<double>(run["q"].size()) / 20))
        << name;
    EXPECT_EQ(run["q"].size(), run["p"].size()) << name;
  }
  EXPECT_GE(count, 15);
}

TEST(Models, ABundledModelIsTheExample) {
  const json file = run_json(example("pendulum") + " --steps 200", "/"),
             bundled = run_json("pendulum --steps 200", "/");
  EXPECT_EQ(file["model"], bundled["model"]);
  EXPECT_EQ(file["q"], bundled["q"]);
}

TEST(Models, OptionsReplaceWhatTheFileSays) {
  const OwnModel model(pendulum);
  EXPECT_EQ(model.run()["model"], "m.toml");
  EXPECT_EQ(model.run()["method"], "rattle");
  EXPECT_EQ(model.run()["steps"], 100);
  EXPECT_EQ(model.run("--until 1")["steps"], 20);
  EXPECT_EQ(model.run("--steps 7 --step 0.1")["time"], 7 * 0.1);
  EXPECT_EQ(model.run("--method 'lobatto(3)'")["method"], "lobatto(3)");
  EXPECT_DOUBLE_EQ(model.run("--steps 0 --set L=2*3")["q"][0], 6);
  EXPECT_EQ(model.run("--set run.steps=3")["steps"], 3);
  const json weak =
      model.run("--method rk4 --formulation dirac-weak --projection both --projection-tolerance 1e-9");
  EXPECT_EQ(weak["formulation"], "dirac-weak");
  EXPECT_EQ(weak["projection"], "both");
  EXPECT_GT(weak["projections"]["position"], 0);
  EXPECT_NEAR(model.run("--set x=0.9 --project-start --steps 0")["start_moved"]["q"], 0.1, 1e-12);
}

TEST(Models, TheFileMayNameFormulationAndProjection) {
  const OwnModel model(pendulum +
                       "method = \"rk4\"\nformulation = \"dirac\"\nprojection = { kind = \"momentum\" }\n");
  const json run = model.run();
  EXPECT_EQ(run["method"], "rk4");
  EXPECT_EQ(run["formulation"], "dirac");
  EXPECT_EQ(run["projections"], (json{{"position", 0}, {"momentum", 100}}));
  EXPECT_FALSE(model.run("--method rattle").contains("formulation"));  // rattle takes none
  EXPECT_EQ(model.run("--formulation state-space")["formulation"], "state-space");
}

TEST(Models, AFreeSystemRuns) {
  const OwnModel model(
      "[system]\ncoordinates = [\"x\"]\nmass = 1.0\npotential = \"x^2/2\"\n[initial]\nx = 1.0\n");
  for (const char* method : {"rattle", "'lobatto(3)'", "midpoint"})
    EXPECT_LT(model.run(std::string("--steps 100 --method ") + method)["energy"]["max_error"], 1e-4)
        << method;
}

TEST(Models, FilesGoWhereTheFileSaysOrTheOption) {
  const OwnModel model(pendulum + "every = 10\n[output]\ndirectory = \"kept\"\n");
  model.run();
  const auto rows = lines_of(read_text(model.folder / "kept/samples.csv"));
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0], "t,x,y,p_x,p_y,energy,position_residual,momentum_residual");
  EXPECT_EQ(json::parse(read_text(model.folder / "kept/summary.json"))["steps"], 100);
  std::filesystem::remove_all(model.folder / "kept");
  model.run("--out other");
  EXPECT_TRUE(std::filesystem::exists(model.folder / "other/samples.csv"));
  EXPECT_FALSE(std::filesystem::exists(model.folder / "kept"));
}

TEST(Models, QuantitiesAreFormulasOfASample) {
  const OwnModel model(pendulum + R"([quantities]
L = "x*p_y - y*p_x"
H = "(p_x^2 + p_y^2)/2 + y"
tension = "lambda_1*L0"
seconds = "t"
[output]
quantities = ["multipliers"]
)");
  const auto unknown = model.refused();
  EXPECT_NE(unknown.err.find("unknown name `L0` in the quantity `tension`"), std::string::npos)
      << unknown.err;
  EXPECT_NE(unknown.err.find("known here: x, y, p_x, p_y, v_x, v_y, L, t, lambda_1."), std::string::npos)
      << unknown.err;
  const auto clash = model.refused("--set quantities.energy=1 --set quantities.x=1");
  EXPECT_NE(clash.err.find("samples have another column `energy`"), std::string::npos) << clash.err;
  EXPECT_NE(clash.err.find("the quantity `x` has the name of a coordinate"), std::string::npos) << clash.err;
}

TEST(Models, AnEquationOrAnInequalityIsAnsweredWithWhatToWrite) {
  const std::string equation = OwnModel(pendulum).refused("--set 'quantities.a=x = y'").err;
  EXPECT_NE(equation.find("only a constraint may be an equation, with one `=`"), std::string::npos)
      << equation;
  const std::string contact = OwnModel(pendulum).refused("--set 'quantities.a=y > 0'").err;
  EXPECT_NE(contact.find("inequalities, such as those of contact, are out of scope"), std::string::npos)
      << contact;
}

TEST(Models, QuantitiesAreInSamplesAndSummary) {
  const OwnModel model(pendulum + "[quantities]\nspin = \"x*p_y - y*p_x\"\n");
  const json run = model.run("--quantity 'tension=lambda_1*L' --quantity 'when=2*t' --out out --every 20");
  const double x = run["q"][0], y = run["q"][1], px = run["p"][0], py = run["p"][1];
  EXPECT_EQ(run["quantities"]["spin"], x * py - y * px);
  EXPECT_EQ(run["quantities"]["tension"], run["lambda"][0]);
  EXPECT_EQ(run["quantities"]["when"], 10);
  const auto csv = lines_of(read_text(model.folder / "out/samples.csv"));
  EXPECT_EQ(csv.front(), "t,x,y,p_x,p_y,energy,position_residual,momentum_residual,spin,tension,when");
  EXPECT_TRUE(csv.back().ends_with(",10")) << csv.back();
  EXPECT_NE(run_taut("run m.toml", model.folder.string()).out.find("  quantity  spin = "), std::string::npos);
}

TEST(Models, AQuantityHasNotTheNameOfABlockOfColumns) {
  for (const std::string name : {"q", "p", "lambda", "residual"}) {
    const OwnModel model(pendulum + "[quantities]\n" + name + " = \"x*p_y\"\n");
    const std::string err = model.refused().err;
    EXPECT_NE(err.find("samples have another column `" + name + "`"), std::string::npos) << err;
  }
}

TEST(Models, ATimeThatTheRunDoesNotComeToIsNamed) {
  const auto ran = run_taut("run pendulum --step 0.1 --until 1 --at 5,0.5,-1", "/");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "taut: the run goes from t = 0 to 1: there is no state at t = 5, -1, which `at` asks for.\n");
  EXPECT_NE(ran.out.find("at        t = 0.5:"), std::string::npos) << ran.out;
  const auto last = run_taut("run pendulum --step 0.3 --steps 7 --at 2.1", "/");  // 7*0.3 is less than 2.1
  EXPECT_EQ(last.err, "");
  EXPECT_NE(last.out.find("at        t = 2.1:"), std::string::npos) << last.out;
}

TEST(Models, AllErrorsOfABrokenFileComeAtOnce) {
  const OwnModel model(
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"yy\"\n"
      "constraints = [\"(x^2 + y^2 - L0^2)/2\"]\n");
  const std::string err = model.refused().err;
  EXPECT_TRUE(
      err.starts_with("m.toml:4:14: unknown name `yy` in the potential\n"
                      "   4 | potential = \"yy\"\n"
                      "     |              ^^"))
      << err;
  EXPECT_NE(err.find("m.toml:5:30: unknown name `L0` in constraint 1\n"), std::string::npos) << err;
}

TEST(Models, AMethodThatIsNoneIsShownInTheFile) {
  const OwnModel model(pendulum + "method = \"ratle\"\n");
  const std::string err = model.refused().err;
  EXPECT_TRUE(
      err.starts_with("m.toml:13:10: there is no method 'ratle'. Did you mean `rattle`?\n"
                      "  13 | method = \"ratle\"\n"))
      << err;
  EXPECT_EQ(model.refused("--method rattle --step 0").err.substr(0, 7), "--step:");
}

TEST(Models, AStartOffTheManifoldIsRefused) {
  const OwnModel model(pendulum);
  EXPECT_EQ(model.refused("--set x=0.9").err,
            "taut: m.toml: the start does not satisfy the constraints.\n"
            "  max |g(q)| = 9.5e-02, largest in: constraint 1 ((x^2 + y^2 - L^2)/2).\n"
            "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.\n");
}

}  // namespace
