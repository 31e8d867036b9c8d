#include <taut/mechanism/ode_choice.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/sentences.hpp>
#include <taut/solve/dense_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr std::string_view bdf_variable_name = "bdf-variable";
// The local error of a step of bdf-variable, if nothing is said.
constexpr double usual_error_tolerance = 1e-6;

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

bool is_shake(std::string_view method) {
  return method == "shake" || method == "shake(two-step)" || method == "shake-velocity";
}

// Compositions of rattle can begin elsewhere than at 0, and rattle is the one of a single step; the SHAKE
// forms remember their past too. Refuses the others.
void begin_elsewhere(const Mechanism& mechanism, FirstGuess guess, MethodChoice& choice) {
  const NamedMethod named = named_method(choice.method);
  const bool from_past = guess == FirstGuess::quadratic;
  if (choice.method == "rattle")
    choice.method = "rattle=composition(1)";
  else if (!named.is_composition_of_rattle && !(from_past && is_shake(choice.method)))
    throw ChoiceError("first-guess",
                      fmt::format("{} cannot begin at {}: rattle and its compositions can, such as yoshida4"
                                  "{}. Leave the first guess out, or use one of them.",
                                  choice.label(), from_past ? "a guess from earlier steps" : "the multiplier",
                                  from_past ? ", and shake, shake-velocity" : ""));
  if (mechanism.of_particles() && !from_past)
    throw ChoiceError(
        "first-guess",
        "systems of particles do not begin at the multiplier: it needs second derivatives of the "
        "constraints. Leave the first guess out, or take the quadratic one.");
}

// The rule of Leimkuhler and Skeel is for the position solve of their methods, and for a stated tolerance.
void check_stop_rule(const Mechanism& mechanism, const RunRequest& request, const MethodChoice& choice) {
  if (request.stop == StopRule::residual) return;
  const bool solves = choice.method.starts_with("rattle") || is_shake(choice.method) ||
                      named_method(choice.method).is_composition_of_rattle;
  if (choice.ode || !solves || mechanism.of_particles())
    throw ChoiceError(
        "stop-rule",
        fmt::format(
            "{} stops by the residual alone: the change of the impulse can be asked of shake, "
            "shake-velocity, rattle and its compositions, for models of formulas. Leave the stop rule "
            "out.",
            mechanism.of_particles() ? "a system of particles" : choice.label()));
  if (!(request.tolerance > 0))
    throw ChoiceError("stop-rule",
                      "the stop rule `change` needs a tolerance to hold the change and the residual against. "
                      "Add one, as in --tolerance 1e-6, or leave the stop rule out.");
}

// Solves that leave more than this part of the error that a step may make would be taken for that error.
constexpr double part_for_solves = 0.01;

void check_error_tolerance(const RunRequest& request, const MethodChoice& choice) {
  if (!choice.ode && choice.method.starts_with(bdf_variable_name)) {
    const double error = request.error_tolerance.value_or(usual_error_tolerance);
    if (request.tolerance > part_for_solves * error)
      throw ChoiceError(
          "tolerance",
          fmt::format("{} chooses its steps by errors of {:.3g}, which solves to {:.3g} would hide. Give a "
                      "tolerance of at most {:.3g}, or leave it out.",
                      short_name(choice.method), error, request.tolerance, part_for_solves * error));
    return;
  }
  if (!request.error_tolerance) return;
  throw ChoiceError("error-tolerance",
                    fmt::format("{} takes steps of one size, whatever their error: bdf-variable(k) chooses "
                                "them. Leave the error tolerance out, or use that method.",
                                choice.label()));
}

bool is_for_velocity_constraints(const std::string& method) {
  return method.find("nonholonomic") != std::string::npos;
}

bool is_for_damping(const std::string& method) { return method.find("conformal") != std::string::npos; }

// If constraints hold momenta together, only damping that is the same for all of them leaves a symmetric map.
void check_damping(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice) {
  if (choice.ode || !is_for_damping(choice.method)) return;
  if (mechanism.damping() == Mechanism::Damping::none)
    throw ChoiceError("method", fmt::format("{} is for models with [damping], and {} has none. The same step "
                                            "for others is lobatto(2).",
                                            choice.label(), model));
  if (mechanism.damping() == Mechanism::Damping::different && mechanism.constraints() > 0)
    throw ChoiceError("method",
                      fmt::format("{} takes [damping] under constraints if all coordinates have the same "
                                  "rate: {} has different ones. Use lobatto(s).",
                                  choice.label(), model));
}

// The time is one more coordinate, and H is linear in its momentum. What takes any H takes this one too,
// unless it divides by H_pp or makes the time go in steps of its own. If forces stand in place of a gradient,
// only the stage equations of lobatto(s) hold: what the others conclude from H does not.
bool takes_time(const Mechanism& mechanism, const MethodChoice& choice) {
  const NamedMethod named = named_method(choice.method);
  if (is_for_velocity_constraints(choice.method)) return true;
  if (!choice.ode && is_for_damping(choice.method)) return !base_of_adaptive(choice.method);
  if (mechanism.forced())
    return !choice.ode && (named.facts.name == "lobatto" ||
                           (named.is_composition && choice.method.find("lobatto") != std::string::npos));
  if (choice.ode) return choice.ode->formulation != "dirac-simplified";
  return !named.facts.name.starts_with("bdf") && !base_of_adaptive(choice.method);
}

