// How a program of this folder begins and ends: its words are understood, its command is carried out, and
// what goes wrong becomes a sentence and an exit status.
#pragma once

#include "commands.hpp"

namespace taut::cli {

// Carries out what was typed. Returns the exit status of the program.
int carry_out_words(const Program& program, int argc, char** argv);

}  // namespace taut::cli
