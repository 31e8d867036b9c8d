#include "typed.hpp"

#include <taut/contract/time_transform.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>

#include <fmt/core.h>

namespace taut::cli {

namespace {

constexpr std::string_view failure_actions[] = {"stop", "halve"};
constexpr std::string_view jump_actions[] = {"stop", "warn"};

std::int64_t every_of(const std::string& text) {
  const std::int64_t every = count_of(text, "--every");
  if (every <= 0)
    throw InputError(fmt::format("--every {}: samples are taken every 1, 2, 3, … steps.", text));
  return every;
}

int threads_of(const std::string& text) {
  const std::int64_t count = count_of(text, "--threads");
  if (count < 1 || count > most_threads)
    throw InputError(fmt::format("--threads {}: there are at least 1 and at most {}.", text, most_threads));
  return static_cast<int>(count);
}

// "newton, symmetric or sweep" as "newton (default), symmetric or sweep".
std::string with_usual(const std::string& names) {
  return std::string(names).insert(names.find(','), " (default)");
}

// Makes an option that names one of two actions; `second` becomes whether it is the second of them.
Option action(const std::string& name, std::optional<bool>& second,
              std::span<const std::string_view, 2> names, std::string help) {
  Option made = option(
      name, "A",
      [&second, names](const std::string& text) { second = choice_of(text, "action", names) == 1; },
      std::move(help));
  made.words = [names] { return listed(names); };
  return made;
}

}  // namespace

Option on_failure_option(std::optional<bool>& halves, std::string help) {
  return action("--on-failure", halves, failure_actions, std::move(help));
}
Option on_jump_option(std::optional<bool>& warns) {
  return action("--on-jump", warns, jump_actions,
                "of the energy: stop (default), or warn: go on and count them in the summary");
}

Option threads_option(int& threads, std::string help) {
  return option(
      "--threads", "N", [&threads](const std::string& text) { threads = threads_of(text); }, std::move(help));
}

namespace {

int lanes_of(const std::string& text) {
  const std::int64_t lanes = count_of(text, "--lanes");
  if (lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    throw InputError(fmt::format("--lanes {}: 1, 4, 8 or 16 trajectories can run side by side.", text));
  return static_cast<int>(lanes);
}

}  // namespace

Option lanes_option(int& lanes) {
  return option(
      "--lanes", "L", [&lanes](const std::string& text) { lanes = lanes_of(text); },
      "trajectories side by side in a thread: 1, 4, 8 or 16; default: as many as pay");
}

Option device_option(Device& device) {
  return choice("--device", "D", device, "device", choice_names<Device>,
                "who makes the steps of an ensemble: cpu (default), or gpu, to the same bits", Device::cpu);
}

Option checkpoint_option(std::optional<double>& seconds, std::string help) {
  return option(
      "--checkpoint-every", "S",
      [&seconds](const std::string& text) { seconds = seconds_of(text, "--checkpoint-every"); },
      std::move(help));
}

void TypedModel::add_problem(Command& command) {
  Option made = required(place("PROBLEM", problem, "name listed by `taut problems`, or a model file"));
  made.words = bundled_names;
  made.files = Option::Files::models;
  command.add(std::move(made));
}

void TypedModel::add_method(Command& command) {
  Option made = option("--method", "M", request_.method, "name listed by `taut methods`");
  made.words = method_names;
  command.add(std::move(made));
  add_formulation(command);
}

void TypedModel::add_formulation(Command& command) {
  Option formulation = option("--formulation", "F", request_.formulation,
                              "for methods such as rk4: the differential equation they integrate");
  formulation.words = formulation_names;
  command.add(std::move(formulation));
  Option projection =
      option("--projection", "K", request_.projection,
             "beside it: " + with_usual(in_words(choice_names<ProjectionKind>, "or")) + ", after a step");
  projection.words = [] { return listed(choice_names<ProjectionKind>); };
  command.add(std::move(projection));
  command.add(option("--projection-tolerance", "X", request_.projection_tolerance,
                     "project only when a residual exceeds X; default 0: at every step"));
  command.add(option("--step", "H", request_.step, "step size; negative runs backwards"));
}

void TypedModel::add_length(Command& command) {
  command.add(option(
      "--steps", "N", [this](const std::string& text) { request_.steps = count_of(text, "--steps"); },
      "number of steps"));
  command.add(option("--until", "T", request_.until,
                     "end time instead: the least number of whole steps that reaches it"));
}

void TypedModel::add_every(Command& command) {
  command.add(option(
      "--every", "K", [this](const std::string& text) { request_.every = every_of(text); },
      "keep a sample every K steps"));
}

void TypedModel::add_set(Command& command) {
  Option made = option("--set", "NAME=VALUE", set,
                       "a parameter, a coordinate or momentum of the start, or a key such as run.step");
  made.files = Option::Files::parameters;
  command.add(std::move(made));
}

void TypedModel::add_quantity(Command& command) {
  Option made = option(
      "--quantity", "NAME=FORMULA", [this](const std::string& text) { set.push_back("quantities." + text); },
      "a further column: a formula of coordinates, momenta, t, lambda_1, … and parameters");
  made.kind = Option::Kind::values;
  command.add(std::move(made));
}

void TypedModel::add_events(Command& command) {
  Option made = option(
      "--event", "WHEN", [this](const std::string& text) { set.push_back("events.+=" + text); },
      "a formula that crosses zero: 'when=x, direction=up, do=stop'; direction up, down or both, do record, "
      "stop or reflect");
  made.kind = Option::Kind::values;
  command.add(std::move(made));
  command.add(option(
      "--at", "T,T,…", [this](const std::string& text) { set.push_back("run.at=[" + text + "]"); },
      "times at which the state is wanted, between steps too"));
}

void TypedModel::add_lambda(Command& command) {
  Option made = option(
      "--lambda", "L",
      [this](const std::string& text) {
        choice_of(text, "multiplier", choice_names<MultiplierShown>);
        set.push_back("output.lambda=" + text);
      },
      "shown in samples, reports and summary: continuous (default) or stage, the method's own");
  made.words = [] { return listed(choice_names<MultiplierShown>); };
  command.add(std::move(made));
}

void TypedModel::add_local_error(Command& command) {
  Option made = option(
      "--local-error", "E",
      [this](const std::string& text) {
        choice_of(text, "local error", choice_names<LocalErrorShown>);
        set.push_back("output.local-error=" + text);
      },
      "shown in samples and summary: none (default) or estimate, the method's own");
  made.words = [] { return listed(choice_names<LocalErrorShown>); };
  command.add(std::move(made));
}

void TypedModel::add_first_guess(Command& command) {
  Option made = option(
      "--first-guess", "G",
      [this](const std::string& text) {
        choice_of(text, "first guess", choice_names<FirstGuess>);
        set.push_back("run.first-guess=" + text);
      },
      "where rattle and its compositions begin to solve: zero (default), multiplier (at lambda(q, p)) or "
      "quadratic (from the last three steps; also shake)");
  made.words = [] { return listed(choice_names<FirstGuess>); };
  command.add(std::move(made));
}

void TypedModel::add_stop_rule(Command& command) {
  Option made = option(
      "--stop-rule", "R",
      [this](const std::string& text) {
        choice_of(text, "stop rule", choice_names<StopRule>);
        set.push_back("run.stop-rule=" + text);
      },
      "held against --tolerance: residual (default), every |g_i|; change, the 2-norms of g and of the last "
      "change");
  made.words = [] { return listed(choice_names<StopRule>); };
  command.add(std::move(made));
}

void TypedModel::add_error_tolerance(Command& command) {
  command.add(option(
      "--error-tolerance", "X",
      [this](const std::string& text) { set.push_back("run.error-tolerance=" + text); },
      "local error of a step of bdf-variable(k), relative to q and p; default 1e-6"));
}

void TypedModel::take_step_function(const std::string& text) {
  if (!request_.step_function.empty())
    throw InputError("--step-function and --time-transform both say how long steps are: leave one out.");
  request_.step_function = text;
}

void TypedModel::add_time_transform(Command& command) {
  command.add(option(
      "--time-transform", "F",
      [this](const std::string& text) { take_step_function(as_time_transform(text)); },
      "for lobatto(s), midpoint, dirac-gauss(s): H becomes F·(H - E0), and steps are symplectic and differ "
      "in size"));
}

void TypedModel::add_step_function(Command& command) {
  command.add(option(
      "--step-function", "F", [this](const std::string& text) { take_step_function(text); },
      "for adaptive(M): steps of about H times this formula of the coordinates; auto (default)"));
  add_time_transform(command);
  command.add(option("--shortest-step", "H", request_.shortest_step,
                     "of adaptive(M): the run ends if a shorter one is needed"));
  command.add(option("--longest-step", "H", request_.longest_step,
                     "of adaptive(M): the run ends if a longer one would be taken"));
  command.add(option("--interval", "T", request_.interval,
                     "of steps that differ in size: samples at equal times, T apart, in place of --every"));
}

void TypedModel::add_out(Command& command) {
  Option made = option("--out", "DIR", request_.out, "folder for samples, checkpoints and summary.json");
  made.files = Option::Files::folders;
  command.add(std::move(made));
}

void TypedModel::add_keeping(Command& command) {
  command.add(choice("--format", "F", request_.format, "format", written_formats,
                     "of the samples: " + in_words(written_formats, "or") +
                         "; default: csv up to a million numbers, else binary",
                     SampleFormat::csv));
  command.add(checkpoint_option(checkpoint_every_, "seconds between checkpoints in --out; default 60"));
  command.add(on_failure_option(halves_, "of a step: stop (default), or halve: take it in 2, 4, … parts"));
  command.add(on_jump_option(warns_));
}

void TypedModel::add_solve(Command& command) {
  command.add(flag("--project-start", request_.project_start,
                   "move a start off the manifold onto it, and say how far"));
  command.add(option("--tolerance", "X", tolerance_,
                     "on max |g| and max |G H_p|; default: until rounding stops the solve"));
  command.add(choice("--solver", "S", request_.solver, "solver", choice_names<Iteration>,
                     with_usual(in_words(choice_names<Iteration>, "or"))));
  command.add(flag("--plain-updates", request_.plain_updates, "sum without compensation of rounding errors"));
}

void TypedModel::add_backend_alone(Command& command) {
  command.add(choice("--backend", "B", request_.backend, "backend", choice_names<Backend>,
                     in_words(written_backends, "or") + "; default: by the length of the run"));
}

void TypedModel::add_backend(Command& command) {
  add_backend_alone(command);
  command.add(threads_option(
      request_.threads,
      "that share a step of a large system of particles; default: all there are, where it pays"));
}

void TypedModel::add_precision(Command& command) {
  command.add(choice("--precision", "P", request_.precision, "precision", choice_names<Precision>,
                     with_usual(in_words(choice_names<Precision>, "or")) +
                         "; the last two compile the step, and need a C++ compiler"));
}

std::vector<std::string> TypedModel::useless_without_out() const {
  std::vector<std::string> names;
  if (request_.every != 0) names.emplace_back("--every");
  if (request_.format != SampleFormat::automatic) names.emplace_back("--format");
  if (checkpoint_every_) names.emplace_back("--checkpoint-every");
  return names;
}

RunRequest TypedModel::request() const {
  RunRequest request = request_;
  if (request.steps && request.until)
    throw InputError(
        "--steps and --until are both given; one of them decides how long the run is. Leave the other out.");
  if (tolerance_) request.tolerance = *tolerance_;
  if (checkpoint_every_) request.checkpoint_every = *checkpoint_every_;
  if (halves_) request.halve_on_failure = *halves_;
  if (warns_) request.warn_at_jumps = *warns_;
  return request;
}

}  // namespace taut::cli
