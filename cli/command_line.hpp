// From the words that were typed to a command whose options have their values. CLI11 is included in command_line.cpp
// alone, because it is dear to compile.
#pragma once

#include "commands.hpp"

namespace taut::cli {

// The command that was typed. Null if help or the version was asked for, or nothing: then that has been printed.
// InputError if the words cannot be understood.
const Command* understood(const Program& program, int argc, char** argv);

}  // namespace taut::cli
