// The three backends as a user meets them: the same trajectory on every example, and one line if the wanted
// one is not available.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "support/in_full.hpp"
#include "support/run_program.hpp"

namespace {

using nlohmann::json;
using taut::test::OwnFolder;
using taut::test::Ran;
using taut::test::read_text;

// Each case has a cache of its own, so that every object is made from the present source tree.
class Backends : public ::testing::Test {
 protected:
  Backends() {
    setenv("XDG_CACHE_HOME", cache_.string().c_str(), 1);
    unsetenv("TAUT_INCLUDE");
  }
  // Runs the program; `before` holds assignments for the shell, such as PATH=.
  Ran run(const std::string& arguments, const std::string& before = "") const {
    const std::string out = (cache_ / "out").string(), err = (cache_ / "err").string();
    const int status = std::system(
        (before + " '" TAUT_PROGRAM "' " + arguments + " >'" + out + "' 2>'" + err + "'").c_str());
    return {read_text(out), read_text(err), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  }
  json run_json(const std::string& arguments) const {
    const Ran ran = run("run " + arguments + " --json");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.status == 0 ? json::parse(ran.out) : json();
  }
  OwnFolder cache_;
};

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& file : taut::test::system_examples())
    names.push_back(std::filesystem::path(file.path).stem().string());
  return names;
}

class EveryExample : public Backends, public ::testing::WithParamInterface<std::string> {};

// A step takes five seconds to specialise, so that three examples are (one constraint and a Hamiltonian of
// its own, two constraints, a rigid body), and all of them in the long form of the test.
bool is_specialised(const std::string& example) {
  return taut::test::in_full() || example == "charged-particle" || example == "double-pendulum" ||
         example == "rigid-body";
}

// Each example runs with its own method and step. Compiled formulas give the interpreter's bits; the
// specialised step sums in another order, and two hundred steps let that grow by less than a factor of a
// hundred on any example.
TEST_P(EveryExample, HasOneTrajectory) {
  const std::string example = "'" TAUT_SOURCE_DIR "/examples/" + GetParam() + ".toml' --steps 200 --backend ";
  if (GetParam() == "ellipsoid-billiard") {  // its steps begin anew where an event reflects them
    const Ran refused = run("run " + example + "specialise");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("needs a step that is not specialised"), std::string::npos) << refused.err;
    return;
  }
  const json interpreted = run_json(example + "interpret"), compiled = run_json(example + "compile");
  for (const char* key : {"q", "p", "lambda", "energy"}) EXPECT_EQ(compiled[key], interpreted[key]) << key;
  if (GetParam() == "bricard") {  // one of its constraints follows from the others
    const Ran ran = run("run " + example + "specialise --json");
    EXPECT_NE(ran.err.find("redundant constraints are solved by the interpreter's step"), ran.err.npos);
    EXPECT_EQ(json::parse(ran.out)["q"], interpreted["q"]);
    return;
  }
  if (!is_specialised(GetParam())) return;
  const json specialised = run_json(example + "specialise");
  EXPECT_EQ(specialised["steps"], 200);
  for (const char* key : {"q", "p", "lambda"}) {
    ASSERT_EQ(specialised[key].size(), interpreted[key].size());
    for (std::size_t i = 0; i < interpreted[key].size(); ++i) {
      const double x = interpreted[key][i];
      EXPECT_NEAR(specialised[key][i].get<double>(), x, 1e-11 * (1 + std::abs(x))) << key << " " << i;
    }
  }
  EXPECT_LT(specialised["residual"]["position_max"].get<double>(), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Of, EveryExample, ::testing::ValuesIn(examples()), [](const auto& example) {
  return std::regex_replace(example.param, std::regex("-"), "_");
});

