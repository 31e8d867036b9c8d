#include <taut/run/model_run.hpp>
#include <taut/version.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "commands.hpp"

namespace taut::cli {

namespace {

constexpr const char* exit_status =
    "\nExit status: 0 done; 1 the run failed, results up to there are kept; 2 the input is wrong;\n"
    "128 + signal: stopped by SIGINT, SIGTERM or SIGHUP.";

// Refuses a command or an option that does not exist with the nearest one that does, before CLI11 words it.
void refuse_unknown(const Program& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  const CLI::App& app = program.app;
  const CLI::App* where = &app;
  if (!arguments[0].starts_with('-')) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands({})) {
      commands.push_back(command->get_name());
      if (commands.back() == arguments[0]) where = command;
    }
    if (where == &app)
      throw InputError(fmt::format("there is no command `{}`.{}\n  The commands are: {}.", arguments[0],
                                   did_you_mean(arguments[0], commands), joined(commands)));
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : where->get_options())
    if (!option->get_positional()) options.push_back(option->get_name());
  for (const std::string& argument : arguments) {
    const std::string asked = argument.substr(0, argument.find('='));
    if (!asked.starts_with("--") || std::find(options.begin(), options.end(), asked) != options.end())
      continue;
    if (const auto sentences = program.instead.find(where); sentences != program.instead.end())
      if (const auto said = sentences->second.find(asked); said != sentences->second.end())
        throw InputError(fmt::format("there is no option `{}`: {}", asked, said->second));
    throw InputError(fmt::format("there is no option `{}`.{}\n  The options are: {}.", asked,
                                 did_you_mean(asked, options), joined(options)));
  }
}

// The command whose arguments were being read; the first one people need where there is none.
std::string command_typed(const Program& program) {
  for (const auto& [command, action] : program.actions)
    if (command->count() > 0) return command->get_name();
  return "run";
}

void add_commands(Program& program) {
  add_problems(program);
  add_methods(program);
  add_run(program);
  add_resume(program);
  add_show(program);
  add_export(program);
  add_compile(program);
  add_check(program);
  add_completions(program);
  add_compare(program);
  add_reproduce(program);
}

// A variable of a script that is not set: the default in its place would be another run than the one that was meant.
void refuse_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && option->get_items_expected_min() > 0)
        throw InputError(fmt::format("{} is empty: give a value, or leave it out.", option->get_name()));
}

int run_program(int argc, char** argv) {
  Program program;
  CLI::App& app = program.app;
  app.set_version_flag("--version", fmt::format("taut {}", version));
  app.require_subcommand(0, 1);
  add_commands(program);
  app.footer("\nExamples:\n" + program.examples + exit_status);

  refuse_unknown(program, {argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw InputError(fmt::format("{}.\n  `taut --help` and `taut {} --help` show what can be asked.",
                                   error.what(), command_typed(program)));
    app.exit(error);  // --help, --version
    return finish_output();
  }
  for (const auto& [command, action] : program.actions) {
    if (!*command) continue;
    refuse_empty(*command);
    return action();
  }
  fmt::print("{}", app.help());
  return finish_output();
}

}  // namespace

int finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  fmt::print(stderr, "taut: cannot write to standard output: {}\n", std::strerror(errno));
  return 1;
}

}  // namespace taut::cli

int main(int argc, char** argv) {
  // A file that may not grow is a write that fails, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return taut::cli::run_program(argc, argv);
  } catch (const taut::ModelFileError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const taut::InputError& error) {
    fmt::print(stderr, "taut: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "taut: {}\n", error.what());
    return 1;
  }
}