void check_time(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice) {
  if (!mechanism.timed() || takes_time(mechanism, choice)) return;
  throw ChoiceError(
      "method",
      fmt::format(
          "{} does not take a model that {}: {} is one. Use lobatto(s), of order 2s-2, or a composition "
          "of it such as yoshida4(lobatto(2)).",
          choice.label(), mechanism.forced() ? "has forces or damping" : "depends on t", model));
}

// A method that brings positions onto g = 0 has nothing to bring onto A(q) q' = 0.
void check_velocity_constraints(const Mechanism& mechanism, const std::string& model,
                                const MethodChoice& choice) {
  const bool rolls = mechanism.velocity_constraints() > 0;
  const bool of_velocities =
      choice.ode
          ? choice.ode->formulation == "underlying" && choice.ode->projection.kind == ProjectionKind::none
          : is_for_velocity_constraints(choice.method) && !base_of_adaptive(choice.method);
  if (rolls && !of_velocities)
    throw ChoiceError("method",
                      fmt::format("{} does not take a model with constraints on velocities: {} is one. Use "
                                  "nonholonomic, a composition of it such as yoshida4(nonholonomic), or a "
                                  "method such as rk4 on the formulation underlying.",
                                  choice.label(), model));
  if (!rolls && !choice.ode && is_for_velocity_constraints(choice.method))
    throw ChoiceError("method",
                      fmt::format("{} is for constraints on velocities, and {} has none. The same step for "
                                  "others is lobatto(2).",
                                  choice.label(), model));
}

// Asks whether the method solves for all its unknowns at once, by a matrix that is singular if a constraint
// follows from others.
bool needs_full_rank(const MethodChoice& choice) {
  const auto is_one_of = [](std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (choice.ode)
    return is_one_of(choice.ode->formulation, {"hamilton-dirac", "state-space", "index-2", "ggl"});
  const std::string steps_of = base_of_adaptive(choice.method).value_or(choice.method);
  return steps_of.find("midpoint") != std::string::npos ||
         is_one_of(named_method(steps_of).facts.name, {"dirac-gauss", "half-explicit"});
}

// Lists the constraints that depend on each other at x, also if they are to be solved all the same.
std::vector<int> depend_on_each_other(const Mechanism& mechanism, const PlainState& x) {
  const std::size_t m = static_cast<std::size_t>(mechanism.constraints()), n = x.q.size();
  std::vector<double> G(m * n);
  mechanism.evaluate(Evaluated::G, {.count = 1, .q = x.q.data(), .p = x.p.data()}, G.data());
  DenseMatrix rows(static_cast<int>(m), static_cast<int>(n));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) rows(static_cast<int>(i), static_cast<int>(j)) = G[i * n + j];
  return dependent_rows_below_rank(rows);
}

void check_rank(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                const PlainState& start) {
  if (mechanism.constraints() == 0 || !needs_full_rank(choice)) return;
  const std::vector<int> found = depend_on_each_other(mechanism, start);
  if (!found.empty())
    throw ChoiceError(choice.ode ? "formulation" : "method",
                      needs_full_rank_sentence(model, choice.label(),
                                               choice.ode && named_method(choice.method).needs_formulation,
                                               constraint_names(mechanism, found)));
}

// Says why there is no projection. Dependent constraints come before the residual that they leave.
std::string no_projection(const Mechanism& mechanism, const std::string& model, const PlainState& start,
                          const Failure& failure) {
  if (const auto found = mechanism.dependent(start); !found.empty())
    return dependent_start_sentence(model, constraint_names(mechanism, found));
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

MethodFacts claims_of(const MethodChoice& choice) {
  if (!choice.ode) return named_method(choice.method).facts;
  MethodFacts facts = facts_on_formulation(choice.method, choice.ode->formulation, choice.ode->projection);
  facts.solve_limit = stage_limit;
  return facts;
}

MethodFacts claims_of(const MethodChoice& choice, const Mechanism& mechanism) {
  MethodFacts facts = claims_of(choice);
  facts.symplectic = facts.symplectic && !mechanism.forced();
  return facts;
}

std::optional<std::string> name_with_time(const Mechanism& mechanism, const std::string& method) {
  if (!mechanism.timed() || mechanism.forced() || mechanism.velocity_constraints() > 0) return std::nullopt;
  const std::string name = "lobatto(2)";
  std::string stem = method;
  for (const std::string base : {"rattle", "verlet"}) {
    if (method == base) return name;
    if (stem.ends_with("(" + base + ")")) stem.resize(stem.size() - base.size() - 2);
  }
  const bool plain = stem.find('(') == std::string::npos;
  if (!plain || !named_method(stem).is_composition_of_rattle) return std::nullopt;
  return stem + "(" + name + ")";
}

bool claims_no_drift(const MethodFacts& facts, int constraints) {
  const bool conserves = facts.symplectic || (facts.symmetric && facts.past > 0);
  return conserves && (keeps_position(facts.keeps) || constraints == 0);
}

double epsilon_of(Precision precision) {
  return precision == Precision::quadruple ? 0x1p-112
         : precision == Precision::long_double
             ? static_cast<double>(std::numeric_limits<long double>::epsilon())
             : std::numeric_limits<double>::epsilon();
}

double end_difference(const RunSummary& a, const RunSummary& b) {
  double most = 0;
  const auto see = [&](double x) { most = std::max(most, std::abs(x)); };
  const auto between = [](const Wide& x, const Wide& y) {
    return (x.high - y.high) + ((x.middle - y.middle) + (x.low - y.low));
  };
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    see(a.wide && b.wide ? between(a.wide->q[i], b.wide->q[i]) : a.q[i] - b.q[i]);
    see(a.wide && b.wide ? between(a.wide->p[i], b.wide->p[i]) : a.p[i] - b.p[i]);
  }
  return most;
}

