// A model and its run: what the file says, with what the command line says in its place.
#pragma once

#include <taut/model/model.hpp>
#include <taut/run/time_loop.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct FormulaSystem;  // model/formula_problem.hpp

// Something in a model file is wrong; the text begins with its place, file:line:column.
struct ModelFileError : InputError {
  using InputError::InputError;
};

struct ModelRun {
  std::string name;  // in messages: the path of the file, or the name of a bundled model
  Model model;
  RunRequest request;  // of the file and of the command line together
  // What it was made of: with the files of the model, model_run(text, name, asked, set) gives it again.
  std::string text;
  RunRequest asked;
  std::vector<std::string> set;
  std::shared_ptr<const FormulaSystem> system;  // none for a system of particles
  std::shared_ptr<const Mechanism> mechanism;   // of the system, interpreted

  std::string title() const;
  std::vector<std::string> columns() const;  // names of coordinates, then of momenta
  std::vector<std::string> coordinates() const;
  Quantities quantities() const;  // what a sample has more
  RunSummary run(RunObserver& observer, std::string_view last_good, const Snapshot* from = nullptr) const;
  // The error at its place in the file; as it is where the choice was typed.
  [[noreturn]] void refuse(const ChoiceError& error) const;
};

// `text` is a model, called `name` in messages. What the request says (method, step, length, …) replaces what the text says, and `set`
// holds NAME=VALUE as typed, of parameters, initial values and keys. `around` finds the files that the text names. ModelFileError with everything that
// is wrong.
ModelRun model_run(std::string text, const std::string& name, const RunRequest& request = {},
                   const std::vector<std::string>& set = {}, const Surroundings& around = {});

// The files of a run that is gone on with.
Surroundings stored_files(const std::map<std::string, std::string>& files);

// InputError where it cannot be read, or has more bytes; the longest model has half of the usual bound.
std::string text_of_file(const std::string& path, std::size_t most = 8U << 20U);

// The same of a file, or of a bundled model by its name; InputError where there is none.
ModelRun read_model_run(const std::string& problem, const RunRequest& request,
                        const std::vector<std::string>& set);

}  // namespace taut
