#include "typed.hpp"

#include <taut/words/nearest_name.hpp>

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace taut::cli {

namespace {

// Which of the names it is; `what` they are, in the singular.
std::size_t choice_of(const std::string& text, std::string_view what, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return i;
  throw InputError(fmt::format("there is no {0} `{1}`.{2} The {0}s are: {3}.", what, text,
                               did_you_mean(text, names), joined(names)));
}

Solver solver_of(const std::string& text) {
  return static_cast<Solver>(choice_of(text, "solver", solver_names));
}

SampleFormat format_of(const std::string& text) {
  return static_cast<SampleFormat>(1 + choice_of(text, "format", format_names));
}

Backend backend_of(const std::string& text) {
  return static_cast<Backend>(
      choice_of(text, "backend", {"automatic", "interpret", "compile", "specialise"}));
}

std::int64_t every_of(const std::string& text) {
  const std::int64_t every = count_of(text, "--every");
  if (every <= 0)
    throw InputError(fmt::format("--every {}: samples are taken every 1, 2, 3, … steps.", text));
  return every;
}

}  // namespace

double number_of(const std::string& text, const std::string& what) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError(fmt::format("{} is {}, which is too large or too small for a double.", what, text));
  if (error != std::errc{} || stop != end)
    throw InputError(fmt::format("{} needs a number, not `{}`.{}", what, text,
                                 what == "--step" || what == "--until"
                                     ? fmt::format(" A formula goes with --set run.{}.", what.substr(2))
                                     : ""));
  return value;
}

std::int64_t count_of(const std::string& text, const std::string& what) {
  const double value = number_of(text, what);
  if (value != value || value < -9e15 || value > 9e15 ||
      value != static_cast<double>(static_cast<std::int64_t>(value)))
    throw InputError(fmt::format("{} needs a whole number, not `{}`.", what, text));
  return static_cast<std::int64_t>(value);
}

double seconds_of(const std::string& text, const std::string& what) {
  const double seconds = number_of(text, what);
  if (!std::isfinite(seconds))
    throw InputError(
        fmt::format("{} {}: give a number of seconds; 1e9 of them are longer than any run, so that only the "
                    "first and the last are left.",
                    what, text));
  if (seconds < 0) throw InputError(fmt::format("{} {}: a time is not negative.", what, text));
  return seconds;
}

int threads_of(const std::string& text) {
  const std::int64_t count = count_of(text, "--threads");
  if (count < 1 || count > 1024)
    throw InputError(fmt::format("--threads {}: there are at least 1 and at most 1024.", text));
  return static_cast<int>(count);
}

bool halves(const std::string& on_failure) { return choice_of(on_failure, "action", failure_actions) == 1; }

void TypedModel::add_problem(CLI::App& command) {
  command.add_option("PROBLEM", problem, "name listed by `taut problems`, or a model file")->required();
}

void TypedModel::add_method(CLI::App& command) {
  command.add_option("--method", request_.method, "name listed by `taut methods`")->type_name("M");
  add_formulation(command);
}

void TypedModel::add_formulation(CLI::App& command) {
  command
      .add_option("--formulation", request_.formulation,
                  "for methods such as rk4: the differential equation they integrate")
      ->type_name("F");
  command
      .add_option("--projection", request_.projection,
                  "beside it: none (default), position, momentum or both, after a step")
      ->type_name("K");
  command
      .add_option("--projection-tolerance", projection_tolerance_,
                  "project only when a residual exceeds X; default 0: at every step")
      ->type_name("X");
  command.add_option("--step", step_, "step size; negative runs backwards")->type_name("H");
}

void TypedModel::add_length(CLI::App& command) {
  command.add_option("--steps", steps_, "number of steps")->type_name("N");
  command.add_option("--until", until_, "end time instead: the least number of whole steps that reaches it")
      ->type_name("T");
}

void TypedModel::add_every(CLI::App& command) {
  command.add_option("--every", every_, "keep a sample every K steps")->type_name("K");
}

void TypedModel::add_set(CLI::App& command) {
  command
      .add_option("--set", set,
                  "a parameter, a coordinate or momentum of the start, or a key such as run.step")
      ->type_name("NAME=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
}

void TypedModel::add_out(CLI::App& command) {
  command.add_option("--out", request_.out, "folder for samples, checkpoints and summary.json")
      ->type_name("DIR");
}

void TypedModel::add_keeping(CLI::App& command) {
  command
      .add_option(
          "--format", format_,
          "of the samples: csv, binary or compressed; default: csv up to a million numbers, else binary")
      ->type_name("F");
  command
      .add_option("--checkpoint-every", checkpoint_every_, "seconds between checkpoints in --out; default 60")
      ->type_name("S");
  command
      .add_option("--on-failure", on_failure_,
                  "of a step: stop (default), or halve: take it in 2, 4, … parts")
      ->type_name("A");
}

void TypedModel::add_solve(CLI::App& command) {
  command.add_flag("--project-start", request_.project_start,
                   "move a start off the manifold onto it, and say how far");
  command
      .add_option("--tolerance", tolerance_,
                  "on max |g| and max |G H_p|; default: until rounding stops the solve")
      ->type_name("X");
  command.add_option("--solver", solver_, "newton (default), symmetric or sweep")->type_name("S");
  command.add_flag("--plain-updates", request_.plain_updates, "sum without compensation of rounding errors");
}

void TypedModel::add_backend(CLI::App& command) {
  command
      .add_option("--backend", backend_,
                  "interpret, compile or specialise; default: by the length of the run")
      ->type_name("B");
  command
      .add_option("--threads", threads_,
                  "that share a step of a large system of particles; default: all there are, where it pays")
      ->type_name("N");
}

std::vector<std::string> TypedModel::useless_without_out() const {
  std::vector<std::string> names;
  for (const auto& [name, typed] :
       {std::pair{"--every", every_}, {"--format", format_}, {"--checkpoint-every", checkpoint_every_}})
    if (!typed.empty()) names.emplace_back(name);
  return names;
}

RunRequest TypedModel::request() const {
  RunRequest request = request_;
  if (!step_.empty()) request.step = number_of(step_, "--step");
  if (!steps_.empty()) request.steps = count_of(steps_, "--steps");
  if (!until_.empty()) request.until = number_of(until_, "--until");
  if (request.steps && request.until)
    throw InputError(
        "--steps and --until are both given; one of them decides how long the run is. Leave the other out.");
  if (!every_.empty()) request.every = every_of(every_);
  if (!threads_.empty()) request.threads = threads_of(threads_);
  if (!tolerance_.empty()) request.tolerance = number_of(tolerance_, "--tolerance");
  if (!projection_tolerance_.empty())
    request.projection_tolerance = number_of(projection_tolerance_, "--projection-tolerance");
  if (!solver_.empty()) request.solver = solver_of(solver_);
  if (!backend_.empty()) request.backend = backend_of(backend_);
  if (!format_.empty()) request.format = format_of(format_);
  if (!checkpoint_every_.empty())
    request.checkpoint_every = seconds_of(checkpoint_every_, "--checkpoint-every");
  if (!on_failure_.empty()) request.halve_on_failure = halves(on_failure_);
  return request;
}

}  // namespace taut::cli
