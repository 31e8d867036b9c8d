#include <taut/method/methods.hpp>
#include <taut/run/sentences.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

std::string_view solved_for(SolveStage stage) {
  switch (stage) {
    case SolveStage::position:
      return "the position constraint g(q) = 0";
    case SolveStage::momentum:
      return "the momentum constraint G H_p = 0";
    case SolveStage::inner:
      return "the implicit equations of the step";
  }
  return "";
}

std::string_view residual_name(SolveStage stage) {
  switch (stage) {
    case SolveStage::position:
      return "|g|";
    case SolveStage::momentum:
      return "|G H_p|";
    case SolveStage::inner:
      return "the residual";
  }
  return "";
}

// Asks whether the slopes of a formulation failed, or the stages made of them.
bool is_slope(const FailedStep& at) { return at.is_ode && at.failure.stage == SolveStage::inner; }

std::string what_happened(const FailedStep& at) {
  if (at.energy_not_finite) return "the energy is infinite or NaN";
  switch (at.failure.kind) {
    case FailureKind::not_converged:
      return fmt::format("{} could not be met", solved_for(at.failure.stage));
    case FailureKind::singular:
      if (is_slope(at) && at.dependent.empty()) return "the slopes are not defined at a stage";
      return at.dependent.empty() ? fmt::format("the matrix of {} is singular", solved_for(at.failure.stage))
                                  : std::string("constraints depend on each other");
    case FailureKind::not_finite:
      if (is_slope(at)) return "a value became infinite or NaN in the slopes";
      return fmt::format("a value became infinite or NaN in {}", solved_for(at.failure.stage));
    case FailureKind::off_constraint:
      return fmt::format("the step ended off {}", solved_for(at.failure.stage));
    case FailureKind::jumped:
      if (!at.pole.empty()) return "the step went across a pole";
      return at.failure.constraint < 0 ? "the energy jumped" : "the step changed the branch of a constraint";
    case FailureKind::step_size:
      return "the step size is refused";
  }
  return "";
}

std::string_view iteration_name(const FailedStep& at) {
  if (is_slope(at) && at.failure.corrections == Corrections::usual) return "fixed-point iterations";
  switch (at.failure.corrections) {
    case Corrections::usual:
      if (at.failure.stage == SolveStage::inner) return "simplified Newton iterations";
      if (at.failure.stage == SolveStage::momentum) return "Newton iterations";
      break;
    case Corrections::newton:
      return "Newton iterations";
    case Corrections::simplified_newton:
      return "simplified Newton iterations";
    case Corrections::damped_newton:
      return "damped Newton iterations";
  }
  switch (at.solver) {
    case Iteration::full_newton:
      return "Newton iterations";
    case Iteration::symmetric:
      return "symmetric Newton iterations";
    case Iteration::sweep:
      return "sweeps";
  }
  return "";
}

// At this residual the equations hold as well as double precision allows, whatever the tolerance says.
constexpr double near_rounding = 1e-12;

std::string residual_text(const Failure& failure, std::string_view iterations) {
  const std::string_view name = residual_name(failure.stage);
  if (std::isfinite(failure.residual))
    return fmt::format("  {} = {:.1e} after {} {}", name, failure.residual, failure.iterations, iterations);
  return fmt::format("  The iteration diverged: {} is {} after {} {}", name,
                     std::isnan(failure.residual) ? "not a number" : "infinite", failure.iterations,
                     iterations);
}

std::string condition_text(const FailedStep& at) {
  return std::isfinite(at.connection.condition) ? fmt::format("{:.0e}", at.connection.condition)
                                                : "above 1e13";
}

// Asks whether all solves of the step succeeded, and what it left was found wrong.
bool is_after_the_step(const FailedStep& at) {
  return at.failure.kind == FailureKind::off_constraint || at.failure.kind == FailureKind::jumped;
}

