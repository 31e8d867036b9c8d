// A list of instructions on registers: what the graph becomes when it is run. evaluator.hpp runs it.
#pragma once

#include <taut/model/code/graph.hpp>

#include <array>
#include <vector>

namespace taut {

struct Instruction {
  int to, a, b;
};

// Instructions in runs of one operation: deciding what to do costs more than doing it, and is done once for each run.
struct Run {
  Op op;
  int end;  // in the list of instructions
};

// A program in machine code; compiled_formulas.hpp makes them. v is not read where the program takes no direction, nor p where it takes no momenta.
using CompiledProgram = void (*)(const double* q, const double* p, const double* v, double* out);

// Registers: the constants, then everything else, reused as soon as a value is no longer needed.
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
  CompiledProgram compiled = nullptr;  // what evaluates it in double precision, where there is one
};

// Input k of the graph is entry k % n of block k / n.
Program linearise(const Graph& graph, const std::vector<int>& outputs, int n);

}  // namespace taut
