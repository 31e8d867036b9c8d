// The C++ compiler of this machine, for code that taut writes itself. No shell is involved: arguments are
// ours and go to the program as they are.
#pragma once

#include <string>
#include <vector>

namespace taut {

struct CxxCompiler {
  // A program by its full path, then the arguments of $CXX if it has any; empty if there is no compiler.
  std::vector<std::string> command;
  std::string version;  // what it prints for --version
  std::string missing;  // why there is none, as a part of a sentence
};

// Returns a variable of the environment, or nothing if it is not set.
std::string environment(const char* name);

// Returns $CXX if it is set, otherwise the first of c++, g++ and clang++ on $PATH.
CxxCompiler find_cxx_compiler();

// Runs the compiler in `folder`; its messages go into the file `log` there. Returns true if it ended well.
bool run_cxx_compiler(const CxxCompiler& compiler, const std::vector<std::string>& arguments,
                      const std::string& folder, const std::string& log);

}  // namespace taut
