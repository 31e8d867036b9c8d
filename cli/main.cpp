#include <taut/run/model_run.hpp>
#include <taut/model/nearest_name.hpp>
#include <taut/version.hpp>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "commands.hpp"

namespace {

using taut::InputError;

constexpr const char* examples = R"text(
Examples:
  taut problems                                    what can be run, and what can be set
  taut methods                                     how it can be integrated
  taut run pendulum                                the defaults: a summary on standard output
  taut run pendulum --method yoshida6 --step 0.1 --until 1000
  taut run pendulum --set gravity=9.81 --set x=0.6 --set y=-0.8
  taut run pendulum --method rk4 --formulation dirac-weak --projection both
  taut run charged-particle --method 'yoshida4(midpoint)' --out out/particle
  taut run examples/four-bar.toml --set crank=0.8  a model written as formulas
  taut run heavy-top --json > top.json             one JSON object, full precision

Exit status: 0 done; 1 the run failed, results up to there are kept; 2 the input is wrong.)text";

constexpr const char* run_notes = R"text(
PROBLEM is a name listed by `taut problems` or the path of a model file (docs/guide/model-file.md). The options replace what
its [run] says; where neither says it, the step is 0.01 and the run takes 10000 steps. The summary gives max |H - H0|, max |g| and max |G H_p| over every step, the
drift of the energy with its error bar (95 %), and the iterations of the constraint solve. --out keeps samples
(about a thousand, or one every K steps) as DIR/samples.csv, and the summary as DIR/summary.json.)text";

double number_of(const std::string& text, const std::string& what) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError(fmt::format("{} is {}, which is too large or too small for a double.", what, text));
  if (error != std::errc{} || stop != end)
    throw InputError(fmt::format("{} needs a number, not `{}`.", what, text));
  return value;
}

// "10000", "1e6" and "-3", but not "2.5".
std::int64_t count_of(const std::string& text, const std::string& what) {
  const double value = number_of(text, what);
  if (value != value || value < -9e15 || value > 9e15 ||
      value != static_cast<double>(static_cast<std::int64_t>(value)))
    throw InputError(fmt::format("{} needs a whole number, not `{}`.", what, text));
  return static_cast<std::int64_t>(value);
}