std::string after_the_step(const FailedStep& at) {
  const std::string named = at.constraint.empty() ? "" : ": " + at.constraint;
  if (at.failure.kind == FailureKind::off_constraint)
    return fmt::format("  {} = {:.1e}, largest in{}; rounding explains {:.1e}.\n",
                       residual_name(at.failure.stage), at.failure.residual, named, at.failure.allowed);
  if (!at.pole.empty())
    return fmt::format("  {}: no motion passes there, and what comes behind it is not this one.\n", at.pole);
  const std::string known =
      at.failure.allowed > 0
          ? fmt::format("; from {:.1g} on that is no error of the method", at.failure.allowed)
          : "";
  return fmt::format("  The energy changed by {:.2g} in this step{}.{}\n", at.failure.residual, known,
                     named.empty() ? "" : " The step went across" + named + ".");
}

std::string how_far_off(const FailedStep& at) {
  if (at.energy_not_finite || at.failure.kind == FailureKind::not_finite) return "";
  if (is_after_the_step(at)) return after_the_step(at);
  std::string text;
  if (at.failure.kind == FailureKind::singular && !at.dependent.empty())
    return fmt::format("  The gradients of {} {} to zero.\n", listed(at.dependent),
                       at.dependent.size() == 1 ? "came down" : "combine");
  if (is_slope(at) && at.failure.kind == FailureKind::singular) return "";
  text = residual_text(at.failure, iteration_name(at));
  if (!at.constraint.empty())
    text +=
        (at.failure.kind == FailureKind::singular ? ", pivot lost at: " : ", largest in: ") + at.constraint;
  if (at.of_particles && at.connection.constraints > 1)
    text += fmt::format(", one of {} connected constraints; their matrix has condition {}",
                        at.connection.constraints, condition_text(at));
  if (at.tolerance > 0) text += fmt::format("; the tolerance is {:.0e}", at.tolerance);
  return text + ".\n";
}

constexpr std::string_view solve_them_all =
    "solve them all in the sense of least squares: redundant = \"least-squares\" in [run]";

// Asks whether the method finds its stages by an iteration that keeps the potential as it was: a stiff
// potential throws it off.
bool iterates_stages(const FailedStep& at, std::string_view method) {
  constexpr std::string_view methods[] = {
      "lobatto",         "radau",      "radau-projected", "bdf", "bdf-variable", "bdf-variable-order",
      "gauss-projected", "dirac-gauss"};
  return !at.is_ode && at.failure.stage == SolveStage::inner &&
         std::find(std::begin(methods), std::end(methods), method) != std::end(methods);
}

// Asks whether constraints are nearly dependent. A chain of m equal rods has a condition of about
// m²/2 by itself.
bool nearly_dependent(const FailedStep& at) {
  const double m = at.connection.constraints;
  return !at.of_particles && m > 1 && at.connection.condition > std::max(1e3, 10 * m * m);
}

// Asks whether the motion may run away to infinity, which a hyperbola does in any time and a cubic
// potential in a finite one: then shorter steps only come nearer to the end.
bool runs_away(const FailedStep& at) {
  constexpr double growth = 8;
  const bool by_forces =
      at.energy_not_finite || at.failure.kind == FailureKind::not_finite ||
      at.failure.kind == FailureKind::not_converged || at.failure.kind == FailureKind::jumped ||
      at.failure.kind == FailureKind::step_size || at.failure.kind == FailureKind::off_constraint;
  return by_forces && at.pole.empty() && at.far_at_start > 0 && at.far > growth * at.far_at_start;
}

std::string said_of_running_away(const FailedStep& at) {
  if (!runs_away(at)) return "";
  return fmt::format(
      "  The motion may run away: its largest coordinate is {:.2g}, and was {:.2g} at the start. If it goes "
      "to "
      "infinity,\n  no step passes that: end the run before.\n",
      at.far, at.far_at_start);
}

