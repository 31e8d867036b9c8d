// The inner loop of the interpreter, one text for every scalar. Its functions are not inline:
// interpreter.cpp compiles them for the scalars that evaluator.hpp lists and for packs of eight, and no other
// unit of a program has a copy of those. Whoever evaluates formulas on another scalar includes this header.
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/foreign.hpp>
#include <taut/model/text/lane_functions.hpp>

#include <array>

namespace taut {

template <class T>
void Evaluator<T>::interpret(const T* q, const T* p, const T* v, T* out) const {
  if constexpr (!std::is_same_v<T, double>)
    if (is_foreign(*program_)) return evaluate_foreign(*program_, q, p, v, out);
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

template <class T>
void Evaluator<T>::perform(Op op, T* r, const Instruction* i, const Instruction* end) {
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
    case Op::erf:
      return each([](const T& a, const T&) { return erf(a); });
    case Op::erfc:
      return each([](const T& a, const T&) { return erfc(a); });
    case Op::cbrt:
      return each([](const T& a, const T&) { return cbrt(a); });
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

extern template class Evaluator<Pack<8>>;  // eight terms at once

}  // namespace taut
