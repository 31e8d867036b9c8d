// The function that a specialised unit offers to the program.
#pragma once

namespace taut {

class Machine;
struct SolveOptions;

using MakeSpecialised = Machine* (*)(const double* q, const double* p, const SolveOptions* options);

}  // namespace taut
