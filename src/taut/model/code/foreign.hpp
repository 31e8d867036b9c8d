// A program that is a function of somebody else, known at doubles alone: it has no instructions. Its
// derivatives, which dual numbers ask for, are central differences.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/model/code/program.hpp>
#include <taut/scalar/dual.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace taut {

// Every other program has at least one register.
inline bool is_foreign(const Program& program) {
  return program.registers == 0 && program.compiled != nullptr;
}

// Returns the program of a function that reads the first `blocks` of q, p and v, and gives so many numbers.
Program foreign_program(CompiledProgram function, int n, int blocks, int outputs);

namespace foreign {

// The nesting of dual numbers: 0 for a double, 1 for a dual number of doubles.
template <class T>
constexpr int depth = -1;
template <>
inline constexpr int depth<double> = 0;
template <class T, int k>
inline constexpr int depth<Dual<T, k>> = depth<T> < 0 ? -1 : depth<T> + 1;

inline double largest(double x) { return std::abs(x); }
template <class T, int k>
double largest(const Dual<T, k>& x) {
  double size = largest(x.value);
  for (const T& part : x.tangent) size = std::max(size, largest(part));
  return size;
}

// Differences that are nested `depth` times lose ε/δ^depth to rounding and δ² to the next term, so
// δ = ε^(1/(depth + 2)).
template <class T>
double relative_step() {
  return std::pow(std::numeric_limits<double>::epsilon(), 1.0 / (depth<T> + 2));
}

template <class T>
using Blocks = std::array<std::vector<T>, Program::blocks>;

inline void evaluate(const Program& program, const Blocks<double>& in, std::vector<double>& out) {
  program.compiled(in[0].data(), in[1].data(), in[2].data(), out.data());
}

template <class T, int k>
void evaluate(const Program& program, const Blocks<Dual<T, k>>& in, std::vector<Dual<T, k>>& out) {
  const auto with = [&](auto part) {
    Blocks<T> made;
    for (std::size_t b = 0; b < in.size(); ++b)
      for (const Dual<T, k>& x : in[b]) made[b].push_back(part(x));
    return made;
  };
  std::vector<T> value(out.size()), ahead(out.size()), behind(out.size());
  const auto at = [&](auto part, std::vector<T>& to) { evaluate(program, with(part), to); };
  at([](const Dual<T, k>& x) { return x.value; }, value);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = Dual<T, k>(value[j]);
  for (int i = 0; i < k; ++i) {
    double size = 1, length = 0;
    for (const auto& block : in)
      for (const Dual<T, k>& x : block) {
        size = std::max(size, largest(x.value));
        length = std::max(length, largest(x.tangent[i]));
      }
    if (length == 0) continue;
    const double step = relative_step<Dual<T, k>>() * size / length;
    at([&](const Dual<T, k>& x) { return x.value + T(step) * x.tangent[i]; }, ahead);
    at([&](const Dual<T, k>& x) { return x.value - T(step) * x.tangent[i]; }, behind);
    for (std::size_t j = 0; j < out.size(); ++j) out[j].tangent[i] = (ahead[j] - behind[j]) / T(2 * step);
  }
}

}  // namespace foreign

// out[k] = output k. Throws InputError if the scalar has other digits than a double.
template <class T>
void evaluate_foreign(const Program& program, const T* q, const T* p, const T* v, T* out) {
  if constexpr (foreign::depth<T> >= 0) {
    const std::array<const T*, Program::blocks> from{q, p, v};
    foreign::Blocks<T> in;
    for (std::size_t b = 0; b < from.size(); ++b)
      in[b].assign(from[b], from[b] + (from[b] == nullptr ? 0 : program.loads[b].size()));
    std::vector<T> values(program.outputs.size());
    foreign::evaluate(program, in, values);
    std::copy(values.begin(), values.end(), out);
  } else {
    throw InputError(
        "the model has functions of the caller, which are known in double precision alone, one state at a "
        "time.");
  }
}

}  // namespace taut
