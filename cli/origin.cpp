#include "origin.hpp"

#include <taut/words/shell_word.hpp>

#include <string>

namespace taut::cli {

namespace {

std::string& command_typed() {
  static std::string command;
  return command;
}

}  // namespace

void remember_command(int argc, char** argv) {
  std::string command = "taut";
  for (int k = 1; k < argc; ++k) command += " " + shell_word(argv[k]);
  command_typed() = command;
}

Origin origin_of_report() { return {command_typed(), date_of_report()}; }

}  // namespace taut::cli
