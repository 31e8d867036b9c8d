// A model that is open: its text, and readings of it that calls borrow. A reading has registers of its own to
// evaluate formulas in, so each call has one for itself, and threads that use one model do not notice each
// other.
#pragma once

#include <taut/model/foreign_functions.hpp>
#include <taut/run/model_run.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "taut.h"

namespace taut::capi {

class OpenModel : public std::enable_shared_from_this<OpenModel> {
 public:
  OpenModel(std::string text, std::string name, Surroundings around, std::vector<std::string> set);

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& set() const { return set_; }
  bool has_functions() const { return functions_.has_value(); }
  const std::optional<ForeignFunctions>& functions() const { return functions_; }
  // Puts functions in the place of formulas, in all readings from now on.
  void set_functions(const ForeignFunctions& functions);

  // A reading that goes back when it is no longer needed.
  class Lease {
   public:
    Lease(std::shared_ptr<OpenModel> from, std::vector<std::string> key, std::unique_ptr<ModelRun> run)
        : from_(std::move(from)), key_(std::move(key)), run_(std::move(run)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = default;
    ~Lease();
    ModelRun& operator*() const { return *run_; }
    ModelRun* operator->() const { return run_.get(); }

   private:
    std::shared_ptr<OpenModel> from_;
    std::vector<std::string> key_;
    std::unique_ptr<ModelRun> run_;
  };

  // Returns a reading with further settings, as the model says it.
  Lease reading(const std::vector<std::string>& more = {});
  // Returns a reading for a run with these options. Its request has no folder unless the options name one.
  Lease reading(const Options& options);

  // Reads the model anew for these options. What it is used for may go on in other threads.
  ModelRun fresh(const Options& options);

 private:
  using Readings = std::vector<std::unique_ptr<ModelRun>>;
  // Reads the text; `request` is what was asked for.
  ModelRun read(const RunRequest& request, const std::vector<std::string>& more) const;
  // Refuses what a model with functions of the caller cannot do.
  void check(const RunRequest& request) const;
  void give_back(const std::vector<std::string>& key, std::unique_ptr<ModelRun> run);

  std::string text_, name_;
  Surroundings around_;
  std::vector<std::string> set_;
  std::optional<ForeignFunctions> functions_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, Readings> free_;  // by the further settings
};

// Opens a bundled model by its name, or a file by its path.
std::shared_ptr<OpenModel> open_model(const std::string& name_or_path, std::vector<std::string> set);

// Returns the start that the options ask for; the model's, if they ask for none.
PlainState start_of(const ModelRun& run, const Json& start);

}  // namespace taut::capi

struct taut_model {
  std::shared_ptr<taut::capi::OpenModel> open;
};