taut::Solver solver_of(const std::string& text) {
  const std::vector<std::string> names = {"newton", "symmetric", "sweep"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<taut::Solver>(i);
  throw InputError(fmt::format("there is no solver `{}`.{} The solvers are: {}.", text,
                               taut::did_you_mean(text, names), taut::joined(names)));
}

// Texts as typed: numbers are read by number_of, so that every refusal is a sentence of ours.
struct RunTexts {
  std::string step, steps, until, every, tolerance, solver, projection_tolerance;
  std::vector<std::string> set;
};

void read(const RunTexts& texts, taut::cli::RunFlags& flags) {
  taut::RunRequest& request = flags.request;
  if (!texts.step.empty()) request.step = number_of(texts.step, "--step");
  if (!texts.steps.empty()) request.steps = count_of(texts.steps, "--steps");
  if (!texts.until.empty()) request.until = number_of(texts.until, "--until");
  if (request.steps && request.until)
    throw InputError(
        "--steps and --until are both given; one of them decides how long the run is. Leave the other out.");
  if (!texts.every.empty()) {
    request.every = count_of(texts.every, "--every");
    if (request.every == 0) request.every = -1;
    if (request.every < 0)
      throw InputError(fmt::format("--every {}: samples are taken every 1, 2, 3, … steps.", texts.every));
  }
  if (!texts.tolerance.empty()) request.tolerance = number_of(texts.tolerance, "--tolerance");
  if (!texts.projection_tolerance.empty())
    request.projection_tolerance = number_of(texts.projection_tolerance, "--projection-tolerance");
  if (!texts.solver.empty()) request.solver = solver_of(texts.solver);
  flags.set = texts.set;
}

// Refuses a command or an option that does not exist with the nearest one that does, before CLI11 words it.
void refuse_unknown(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  const CLI::App* where = &app;
  if (!arguments[0].starts_with('-')) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands({})) {
      commands.push_back(command->get_name());
      if (commands.back() == arguments[0]) where = command;
    }
    if (where == &app)
      throw InputError(fmt::format("there is no command `{}`.{}\n  The commands are: {}.", arguments[0],
                                   taut::did_you_mean(arguments[0], commands), taut::joined(commands)));
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : where->get_options())
    if (!option->get_positional()) options.push_back(option->get_name());
  for (const std::string& argument : arguments) {
    const std::string asked = argument.substr(0, argument.find('='));
    if (!asked.starts_with("--") || std::find(options.begin(), options.end(), asked) != options.end())
      continue;
    throw InputError(fmt::format("there is no option `{}`.{}\n  The options are: {}.", asked,
                                 taut::did_you_mean(asked, options), taut::joined(options)));
  }
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "Integrates constrained Hamiltonian systems on their manifold: q' = H_p, p' = -H_q - G'λ, g(q) = 0.",
      "taut"};
  app.set_version_flag("--version", fmt::format("taut {}", taut::version));
  app.footer(examples);
  app.require_subcommand(0, 1);

  taut::cli::RunFlags flags;
  RunTexts texts;
  CLI::App* run = app.add_subcommand("run", "Integrate a problem and say how well its geometry was kept");
  run->add_option("PROBLEM", flags.problem, "name listed by `taut problems`, or a model file")->required();
  run->add_option("--method", flags.request.method, "name listed by `taut methods`")->type_name("M");
  run->add_option("--formulation", flags.request.formulation,
                  "for methods such as rk4: the differential equation they integrate")
      ->type_name("F");
  run->add_option("--projection", flags.request.projection,
                  "beside it: none (default), position, momentum or both, after a step")
      ->type_name("K");
  run->add_option("--projection-tolerance", texts.projection_tolerance,
                  "project only when a residual exceeds X; default 0: at every step")
      ->type_name("X");
  run->add_option("--step", texts.step, "step size; negative runs backwards")->type_name("H");
  run->add_option("--steps", texts.steps, "number of steps")->type_name("N");
  run->add_option("--until", texts.until, "end time instead: the least number of whole steps that reaches it")
      ->type_name("T");
  run->add_option("--every", texts.every, "keep a sample every K steps")->type_name("K");
  run->add_option("--set", texts.set,
                  "a parameter, a coordinate or momentum of the start, or a key such as run.step")
      ->type_name("NAME=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  run->add_option("--out", flags.request.out, "folder for samples.csv and summary.json")->type_name("DIR");
  run->add_flag("--json", flags.json, "print one JSON object instead of the summary");
  run->add_flag("--project-start", flags.request.project_start,
                "move a start off the manifold onto it, and say how far");
  run->add_option("--tolerance", texts.tolerance,
                  "on max |g| and max |G H_p|; default: until rounding stops the solve")
      ->type_name("X");
  run->add_option("--solver", texts.solver, "newton (default), symmetric or sweep")->type_name("S");
  run->add_flag("--plain-updates", flags.request.plain_updates,
                "sum without compensation of rounding errors");
  run->footer(run_notes);

  bool json = false;
  CLI::App* methods = app.add_subcommand(
      "methods", "List the methods: order, symmetry, what they need, where they come from");
  methods->add_flag("--json", json, "print a JSON list");
  CLI::App* problems =
      app.add_subcommand("problems", "List the models that come with the program, and their parameters");
  problems->add_flag("--json", json, "print a JSON list");

  refuse_unknown(app, {argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      throw InputError(
          fmt::format("{}.\n  `taut --help` and `taut run --help` show what can be asked.", error.what()));
    app.exit(error);  // --help, --version
    return taut::cli::finish_output();
  }
  if (*run) {
    read(texts, flags);
    return taut::cli::run(flags);
  }
  if (*methods) return taut::cli::methods(json);
  if (*problems) return taut::cli::problems(json);
  fmt::print("{}", app.help());
  return taut::cli::finish_output();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const taut::ModelFileError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const InputError& error) {
    fmt::print(stderr, "taut: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "taut: {}\n", error.what());
    return 1;
  }
}