std::string what_to_try(const FailedStep& at) {
  if (at.torn)
    return fmt::format(
        "  The drive tears the mechanism apart: the constraints cannot be met from t = {:.6g} on. At t = "
        "{:.6g} "
        "the gap\n  is max |g| = {:.1e}, at the least near the last positions. No method and no step goes "
        "on: "
        "change the drive,\n  or end the run before.\n",
        at.torn->time, at.torn->later, at.torn->gap);
  const double residual = at.failure.residual;
  if (at.failure.kind == FailureKind::not_converged && at.tolerance > 0 && residual < near_rounding)
    return "  That is the level of rounding: leave --tolerance out, and the iteration stops by itself.\n";
  if (at.failure.kind == FailureKind::not_converged && at.solver != Iteration::full_newton &&
      at.failure.stage == SolveStage::position)
    return fmt::format(
        "  Full Newton iterations converge where these do not: try --solver newton, or --step {:.3g}.\n",
        at.h / 2);
  if (at.failure.kind == FailureKind::singular && !at.dependent.empty())
    return at.of_particles
               ? fmt::format(
                     "  No method of this kind passes such a point: start elsewhere, leave a redundant "
                     "constraint out, or {}.\n",
                     solve_them_all)
               : "  No method of this kind passes such a point: start elsewhere, or leave a redundant "
                 "constraint out.\n";
  const std::string_view method = at.method.substr(0, at.method.find('('));
  if (method == "gauss-unprojected")
    return fmt::format(
        "  Without a projection this method diverges by nature, whatever the step: it is here to be compared "
        "with. Try --method 'gauss-projected{}'.\n",
        at.method.substr(method.size()));
  if (!at.pole.empty())
    return fmt::format(
        "  The step is too long for the forces near the pole: try --step {:.3g}.\n  --on-jump warn goes on "
        "after such a step, and counts it.\n",
        at.h / 2);
  if (at.failure.kind == FailureKind::jumped && !at.halved)
    return fmt::format(
        "  A long step {}: try --step {:.3g}.\n  --on-jump warn goes on after such a step, and counts it.\n",
        !at.has_constraints ? "goes across a pole of the potential, or is too long for its forces"
        : at.constraint.empty()
            ? "lands on another branch of the constraints, passes a point at which they "
              "meet, or goes across\n  a pole of the potential"
            : "lands on another branch of the constraints, or passes a point at which they "
              "meet",
        at.h / 2);
  if (!at.without_gradient.empty() && at.dependent.empty() &&
      (at.failure.kind == FailureKind::not_converged || at.failure.kind == FailureKind::singular))
    return fmt::format(
        "  {} {} no gradient on the manifold, as a square has none where it is zero, and this method cannot "
        "leave it out.\n  State it without the square, leave it out, or try --method rattle or a "
        "composition of it.\n",
        listed(at.without_gradient), at.without_gradient.size() == 1 ? "has" : "have");
  if (nearly_dependent(at))
    return fmt::format(
        "  At the last good state the gradients of the constraints nearly depend on each other (condition "
        "{}), "
        "as those of a linkage do\n  where it is stretched out or folded. Shorter steps come nearer to such "
        "a "
        "point, and none passes it for certain: other lengths or\n  another start avoid it.\n",
        condition_text(at));
  if (at.failure.kind == FailureKind::off_constraint && !at.halved)
    return fmt::format(
        "  The step is too long for forces that the constraints have to cancel: try --step {:.3g}.\n",
        at.h / 2);
  if (at.halved)
    return "  Taken in 2, 4, … up to 1024 parts it fails as well, so that a shorter step alone will not "
           "help: look at what\n  the forces and constraints do at the last good state.\n";
  return fmt::format(
      "  Most often the step is too long for the forces or for the curvature of the constraint: try --step "
      "{:.3g}{}.\n",
      at.h / 2,
      at.offers_midpoint && iterates_stages(at, method) ? ", or --method midpoint if the potential is stiff"
                                                        : "");
}

// The step density has led to a size that the user, or arithmetic, does not allow.
std::string refused_size(const FailedStep& at) {
  const double h = at.failure.residual, limit = at.failure.allowed;
  if (at.method.starts_with("bdf-variable"))
    return fmt::format(
        "  The error of the steps inside it stays above the error tolerance down to a size of {:.1e}: that "
        "is noise\n  of the forces, of the constraints or of the solves. Try a larger --error-tolerance, "
        "without "
        "--tolerance.\n",
        h);
  if (!(std::abs(h) > 0) || !std::isfinite(h))
    return fmt::format(
        "  The density of steps is no longer positive there: the step function changes too much in one "
        "step.\n"
        "  Try --step {:.3g}, or a smoother step function.\n",
        at.h / 2);
  return fmt::format(
      "  It would be {:.3g}, and the {} that is allowed is {:.3g}. A step that is cut off there would not "
      "be\n"
      "  reversible, and the energy would drift. Try another limit, another step function, or --step "
      "{:.3g}.\n",
      h, std::abs(h) < limit ? "shortest" : "longest", limit, std::abs(h) < limit ? 2 * at.h : at.h / 2);
}

}  // namespace

