// Compiles the text of a program against the headers of taut, as a user would.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "support/run_program.hpp"

namespace taut::test {

struct CompilerRun {
  bool succeeded;
  std::string log;
};

// The text becomes main.cpp in the folder, and what the compiler makes of it lies beside it.
inline CompilerRun compiled(const OwnFolder& folder, const std::string& text, const std::string& options) {
  std::ofstream(folder / "main.cpp") << text;
  const std::string command = "cd " + folder.string() +
                              " && c++ -std=c++20 -DEIGEN_DONT_VECTORIZE -ffp-contract=off "
                              "-isystem /usr/include/eigen3 -I " TAUT_SOURCE_DIR "/src main.cpp " +
                              options + " >log 2>&1";
  const bool succeeded = std::system(command.c_str()) == 0;
  return {succeeded, read_text(folder / "log")};
}

}  // namespace taut::test