// The stop rule counts alike. Only where constraints are of second degree the specialised step has another
// iteration: it knows what a correction leaves, and corrects that with the factor at hand, too.
TEST_F(Backends, MakeTheSameCorrectionsUnlessGIsOfSecondDegree) {
  const auto corrections = [&](const std::string& constraint, const std::string& method) {
    const std::string command = "pendulum --set 'system.constraints=[\"" + constraint +
                                "\"]' --set L=1 --steps 500 --method " + method + " --backend ";
    const double interpreted = run_json(command + "interpret")["newton"]["iterations_mean"],
                 specialised = run_json(command + "specialise")["newton"]["iterations_mean"];
    return specialised / interpreted;
  };
  for (const char* method : {"rattle", "'lobatto(3)'"})
    EXPECT_NEAR(corrections("sqrt(x^2 + y^2) - 1", method), 1, 0.005) << method;
  EXPECT_NEAR(corrections("(x^2 + y^2 - 1)/2", "'lobatto(3)'"), 1, 0.005);
  EXPECT_GT(corrections("(x^2 + y^2 - 1)/2", "rattle"), 1.1);
}

TEST_F(Backends, WithoutACompilerOneLineSaysSo) {
  const std::string line =
      "taut: the formulas are interpreted: there is no C++ compiler (c++, g++ or clang++) on PATH.\n";
  const Ran wanted = run("run pendulum --steps 100 --json --backend interpret");
  for (const char* backend : {"compile", "specialise"}) {
    const Ran ran = run(std::string("run pendulum --steps 100 --json --backend ") + backend, "CXX= PATH=");
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.err, line);
    EXPECT_EQ(json::parse(ran.out)["q"], json::parse(wanted.out)["q"]);
  }
  EXPECT_EQ(run("run pendulum --steps 100", "CXX= PATH=").err, "") << "a short run does not miss it";
  const std::string gain = "With g++, a run of this length takes about six tenths of the time.\n";
  EXPECT_EQ(run("run pendulum --steps 1e6 --json", "CXX= PATH=").err,
            line.substr(0, line.size() - 1) + " " + gain);
}

TEST_F(Backends, WithoutACacheOneLineSaysSo) {
  const Ran ran = run("run pendulum --steps 100 --backend compile", "XDG_CACHE_HOME=/proc/nowhere");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "taut: the formulas are interpreted: the folder /proc/nowhere/taut cannot be made: No such file "
            "or directory.\n");
}

TEST_F(Backends, WithoutHeadersTheFormulasAreStillCompiled) {
  const Ran ran = run("run pendulum --steps 100 --backend specialise", "TAUT_INCLUDE=/nowhere");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "taut: the formulas are compiled, but the step is not specialised: taut's headers are not found "
            "(set TAUT_INCLUDE "
            "to the folder that holds taut/).\n");
}

// A unit made from other headers than the program's would look for functions in the wrong place.
TEST_F(Backends, OtherHeadersThanTheProgramsAreNotUsed) {
  const auto headers = cache_ / "include";
  std::filesystem::create_directories(headers);
  std::filesystem::copy(TAUT_SOURCE_DIR "/src/taut", headers / "taut",
                        std::filesystem::copy_options::recursive);
  const std::string arguments = "run pendulum --steps 100 --backend specialise";
  const std::string before = "TAUT_INCLUDE='" + headers.string() + "'";
  EXPECT_EQ(run(arguments, before).err, "");
  std::ofstream(headers / "taut/mechanism/machine.hpp", std::ios::app) << "// newer\n";
  EXPECT_EQ(run(arguments, before).err,
            "taut: the formulas are compiled, but the step is not specialised: the headers in " +
                headers.string() + " are not those of this program.\n");
}

TEST_F(Backends, AMethodOnAFormulationIsCompiledOnly) {
  const Ran ran = run("run pendulum --steps 100 --method rk4 --backend specialise");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err,
            "taut: the formulas are compiled, but the step is not specialised: methods that integrate a "
            "formulation are not "
            "specialised.\n");
}

