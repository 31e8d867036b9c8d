#include <taut/bytes/carry.hpp>
#include <taut/bytes/checksum.hpp>
#include <taut/mechanism/adds_work.hpp>
#include <taut/mechanism/mesh_point.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/events/event_watch.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/run/schedule.hpp>
#include <taut/run/sentences.hpp>
#include <taut/run/time_loop.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace taut {

namespace {

// Returns a digest of the state after the first steps from the start: eight, so that a method that begins
// with another one has come to its own. The machine stays at the start.
std::string start_digest(Machine& machine, const Schedule& schedule) {
  const std::string start = machine.save();
  Tally tally(machine.read(), schedule.steps);
  machine.advance(schedule.step, std::min<std::int64_t>(8, schedule.steps), tally);
  std::string digest = fmt::format("{:08x}", checksum(machine.save()));
  machine.restore(start);
  return digest;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(const Reading& a, const Reading& b) {
  return same_bits(a.energy, b.energy) && same_bits(a.position, b.position) &&
         same_bits(a.momentum, b.momentum) && same_bits(a.energy_rest, b.energy_rest);
}

// Returns who makes the run, with the one that goes on now. Throws InputError if that one has other digits
// than the last and the request does not allow it.
std::vector<BackendUse> backends_of(const Snapshot* from, BackendUse now, const RunRequest& request,
                                    RunObserver& observer) {
  if (from == nullptr || from->backends.empty()) return {std::move(now)};
  std::vector<BackendUse> all = from->backends;
  const BackendUse last = all.back();
  if (last.backend == now.backend && last.object == now.object) return all;
  const std::string_view before = name_of(last.backend), after = name_of(now.backend);
  if (!same_bits(last, now) && !request.change_backend)
    throw InputError(
        last.backend == now.backend
            ? fmt::format(
                  "the step was specialised by another compiler, or from other headers, than this "
                  "one: the digits would not be the same.\n  `--backend {}` goes on all the same, and "
                  "the summary says so.",
                  after)
            : fmt::format("the run was made by the backend {}, and {} would go on: the digits would not be "
                          "the same.\n  `--backend {}` goes on all the same, and the summary says so.",
                          before, after, after));
  if (last.backend != now.backend)
    observer.note(fmt::format("the run was made by the backend {}, and {} goes on, {}.", before, after,
                              same_bits(last, now) ? "with the same digits" : "with other digits"));
  now.from = from->steps;
  all.push_back(std::move(now));
  return all;
}

void restore(const Snapshot& from, const std::string& digest, bool other_digits, Machine& machine,
             Tally& tally) {
  Carry saved(from.tally);
  tally.carry(saved);
  if (!saved.complete() || !machine.restore(from.machine) || tally.steps != from.steps)
    throw InputError("the checkpoint does not fit this model and method.");
  const Reading reading = machine.read();
  if (other_digits) return;
  if (digest != from.start_digest || !same_bits(reading, tally.now))
    throw InputError(
        "this program, or this machine, computes other digits than the one that wrote the checkpoint: the "
        "run would not be the same. Go on with the program that began it, or begin anew.");
}

// Returns the largest coordinate; the time, which is the last of a model that depends on it, is none.
double farthest(const std::vector<double>& q, bool timed) {
  double most = 0;
  for (std::size_t j = 0; j + (timed ? 1 : 0) < q.size(); ++j) most = std::max(most, std::abs(q[j]));
  return most;
}

}  // namespace

std::string sentence_of(const Tally& tally, const Mechanism& mechanism, const Machine& machine,
                        const MethodChoice& choice, const RunRequest& request, double h,
                        const std::string& pole, std::string_view last_good) {
  const Failure failure = tally.failure.value_or(Failure{.kind = FailureKind::not_finite});
  const std::string label = choice.label();
  FailedStep at{.method = label,
                .failure = failure,
                .energy_not_finite = tally.energy_not_finite,
                .is_ode = choice.ode.has_value(),
                .step = tally.steps + 1,
                .h = h,
                .time = static_cast<double>(tally.steps) * h,
                .reached = static_cast<double>(tally.steps + 1) * h,
                .solver = request.solver,
                .tolerance = request.tolerance,
                .halved = request.halve_on_failure,
                .constraint = {},
                .dependent = constraint_names(mechanism, mechanism.dependent(mesh_point(machine))),
                .connection = {},
                .offers_midpoint = mechanism.fits("midpoint"),
                .of_particles = mechanism.of_particles(),
                .has_constraints = mechanism.constraints() > 0,
                .pole = pole,
                .far_at_start = farthest(mechanism.start().q, mechanism.timed()),
                .far = farthest(mesh_point(machine).q, mechanism.timed()),
                .torn = torn_apart(mechanism, mesh_point(machine), h)};
  const bool one = failure.constraint >= 0 && failure.constraint < mechanism.constraints() &&
                   failure.stage != SolveStage::inner;
  if (const VariableSteps* const variable = const_cast<Machine&>(machine).variable_steps()) {
    at.time = at.reached = variable->time();  // where the step began that failed: its size is not kept
  }
  at.without_gradient = constraint_names(mechanism, mechanism.without_gradient(mesh_point(machine)));
  if (one) at.constraint = mechanism.constraint_name(failure.constraint);
  if (one || !mechanism.of_particles())
    at.connection = mechanism.connection(mesh_point(machine), failure.constraint);
  return failure_sentence(at, last_good);
}

namespace {

std::string_view kind_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::not_converged:
      return "not-converged";
    case FailureKind::singular:
      return "singular";
    case FailureKind::not_finite:
      return "not-finite";
    case FailureKind::off_constraint:
      return "off-constraint";
    case FailureKind::jumped:
      return "jumped";
    case FailureKind::step_size:
      return "step-size";
  }
  return "";
}