std::string failure_sentence(const FailedStep& at, std::string_view last_good) {
  if (at.failure.kind == FailureKind::step_size)
    return fmt::format(
        "{}: the step size is refused at t = {:.6g} (step {}).\n{}  The last good state, of step {} (t = "
        "{:.6g}), "
        "is {}.",
        at.method, at.time, at.step, refused_size(at) + said_of_running_away(at), at.step - 1, at.time,
        last_good);
  return fmt::format(
      "{}: {} at t = {:.6g} (step {}).\n{}{}{}  The last good state, of step {} (t = {:.6g}), is {}.",
      at.method, what_happened(at), at.reached, at.step, how_far_off(at), what_to_try(at),
      said_of_running_away(at), at.step - 1, at.time, last_good);
}

std::string unstable_sentence(std::string_view method, const RunSummary& run, bool offers_midpoint,
                              std::string_view last_state) {
  const bool other = offers_midpoint && method != "midpoint";
  return fmt::format(
      "{}: the run is unstable. The energy grew without end, from H = {:.6g} to {:.2g} at t = {:.6g}.\n"
      "  Most often the step is too long for the stiffest part of the potential: try --step {:.3g}{}.\n"
      "  All {} steps were made, but the numbers mean nothing; the last state is {}.",
      method, run.energy_initial, run.energy_final, run.time, run.step / 2,
      other ? ", or --method midpoint" : "", run.steps, last_state);
}

std::string lost_energy_sentence(std::string_view method, const RunSummary& run,
                                 std::string_view last_state) {
  return fmt::format(
      "{}: the energy is lost. H = {:.6g} at the start, and was off by {:.2g} {}.\n"
      "  The motion has a kinetic energy of {:.2g} at most, without what H had too much.\n"
      "  The step is too long for the forces, as it is at a wall, near a pole of the potential or between\n"
      "  branches of the constraints: try --step {:.3g}. --on-jump warn takes such a run as it is.\n"
      "  All {} steps were made; the last state is {}.",
      method, run.energy_initial, run.energy_off_for_a_while,
      run.trend ? "on average over a twentieth of the run" : "at the end", run.kinetic_owned, run.step / 2,
      run.steps, last_state);
}

std::string inconsistent_start_sentence(const BadStart& start) {
  std::string text = fmt::format("{}: the start does not satisfy the constraints.\n", start.model);
  if (!start.on_position)
    text += fmt::format("  max |g(q)| = {:.1e}, largest in: {}.\n", start.position, start.worst_position);
  if (!start.on_momentum)
    text += fmt::format("  max |G H_p| = {:.1e}, largest in: {}.\n", start.momentum, start.worst_momentum);
  return text + "  Correct it, or let --project-start move q, then p, onto the manifold and say how far.";
}

namespace {

std::string what_grain_changes(const Grain& grain, const std::string& constraint) {
  switch (grain.of) {
    case Grain::Of::gradient:
      return "the gradient of " + constraint;
    case Grain::Of::force:
      return fmt::format("the force on coordinate {}", grain.which + 1);
    case Grain::Of::velocity:
      return fmt::format("the velocity of coordinate {}", grain.which + 1);
  }
  return "";
}

}  // namespace

