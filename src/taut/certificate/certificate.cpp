#include <taut/bytes/json.hpp>
#include <taut/certificate/certificate.hpp>
#include <taut/certificate/frequency.hpp>
#include <taut/certificate/trials.hpp>
#include <taut/mechanism/stability.hpp>
#include <taut/method/methods.hpp>
#include <taut/method/multistep/table.hpp>
#include <taut/model/particles/particle_model.hpp>

#include <fmt/format.h>

#include <cmath>

namespace taut {

namespace {

constexpr std::int64_t fewest_steps = 2000, most_steps = 20000;  // steps of the long run
constexpr double difference_floor = 1e-11;   // the differences and the solves are not more accurate than this
constexpr double noise_factor = 10;          // because the noise is an estimate
constexpr double too_noisy = 1e-6;           // nothing can be told from such differences
constexpr double reversal_rounding = 1e-10;  // what 2 × 25 steps leave, in states of size 1
constexpr double residual_factor = 100;      // allowed above what the best solve leaves near the start

std::optional<double> zero_if(bool claimed) { return claimed ? std::optional(0.0) : std::nullopt; }

std::string_view in_words(FailureKind kind) {
  switch (kind) {
    case FailureKind::not_converged:
      return "did not converge";
    case FailureKind::singular:
      return "met a singular matrix";
    case FailureKind::not_finite:
      return "met a value that is not finite";
    case FailureKind::off_constraint:
      return "ended off its constraints";
    case FailureKind::jumped:
      return "changed the energy by a jump";
    case FailureKind::step_size:
      return "would have had a size beyond its limits";
  }
  return "";
}

std::string failed_step(const Failure& failure) {
  return fmt::format("a step {}: residual {:.1e} after {} iterations", in_words(failure.kind),
                     failure.residual, failure.iterations);
}

Check order_check(const Trials& trials, const MethodFacts& facts, double step) {
  using Outcome = Trials::Order::Outcome;
  Check check{.name = "order"};
  if (facts.order > 0) check.claimed = facts.order;
  const Trials::Order order = trials.order(facts.order);
  if (order.outcome == Outcome::at_rounding) {
    check.note = "not to be seen: the error is at rounding, and longer steps leave the asymptotic range";
    return check;
  }
  if (order.outcome == Outcome::not_asymptotic) {
    check.pass = facts.order == 0;
    check.note = "no step size, down to 1/650 of this one, at which the error falls like a power of it";
    return check;
  }
  check.measured = order.fit.order;
  const double error = 2 * order.fit.error;
  check.uncertainty = fmt::format("± {:.2g}", error);
  check.pass = order.fit.order + error > facts.order - Trials::order_slack;
  check.note = fmt::format("steps {:.3g} to {:.3g}", order.largest, order.smallest);
  if (std::abs(order.largest) < std::abs(step))
    check.note += fmt::format("; {:.3g} is too long for the asymptotic range", step);
  else if (std::abs(order.largest) > std::abs(step))
    check.note += fmt::format("; at {:.3g} the error is at rounding", step);
  return check;
}

RunSummary long_run(ModelRun model, const RunRequest& request, const Telling& telling) {
  model.request = request;
  AwaitedRun observer(telling);
  return model.run(observer, "printed by `taut run` with the same options");
}

// Measures the order in more precision than a double has, where differences of trajectories have room: from
// the ends of four runs over the same time, each with half the step of the one before.
Check order_of_runs(const ModelRun& model, RunRequest request, const MethodFacts& facts, double h,
                    const Telling& telling) {
  constexpr std::int64_t longest = 10;  // steps of the first run
  constexpr int farthest = 8;           // times that the first step is halved
  Check check{.name = "order"};
  if (facts.order > 0) check.claimed = facts.order;
  check.pass = facts.order == 0;
  check.note = "not to be seen: the steps are too long for it, or the errors are at rounding";
  request.until.reset();
  std::vector<double> differences;
  std::optional<RunSummary> before;
  for (int k = 0; k < farthest; ++k) {
    request.step = std::ldexp(h, -k);
    request.steps = longest << k;
    RunSummary run = long_run(model, request, telling);
    if (!run.error.empty()) return check;
    if (before) differences.push_back(end_difference(*before, run));
    before = std::move(run);
    if (differences.size() < 3) continue;
    const double* d = &differences[differences.size() - 3];
    if (!(d[2] > 1e3 * epsilon_of(request.precision))) return check;
    const double order = std::log2(d[1] / d[2]), scatter = std::abs(order - std::log2(d[0] / d[1]));
    if (scatter > Trials::order_slack) continue;
    check.measured = order;
    check.uncertainty = fmt::format("± {:.2g}", scatter);
    check.note = fmt::format("steps {:.3g} to {:.3g}", std::ldexp(h, 3 - k), std::ldexp(h, -k));
    check.pass = order + scatter > facts.order - Trials::order_slack;
    if (check.pass) return check;
  }
  return check;
}

Check symplectic_check(const Trials& trials, const MethodFacts& facts) {
  Check check{.name = "symplectic defect", .claimed = zero_if(facts.symplectic)};
  const auto defects = trials.symplectic_defects();
  if (!defects) {
    check.pass = !facts.symplectic;
    check.note = failed_step(defects.error());
    return check;
  }
  const auto excess = [](const DifferenceDefect& seen) {  // beyond 1 it is too much
    return std::max(seen.noise / too_noisy,
                    seen.defect / std::max(difference_floor, noise_factor * seen.noise));
  };
  const DifferenceDefect seen = *std::max_element(
      defects->begin(), defects->end(), [&](const auto& a, const auto& b) { return excess(a) < excess(b); });
  check.measured = seen.defect;
  check.uncertainty = fmt::format("± {:.1e}", seen.noise);
  const bool clear = seen.noise < too_noisy;
  if (!clear) check.note = "the step is no smooth map of its start";
  if (facts.symplectic)
    check.pass = clear && seen.defect <= std::max(difference_floor, noise_factor * seen.noise);
  return check;
}

Check reversal_check(const Trials& trials, const MethodFacts& facts) {
  const bool claimed = is_symmetric_map(facts);
  Check check{.name = "reversibility defect", .claimed = zero_if(claimed)};
  const auto seen = trials.reversal_defect();
  if (seen)
    check.measured = *seen;
  else
    check.note = failed_step(seen.error());
  if (claimed) check.pass = seen && *seen <= reversal_rounding;
  if (seen && facts.symmetric && !claimed)
    check.note = "the formula is symmetric; a run that begins anew at its end has another past";
  return check;
}

Check residual_check(const std::string& name, bool claimed, double measured, double rounding,
                     double epsilon) {
  Check check{.name = name, .claimed = zero_if(claimed), .measured = measured};
  if (claimed)
    check.pass =
        measured <=
        residual_factor * std::max(rounding * epsilon / epsilon_of(Precision::double_precision), epsilon);
  return check;
}

// The energy that a summary follows has the work of forces and drives taken from it.
std::string_view energy_off(const ModelRun& model) {
  return model.mechanism->timed() || model.mechanism->forced() ? "H - H0 - work" : "H - H0";
}

bool drifts(const RunSummary& run, double energy) {
  if (run.unstable || (run.trend && !run.trend->is_finite())) return true;
  return run.trend && run.trend->beyond_its_error() &&
         std::abs(run.trend->total) > Trend::rounding_of(energy, run.steps, epsilon_of(run.precision));
}

Check drift_check(const ModelRun& model, RunRequest request, const RunSummary& run, const MethodFacts& facts,
                  double energy, const Telling& telling) {
  const int constraints = model.mechanism->constraints();
  Check check{.name = "energy drift", .claimed = zero_if(claims_no_drift(facts, constraints))};
  if (!run.trend) {
    check.pass = !check.claimed;
    check.note = run.error.empty() ? "the run is too short for it: 100 steps are the least"
                                   : "the run failed before it could be seen";
    return check;
  }
  RunSummary seen = run;
  if (check.claimed && drifts(run, energy)) {
    // A beat between the oscillation of the energy and the blocks can pass for a drift in one run, but hardly
    // in another run of four times its length.
    request.steps = 4 * run.steps;
    request.until.reset();
    const RunSummary longer = long_run(model, request, telling);
    const bool same_sign = longer.trend && longer.trend->total * run.trend->total > 0;
    check.pass = !run.unstable && run.trend->is_finite() && longer.error.empty() &&
                 !(drifts(longer, energy) && same_sign);
    if (longer.error.empty()) seen = longer;
  }
  check.measured = seen.trend->total;
  check.uncertainty = fmt::format("± {:.1e}", seen.trend->error);
  if (run.energy_stays_lost) check.pass = false;
  check.note = fmt::format("{}max |{}| = {:.1e} in {} steps",
                           seen.unstable           ? "the run is unstable: "
                           : run.energy_stays_lost ? "the energy is lost: "
                                                   : "",
                           energy_off(model), seen.energy_error, seen.steps);
  return check;
}

// Compares max |H - H0| over the same time with this step and with half of it. The error of a symplectic
// method falls by about 2 to the power of its order; one that does not fall at all is none of the method's.
// If forces act, their work is found by the quadrature of the method itself: H - H0 - work has its order, and
// no drift of it could be excluded, so that this is what is judged.
Check energy_error_check(const ModelRun& model, RunRequest request, const RunSummary& run,
                         const MethodFacts& facts, double energy, const Telling& telling) {
  constexpr std::int64_t compared_steps = 200;
  Check check{.name = "energy error ratio"};
  const bool forced = model.mechanism->forced();
  if ((forced || claims_no_drift(facts, model.mechanism->constraints())) && facts.order > 0)
    check.claimed = std::exp2(facts.order);
  request.steps = std::min(compared_steps, run.wanted);
  request.until.reset();
  request.step = run.step;
  const RunSummary whole = long_run(model, request, telling);
  request.step = run.step / 2;
  *request.steps *= 2;
  const RunSummary half = long_run(model, request, telling);
  if (!whole.error.empty() || !half.error.empty()) {
    check.pass = !check.claimed;
    check.note = whole.error.empty() ? "the run with half the step failed" : "the run failed";
    return check;
  }
  check.note = fmt::format("max |{}| = {:.1e} at {:.3g}, {:.1e} at {:.3g}", energy_off(model),
                           whole.energy_error, run.step, half.energy_error, run.step / 2);
  const double rounding = Trend::rounding_of(energy, *request.steps, epsilon_of(request.precision));
  if (!(whole.energy_error > rounding)) {
    check.note += "; this is rounding";
    return check;
  }
  if (half.energy_error > 0) check.measured = whole.energy_error / half.energy_error;
  if (!check.claimed) return check;
  check.pass = half.energy_error < whole.energy_error;
  if (forced && half.energy_error > rounding) check.pass = *check.measured > *check.claimed / 2;
  if (half.energy_error >= whole.energy_error)
    check.note += "; it does not fall: the step is too long, or H has no second derivative";
  else if (check.measured && *check.measured < *check.claimed / 2)
    check.note += "; it falls more slowly than the order says";
  return check;
}

// Counts steps in which the energy jumped: they ended on another branch of the constraints.
Check branch_check(const RunSummary& run) {
  Check check{.name = "changes of branch", .claimed = 0};
  check.measured = static_cast<double>(run.jumps);
  check.pass = run.jumps == 0;
  check.note = run.nearly_dependent() ? fmt::format("smallest pivot of G W G^T {:.1e} at t = {:.6g}",
                                                    run.least_pivot, run.least_pivot_time)
                                      : "steps in which the energy jumped";
  return check;
}

// Reports the iterations. A solve that fails ends the run, and the row then shows that solve.
Check iterations_check(const RunSummary& run, const MethodFacts& facts, const SolveOptions& options) {
  Check check{.name = "solve iterations", .measured = run.iterations_max};
  const bool by_newton = options.iteration == Iteration::full_newton && options.max_iterations <= 0;
  const int limit = by_newton && facts.solve_limit > 0 ? facts.solve_limit : options.limit();
  if (run.failure && !run.failure->stage.empty()) {
    check.pass = false;
    check.measured = run.failure->iterations;
    if (facts.solves > 0) check.claimed = limit;
    check.note =
        fmt::format("of the solve that failed in step {}, and the limit of one; before that {} in a step",
                    run.failure->step, run.iterations_max);
    return check;
  }
  if (run.iterations_max == 0) return check;  // nothing to solve
  if (facts.solves == 0) {
    check.note = "most in a step, made of as many as its error asks for";
    return check;
  }
  if (facts.name.starts_with("multistep")) {
    check.note = "most in a step: the first one also makes the points before it";
    return check;
  }
  check.claimed = static_cast<double>(limit) * facts.solves;
  check.note = facts.solves == 1 ? std::string("most in a step, and the limit")
                                 : fmt::format("most in a step, and the limit: {} in each of {} solves",
                                               limit, facts.solves);
  return check;
}

// A multistep formula bears oscillations up to a product of step and frequency. Those at the start are
// measured, if there is room for it; elsewhere they may be faster.
void add_frequency_check(const ModelRun& model, const MethodFacts& facts, const PlainState& start,
                         double step, std::vector<Check>& checks) {
  constexpr int most_coordinates = 200;
  if (!facts.name.starts_with("multistep")) return;
  Check check{.name = "step times frequency", .claimed = multistep_table(facts.order).longest};
  check.note = "the limit, and the fastest oscillation at the start";
  if (model.mechanism->coordinates() > most_coordinates) {
    check.note = "the limit; the fastest oscillation of so many coordinates was not looked for";
  } else if (const auto omega = largest_frequency(*model.mechanism, start)) {
    check.measured = std::abs(step) * *omega;
    check.pass = *check.measured <= *check.claimed;
  } else {
    check.note = "the limit; no oscillation stands out at the start";
  }
  checks.push_back(std::move(check));
}

RunRequest request_of(RunRequest request, bool length_typed) {
  if (length_typed) return request;
  request.steps = std::clamp(schedule_of(request).steps, fewest_steps, most_steps);
  request.until.reset();
  return request;
}

// Asks whether a step of the method is a map of M into itself that depends on the state alone.
bool is_map_on_M(const MethodFacts& facts, const MethodChoice& choice) {
  return facts.keeps == Keeps::position_and_momentum && !choice.ode && facts.name != "bdf" && facts.past == 0;
}

// Measures how much the modified Hamiltonian of the map moves where H oscillates.
Check modified_energy_check(const Trials& trials, const MethodFacts& facts, const MethodChoice& choice) {
  constexpr int paths = 24;
  Check check{.name = "modified energy"};
  if (!is_map_on_M(facts, choice)) {
    check.note = "the method is no map of the manifold into itself";
    return check;
  }
  const auto seen = trials.energy_swings(facts.order, paths);
  if (!seen) {
    check.note = failed_step(seen.error());
    return check;
  }
  if (seen->noise > seen->energy) {
    check.note = fmt::format(
        "not to be seen: H moves by {:.1e} to t = {:.4g}, and differences of other orders differ by {:.1e}",
        seen->energy, seen->time, seen->noise);
    return check;
  }
  check.measured = seen->modified;
  check.note = fmt::format("how much it moves to t = {:.4g}, by differences of order {}; H moves by {:.1e}",
                           seen->time, seen->order, seen->energy);
  return check;
}

// Measures how small residuals behave under each formulation, along a trajectory.
void add_stability(const ModelRun& model, const Trials& trials, double step, std::vector<Check>& checks) {
  constexpr int most_points = 200, most_constraints = 20;
  if (!model.system || model.mechanism->constraints() == 0 ||
      model.mechanism->constraints() > most_constraints)
    return;
  const auto states = trials.trajectory(most_points);
  if (!states) return;
  for (const std::string& formulation : formulation_names()) {
    const auto seen = stability_along(model.system, formulation, *states, step);
    if (!seen) continue;  // it does not fit, or has no residuals
    Check check{.name = "M, " + formulation, .measured = seen->growth};
    check.note =
        fmt::format("growth of residuals to t = {:.4g}: {}", step * (seen->points - 1), name(seen->worst));
    if (seen->worst == ManifoldCharacter::saddle)
      check.note += fmt::format(", at most like exp({:.3g} t)", seen->rate);
    checks.push_back(std::move(check));
  }
}

Certificate certified(const ModelRun& model, bool length_typed, bool further, const Telling& telling) {
  if (model.model.particles && model.model.particles->thermostat)
    throw InputError(
        "the steps of a [thermostat] are random: what `taut check` measures belongs to steps that are not. "
        "Leave "
        "the thermostat out to check the method.");
  if (model.model.particles && model.model.particles->has_timed_forces())
    throw InputError(
        "`taut check` goes back from states in which the time is not kept, and [[forces]] of this model have "
        "t in them. Leave t out of them to check the method.");
  const RunRequest request = request_of(model.request, length_typed);
  const MethodChoice choice = chosen_method(*model.mechanism, model.name, request);
  const ReadyStart start =
      ready_start(*model.mechanism, model.name, choice, request.project_start, request.precision);
  const MethodFacts facts = claims_of(choice, *model.mechanism);
  SolveOptions options = solve_options(request);
  options.error_tolerance = 0;  // what is claimed of the formula is claimed of steps of one size
  RunRequest counting = request;
  counting.warn_at_jumps = true;  // all of them are counted
  const RunSummary run = long_run(model, counting, telling);
  const auto base = base_of_adaptive(choice.method);
  const Trials::Bind bind = [&](const PlainState& x) {
    tell(telling, unknown_part);
    const auto steps = [&](const MethodChoice& method) {
      return model.mechanism->bind(method, x, options, request.plain_updates);
    };
    if (!base) return steps(choice);
    return model.adaptive(steps({.method = *base}), steps({.method = *base}), x);
  };
  const Trials trials(*model.mechanism, choice, options, request.plain_updates, facts.keeps, start.x,
                      run.step, bind);
  Reading rounding = trials.rounding();
  // G H_p is rounded like the velocities in it, which a start at rest does not show.
  if (const double there = trials.kinetic_energy(); there > 0 && run.kinetic_max > there)
    rounding.momentum *= std::sqrt(run.kinetic_max / there);
  // A constraint that depends on the time is rounded with it, and the more so the longer the run.
  if (model.mechanism->timed() && !run.q.empty()) {
    PlainState end{run.q, run.p};
    const StartCheck there = model.mechanism->check(end);
    end.q.back() += std::numeric_limits<double>::epsilon() * std::abs(end.q.back());
    const StartCheck later = model.mechanism->check(end);
    rounding.position = std::max(rounding.position, std::abs(later.position - there.position));
    rounding.momentum = std::max(rounding.momentum, std::abs(later.momentum - there.momentum));
  }

  Certificate out{.model = model.title(),
                  .method = choice.label(),
                  .step = run.step,
                  .checks = {},
                  .moved = run.moved,
                  .warning = rounding_of_run(*model.mechanism, model.name, start, run),
                  .error = run.error};
  out.checks.push_back({.name = "steps",
                        .claimed = static_cast<double>(run.wanted),
                        .measured = static_cast<double>(run.steps),
                        .pass = run.steps == run.wanted});
  const bool in_double = request.precision == Precision::double_precision;
  const double epsilon = epsilon_of(request.precision);
  out.checks.push_back(in_double ? order_check(trials, facts, run.step)
                                 : order_of_runs(model, counting, facts, run.step, telling));
  // These are found by differences of double precision: the map is the same.
  for (Check check : {symplectic_check(trials, facts), reversal_check(trials, facts)}) {
    if (!in_double && check.note.empty()) check.note = "measured in double precision";
    out.checks.push_back(std::move(check));
  }
  out.checks.push_back(residual_check("position residual", keeps_position(facts.keeps), run.position_max,
                                      rounding.position, epsilon));
  out.checks.push_back(residual_check("momentum residual", keeps_momentum(facts.keeps), run.momentum_max,
                                      rounding.momentum, epsilon));
  out.checks.push_back(drift_check(model, counting, run, facts, rounding.energy, telling));
  out.checks.push_back(energy_error_check(model, counting, run, facts, rounding.energy, telling));
  out.checks.push_back(branch_check(run));
  out.checks.push_back(iterations_check(run, facts, options));
  add_frequency_check(model, facts, start.x, run.step, out.checks);
  if (!further) return out;
  out.checks.push_back(modified_energy_check(trials, facts, choice));
  add_stability(model, trials, run.step, out.checks);
  return out;
}

}  // namespace

bool Certificate::pass() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.pass; });
}

Certificate certify(const ModelRun& run, bool length_typed, bool further, const Telling& telling) {
  try {
    return certified(run, length_typed, further, telling);
  } catch (const ChoiceError& error) {
    run.refuse(error);
  }
}

std::string to_json(const Certificate& certificate) {
  Json checks = Json::list();
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  for (const Check& check : certificate.checks) {
    checks.push_back(Json::object({{"name", check.name},
                                   {"claimed", number(check.claimed)},
                                   {"measured", number(check.measured)},
                                   {"pass", check.pass}}));
    if (!check.note.empty()) checks.back()["note"] = check.note;
  }
  Json object = Json::object({{"model", certificate.model},
                              {"method", certificate.method},
                              {"pass", certificate.pass()},
                              {"checks", std::move(checks)}});
  if (!certificate.error.empty()) object["error"] = certificate.error;
  return object.to_text(2);
}

}  // namespace taut
