// The commands of the program, one file each. A file offers one function add_NAME that gives its command to
// the program; main.cpp lists these functions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "option.hpp"

namespace taut::cli {

struct Command {
  std::string name, what;
  std::string examples;  // lines of `taut --help` that show the command at work, each with its end
  std::vector<Option> options = {};
  std::string notes = {};            // the end of its help
  std::function<int()> action = {};  // returns the exit status: 0 done, 1 failed; InputError stands for 2

  void add(Option option) { options.push_back(std::move(option)); }
};

// The end of the help of a program.
inline constexpr const char* exit_status =
    "\nExit status: 0 done; 1 the run failed, results up to there are kept; 2 the input is wrong;\n"
    "128 + signal: stopped by SIGINT, SIGTERM or SIGHUP.";

struct Program {
  std::string name = "taut";
  std::string what, version, notes = exit_status;  // texts for `taut --help` and `taut --version`
  std::vector<Command> commands = {};

  void add(Command command) { commands.push_back(std::move(command)); }
};

// Return what people can type after `taut`, and after a command: its options, and those that
// CLI11 looks after.
std::vector<Option> all_options(const Program& program);
std::vector<Option> all_options(const Command& command);

void add_problems(Program& program);
void add_methods(Program& program);
void add_run(Program& program);
void add_ensemble(Program& program);
void add_sample(Program& program);
void add_free_energy(Program& program);
void add_sweep(Program& program);
void add_merge(Program& program);
void add_resume(Program& program);
void add_show(Program& program);
void add_export(Program& program);
void add_compile(Program& program);
void add_check(Program& program);
void add_completions(Program& program);
void add_compare(Program& program);
void add_reproduce(Program& program);
void add_section(Program& program);
void add_lyapunov(Program& program);
void add_orbit(Program& program);
void add_spectrum(Program& program);
void add_indicators(Program& program);
void add_map(Program& program);
void add_lab(Program& program);

// Flushes standard output. Returns 1, with a sentence, if it could not be written.
int finish_output();
// Returns false, and errno with the reason, if standard output did not take all that `print` prints.
bool printed(const std::function<void()>& print);

}  // namespace taut::cli