std::string_view stage_of(SolveStage stage) {
  switch (stage) {
    case SolveStage::position:
      return "position";
    case SolveStage::momentum:
      return "momentum";
    case SolveStage::inner:
      return "inner";
  }
  return "";
}

}  // namespace

RunFailure failure_of(const Tally& tally, const Mechanism& mechanism, double h) {
  RunFailure failure{
      .kind = "energy-not-finite", .step = tally.steps + 1, .time = static_cast<double>(tally.steps) * h};
  if (!tally.failure) return failure;
  failure.kind = kind_of(tally.failure->kind);
  failure.stage = stage_of(tally.failure->stage);
  failure.residual = tally.failure->residual;
  failure.iterations = tally.failure->iterations;
  const int k = tally.failure->constraint;
  if (k >= 0 && k < mechanism.constraints() && tally.failure->stage != SolveStage::inner) {
    failure.constraint = k;
    failure.constraint_name = mechanism.constraint_name(k);
  }
  return failure;
}

namespace {

// Says as data why a run whose steps were all solved has an error.
void add_failure(const std::string& kind, RunSummary& summary) {
  summary.failure = RunFailure{.kind = kind, .step = summary.steps, .time = summary.time};
}

void add_totals(const Tally& tally, RunSummary& summary) {
  summary.steps = tally.steps;
  summary.energy_initial = tally.first.energy;
  summary.energy_final = tally.now.energy;
  summary.energy_error = tally.energy_error;
  summary.trend = tally.trend();
  // H was never farther from H₀ than the error, so that no drift over the run is larger than twice the error,
  // however wide the bar that few and similar blocks give.
  if (summary.trend)
    summary.trend->error =
        std::min(summary.trend->error, 2 * tally.energy_error + std::abs(summary.trend->total));
  summary.position_max = tally.position_max;
  summary.momentum_max = tally.momentum_max;
  if (tally.steps > 0)
    summary.iterations_mean = static_cast<double>(tally.iterations) / static_cast<double>(tally.steps);
  summary.iterations_max = tally.iterations_max;
  summary.gradients = tally.gradients;
  summary.local_error = LocalError{tally.local_error, tally.local_error_max};
  summary.halved = tally.halved;
  summary.parts_max = tally.parts_max;
  summary.jumps = tally.jumps;
  summary.largest_jump = tally.largest_jump;
  summary.least_pivot = tally.least_pivot;
  summary.first_unexplained = tally.first_unexplained;
}

// What H does in the next steps. The machine stays where it is.
struct Ahead {
  bool comes_back = false;  // H is near H₀ once
  bool swings = false;      // many steps raise and many lower it by an eighth of what it was off by
};
Ahead look_ahead(Machine& machine, Tally ahead, double h, double near) {
  constexpr int most_steps = 64, few = most_steps / 8;
  const double much = ahead.energy_off_for_a_while() / 8;
  const std::string here = machine.save();
  ahead.stops_at_jumps = false;
  Ahead seen;
  int up = 0, down = 0;
  for (int k = 0; k < most_steps && !seen.comes_back && !ahead.failed(); ++k) {
    const Reading before = ahead.now;
    machine.advance(h, 1, ahead);
    seen.comes_back = std::abs(energy_above(ahead.now, ahead.first)) < near;
    const double change = energy_above(ahead.now, before);
    up += static_cast<int>(change > much);
    down += static_cast<int>(-change > much);
  }
  seen.swings = std::min(up, down) > few;
  machine.restore(here);
  return seen;
}

// Ends a run whose steps differ in size at the time that was asked for, which lies in the last step.
void add_variable_steps(VariableSteps& variable, const Schedule& schedule, const Tally& tally,
                        RunSummary& summary) {
  summary.time = variable.time();
  summary.sizes = variable.sizes();
  if (!schedule.end) return;
  const double beyond = (variable.time() - *schedule.end) * (schedule.step > 0 ? 1 : -1);
  const bool arrived = beyond >= -1e-9 * std::abs(summary.sizes->last);
  summary.wanted = arrived ? tally.steps : tally.steps + 1;  // nobody knows how many there would have been
  if (!tally.failed() && arrived && variable.show_at(*schedule.end)) summary.time = *schedule.end;
}

// The momentum of the time is minus the work, if a machine does not add it up itself, and the energies of the
// tally have it in them.
void add_work(const Mechanism& mechanism, const Machine& machine, RunSummary& summary) {
  if (mechanism.timed())
    summary.work = -summary.p.back();
  else if (const auto* const adds = dynamic_cast<const AddsWork*>(&machine))
    summary.work = adds->work();
  if (summary.work) summary.energy_final += *summary.work;
}

void add_choice(const MethodChoice& choice, const ProjectionCount& count, RunSummary& summary) {
  summary.method = short_name(choice.method);
  // rattle that begins at the multiplier is a composition too, and is still rattle.
  if (summary.method != choice.method && summary.method != "rattle")
    summary.definition = described(choice.method);
  if (!choice.ode) return;
  summary.formulation = choice.ode->written();
  summary.projection = choice.ode->kind;
  summary.position_projections = count.position;
  summary.momentum_projections = count.momentum;
}

}  // namespace

