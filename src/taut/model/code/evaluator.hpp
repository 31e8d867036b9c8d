// Runs a program on any scalar, without touching the heap. The interpreter itself is compiled in
// interpreter.cpp for the scalars at the end of this file; interpreter.hpp has its text, which any other
// scalar needs. That header is dear to read, because it knows packs.
#pragma once

#include <taut/model/code/program.hpp>
#include <taut/model/text/functions.hpp>

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace taut {

// A program with registers of its own. Copies share the program and nothing else: one copy per thread.
template <class T>
class Evaluator {
 public:
  Evaluator() = default;
  // An evaluator of a null program must not be called.
  explicit Evaluator(std::shared_ptr<const Program> program) : program_(std::move(program)) {
    if (!program_) return;
    compiled_ = program_->compiled;
    r_.resize(static_cast<std::size_t>(program_->registers));
    for (std::size_t k = 0; k < program_->constants.size(); ++k) r_[k] = number_as<T>(program_->constants[k]);
  }

  // out[k] = output k
  void operator()(const T* q, const T* p, const T* v, T* out) const {
    if constexpr (std::is_same_v<T, double>)
      if (compiled_ != nullptr) return compiled_(q, p, v, out);
    interpret(q, p, v, out);
  }

  // Replaces the constants in one lane, and returns those that are left.
  std::span<const double> take_constants(int lane, std::span<const double> from)
    requires(ScalarTraits<T>::lanes > 1)
  {
    const std::size_t count = program_ ? program_->constants.size() : 0;
    for (std::size_t k = 0; k < count; ++k) r_[k].set(lane, from[k]);
    return from.subspan(count);
  }
  void copy_constants(int lane, int other)
    requires(ScalarTraits<T>::lanes > 1)
  {
    const std::size_t count = program_ ? program_->constants.size() : 0;
    for (std::size_t k = 0; k < count; ++k) r_[k].set(lane, r_[k][other]);
  }

 private:
  void interpret(const T* q, const T* p, const T* v, T* out) const;
  static void perform(Op op, T* r, const Instruction* i, const Instruction* end);

  std::shared_ptr<const Program> program_;
  CompiledProgram compiled_ = nullptr;  // at hand: a call of a small one costs less than looking it up
  mutable std::vector<T> r_;
};

// The scalars of runs and studies: numbers, their first to third derivatives, and derivatives by three
// coordinates.
extern template class Evaluator<double>;
extern template class Evaluator<long double>;
extern template class Evaluator<Dual<double, 1>>;
extern template class Evaluator<Dual<Dual<double, 1>, 1>>;
extern template class Evaluator<Dual<Dual<Dual<double, 1>, 1>, 1>>;
extern template class Evaluator<Dual<double, 3>>;

}  // namespace taut
