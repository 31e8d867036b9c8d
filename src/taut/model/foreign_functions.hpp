// Functions of the caller in the place of formulas of a model.
#pragma once

#include <memory>

namespace taut {

struct FormulaSystem;  // model/formula_system.hpp

// Each writes its values to out. p is read by the functions of H alone, and v by H_pp_v alone.
using ForeignFunction = void (*)(const double* q, const double* p, const double* v, double* out);

struct ForeignFunctions {
  ForeignFunction V = nullptr, grad_V = nullptr;                                // one number, n numbers
  ForeignFunction H = nullptr, H_q = nullptr, H_p = nullptr, H_pp_v = nullptr;  // one number, n, n, n
  ForeignFunction g = nullptr, G = nullptr;  // m numbers; m × n, row by row
  bool has_V() const { return V != nullptr || grad_V != nullptr; }
  bool has_H() const { return H != nullptr || H_q != nullptr || H_p != nullptr || H_pp_v != nullptr; }
  bool has_g() const { return g != nullptr || G != nullptr; }
};

// Returns the system with these functions. Throws InputError if they do not fit it: V and grad_V, the four of
// H, and g and G come together, V belongs to a natural system and H to one with a Hamiltonian of its own.
std::shared_ptr<const FormulaSystem> with_functions(const FormulaSystem& system,
                                                    const ForeignFunctions& functions);

}  // namespace taut