TEST_F(Backends, AnUnknownBackendIsRefused) {
  const Ran ran = run("run pendulum --backend compiled");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "taut: there is no backend `compiled`. Did you mean `compile`? The backends are: automatic, "
            "interpret, compile, "
            "specialise.\n");
}

// The names are words of C++, of the shell and of taut, in a file with a name of that kind.
TEST_F(Backends, HostileNamesAreOnlyNames) {
  const std::string path = (cache_ / "$(touch owned); 'x'.toml").string();
  std::ofstream(path)
      << "title = \"*/ #include </etc/passwd> \\\\ `touch owned` $(touch owned)\"\n[parameters]\nRattle = "
         "1.0\nSpecialisedModel = 2.0\n"
         "[system]\ncoordinates = [\"while\", \"Machine\"]\nmass = [\"Rattle\", \"SpecialisedModel\"]\n"
         "potential = \"Rattle*Machine\"\nconstraints = [\"(while^2 + Machine^2 - "
         "Rattle)/2\"]\n[initial]\nwhile = 1.0\n";
  const std::string quoted = std::regex_replace("'" + path + "'", std::regex("'x'"), "'\\''x'\\''");
  for (const char* backend : {"compile", "specialise"}) {
    const Ran ran =
        run("run " + quoted + " --steps 100 --json --backend " + backend, "cd '" + cache_.string() + "' &&");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_FALSE(std::filesystem::exists(cache_ / "owned"));
}

TEST_F(Backends, ASecondRunCompilesNothing) {
  const auto compiled = [&](const std::string& before) {
    return run("run pendulum --steps 100 --backend compile", before).err;
  };
  EXPECT_EQ(compiled(""), "");
  // This compiler says the version of the real one and can do nothing else.
  const std::string path = (cache_ / "c++").string();
  std::ofstream(path) << "#!/bin/sh\n[ \"$1\" = --version ] || exit 1\n/usr/bin/c++ --version\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_NE(compiled("CXX='" + path + "'").find("does not compile it"), std::string::npos)
      << "another compiler, another object";
  EXPECT_EQ(compiled(""), "");
}

TEST_F(Backends, CompileWritesAHeaderThatCompiles) {
  const std::string header = (cache_ / "four_bar.hpp").string();
  const Ran ran = run("compile four-bar --emit '" + header + "' --name FourBar --set crank=0.75");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "taut: " + header + " holds taut::FourBar<>.\n");
  EXPECT_NE(read_text(header).find("= T(0.75)"), std::string::npos) << "--set has no effect";
  EXPECT_EQ(run("compile four-bar --emit - --name FourBar --set crank=0.75").out, read_text(header));

  // This compiles and runs the program that `taut compile --help` shows.
  const std::string help = run("compile --help").out;
  const std::size_t begin = help.find("  #include \"four_bar.hpp\""), end = help.find("\n  }\n", begin);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  std::ofstream(cache_ / "main.cpp") << help.substr(begin, end + 5 - begin);
  const std::string at = cache_.string();
  EXPECT_EQ(std::system(("c++ -std=c++20 -ffp-contract=off -Wall -Wextra -Werror -isystem "
                         "/usr/include/eigen3 -isystem '" TAUT_SOURCE_DIR "/src' '" +
                         at + "/main.cpp' -o '" + at + "/main' -lquadmath && '" + at + "/main'")
                            .c_str()),
            0);
}

TEST_F(Backends, CompileRefusesWhatItCannotDo) {
  Ran ran = run("compile pendulum --emit x.hpp --name 'int'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err, "taut: --name needs letters, digits and _, a capital letter first, not `int`.\n");
  ran = run("compile pendulum --emit /proc/taut/x.hpp");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "taut: cannot make the folder /proc/taut: No such file or directory\n");
  ran = run("compile pendulum");
  EXPECT_EQ(ran.status, 2);
  ran = run("compile pendulums --emit -");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("Did you mean `pendulum`?"), std::string::npos) << ran.err;
}

}  // namespace