std::string coarse_start_sentence(std::string_view model, const Grain& grain, const std::string& constraint,
                                  bool of_particles) {
  const bool refused = grain.part > grain_to_refuse;
  return fmt::format(
      "{}: {}.\n  {} {} is {:.6g}, where neighbouring numbers are {:.1e} apart. Such a unit of rounding "
      "changes {}\n  by {:.1e} of itself; from {:.0e} on a start is refused, from {:.0e} on it is named.\n"
      "  Move the origin: write coordinates as distances from a point near the motion{}.",
      model,
      refused ? "the start is too far from the origin for double precision"
              : "the start is so far from the origin that its rounding limits the results",
      grain.of_momentum ? "The momentum of coordinate" : "Coordinate", grain.coordinate + 1, grain.value,
      grain.unit, what_grain_changes(grain, constraint), grain.part, grain_to_refuse, grain_to_name,
      of_particles ? "" : ", or take --precision quad");
}

std::string coarse_energy_sentence(std::string_view model, const EnergyGrain& grain) {
  return fmt::format(
      "{}: a coordinate is so far from the origin that its rounding limits the results.\n  Coordinate {} is "
      "{:.6g}, where neighbouring numbers are {:.1e} apart. Such a unit of rounding changes H by {:.1e} of "
      "the\n  largest kinetic energy; from {:.0e} on it is named. Move the origin: write coordinates as "
      "distances from a\n  point near the motion.",
      model, grain.coordinate + 1, grain.value, grain.unit, grain.part, energy_grain_to_name);
}

std::string dependent_start_sentence(std::string_view model, const std::vector<std::string>& dependent) {
  return fmt::format(
      "{}: constraints depend on each other at the start.\n  The gradients of {} {} to zero: their forces "
      "are not determined.\n  Leave one of them out, or {}.",
      model, listed(dependent), dependent.size() == 1 ? "come down" : "combine", solve_them_all);
}

std::string needs_full_rank_sentence(std::string_view model, std::string_view method, bool is_ordinary,
                                     const std::vector<std::string>& dependent) {
  return fmt::format(
      "{} needs constraints that do not depend on each other, and {} has some that do: the gradients of\n"
      "  {} {} to zero at the start.\n"
      "  Its system for all unknowns at once would be singular. Use {}.",
      method, model, listed(dependent), dependent.size() == 1 ? "come down" : "combine",
      is_ordinary ? "the formulation underlying, dirac-weak or impetus-striction, or rattle or lobatto(s)"
                  : "rattle, a composition such as yoshida4, lobatto(s), radau(s) or bdf(k)");
}

std::string failed_projection_sentence(std::string_view model, const Failure& failure,
                                       const std::string& constraint) {
  return fmt::format(
      "{}: --project-start found no point of the manifold near this start.\n{}{}.\n  Choose a start nearer "
      "to "
      "it, or constraints that do not contradict each other.",
      model, residual_text(failure, "Newton iterations"),
      constraint.empty() ? "" : ", largest in: " + constraint);
}

std::string nothing_to_stop_sentence(std::string_view method, double tolerance) {
  return fmt::format(
      "{} is explicit: its steps solve no equations that --tolerance {:.3g} could stop. Leave it out, or "
      "project "
      "onto the constraints after each step: --projection both.",
      method, tolerance);
}

std::string does_not_fit_sentence(const Refusal& r) {
  if (!r.offered.empty())
    return fmt::format(
        "{} is not offered for systems of particles. What runs on {}: {}.\n  `taut methods` lists what each "
        "method needs.",
        r.method, r.model, joined(r.offered));
  std::string_view needs = "a natural system, H = p'Wp/2 + V(q)";
  if (r.tier == tier_name(Tier::split)) needs = "a potential in two parts, V = V_slow + V_fast";
  std::string text = fmt::format("{} needs {}; {} is not of that kind.", r.method, needs, r.model);
  const auto fits = [&](std::string_view name) {
    return std::find(r.fitting.begin(), r.fitting.end(), name) != r.fitting.end();
  };
  std::vector<std::string> advised;
  for (const char* name : {"rattle", "lobatto(2)", "midpoint"})
    if (fits(name) && (advised.empty() || advised[0] != "rattle")) advised.emplace_back(name);
  if (!advised.empty()) text += fmt::format(" Use {}.", joined(advised, " or "));
  if (!fits("rattle") && fits("midpoint"))
    text += " For higher order: lobatto(3), or a composition such as yoshida4(midpoint).";
  return text + "\n  `taut methods` lists what each method needs.";
}

}  // namespace taut
