// The subcommands. Each returns the exit status: 0 done, 1 the run failed; InputError stands for 2.
#pragma once

#include <taut/run/request.hpp>

namespace taut::cli {

struct RunFlags {
  std::string problem;           // a bundled model, or the path of a file
  std::vector<std::string> set;  // as typed
  RunRequest request;
  bool json = false;
};

int run(const RunFlags& flags);
int methods(bool json);
int problems(bool json);

// Flushes standard output; 1 with a sentence when it could not be written.
int finish_output();

}  // namespace taut::cli
