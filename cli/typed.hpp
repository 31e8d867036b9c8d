// Turns what was typed about a model and its run into a request.
#pragma once

#include <taut/contract/device.hpp>
#include <taut/contract/request.hpp>

#include "commands.hpp"

namespace taut::cli {

Option on_failure_option(std::optional<bool>& halves, std::string help);  // stop or halve
Option on_jump_option(std::optional<bool>& warns);                        // stop or warn
Option threads_option(int& threads, std::string help);
Option lanes_option(int& lanes);
Option device_option(Device& device);
Option checkpoint_option(std::optional<double>& seconds, std::string help);

// A model and how it is to be integrated: PROBLEM, --method, --step, --set, …, alike for every command that
// takes a model.
class TypedModel {
 public:
  void add_problem(Command& command);
  void add_method(Command& command);       // adds what follows too
  void add_formulation(Command& command);  // adds the projection and the step too
  void add_length(Command& command);       // --steps, --until
  void add_every(Command& command);
  void add_set(Command& command);
  void add_events(Command& command);
  void add_lambda(Command& command);
  void add_local_error(Command& command);
  void add_first_guess(Command& command);
  void add_stop_rule(Command& command);
  void add_error_tolerance(Command& command);
  void add_time_transform(Command& command);
  void add_step_function(Command& command);  // for adaptive(M): adds limits and the interval of samples too
  void add_quantity(Command& command);       // --quantity, after --set
  void add_out(Command& command);
  void add_keeping(Command& command);  // --format, --checkpoint-every, --on-failure, --on-jump
  void add_solve(Command& command);    // --project-start, --tolerance, --solver, --plain-updates
  void add_backend(Command& command);  // adds --threads too
  void add_backend_alone(Command& command);
  void add_precision(Command& command);

  std::string problem;           // a bundled model, or the path of a file
  std::vector<std::string> set;  // as typed
  RunRequest request() const;
  std::vector<std::string> useless_without_out() const;  // options that were typed

 private:
  void take_step_function(const std::string& text);

  RunRequest request_;  // holds what can be put there at once
  std::optional<double> tolerance_, checkpoint_every_;
  std::optional<bool> halves_, warns_;
};

}  // namespace taut::cli
