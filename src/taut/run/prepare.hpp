// What is decided before the first step of a run: the method, the start, and how constraints are solved.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/contract/summary.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

// Returns the method and formulation for which the request asks. Throws ChoiceError if they do not exist
// or do not fit.
MethodChoice chosen_method(const Mechanism& mechanism, const std::string& model, const RunRequest& request);

// Returns the method by which rattle, verlet and their compositions are called in a model that depends on t:
// with the time as a coordinate it is not natural, and lobatto(2) is the same map. Nothing for all others.
std::optional<std::string> name_with_time(const Mechanism& mechanism, const std::string& method);

// Returns the row of the method, on the formulation if it integrates one.
MethodFacts claims_of(const MethodChoice& choice);
// The same on this mechanism: with forces that are no gradient nothing is symplectic.
MethodFacts claims_of(const MethodChoice& choice, const Mechanism& mechanism);
// Asks whether a method claims that H does not drift. A symplectic map conserves H on M, and so does a
// symmetric multistep formula; off M the equations of a formulation may have another Hamiltonian.
bool claims_no_drift(const MethodFacts& facts, int constraints);

struct ReadyStart {
  PlainState x;
  std::optional<StartMove> moved;  // if it was to be brought onto the manifold, and was off it
  std::string warning = {};        // it is far from the origin, and its rounding limits the results
};
// Returns the start on the manifold. Throws InputError if it is off the manifold, is not finite, is so far
// away that its rounding decides the motion, or if its constraints are dependent.
ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project, Precision precision = Precision::double_precision);
// Does the same for another start than that of the mechanism.
ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project, PlainState x, Precision precision = Precision::double_precision);

// Returns what is to be said of the rounding of far coordinates at this start. Throws InputError if it
// decides the motion.
std::string rounding_of_start(const Mechanism& mechanism, const std::string& model, const PlainState& x,
                              Precision precision);
// Returns the same for a run from such a start: what the rounding at its two ends is beside its energy.
std::string rounding_of_run(const Mechanism& mechanism, const std::string& model, const ReadyStart& start,
                            const RunSummary& run);

// Returns the request for one of several methods that are compared: without what the method does not take.
RunRequest request_for_method(RunRequest request, const std::string& method);
// Drops a tolerance that means nothing to the method, after the model was read.
void drop_useless_tolerance(RunRequest& request, const std::string& method);

SolveOptions solve_options(const RunRequest& request);

// Returns the distance from 1 to the next number.
double epsilon_of(Precision precision);

// Returns the largest difference of a coordinate or momentum between the ends of two runs of one problem,
// with all the digits that both have.
double end_difference(const RunSummary& a, const RunSummary& b);

// Returns the names of some constraints, for messages.
std::vector<std::string> constraint_names(const Mechanism& mechanism, const std::vector<int>& constraints);

}  // namespace taut
