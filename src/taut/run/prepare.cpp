#include <taut/method/methods.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/sentences.hpp>

#include <algorithm>

namespace taut {

namespace {

// "rattle", "lobatto(s)" for all numbers of stages, and one word for the many compositions.
std::vector<std::string> offered_names(const std::vector<std::string>& fitting) {
  std::vector<std::string> names;
  bool compositions = false;
  for (const std::string& name : fitting) {
    const NamedMethod method = named_method(name);
    if (method.is_composition) {
      compositions = true;
      continue;
    }
    std::string text(method.facts.name);
    if (method.facts.argument != 0) text += method.facts.tier == Tier::split ? "(k)" : "(s)";
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  if (compositions) names.emplace_back("compositions such as yoshida4");
  return names;
}

// Says why there is no projection. Dependent constraints come before the residual that they leave.
std::string no_projection(const Mechanism& mechanism, const std::string& model, const PlainState& start,
                          const Failure& failure) {
  if (const auto found = mechanism.dependent(start); !found.empty())
    return dependent_start_sentence(model, constraint_names(mechanism, found), mechanism.of_particles());
  const bool known = failure.constraint >= 0 && failure.constraint < mechanism.constraints();
  return failed_projection_sentence(model, failure,
                                    known ? mechanism.constraint_name(failure.constraint) : "");
}

}  // namespace

std::vector<std::string> constraint_names(const Mechanism& mechanism, const std::vector<int>& constraints) {
  std::vector<std::string> names;
  for (const int k : constraints) names.push_back(mechanism.constraint_name(k));
  return names;
}

MethodChoice chosen_method(const Mechanism& mechanism, const std::string& model, const RunRequest& request) {
  const char* const usual = mechanism.tier() == Tier::hamiltonian ? "midpoint" : "rattle";
  MethodChoice choice{.method = request.method.empty() ? usual : request.method};
  choice.ode = ode_choice(choice.method, request);
  if (choice.ode || mechanism.fits(choice.method)) {
    choice.method = numbered_name(choice.method);
    return choice;
  }
  const MethodFacts facts = named_method(choice.method).facts;
  Refusal refusal{
      .model = model, .method = choice.method, .tier = tier_name(facts.tier), .fitting = mechanism.fitting()};
  const bool right_kind = facts.tier != Tier::split || mechanism.tier() == Tier::split;
  // A system of particles is natural, but does not offer every method for natural systems: name those
  // that it offers.
  if (mechanism.of_particles() && right_kind) refusal.offered = offered_names(refusal.fitting);
  throw ChoiceError("method", does_not_fit_sentence(refusal));
}

ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project) {
  ReadyStart start{mechanism.start(), {}};
  StartCheck check = mechanism.check(start.x);
  if (!check.finite)
    throw InputError(model + ": the start is not finite: q, p, the energy or a residual is infinite or NaN.");
  if (!check.consistent() && project) {
    const auto move = mechanism.project(start.x);
    if (!move) throw InputError(no_projection(mechanism, model, start.x, move.error()));
    start.moved = StartMove{move->q, move->p};
    check = mechanism.check(start.x);
  }
  if (!check.consistent())
    throw InputError(
        inconsistent_start_sentence({.model = model,
                                     .position = check.position,
                                     .momentum = check.momentum,
                                     .on_position = check.on_position,
                                     .on_momentum = check.on_momentum,
                                     .worst_position = mechanism.constraint_name(check.worst_position),
                                     .worst_momentum = mechanism.constraint_name(check.worst_momentum)}));
  if (const auto found = mechanism.dependent(start.x); !found.empty())
    throw InputError(
        dependent_start_sentence(model, constraint_names(mechanism, found), mechanism.of_particles()));
  if (choice.ode)
    if (const auto reason = mechanism.refusal(*choice.ode, start.x))
      throw ChoiceError("formulation", *reason);
  return start;
}

SolveOptions solve_options(const RunRequest& request) {
  return {.iteration = request.solver, .tolerance = request.tolerance};
}

}  // namespace taut
