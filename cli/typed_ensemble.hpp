// Turns what was typed about an ensemble into one: what varies, how it is integrated, who computes it.
#pragma once

#include <taut/ensemble/ensemble_folder.hpp>

#include "ensemble_work.hpp"
#include "typed.hpp"

namespace taut::cli {

struct TypedEnsemble {
  TypedModel model;
  VaryRequest vary;
  std::string table;  // the path of a file; empty: none
  Layout layout;

  // The command holds references to this object.
  void add_what_varies(Command& command);  // --size, --vary, --grid, --table, --seed
  void add_work(Command& command);         // --threads, --lanes

  // Makes the ensemble, and says on standard error what is not as it was wanted. Throws what make_ensemble
  // throws.
  Ensemble made();
  // Begins the folder of --out, if that was typed.
  std::optional<EnsembleFolder> folder_of(const Ensemble& ensemble) const;
};

}  // namespace taut::cli
