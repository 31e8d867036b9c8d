// A model as C++: a header with one class template that satisfies the concepts of problem/tiers.hpp, sizes and sparsity known at compile
// time, parameters as members. It needs taut's headers and nothing of the model file. Identifiers are ours: names and formulas of the
// author appear in comments only.
#pragma once

#include <taut/model/model.hpp>

#include <string>

namespace taut {

// `type` is the name of the class, a capital letter first; anything else becomes FormulaModel. The class is in namespace taut.
std::string emit_cpp(const Model& model, const std::string& type = "FormulaModel");

// The same for a compiler alone: no comment, so nothing of the author's text at all, and the values of the parameters in the formulas, which gives the
// operations of the interpreter and their bits. It has no start().
std::string emit_bare_cpp(const Model& model, const std::string& type);

}  // namespace taut
