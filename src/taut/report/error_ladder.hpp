// Errors at one time for ever smaller steps, for the figures of error against h and of work
// against precision.
#pragma once

#include <taut/run/model_run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

struct Rung {
  double h = 0, error = 0;  // largest difference of a coordinate or momentum from the reference
  std::int64_t steps = 0;
  double seconds = 0;          // CPU time of the run, the least of a few
  std::int64_t gradients = 0;  // evaluations of grad V or of H_q
};

struct ErrorLadder {
  struct Method {
    std::string name;
    std::vector<Rung> rungs;  // by decreasing h; those that failed are left out
  };
  double time = 0;             // at which the errors are taken
  std::string reference = {};  // method and step
  double doubt = 0;            // how much the reference itself changes when its step is doubled
  double known_to = 0;         // the same, or rounding if that is more
  std::vector<Method> methods = {};
  std::string refusal = {};  // why there is no ladder, if there is none
};

// The steps and the time, if somebody chose them.
struct LadderRequest {
  std::vector<double> steps = {};  // empty: the step h of the run, h/2, h/4, … h/32
  std::optional<double> time = {};
  bool wide = false;  // without steps: from 2h to h/512, to show work against precision
};

// The work that a method needs for an error, from the rungs on both sides of it.
struct WorkToError {
  double seconds = 0, gradients = 0;
  bool at_most = false;  // the longest step of the ladder is good enough: a longer one might do
};
// If the errors cross the asked one several times, the last crossing counts: an earlier one may be a step at
// which errors happen to cancel. Returns nothing if no step is short enough.
std::optional<WorkToError> work_to(double error, const ErrorLadder::Method& method);

// Makes each run with ever smaller steps, for the same time. By default that is at most 200 steps of h, fewer
// for large systems, so that it stays cheap and the errors are those of the method and not of a chaotic
// motion. The runs are of one problem, with the same step. Throws InputError if a step does not divide the
// time.
void check_ladder(const LadderRequest& asked, const ModelRun& run);  // throws it at once
ErrorLadder climb(const std::vector<ModelRun>& runs, const std::vector<std::string>& names,
                  const LadderRequest& asked = {});

}  // namespace taut