bool has_lost_energy(Machine& machine, const Tally& tally, double step) {
  if (tally.failed()) return false;
  const double kinetic = machine.kinetic_energy(), owned = tally.largest_owned(kinetic);
  // A method claims something about steps of one size. If some were taken in parts, H may have gone anywhere,
  // and further steps would tell nothing. But if it is off by all of the kinetic energy, nothing is left of
  // the motion that was asked for.
  if (tally.halved > 0) return tally.energy_off_for_a_while() > owned;
  const double part = tally.part_that_may_stay(kinetic);
  if (!tally.energy_stays_lost(kinetic)) return false;
  const Ahead ahead = look_ahead(machine, tally, step, part / 2 * owned);
  if (ahead.comes_back) return false;
  // H that swings with the phase of a motion is off by that phase, unless it is off by much.
  return !ahead.swings || tally.energy_off_for_a_while() > Tally::part_lost * owned;
}

RunSummary run_mechanism(const Mechanism& mechanism, const MakeMachine& make, const std::string& model,
                         const RunRequest& request, const Quantities& quantities, PoleWatch* poles,
                         const Model* events, RunObserver& observer, std::string_view last_good,
                         const Snapshot* from) {
  const Schedule schedule = schedule_of(request);
  const MethodChoice choice = chosen_method(mechanism, model, request);
  const ReadyStart start = ready_start(mechanism, model, choice, request.project_start,
                                       request.start.value_or(mechanism.start()), request.precision);
  MadeMachine made = make(choice, start.x, schedule.steps);
  auto machine = std::move(made.machine);
  if (!machine)
    throw InputError(fmt::format("--plain-updates works with {}, not with {}.",
                                 mechanism.of_particles() ? std::string("rattle on systems of particles")
                                                          : methods_with_plain_updates(),
                                 short_name(choice.method)));

  const std::vector<BackendUse> backends = backends_of(from, made.used, request, observer);
  const bool other_digits =
      from != nullptr && !from->backends.empty() && !same_bits(from->backends.back(), made.used);
  Tally tally(machine->read(), schedule.knows_its_length() ? schedule.steps : -1);
  VariableSteps* const variable = machine->variable_steps();
  const std::optional<WideState> wide_start = machine->wide(0);
  std::string digest;
  if (from != nullptr || observer.wants_checkpoints()) digest = start_digest(*machine, schedule);
  tally.stops_at_jumps = !request.warn_at_jumps;
  if (from != nullptr) restore(*from, digest, other_digits, *machine, tally);
  RunSummary summary;
  std::optional<EventWatch> watch;
  if (events != nullptr) {
    const SolveOptions options = solve_options(request);
    watch.emplace(
        *events, mechanism,
        [&mechanism, choice, options, &request](const PlainState& x) {
          return mechanism.bind(choice, x, options, request.plain_updates);
        },
        schedule.step);
    watch->begin(*machine, tally.steps);
    if (from != nullptr && !from->events.empty() && !watch->restore(from->events))
      throw InputError("the events of the checkpoint do not fit this model.");
  }
  TimeLoop loop(*machine, schedule, request.halve_on_failure, observer, tally, quantities, poles,
                watch ? &*watch : nullptr);
  summary.error = loop.go(digest, backends, from == nullptr ? 0 : from->seconds, from == nullptr);
  summary.seconds = loop.seconds();
  summary.backends = backends;
  summary.model = model;
  summary.moved = made.moved ? made.moved : start.moved;
  summary.step = schedule.step;
  summary.wanted = schedule.steps;
  summary.time = loop.time();
  if (variable != nullptr) add_variable_steps(*variable, schedule, tally, summary);
  add_totals(tally, summary);
  if (!summary.error.empty())
    add_failure(loop.could_not_write()               ? "not-written"
                : watch && !watch->trouble().empty() ? "event"
                                                     : "stopped",
                summary);
  if (watch) {
    summary.watches_events = true;
    summary.events = watch->events();
    summary.at = watch->at();
    summary.warnings = watch->may_have_missed();
    summary.stopped_by = watch->stopped_by();
    if (watch->stopped() != nullptr) machine = watch->take_stopped();
  }
  summary.first_jump = static_cast<double>(tally.first_jump) * schedule.step;
  summary.least_pivot_time = static_cast<double>(tally.least_pivot_step) * schedule.step;
  if (summary.trend)
    summary.trend->rounding =
        Trend::rounding_of(std::max(std::abs(summary.energy_initial), std::abs(machine->kinetic_energy())),
                           summary.steps, epsilon_of(request.precision));
  add_choice(choice, machine->projections(), summary);
  summary.q.assign(machine->q().begin(), machine->q().end());
  summary.p.assign(machine->p().begin(), machine->p().end());
  summary.lambda = machine->multiplier();
  add_work(mechanism, *machine, summary);
  summary.quantities = quantities.formulas_at(*machine, summary.time);
  if (variable != nullptr) variable->show_mesh_point();
  summary.precision = request.precision;
  summary.wide = quantities.wide(*machine, tally.steps);
  if (wide_start) summary.wide_energy_initial = wide_start->energy;
  if (tally.failed()) {
    summary.failure = failure_of(tally, mechanism, schedule.step);
    summary.failure->time = summary.time;
    summary.error =
        sentence_of(tally, mechanism, *machine, choice, request, schedule.step, loop.pole(), last_good);
  }
  summary.kinetic_max = std::max(tally.kinetic_max, std::abs(machine->kinetic_energy()));
  if (const std::string sentence = rounding_of_run(mechanism, model, start, summary); !sentence.empty())
    summary.warnings.push_back(sentence);
  summary.change_max = tally.change_max;
  summary.energy_lost = !tally.failed() && tally.energy_is_lost(machine->kinetic_energy());
  summary.unstable = !tally.failed() && tally.is_unstable(machine->kinetic_energy());
  if (summary.unstable && summary.error.empty()) {
    add_failure("unstable", summary);
    summary.error = unstable_sentence(choice.label(), summary, mechanism.fits("midpoint"), last_good);
  }
  summary.kinetic_owned = tally.largest_owned(machine->kinetic_energy());
  summary.energy_off_for_a_while = tally.energy_off_for_a_while();
  summary.energy_stays_lost = claims_no_drift(claims_of(choice, mechanism), mechanism.constraints()) &&
                              has_lost_energy(*machine, tally, schedule.step);
  summary.energy_lost |= summary.energy_stays_lost;
  if (summary.energy_stays_lost && summary.error.empty() && !request.warn_at_jumps) {
    add_failure("energy-lost", summary);
    summary.error = lost_energy_sentence(choice.label(), summary, last_good);
  }
  return summary;
}

}  // namespace taut
