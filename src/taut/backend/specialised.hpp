// The whole step of a run, compiled for its model and its method: a problem of fixed size with its sparsity
// in the type, and the method's template, in one unit. It takes the compiler some seconds once, and is as
// fast as a loop written by hand.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

namespace taut {

struct Specialised {
  std::unique_ptr<Machine> machine;  // null if there is none
  std::string missing = {};          // why there is none, as a part of a sentence
  std::string object = {};           // the key of its object
};

Specialised specialised_machine(const Model& model, const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates);

// Returns the text that is compiled. It contains the iteration and whether there is a tolerance; the machine
// is told later how large that is.
std::string specialised_source(const Model& model, const std::string& method, const SolveOptions& options,
                               bool plain_updates);

}  // namespace taut
