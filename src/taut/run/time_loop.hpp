// One run of a problem of any type: the method chosen, the start checked, the time loop, the summary.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/run/observer.hpp>
#include <taut/run/quantities.hpp>
#include <taut/run/schedule.hpp>

#include <functional>

namespace taut {

// Returns the method and formulation for which the request asks. Throws ChoiceError if they do not exist
// or do not fit.
MethodChoice chosen_method(const Mechanism& mechanism, const std::string& model, const RunRequest& request);

struct ReadyStart {
  PlainState x;
  std::optional<StartMove> moved;  // if it was to be brought onto the manifold, and was off it
};
// Returns the start on the manifold. Throws InputError if it is off the manifold, is not finite, or its
// constraints are dependent.
ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project);

SolveOptions solve_options(const RunRequest& request);

// Makes the machine of a run of so many steps; null if plain updates are asked for and the method does
// not offer them.
using MakeMachine = std::function<std::unique_ptr<Machine>(const MethodChoice& choice,
                                                           const PlainState& start, std::int64_t steps)>;

// Runs to the end or to the first failure, which is then in the summary. `last_good` tells the failure
// sentence where the reader will find the last good state. If `from` is given, continues after that step;
// throws InputError if it is of another run, or of a program or machine that computes other digits.
RunSummary time_loop(const Mechanism& mechanism, const MakeMachine& make, const std::string& model,
                     const RunRequest& request, const Quantities& quantities, RunObserver& observer,
                     std::string_view last_good, const Snapshot* from = nullptr);

}  // namespace taut
