// A list of instructions on registers: what the graph becomes when it is run. One text for every scalar; no heap in an evaluation.
#pragma once

#include <taut/model/code/graph.hpp>
#include <taut/model/text/lane_functions.hpp>

#include <array>
#include <memory>
#include <type_traits>
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

// A program with registers of its own. Copies share the program and nothing else: one copy per thread.
template <class T>
class Evaluator {
 public:
  Evaluator() = default;
  explicit Evaluator(std::shared_ptr<const Program> program)
      : program_(std::move(program)), compiled_(program_->compiled), r_(program_->registers) {
    for (std::size_t k = 0; k < program_->constants.size(); ++k) r_[k] = number_as<T>(program_->constants[k]);
  }

  // out[k] = output k
  void operator()(const T* q, const T* p, const T* v, T* out) const {
    if constexpr (std::is_same_v<T, double>)
      if (compiled_ != nullptr) return compiled_(q, p, v, out);
    interpret(q, p, v, out);
  }

 private:
  void interpret(const T* q, const T* p, const T* v, T* out) const {
    const std::array<const T*, Program::blocks> in{q, p, v};
    T* r = r_.data();
    for (int block = 0; block < Program::blocks; ++block)
      for (const Program::Load& load : program_->loads[static_cast<std::size_t>(block)])
        r[load.to] = in[static_cast<std::size_t>(block)][load.from];
    const Instruction* i = program_->code.data();
    for (const Run& run : program_->runs) {
      const Instruction* end = program_->code.data() + run.end;
      perform(run.op, r, i, end);
      i = end;
    }
    for (const int at : program_->outputs) *out++ = r[at];
  }

  static void perform(Op op, T* r, const Instruction* i, const Instruction* end) {
    const auto each = [&](auto f) {
      for (; i != end; ++i) r[i->to] = f(r[i->a], r[i->b]);
    };
    switch (op) {
      case Op::add:
        return each([](const T& a, const T& b) { return a + b; });
      case Op::subtract:
        return each([](const T& a, const T& b) { return a - b; });
      case Op::multiply:
        return each([](const T& a, const T& b) { return a * b; });
      case Op::divide:
        return each([](const T& a, const T& b) { return a / b; });
      case Op::negate:
        return each([](const T& a, const T&) { return -a; });
      case Op::sqrt:
        return each([](const T& a, const T&) { return sqrt(a); });
      case Op::sin:
        return each([](const T& a, const T&) { return sin(a); });
      case Op::cos:
        return each([](const T& a, const T&) { return cos(a); });
      case Op::exp:
        return each([](const T& a, const T&) { return exp(a); });
      case Op::log:
        return each([](const T& a, const T&) { return log(a); });
      case Op::tan:
        return each([](const T& a, const T&) { return tan(a); });
      case Op::asin:
        return each([](const T& a, const T&) { return asin(a); });
      case Op::acos:
        return each([](const T& a, const T&) { return acos(a); });
      case Op::atan:
        return each([](const T& a, const T&) { return atan(a); });
      case Op::sinh:
        return each([](const T& a, const T&) { return sinh(a); });
      case Op::cosh:
        return each([](const T& a, const T&) { return cosh(a); });
      case Op::tanh:
        return each([](const T& a, const T&) { return tanh(a); });
      case Op::absolute:
        return each([](const T& a, const T&) { return absolute(a); });
      case Op::sign:
        return each([](const T& a, const T&) { return sign(a); });
      case Op::atan2:
        return each([](const T& a, const T& b) { return atan2(a, b); });
      case Op::power:
        return each([](const T& a, const T& b) { return power(a, b); });
      case Op::constant:
      case Op::input:
        return;
    }
  }

  std::shared_ptr<const Program> program_;
  CompiledProgram compiled_ = nullptr;  // at hand: a call of a small one costs less than looking it up
  mutable std::vector<T> r_;
};

}  // namespace taut
