// The C++ compiler of this machine, for code that taut writes itself. No shell is involved: arguments are
// ours and go to the program as they are.
#pragma once

#include <taut/files/folder.hpp>

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

// Returns $TAUT_CLANG if it is set, otherwise the newest clang++ on $PATH that is known to compile for NVIDIA
// devices.
CxxCompiler find_device_compiler();

struct CompilerEnd {
  bool well = false;
  std::string output = {};  // its messages, only the beginning if they are long
};

// Runs the compiler in the folder. It is ended if it takes ten minutes. If a signal comes, or EndsCompilers
// says so, it is ended too, and StoppedWhileCompiling is thrown.
CompilerEnd run_cxx_compiler(const CxxCompiler& compiler, const std::vector<std::string>& arguments,
                             const Folder& folder);

// Asks the compiler where it looks for headers.
std::vector<std::string> folders_of_headers(const CxxCompiler& compiler, const Folder& folder);

}  // namespace taut
