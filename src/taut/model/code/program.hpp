// A list of instructions on registers: what the graph becomes when it is run. evaluator.hpp runs it.
#pragma once

#include <taut/model/code/graph.hpp>

#include <array>
#include <vector>

namespace taut {

struct Instruction {
  int to, a, b;
};

// Instructions in runs of one operation. Deciding what to do costs more than doing it, so it is decided
// once a run.
struct Run {
  Op op;
  int end;  // in the list of instructions
};

// A program in machine code; compiled_formulas.hpp makes them. It reads v only if the program takes a
// direction, and p only if it takes momenta.
using CompiledProgram = void (*)(const double* q, const double* p, const double* v, double* out);

// Its registers hold the constants, then everything else; they are reused as soon as a value is no longer
// needed.
struct Program {
  struct Load {
    int to, from;
  };
  static constexpr int blocks = 3;  // the inputs come as vectors of n each: q, p, and a direction v
  int registers = 0;
  std::vector<Float128> constants;
  std::array<std::vector<Load>, blocks> loads;
  std::vector<Run> runs;
  std::vector<Instruction> code;
  std::vector<int> outputs;            // registers
  CompiledProgram compiled = nullptr;  // evaluates it in double precision, if there is one
};

// Input k of the graph is entry k % n of block k / n.
Program linearise(const Graph& graph, const std::vector<int>& outputs, int n);

}  // namespace taut
