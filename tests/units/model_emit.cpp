// The emitted header: it is C++ that satisfies the concepts, gives the trajectory of the interpreter to
// rounding, and holds the author's words in comments only.

#include <taut/method/catalogue.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/code/emit.hpp>
#include <taut/model/formula_problem.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/in_full.hpp"
#include "support/source_files.hpp"

namespace {

using namespace taut;

Model example(const std::string& name, const std::vector<std::string>& set = {}) {
  const auto text = test::read_text(std::filesystem::path(TAUT_SOURCE_DIR) / "examples" / (name + ".toml"));
  const ReadModel read = read_model(text, name, set);
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model.value();
}

// It runs with rattle if that fits, otherwise with lobatto(2).
const std::string trajectory = R"(
template <class P>
void run(const P& s) {
  auto x = s.start();
  const auto go = [&](const auto& stepper) {
    for (int k = 0; k < 50; ++k)
      if (!stepper->step(x, 0.01)) std::abort();
  };
  if constexpr (taut::Natural<P>)
    go(taut::bind(taut::Rattle{}, s, x));
  else
    go(taut::bind(taut::Lobatto<>{.s = 2}, s, x));
  for (int i = 0; i < s.coordinates(); ++i) std::cout << x.q[i] << ' ' << x.p[i] << '\n';
}
)";

std::vector<double> interpreted(const FormulaProblem<>& s) {
  auto x = s.start();
  const auto go = [&](const auto& stepper) {
    for (int k = 0; k < 50; ++k) EXPECT_TRUE(stepper->step(x, 0.01));
  };
  if (is_natural(s))
    go(bind(Rattle{}, s, x));
  else
    go(bind(Lobatto<>{.s = 2}, s, x));
  std::vector<double> out;
  for (int i = 0; i < s.coordinates(); ++i) {
    out.push_back(x.q[i]);
    out.push_back(x.p[i]);
  }
  return out;
}

TEST(ModelEmit, TheHeaderGivesTheTrajectoryOfTheInterpreter) {
  ASSERT_EQ(std::system("c++ --version > /dev/null 2>&1"), 0)
      << "this test compiles what is emitted, with c++";
  std::vector<std::string> names{"charged-particle", "double-pendulum", "stiff-pendulum"};
  if (test::in_full())
    names.insert(names.end(), {"six-node-chain", "heavy-top", "slider-crank", "relativistic-pendulum",
                               "lennard-jones-chain"});
  const auto folder = std::filesystem::temp_directory_path() /
                      ("taut-emit-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                       std::to_string(reinterpret_cast<std::uintptr_t>(&names)));
  std::filesystem::create_directories(folder);
  std::ofstream main(folder / "main.cpp");
  std::vector<double> expected;
  main << "#include <taut/method/lobatto.hpp>\n#include <taut/method/rattle.hpp>\n"
          "#include <taut/method/stepper.hpp>\n#include <taut/scalar/pack.hpp>\n"
          "#include <cstdlib>\n#include <iostream>\n";
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Model model = example(names[k]);
    std::ofstream(folder / ("model" + std::to_string(k) + ".hpp"))
        << emit_cpp(model, "Model" + std::to_string(k));
    main << "#include \"model" << k << ".hpp\"\n";
    const FormulaProblem<> s(model);
    const char* const concept_of_tier = s.tier() == Tier::split ? "Split"
                                        : is_natural(s)         ? "Natural"
                                                                : "OwnHamiltonian";
    main << "static_assert(taut::" << concept_of_tier << "<taut::Model" << k
         << "<>> && taut::Castable<taut::Model" << k << "<>>);\n";
    for (const double x : interpreted(s)) expected.push_back(x);
  }
  main << trajectory << "int main() {\n  std::cout.precision(17);\n";
  for (std::size_t k = 0; k < names.size(); ++k) main << "  run(taut::Model" << k << "<>{});\n";
  main << "}\n";
  main.close();
  const std::string at = folder.string(), source = TAUT_SOURCE_DIR;
  const std::string command =
      "c++ -std=c++20 -O1 -Wall -Wextra -Werror -ffp-contract=off -DTAUT_NO_FLATTEN -DEIGEN_DONT_VECTORIZE "
      "-DEIGEN_MAX_ALIGN_BYTES=128 "
      "-isystem /usr/include/eigen3 -isystem " +
      source + "/src -I " + at + " " + at + "/main.cpp -o " + at + "/run -lquadmath > " + at +
      "/log 2>&1 && " + at + "/run > " + at + "/out";
  ASSERT_EQ(std::system(command.c_str()), 0) << test::read_text(folder / "log").substr(0, 2000);
  std::ifstream out(folder / "out");
  std::size_t count = 0;
  // The run has 50 steps of systems whose errors grow by less than a factor of ten in that time.
  for (double x = 0; out >> x; ++count) {
    ASSERT_LT(count, expected.size());
    EXPECT_NEAR(x, expected[count], 1e-12) << "number " << count;
  }
  EXPECT_EQ(count, expected.size());
  std::filesystem::remove_all(folder);
}

