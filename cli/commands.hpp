// The commands of the program, one file each. A file offers one function add_NAME that gives its command to the program: name, options,
// lines for `taut --help`, and the action, which returns the exit status (0 done, 1 failed; InputError stands for 2). main.cpp lists them.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace taut::cli {

struct Program {
  CLI::App app{
      "Integrates constrained Hamiltonian systems on their manifold: q' = H_p, p' = -H_q - G'λ, g(q) = 0.",
      "taut"};
  std::string examples;  // of `taut --help`, a line each
  std::map<const CLI::App*, std::function<int()>> actions;
  // Options that a command has not, though people look for them: what to do instead, a sentence.
  std::map<const CLI::App*, std::map<std::string, std::string>> instead;
  // For completions: what an option ("--method") or a place ("PROBLEM") of that name can be; a folder or a model file is said by `files`.
  std::map<std::string, std::function<std::vector<std::string>()>> values;
  enum class Files { folders, models };
  std::map<std::string, Files> files;

  // `lines` shows the command at work, each line ended.
  CLI::App* command(const std::string& name, const std::string& what, std::string_view lines) {
    examples += lines;
    return app.add_subcommand(name, what);
  }
};

void add_problems(Program& program);
void add_methods(Program& program);
void add_run(Program& program);
void add_resume(Program& program);
void add_show(Program& program);
void add_export(Program& program);
void add_compile(Program& program);
void add_check(Program& program);
void add_completions(Program& program);
void add_compare(Program& program);
void add_reproduce(Program& program);

// Flushes standard output; 1 with a sentence when it could not be written.
int finish_output();

}  // namespace taut::cli
