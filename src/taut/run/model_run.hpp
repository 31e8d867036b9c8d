// A model and its run: what the file says, replaced by what the command line says.
#pragma once

#include <taut/model/model.hpp>
#include <taut/run/observer.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/quantities.hpp>
#include <taut/run/schedule.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct FormulaSystem;  // model/formula_system.hpp
struct MadeMachine;    // run/run_mechanism.hpp
class StepFunction;    // run/step_function.hpp

// Something in a model file is wrong; the text begins with its place, file:line:column.
struct ModelFileError : InputError {
  explicit ModelFileError(std::vector<ModelError> all);
  explicit ModelFileError(const ModelError& one) : ModelFileError(std::vector{one}) {}
  std::vector<ModelError> errors;  // at least one, in the order of the file
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
  // Throws InputError if the events of the model cannot be found in this run.
  void check_events() const;
  // Returns what the model says, replaced by what is asked, without reading the model again. Whoever changes
  // `request` in place puts `wanted` into `asked` too, so that refusals do not blame the file. The
  // precision of a double is all that can be asked for: more digits of a step are read from its text.
  RunRequest requested(const RunRequest& wanted) const;
  // Makes a machine for so many steps from that start, as run() does; `note` is given sentences for the user.
  MadeMachine machine(const MethodChoice& choice, const PlainState& start, std::int64_t steps,
                      const std::function<void(const std::string&)>& note) const;
  // Makes the machine of adaptive(M) from two of M.
  std::unique_ptr<Machine> adaptive(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                                    const PlainState& start) const;
  std::unique_ptr<StepFunction> step_function(const PlainState& start) const;
  std::int64_t likely_steps(const PlainState& start, std::int64_t most) const;
  MadeMachine adaptive_machine(const MethodChoice& choice, const PlainState& start, std::int64_t steps,
                               const std::function<void(const std::string&)>& note) const;
  // Throws the error at its place in the file, or as it is if the choice was typed.
  [[noreturn]] void refuse(const ChoiceError& error) const;
};

// Makes the run of `text`, a model called `name` in messages. What the request says (method, step, length, …)
// replaces what the text says; `set` holds NAME=VALUE as typed, for parameters, initial values and keys.
// `around` finds the files that the text names. Throws ModelFileError with everything that is wrong.
ModelRun model_run(std::string text, const std::string& name, const RunRequest& request = {},
                   const std::vector<std::string>& set = {}, const Surroundings& around = {});

// Finds the files that a model in this folder names.
Surroundings files_in(const std::string& folder);

// Returns the files of a run that is resumed.
Surroundings stored_files(const std::map<std::string, std::string>& files);

// Returns the text of a file. Throws InputError if it cannot be read, or has more bytes; the longest model
// has half of the usual bound.
std::string text_of_file(const std::string& path, std::size_t most = 8U << 20U);

// The text of a file, or of a bundled model, and where the files are that it names.
struct FoundModel {
  std::string text;
  Surroundings around;
};
// Finds a file by its path, or a bundled model by its name. Throws InputError if there is none.
FoundModel find_model(const std::string& problem);

// Does the same for a file, or for a bundled model by its name. Throws InputError if there is none.
ModelRun read_model_run(const std::string& problem, const RunRequest& request,
                        const std::vector<std::string>& set);

}  // namespace taut
