// A model as C++: a header with one class template that satisfies the concepts of problem/tiers.hpp, sizes and sparsity known at compile
// time, parameters as members. It needs taut's headers and nothing of the model file. Identifiers are ours: names and formulas of the
// author appear in comments only.
#pragma once

#include <taut/model/model.hpp>

#include <string>

namespace taut {

// `type` is the name of the class, a capital letter first; anything else becomes FormulaModel. The class is in namespace taut.
std::string emit_cpp(const Model& model, const std::string& type = "FormulaModel");

}  // namespace taut
