// Completion scripts, sourced in the shells they are for.

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "support/run_program.hpp"

namespace {

using taut::test::lines_of;
using taut::test::OwnFolder;
using taut::test::read_text;
using taut::test::run_taut;

// Returns what a shell prints, run on a text that may source $script.
std::set<std::string> printed(const std::string& shell, const std::string& text) {
  const OwnFolder folder;
  const auto ran = run_taut("completions " + shell);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  std::ofstream(folder / "script") << ran.out;
  std::ofstream(folder / "model.toml") << "title = \"x\"\n";
  std::ofstream(folder / "text") << text;
  const std::string options = shell == "bash" ? "--norc" : shell == "zsh" ? "-f" : "--no-config";
  const std::string command =
      "cd '" + folder.string() + "' && " + shell + " " + options + " ./text >out 2>err </dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text((folder / "err").string());
  EXPECT_EQ(read_text((folder / "err").string()), "");
  std::set<std::string> words;
  for (const std::string& line : lines_of(read_text((folder / "out").string())))
    if (!line.empty()) words.insert(line);
  return words;
}

std::set<std::string> in_bash(const std::string& typed) {
  return printed("bash",
                 "source ./script\nCOMP_WORDS=(taut " + typed +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_taut\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

std::set<std::string> in_zsh(const std::string& typed) {
  return printed("zsh",
                 "compdef() { : }\nsource ./script\n"
                 "compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }\n"
                 "compset() { : }\n_files() { print -l FILES \"$@\" }\n"
                 "words=(taut " +
                     typed + ")\nCURRENT=$#words\nPREFIX=$words[-1]\n_taut\n");
}

std::set<std::string> in_fish(const std::string& typed) {
  std::set<std::string> words;
  for (const std::string& line : printed("fish", "source ./script\ncomplete -C 'taut " + typed + "'\n"))
    words.insert(line.substr(0, line.find('\t')));
  return words;
}

using Names = std::set<std::string>;

bool is_installed(const std::string& shell) {
  return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
}

TEST(Completions, BashCompletesCommandsOptionsAndNames) {
  EXPECT_EQ(in_bash("ru"), Names{"run"});
  const Names commands = in_bash("''");
  for (const char* command : {"problems", "methods", "run", "check", "completions", "--help", "--version"})
    EXPECT_TRUE(commands.contains(command)) << command;
  EXPECT_EQ(in_bash("run pendulum --ste"), (Names{"--step", "--step-function", "--steps"}));
  EXPECT_EQ(in_bash("check pendulum --js"), Names{"--json"});
  EXPECT_EQ(in_bash("run pendulum --json --ste"), (Names{"--step", "--step-function", "--steps"}));
  EXPECT_EQ(in_bash("run pendulum --method suz"), (Names{"suzuki4", "suzuki-umeno8"}));
  EXPECT_TRUE(in_bash("run pendulum --method lobatto").contains("lobatto\\(3\\)"));
  EXPECT_EQ(in_bash("run pendulum --method 'lobatto\\(3'"), Names{"lobatto\\(3\\)"});
  EXPECT_EQ(in_bash("run pendulum --formulation dirac-w"), Names{"dirac-weak"});
  EXPECT_EQ(in_bash("run pendulum --projection m"), Names{"momentum"});
  EXPECT_EQ(in_bash("run pendulum --solver sw"), Names{"sweep"});
  EXPECT_EQ(in_bash("run pendulum --step 0"), Names{});
  EXPECT_EQ(in_bash("run double"), Names{"double-pendulum"});
  EXPECT_EQ(in_bash("check mod"), Names{"model.toml"});
  EXPECT_EQ(in_bash("completions ''"), (Names{"bash", "zsh", "fish"}));
}

// The scripts call `taut`, which is the program here.
std::string with_program(const std::string& shell_text) {
  return "taut() { " TAUT_PROGRAM " \"$@\"; }\n" + shell_text;
}

TEST(Completions, TheSecondNameOfAListIsCompleted) {
  EXPECT_EQ(in_bash("compare pendulum --methods suz"), (Names{"suzuki4", "suzuki-umeno8"}));
  EXPECT_EQ(in_bash("compare pendulum --methods rattle,suz"),
            (Names{"rattle,suzuki4", "rattle,suzuki-umeno8"}));
  EXPECT_TRUE(
      in_bash("compare pendulum --methods 'rattle,shake,lob'").contains("rattle,shake,lobatto\\(3\\)"));
  EXPECT_TRUE(in_zsh("compare pendulum --methods rattle,lob").contains("lobatto(3)"));
  EXPECT_TRUE(in_fish("compare pendulum --methods rattle,suz").contains("rattle,suzuki4"));
}

TEST(Completions, TheParametersOfAModelAreOfferedToSet) {
  const auto ask = [](const std::string& model, const std::string& begun) {
    return printed("bash", with_program("source ./script\nCOMP_WORDS=(taut run " + model + " --set " + begun +
                                        ")\nCOMP_CWORD=4\n_taut\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"));
  };
  EXPECT_EQ(ask("pendulum", "gra"), Names{"gravity="});
  EXPECT_EQ(ask("pendulum", "''"), (Names{"L=", "gravity="}));
  EXPECT_EQ(ask("model.toml", "''"), Names{});  // it has none
}

// Nothing that the program knows is missing from the script.
TEST(Completions, EveryOptionOfEveryCommandIsThere) {
  for (const std::string& command : in_bash("''")) {
    if (command.starts_with('-')) continue;
    const std::string help = run_taut(command + " --help").out;
    const Names offered = in_bash(command + " --");
    for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
      const std::string option = help.substr(at + 3, help.find_first_of(" \n,", at + 3) - at - 3);
      EXPECT_TRUE(offered.contains(option)) << command << " " << option;
    }
    EXPECT_TRUE(offered.contains("--help")) << command;
  }
}

TEST(Completions, ZshHasTheSameWords) {
  ASSERT_TRUE(is_installed("zsh")) << "install zsh: packages.txt";
  const Names commands = in_zsh("''");
  EXPECT_TRUE(commands.contains("run") && commands.contains("check") && commands.contains("--version"));
  EXPECT_TRUE(in_zsh("run pendulum --method lob").contains("lobatto(3)"));
  EXPECT_TRUE(in_zsh("run pendulum --ste").contains("--step"));
  const Names places = in_zsh("run p");
  EXPECT_TRUE(places.contains("double-pendulum") && places.contains("FILES"));
}

TEST(Completions, FishCompletes) {
  ASSERT_TRUE(is_installed("fish")) << "install fish: packages.txt";
  EXPECT_EQ(in_fish("ru"), Names{"run"});
  EXPECT_EQ(in_fish("run pendulum --solver sw"), Names{"sweep"});
  EXPECT_EQ(in_fish("run pendulum --step "), Names{});
  EXPECT_TRUE(in_fish("run pendulum --method lobatto").contains("lobatto(3)"));
  EXPECT_TRUE(in_fish("check doub").contains("double-pendulum"));
  EXPECT_TRUE(in_fish("check mod").contains("model.toml"));
  EXPECT_TRUE(in_fish("run pendulum --st").contains("--step"));
}

TEST(Completions, AShellThatIsNone) {
  const auto ran = run_taut("completions fisch");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "taut: there is no shell `fisch` here. Did you mean `fish`? The shells are: bash, zsh, fish.\n");
}

}  // namespace
