// The subcommands. Each returns the exit status: 0 done, 1 the run failed; InputError stands for 2.
#pragma once

#include <taut/run/ready_made_run.hpp>

namespace taut::cli {

struct RunFlags {
  std::string problem;           // a name, or the path of a model file
  std::vector<std::string> set;  // as typed
  RunRequest request;
  bool json = false;
};

// A name of a ready-made problem has neither.
inline bool is_model_file(const std::string& problem) {
  return problem.ends_with(".toml") || problem.find('/') != std::string::npos;
}

int run(const RunFlags& flags);
int methods(bool json);
int problems(bool json);

// Flushes standard output; 1 with a sentence when it could not be written.
int finish_output();

}  // namespace taut::cli
