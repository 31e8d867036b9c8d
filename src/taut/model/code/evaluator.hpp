// Runs a program on any scalar: one text for all of them, and no heap in an evaluation.
#pragma once

#include <taut/model/code/lane_functions.hpp>
#include <taut/model/code/program.hpp>

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

namespace taut {

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
