// The C++ of the guide compiles as it stands, and its programs print what the pages say.

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <vector>

#include <sys/wait.h>

#include "support/compile.hpp"
#include "support/run_program.hpp"

namespace {

using taut::test::compiled;
using taut::test::CompilerRun;
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
  const CompilerRun run = compiled(folder, program, options);
  ASSERT_TRUE(run.succeeded) << run.log.substr(0, 2000);
}

// Returns what the program prints. It ends with this status.
std::string printed(const std::string& program, int status = 0) {
  const OwnFolder folder;
  compile(folder, program, "-o program -lquadmath");
  if (testing::Test::HasFatalFailure()) return "";
  const int ended = std::system(("cd " + folder.string() + " && ./program >out").c_str());
  EXPECT_EQ(WEXITSTATUS(ended), status);
  return read_text(folder / "out");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

// Prints the largest error of a coordinate or momentum at t = 2 against 20000 steps of the second, by each
// stepper of the page.
constexpr const char* errors_main = R"(
template <class Method>
taut::StateOf<BeadOnWire> end(const Method& method, const BeadOnWire& bead, int steps) {
  taut::StateOf<BeadOnWire> x{{2.0, -0.4}, {0.5, 0.0}};
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

TEST(GuidePrograms, AWrongEntryOfGIsFoundAsShown) {
  const std::string text = page("writing-a-problem.md");
  const std::string right = "out(0, 0) = std::sin(q[0])", wrong = "out(0, 0) = -std::sin(q[0])";
  EXPECT_NE(text.find("With `" + wrong + "`"), text.npos);
  const std::string out = printed(replaced(cpp_blocks(text).at(0), right, wrong), 1);
  const std::size_t error = out.find("(error");  // its digits are rounding
  ASSERT_NE(error, out.npos) << out;
  EXPECT_NE(text.find("    " + out.substr(0, error)), text.npos) << out;
  EXPECT_NE(text.find(out.substr(out.find("At q"))), text.npos) << out;
}

TEST(GuidePrograms, AMisspeltMemberIsNamedAsShown) {
  const std::string text = page("writing-a-problem.md");
  const OwnFolder folder;
  const CompilerRun run =
      compiled(folder, replaced(cpp_blocks(text).at(0), "void grad_V(", "void gradV("), "-fsyntax-only");
  EXPECT_FALSE(run.succeeded);
  const std::string sentence = text.substr(text.find("taut: this problem has no grad_V"), 100);
  EXPECT_NE(run.log.find(sentence), text.npos) << run.log.substr(0, 2000);
}

TEST(GuidePrograms, TheBeadOnOtherNumbersIsCheckedAsShown) {
  const std::string text = page("writing-a-problem.md");
  const std::string out = printed(cpp_blocks(text).at(1) + R"(
#include <cstdio>
static_assert(taut::Natural<BeadOnWire<>> && taut::Castable<BeadOnWire<>>);
int main() {
  const taut::StateOf<BeadOnWire<>> x{{2.0, -0.4}, {0.5, 0.0}};
  std::printf("%s", taut::check_problem(BeadOnWire<>{}, x).text().c_str());
}
)");
  EXPECT_NE(text.find("`check_problem` now says `" + out + "`"), text.npos) << out;
}

TEST(GuidePrograms, AMapOfOnesOwnHasTheErrorsShown) {
  const std::string text = page("writing-a-problem.md");
  const auto blocks = cpp_blocks(text);
  ASSERT_EQ(blocks.size(), 3U);
  const std::string problem = blocks[0].substr(0, blocks[0].find("int main()"));
  const std::string out = printed(problem + "#include <cstdlib>\nconst BeadOnWire bead;\n" +
                                  "taut::StateOf<BeadOnWire> x{{0, 1}, {0, 0}};\n" + blocks[2] + errors_main);
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
