// The formulas of a model as machine code, made by the machine's C++ compiler: the same problem, evaluated in
// double precision several times faster than by the interpreter, and to the same bits. Other scalars are
// interpreted as before.
#pragma once

#include <taut/model/formula_system.hpp>

namespace taut {

struct CompiledFormulas {
  std::shared_ptr<const FormulaSystem> system;  // the given one if there is no compiled one
  std::string missing = {};                     // why there is none, as a part of a sentence
  bool fresh = false;                           // compiled now, not found in the cache
  std::string object = {};                      // its key
};

CompiledFormulas compiled_formulas(const std::shared_ptr<const FormulaSystem>& system);

// Returns the number of operations of all programs together: what an evaluation costs, and what there
// is to compile.
std::size_t operations(const FormulaSystem& system);

}  // namespace taut
