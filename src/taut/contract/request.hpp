// What is asked of a run, as plain data: the fields are the flags of the command line.
#pragma once

#include <taut/contract/choices.hpp>
#include <taut/contract/plain_state.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace taut {

inline constexpr std::int64_t most_threads = 1024;  // the most that may share a step

struct RunRequest {
  std::string method = {};  // empty: the problem's default
  // For a method for ordinary differential equations:
  std::string formulation = {};                     // empty: the first of the list
  std::string projection = {};                      // none (also when empty), position, momentum, both
  std::optional<double> projection_tolerance = {};  // project when a residual exceeds it; 0: at every step
  std::optional<double> step = {};                  // negative runs backwards
  std::optional<std::int64_t> steps = {};           // this many steps
  std::optional<double> until = {};  // or the least number of whole steps that reaches this time
  std::int64_t every = 0;            // a sample every so many steps; 0: about a thousand samples
  // For adaptive(M), whose steps differ in size; `step` is then a step of a fictitious time.
  std::string step_function = {};                               // a formula, or `auto`
  std::optional<double> shortest_step = {}, longest_step = {};  // steps beyond these are refused
  std::optional<double> interval = {};                          // samples at equal times, so far apart
  double tolerance = 0;  // on max |g| and max |G H_p|; 0: until rounding stops the iteration
  Iteration solver = Iteration::full_newton;
  FirstGuess first_guess = FirstGuess::zero;  // these three are what the model says
  StopRule stop = StopRule::residual;
  std::optional<double> error_tolerance = {};  // the local error of a step, for methods that choose them
  Backend backend = Backend::automatic;
  Precision precision = Precision::double_precision;
  bool change_backend = false;     // a run that is resumed may go on by a backend with other digits
  int threads = 0;                 // threads that share the loops of a step; 0: as many as pay
  bool plain_updates = false;      // without compensated sums
  bool project_start = false;      // bring an inconsistent start onto the manifold
  bool halve_on_failure = false;   // take a step that fails in parts
  bool warn_at_jumps = false;      // count jumps of the energy and go on; otherwise a run stops there
  bool watch_multipliers = false;  // give λ to those who watch the run, also if its samples do not have it
  std::string out = {};            // folder for samples, checkpoints and the summary; empty: no files
  SampleFormat format = SampleFormat::automatic;
  double checkpoint_every = 60;  // seconds
  // Another start than that of the model; a run that is kept in a folder has none, so that it can be resumed.
  std::optional<PlainState> start = {};
};

// The input is wrong: a sentence (or a few lines) for the person who wrote it.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The choice of the method, the formulation or the projection is wrong; `key` says which, by its key in a
// model's [run].
struct ChoiceError : InputError {
  ChoiceError(std::string of, const std::string& sentence) : InputError(sentence), key(std::move(of)) {}
  std::string key;
};

// A file could not be written.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A signal came while a compiler worked for the run. If the run went on without what was to be compiled, it
// would have other digits than the one that was asked for.
struct StoppedWhileCompiling : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Memory ended in the middle of a run.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace taut
