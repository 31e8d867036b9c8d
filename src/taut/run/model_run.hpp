// A model and its run: what the file says, replaced by what the command line says.
#pragma once

#include <taut/model/model.hpp>
#include <taut/run/observer.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/quantities.hpp>
#include <taut/run/schedule.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct FormulaSystem;  // model/formula_system.hpp

// Something in a model file is wrong; the text begins with its place, file:line:column.
struct ModelFileError : InputError {
  using InputError::InputError;
};

struct ModelRun {
  std::string name;  // for messages: the path of the file, or the name of a bundled model
  Model model;
  RunRequest request;  // file and command line together
  // The inputs of this run: with the files of the model, model_run(text, name, asked, set) makes it again.
  std::string text;
  RunRequest asked;
  std::vector<std::string> set;
  std::shared_ptr<const FormulaSystem> system;  // none if it is a system of particles
  std::shared_ptr<const Mechanism> mechanism;   // the mechanism of the system, interpreted

  std::string title() const;
  std::vector<std::string> columns() const;  // names of coordinates, then of momenta
  std::vector<std::string> coordinates() const;
  Quantities quantities() const;  // the further columns of a sample
  // What the model calls by this name, with the definitions of its own methods.
  std::string method_text(const std::string& name) const;
  bool shows_stage_multiplier() const;
  bool shows_local_error() const;
  Quantities watched() const;  // the same, with the multipliers if the request watches them
  RunSummary run(RunObserver& observer, std::string_view last_good, const Snapshot* from = nullptr) const;
  // Throws ModelFileError or ChoiceError if the method cannot be had in the precision that is asked for.
  void check_precision() const;
  // Throws the error at its place in the file, or as it is if the choice was typed.
  [[noreturn]] void refuse(const ChoiceError& error) const;
};

// Makes the run of `text`, a model called `name` in messages. What the request says (method, step, length, …)
// replaces what the text says; `set` holds NAME=VALUE as typed, for parameters, initial values and keys.
// `around` finds the files that the text names. Throws ModelFileError with everything that is wrong.
ModelRun model_run(std::string text, const std::string& name, const RunRequest& request = {},
                   const std::vector<std::string>& set = {}, const Surroundings& around = {});

// Returns the files of a run that is resumed.
Surroundings stored_files(const std::map<std::string, std::string>& files);

// Returns the text of a file. Throws InputError if it cannot be read, or has more bytes; the longest model
// has half of the usual bound.
std::string text_of_file(const std::string& path, std::size_t most = 8U << 20U);

// Does the same for a file, or for a bundled model by its name. Throws InputError if there is none.
ModelRun read_model_run(const std::string& problem, const RunRequest& request,
                        const std::vector<std::string>& set);

}  // namespace taut
