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

// Asks whether a step has equations that a tolerance could stop.
bool is_solved(const MethodChoice& choice) {
  return !choice.ode || choice.ode->projection.kind != ProjectionKind::none ||
         named_method(choice.method).solves;
}

// Compositions of rattle can begin at λ(q, p), and rattle is the one of a single step. Refuses the others.
void begin_at_multiplier(const Mechanism& mechanism, MethodChoice& choice) {
  const NamedMethod named = named_method(choice.method);
  if (choice.method == "rattle")
    choice.method = "rattle=composition(1)";
  else if (!named.is_composition_of_rattle)
    throw ChoiceError("first-guess",
                      choice.label() +
                          " cannot begin at the multiplier: rattle and its compositions can, such "
                          "as yoshida4. Leave the first guess out, or use one of them.");
  if (mechanism.of_particles())
    throw ChoiceError("first-guess",
                      "systems of particles begin at 0: the multiplier needs second derivatives of the "
                      "constraints. Leave the first guess out.");
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
  // A model's own coordinates are used in place of charts, unless a rule for charts is written.
  if (choice.ode && choice.ode->formulation == "state-space" && choice.ode->arguments.empty() &&
      mechanism.parametrised())
    choice.ode->formulation = "parametrised";
  if (request.tolerance > 0 && !is_solved(choice))
    throw InputError(nothing_to_stop_sentence(short_name(choice.method), request.tolerance));
  if (request.from_multiplier) begin_at_multiplier(mechanism, choice);
  if (choice.ode || mechanism.fits(choice.method)) {
    choice.method = numbered_name(choice.method);
    return choice;
  }
  const MethodFacts facts = named_method(choice.method).facts;
  const std::string name = short_name(choice.method);
  Refusal refusal{
      .model = model, .method = name, .tier = tier_name(facts.tier), .fitting = mechanism.fitting()};
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
  return {.iteration = request.solver,
          .tolerance = request.tolerance,
          .from_multiplier = request.from_multiplier};
}

}  // namespace taut
