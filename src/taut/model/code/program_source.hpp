// Programs as C++ that includes nothing and names nothing of the author's: compiled_formulas.hpp gives it to
// a compiler.
#pragma once

#include <taut/model/code/program.hpp>

#include <string>
#include <vector>

namespace taut {

// The functions are extern "C" void taut_program_K(const double* q, const double* p, const double* v,
// double* out), K = 0, 1, …. They do the interpreter's operations on the same values, so that without
// contraction they give the same bits.
std::string source_of(const std::vector<const Program*>& programs);

inline std::string program_symbol(std::size_t k) { return "taut_program_" + std::to_string(k); }

// A double as C++ text that reads back as the same bits, infinities and NaN included.
std::string cpp_number(double x);

}  // namespace taut
