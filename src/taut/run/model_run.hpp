// A model file and its run: what the file says, with what the command line says in its place.
#pragma once

#include <taut/run/ready_made_run.hpp>

namespace taut {

// Something in a model file is wrong; the text begins with its place, file:line:column.
struct ModelFileError : InputError {
  using InputError::InputError;
};

class ModelRun {
 public:
  virtual ~ModelRun() = default;
  std::vector<std::string> columns;  // names of coordinates, then of momenta
  std::string out;                   // folder for the files; empty: none

  virtual RunSummary run(RunObserver& observer, std::string_view last_good) const = 0;
};

// Reads the file at `path`. What the request says (method, step, length, …) replaces what the file says, and `set` holds NAME=VALUE as
// typed, of parameters, initial values and keys. ModelFileError with everything that is wrong in the file.
std::unique_ptr<ModelRun> read_model_run(const std::string& path, const RunRequest& request,
                                         const std::vector<std::string>& set);

}  // namespace taut