TEST(ModelEmit, AHeaderIsReadable) {
  const std::string text = emit_cpp(example("pendulum"), "PendulumModel");
  EXPECT_NE(text.find("// Planar pendulum (Reich 1996)\n"), std::string::npos);
  EXPECT_NE(text.find("  T a0 = T(1);  // L = 1.0\n"), std::string::npos);
  EXPECT_NE(text.find("  void G(const Vec& q, Jacobian& G) const {\n    G.entries[0] = q[0];\n    "
                      "G.entries[1] = q[1];\n  }\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    out[0] = T(0.5) * (q[0] * q[0] + q[1] * q[1] - a0 * a0);\n"), std::string::npos)
      << text;
}

// The bend is taken along v, and only if all constraints are of second degree: a sine is not, and |x|
// only seems to be.
TEST(ModelEmit, TheBendOfConstraintsOfSecondDegree) {
  const auto header = [](const std::string& constraint) {
    const ReadModel read = read_model(
        "[system]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0, 1.0]\npotential = \"y\"\nconstraints = [\"" +
            constraint + "\"]\n[initial]\nx = 1\n",
        "a model");
    EXPECT_TRUE(read.model) << text_of(read.errors);
    return read.model ? emit_cpp(*read.model, "Made") : std::string();
  };
  EXPECT_NE(header("3*x*y + x^2 + y^2/4 - 1").find("bend(const Vec& v, Multiplier& out)"), std::string::npos);
  EXPECT_NE(header("x - 2*y - 1").find("bend("), std::string::npos);
  for (const char* other :
       {"sin(x) - sin(1) + y", "abs(x) - 1", "x^3 - 1", "x^2/(1 + y) - 1", "sqrt(x^2 + y^2) - 1"})
    EXPECT_EQ(header(other).find("bend("), std::string::npos) << other;
}

TEST(ModelEmit, TheAuthorsWordsStayInComments) {
  const std::string text =
      "title = \"\"\"x\\\\\n#error\\n */ #include <foo> \\u001b\"\"\"\n[parameters]\nint = 2.0\nreturn = "
      "3.0\n[system]\n"
      "coordinates = [\"while\", \"T\"]\nmass = [\"int\", \"return\"]\npotential = \"int*while + T\"\n"
      "constraints = [\"while - T\"]\n";
  const ReadModel read = read_model(text, "x");
  ASSERT_TRUE(read.model) << text_of(read.errors);
  const std::string header = emit_cpp(*read.model, "int");
  EXPECT_NE(header.find("struct FormulaModel : "), std::string::npos);
  for (const std::string& line : test::lines_of(header)) {
    const std::string code = line.substr(0, line.find("//"));
    for (const char* word : {"while", "#error", "foo", "\\", "\x1b", "*/"})
      EXPECT_EQ(code.find(word), std::string::npos) << line;
    EXPECT_FALSE(line.ends_with("\\")) << line;
  }
}

}  // namespace