MethodChoice chosen_method(const Mechanism& mechanism, const std::string& model, const RunRequest& request) {
  const char* const usual = mechanism.velocity_constraints() > 0    ? "nonholonomic"
                            : mechanism.timed()                     ? "lobatto(3)"
                            : mechanism.tier() == Tier::hamiltonian ? "midpoint"
                                                                    : "rattle";
  MethodChoice choice{.method = request.method.empty() ? usual : request.method};
  if (const auto name = name_with_time(mechanism, choice.method)) choice.method = *name;
  choice.ode = ode_choice(choice.method, request);
  check_velocity_constraints(mechanism, model, choice);
  check_damping(mechanism, model, choice);
  check_time(mechanism, model, choice);
  // A model's own coordinates are used in place of charts, unless a rule for charts is written.
  if (choice.ode && choice.ode->formulation == "state-space" && choice.ode->arguments.empty() &&
      mechanism.parametrised())
    choice.ode->formulation = "parametrised";
  if (request.tolerance > 0 && !is_solved(choice))
    throw InputError(nothing_to_stop_sentence(short_name(choice.method), request.tolerance));
  check_stop_rule(mechanism, request, choice);
  check_error_tolerance(request, choice);
  if (request.first_guess != FirstGuess::zero) begin_elsewhere(mechanism, request.first_guess, choice);
  const std::string steps_of = base_of_adaptive(choice.method).value_or(choice.method);
  if (choice.ode || mechanism.fits(steps_of)) {
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

std::string rounding_of_start(const Mechanism& mechanism, const std::string& model, const PlainState& x,
                              Precision precision) {
  auto grain = grain_of(mechanism, x);
  if (!grain) return "";
  grain->part *= epsilon_of(precision) / std::numeric_limits<double>::epsilon();
  if (!(grain->part > grain_to_name)) return "";
  const std::string sentence = coarse_start_sentence(
      model, *grain, grain->of == Grain::Of::gradient ? mechanism.constraint_name(grain->which) : "",
      mechanism.of_particles());
  if (grain->part > grain_to_refuse) throw InputError(sentence);
  return sentence;
}

std::string rounding_of_run(const Mechanism& mechanism, const std::string& model, const ReadyStart& start,
                            const RunSummary& run) {
  if (!start.warning.empty() || run.precision != Precision::double_precision) return start.warning;
  auto worst = energy_grain_of(mechanism, start.x, run.kinetic_max);
  const auto at_end = energy_grain_of(mechanism, {run.q, run.p}, run.kinetic_max);
  if (at_end && (!worst || at_end->part > worst->part)) worst = at_end;
  return worst ? coarse_energy_sentence(model, *worst) : "";
}

ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project, Precision precision) {
  return ready_start(mechanism, model, choice, project, mechanism.start(), precision);
}

ReadyStart ready_start(const Mechanism& mechanism, const std::string& model, const MethodChoice& choice,
                       bool project, PlainState x, Precision precision) {
  ReadyStart start{std::move(x), {}};
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
    throw InputError(dependent_start_sentence(model, constraint_names(mechanism, found)));
  start.warning = rounding_of_start(mechanism, model, start.x, precision);
  if (choice.ode)
    if (const auto reason = mechanism.refusal(*choice.ode, start.x))
      throw ChoiceError("formulation", *reason);
  check_rank(mechanism, model, choice, start.x);
  return start;
}

RunRequest request_for_method(RunRequest request, const std::string& method) {
  request.method = method;
  if (!takes_formulation(method, request.formulation)) {
    request.formulation = request.projection = {};
    request.projection_tolerance.reset();
  }
  return request;
}

void drop_useless_tolerance(RunRequest& request, const std::string& method) {
  if (!named_method(method).solves && (request.projection.empty() || request.projection == "none"))
    request.tolerance = 0;
}

SolveOptions solve_options(const RunRequest& request) {
  return {.iteration = request.solver,
          .tolerance = request.tolerance,
          .first_guess = request.first_guess,
          .stop = request.stop,
          .error_tolerance = request.error_tolerance.value_or(usual_error_tolerance)};
}

}  // namespace taut
