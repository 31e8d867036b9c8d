// The programs of a target with the registers of one thread. Headers that the command line reads leave this
// one out, because what runs programs knows linear algebra.
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/sample/target.hpp>

namespace taut {

struct TargetPrograms {
  explicit TargetPrograms(const TargetCode& code)
      : all(code.all),
        value(code.value),
        g(code.g),
        g_and_G(code.g_and_G),
        bend(code.bend),
        turn(code.turn),
        quantities(code.quantities) {}
  Evaluator<double> all, value, g, g_and_G, bend, turn, quantities;
};

// Runs a program whose only input is one vector.
inline void run(const Evaluator<double>& program, const double* q, double* out) {
  program(q, nullptr, nullptr, out);
}

}  // namespace taut
