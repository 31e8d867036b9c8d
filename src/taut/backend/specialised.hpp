// The whole step of a run, compiled for its model and its method: a problem of fixed size with its sparsity in the type, and the method's template, in one
// unit. It takes the compiler some seconds once, and gives the speed of a loop written by hand.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/model/model.hpp>

namespace taut {

struct Specialised {
  std::unique_ptr<Machine> machine;  // null: there is none,
  std::string missing = {};          // because of this, as a part of a sentence
};

Specialised specialised_machine(const Model& model, const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates);

// The text that is compiled. Of the options it holds the iteration and whether there is a tolerance; how large that is, the machine is told.
std::string specialised_source(const Model& model, const std::string& method, const SolveOptions& options,
                               bool plain_updates);

}  // namespace taut
