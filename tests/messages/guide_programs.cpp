// The C++ of the guide compiles as it stands, and its programs print what the pages say.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <vector>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder;
using taut::test::read_text;

std::string page(const std::string& name) {
  return read_text(std::string(TAUT_SOURCE_DIR) + "/docs/guide/" + name);
}

std::vector<std::string> cpp_blocks(const std::string& text) {
  const std::string begin = "```cpp\n", end = "\n```";
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
    at += begin.size();
    blocks.push_back(text.substr(at, text.find(end, at) + 1 - at));
  }
  return blocks;
}

void compile(const OwnFolder& folder, const std::string& program, const std::string& options) {
  std::ofstream(folder / "main.cpp") << program;
  const std::string at = folder.string();
  const int status = std::system(("cd " + at +
                                  " && c++ -std=c++20 -DEIGEN_DONT_VECTORIZE -ffp-contract=off -isystem "
                                  "/usr/include/eigen3 -I " TAUT_SOURCE_DIR "/src main.cpp " +
                                  options + " >log 2>&1")
                                     .c_str());
  ASSERT_EQ(status, 0) << read_text(folder / "log").substr(0, 2000);
}

std::string printed(const std::string& program) {
  const OwnFolder folder;
  compile(folder, program, "-o program -lquadmath");
  if (testing::Test::HasFatalFailure()) return "";
  EXPECT_EQ(std::system(("cd " + folder.string() + " && ./program >out").c_str()), 0);
  return read_text(folder / "out");
}

// Prints the largest error of a coordinate or momentum at t = 2 against 20000 steps of the second, by each
// stepper of the page.
constexpr const char* errors_main = R"(
template <class Method>
taut::StateOf<BeadOnWire<>> end(const Method& method, const BeadOnWire<>& bead, int steps) {
  taut::StateOf<BeadOnWire<>> x{{2.0, -0.4}, {0.5, 0.0}};
  if (!taut::project_start(bead, x)) std::abort();
  const auto stepper = taut::bind(method, bead, x);
  for (int n = 0; n < steps; ++n)
    if (!stepper->step(x, 2.0 / steps)) std::abort();
  return x;
}
int main() {
  const taut::Projected<DriftKickDrift> first;
  const taut::Composition<taut::Projected<DriftKickDrift>> second{taut::find_composition("suzuki4")};
  const auto exact = end(second, bead, 20000);
  const auto error = [&](const auto& y) {
    return std::max((y.q - exact.q).cwiseAbs().maxCoeff(), (y.p - exact.p).cwiseAbs().maxCoeff());
  };
  for (const int n : {40, 80, 160}) std::printf("%.1e ", error(end(first, bead, n)));
  for (const int n : {40, 80, 160}) std::printf("%.1e ", error(end(second, bead, n)));
}
)";

TEST(GuidePrograms, TheBeadOnAWireRuns) {
  const std::string text = page("writing-a-problem.md"), out = printed(cpp_blocks(text).at(0));
  const std::string state = out.substr(0, out.find("|g|"));  // the residuals after it are rounding errors
  EXPECT_NE(text.find("    " + std::regex_replace(state, std::regex("\n"), "\n    ")), text.npos) << out;
}

TEST(GuidePrograms, AMapOfOnesOwnHasTheErrorsShown) {
  const std::string text = page("writing-a-problem.md");
  const auto blocks = cpp_blocks(text);
  ASSERT_EQ(blocks.size(), 2U);
  const std::string problem = blocks[0].substr(0, blocks[0].find("int main()"));
  const std::string out =
      printed(problem + "#include <cstdlib>\nconst BeadOnWire<> bead;\n" +
              "taut::StateOf<BeadOnWire<>> x{{0, 1}, {0, 0}};\n" + blocks[1] + errors_main);
  const std::regex six(R"((\S+)e-0(\d) (\S+)e-0(\d) (\S+)e-0(\d) (\S+)e-0(\d) (\S+)e-0(\d) (\S+)e-(\d+) )");
  const std::string sentence = std::regex_replace(
      out, six, "errors $1e-$2, $3e-$4, $5e-$6 of the first, $7e-$8, $9e-$10, $11e-$12 of");
  EXPECT_NE(text.find(sentence), text.npos) << out << sentence;
}

TEST(GuidePrograms, AModelIsReadAsShown) {
  const OwnFolder folder;
  const std::string block = cpp_blocks(page("model-file.md")).at(0);
  const std::size_t body = block.rfind("#include"), line = block.find('\n', body) + 1;
  compile(folder,
          block.substr(0, line) + "#include <iostream>\nvoid f(const std::string& text) {\n" +
              block.substr(line) + "}\n",
          "-fsyntax-only");
}

}  // namespace
