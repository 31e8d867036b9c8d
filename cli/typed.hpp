// What was typed becomes numbers and a request. CLI11 hands over texts, so that every refusal is a sentence of ours.
#pragma once

#include <taut/contract/request.hpp>

#include <CLI/CLI.hpp>

namespace taut::cli {

inline const std::vector<std::string> solver_names = {"newton", "symmetric", "sweep"};  // as Solver
inline const std::vector<std::string> format_names = {"csv", "binary",
                                                      "compressed"};  // as SampleFormat, from 1
inline const std::vector<std::string> failure_actions = {"stop", "halve"};

double number_of(const std::string& text, const std::string& what);
std::int64_t count_of(const std::string& text, const std::string& what);  // "10000", "1e6", "-3", not "2.5"

double seconds_of(const std::string& text, const std::string& what);  // not negative
bool halves(const std::string& on_failure);                           // stop or halve
int threads_of(const std::string& text);                              // of --threads

// A model and how it is to be integrated: PROBLEM, --method, --step, --set, …, alike for every command that takes a model.
class TypedModel {
 public:
  void add_problem(CLI::App& command);
  void add_method(CLI::App& command);       // with what follows
  void add_formulation(CLI::App& command);  // and projection, and the step
  void add_length(CLI::App& command);       // --steps, --until
  void add_every(CLI::App& command);
  void add_set(CLI::App& command);
  void add_out(CLI::App& command);
  void add_keeping(CLI::App& command);  // --format, --checkpoint-every, --on-failure
  void add_solve(CLI::App& command);    // --project-start, --tolerance, --solver, --plain-updates
  void add_backend(CLI::App& command);  // and --threads

  std::string problem;           // a bundled model, or the path of a file
  std::vector<std::string> set;  // as typed
  RunRequest request() const;
  std::vector<std::string> useless_without_out() const;  // options that were typed

 private:
  RunRequest request_;  // what needs no reading
  std::string step_, steps_, until_, every_, tolerance_, solver_, backend_, projection_tolerance_, format_,
      checkpoint_every_, on_failure_, threads_;
};

}  // namespace taut::cli
