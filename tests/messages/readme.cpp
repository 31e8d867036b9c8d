// README.md is true: its commands print what it shows (timing figures aside), and its C++ program is the
// one in examples/.

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "support/run_program.hpp"

#define main pendulum_main
#include "../../examples/pendulum.cpp"  // NOLINT(bugprone-suspicious-include): its main is called here
#undef main

namespace {

using taut::test::lines_of;
using taut::test::read_text;
using taut::test::run_taut;

const std::filesystem::path top = TAUT_SOURCE_DIR;

struct Shown {
  std::string arguments;  // after ./taut
  std::string output;
};

// Finds indented blocks of a command and what it prints. A line "..." stands for lines left out.
std::vector<Shown> commands_of(const std::string& text) {
  std::vector<Shown> found;
  bool inside = false, blank = false;  // a blank line belongs to the output if more of it follows
  for (const std::string& line : lines_of(text)) {
    if (line.empty()) {
      blank = true;
      continue;
    }
    const bool indented = line.starts_with("    "), after_blank = std::exchange(blank, false);
    const std::string body = indented ? line.substr(4) : "";
    if (body.starts_with("$ ./taut")) {
      found.push_back({body.substr(8), ""});
      inside = true;
    } else if (!indented || body.starts_with("$ ")) {
      inside = false;
    } else if (inside) {
      found.back().output += (after_blank ? "\n" : "") + body + "\n";
    }
  }
  return found;
}

// Removes times, which differ from run to run, and pure rounding, which differs from one
// processor to another.
std::string without_timing(const std::string& text) {
  static const std::regex timing(R"(in [0-9.]+ s \([0-9.e+]+ steps/s\))"), rounding(R"([0-9.]+e-1[3-9] *)");
  static const std::regex cost(R"([0-9.]+ +done)");  // µs a step, of `taut compare`
  const std::string untimed = std::regex_replace(text, timing, "in # s (# steps/s)");
  return std::regex_replace(std::regex_replace(untimed, cost, "# done"), rounding, "# ");
}

// Expects each line shown in the output, in this order; without "..." between, right after the one before.
void expect_shown(const Shown& shown, const std::string& printed) {
  const auto want = lines_of(without_timing(shown.output)), have = lines_of(without_timing(printed));
  std::size_t at = 0;
  bool skip = false;
  for (const std::string& line : want) {
    if (line == "...") {
      skip = true;
      continue;
    }
    while (skip && at < have.size() && have[at] != line) ++at;
    skip = false;
    ASSERT_LT(at, have.size()) << "not printed by taut" << shown.arguments << ": " << line << "\n" << printed;
    EXPECT_EQ(have[at], line) << "taut" << shown.arguments;
    ++at;
  }
  EXPECT_TRUE(skip || at == have.size()) << "taut" << shown.arguments << " prints more:\n" << printed;
}

TEST(Readme, ItsCommandsPrintWhatItShows) {
  int count = 0;
  for (const char* page : {"README.md", "docs/guide/command-line.md", "docs/guide/report.md"})
    for (const Shown& shown : commands_of(read_text(top / page))) {
      ++count;
      const auto ran = run_taut(shown.arguments, top.string());
      expect_shown(shown, ran.out + ran.err);
    }
  EXPECT_GE(count, 5) << "no commands found: the test looked in the wrong place";
}

// docs/papers.md: below a heading that names a command, every number in ticks is printed by that command.
TEST(Papers, EveryFigureIsPrintedByTheCommandInItsHeading) {
  static const std::regex heading("^## .*: `taut (reproduce [a-z-]+)`$"), figure("`(-?[0-9][-+0-9.e]*)`");
  std::string command, printed;
  int figures = 0;
  for (const std::string& line : lines_of(read_text(top / "docs/papers.md"))) {
    std::smatch named;
    if (std::regex_match(line, named, heading)) {
      command = named[1];
      const auto ran = run_taut(command, top.string());
      EXPECT_EQ(ran.status, 0) << ran.err;
      printed = ran.out;
    }
    for (std::sregex_iterator at(line.begin(), line.end(), figure), end; at != end; ++at) {
      ++figures;
      EXPECT_NE(printed.find(" " + (*at)[1].str() + " "), std::string::npos)
          << "taut " << command << " does not print " << (*at)[1] << "\n"
          << line;
    }
  }
  EXPECT_GE(figures, 80) << "no figures found: the test looked in the wrong place";
}

TEST(Readme, ItsModelIsTheExample) {
  EXPECT_NE(read_text(top / "README.md")
                .find("```toml\n" + read_text(top / "examples/relativistic-pendulum.toml") + "```"),
            std::string::npos)
      << "README.md does not quote examples/relativistic-pendulum.toml";
}

TEST(Readme, ItsProgramIsTheExampleAndPrintsWhatItShows) {
  const std::string readme = read_text(top / "README.md"), program = read_text(top / "examples/pendulum.cpp");
  EXPECT_NE(readme.find("```cpp\n" + program + "```"), std::string::npos)
      << "README.md does not quote examples/pendulum.cpp";
  testing::internal::CaptureStdout();
  EXPECT_EQ(pendulum_main(), 0);
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_NE(readme.find("    " + printed), std::string::npos) << "README.md does not show: " << printed;
}

}  // namespace
