// Writes a model as C++: a header with one class template that satisfies the concepts of problem/tiers.hpp,
// with sizes and sparsity known at compile time and parameters as members. It needs taut's headers and
// nothing of the model file. Identifiers are ours: names and formulas of the author appear in comments only.
#pragma once

#include <taut/model/model.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

// Returns the header. `type` is the name of the class and begins with a capital letter; anything else becomes
// FormulaModel. The class is in namespace taut.
std::string emit_cpp(const Model& model, const std::string& type = "FormulaModel");

// Does the same for a compiler alone: there is no comment, hence nothing of the author's text, and the
// formulas contain the values of the parameters, so that they do the operations of the interpreter and get
// its bits. The class counts its gradients, and has no start(). Numbers have 106 bits, or all 113 if
// `all_digits`.
std::string emit_bare_cpp(const Model& model, const std::string& type, bool all_digits = false);

// Does the same with the numbers of the formulas in a table c, which each lane of a pack may have of its own:
// models that differ in their parameters alone have one text, as a rule, and other numbers. Gives nothing if
// the mass matrix is full.
struct EmittedTable {
  std::string text;
  std::vector<double> numbers;
};
std::optional<EmittedTable> emit_table_cpp(const Model& model, const std::string& type);

}  // namespace taut
