// Turns the words that were typed into a command whose options have their values. CLI11 is included in
// command_line.cpp alone, because it is expensive to compile.
#pragma once

#include "commands.hpp"

namespace taut::cli {

// Returns the command that was typed. Returns null if help or the version was asked for, or nothing: then
// that has been printed. Throws InputError if the words cannot be understood.
const Command* understood(const Program& program, int argc, char** argv);

}  // namespace taut::cli
