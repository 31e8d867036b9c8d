#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/spacing.hpp>
#include <taut/run/signals.hpp>
#include <taut/sample/free_energy.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "../commands.hpp"
#include "../progress.hpp"
#include "../typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* free_energy_notes = R"text(
A(xi) = -kT log of the marginal density of xi. The coordinate is held at each value as one more constraint, the draws are those of
the original distribution given that value, and dA/dxi is the mean of a local force with its metric and curvature corrections, for
any number of further constraints. The column `uncorrected` is what the multiplier alone would say. The profile is the integral of
the cubics through neighbouring values, 0 at the first one. Beside it stands A from a histogram of draws in which the coordinate is
free. Chains begin where those draws come near a value; if some never meet there, such draws say what share each component has.
[sampling] of the model says the temperature or the density, and the measure.)text";

struct FreeEnergyFlags {
  TypedModel model;
  std::string coordinate, values;
  FreeEnergyOptions options;
  SamplingWords words;
  int threads = 0;
  bool json = false, no_direct = false, strict = false;
};

std::vector<double> values_of(const std::string& text, const Model& model) {
  std::vector<std::string> known;
  for (const NamedFormula& a : model.parameters) known.push_back(a.name);
  const ParsedVary parsed = parse_vary(text, known, [&](std::string_view name) -> std::optional<Float128> {
    for (const NamedFormula& a : model.parameters)
      if (a.name == name) return a.value;
    return std::nullopt;
  });
  if (parsed.error) throw InputError(fmt::format("--values {}: {}.", text, parsed.error->sentence));
  const Vary& vary = parsed.vary;
  if (vary.kind == VaryKind::list) return vary.numbers;
  if (vary.is_drawn() || vary.count < 1)
    throw InputError("--values: write 'linspace(a, b, n)', 'logspace(a, b, n)' or '[a, b, c]'.");
  std::vector<double> values;
  for (std::int64_t k = 0; k < vary.count; ++k)
    values.push_back(vary.kind == VaryKind::linspace
                         ? evenly(vary.numbers[0], vary.numbers[1], k, vary.count)
                         : geometrically(vary.numbers[0], vary.numbers[1], k, vary.count));
  return values;
}

int compute(FreeEnergyFlags& flags) {
  const auto read = [&] {
    return read_model_run(flags.model.problem, flags.model.request(), flags.model.set);
  };
  ModelRun run = read();
  flags.options.coordinate = flags.coordinate;
  if (!is_quantity(run.model, flags.coordinate)) {
    flags.model.set.push_back(held_setting(flags.coordinate));
    try {
      run = read();
    } catch (const ModelFileError& error) {
      throw in_words_of_coordinate(error);
    }
    flags.options.coordinate = held_name;
  }
  flags.options.values = values_of(flags.values, run.model);
  take_words(flags.words, run.model, flags.options.sampling);
  const StopSignals signals;
  Progress line;
  const SamplingObserver observer{
      .progress = [&](std::int64_t done, std::int64_t all) { line.show(done, all); },
      .wants_to_stop = [] { return StopSignals::caught() != 0; }};
  const int threads = flags.threads > 0 ? flags.threads : usual_threads();
  flags.options.direct = !flags.no_direct;
  const FreeEnergy result = free_energy(run, flags.options, threads, observer);
  line.clear();
  if (result.stopped) {
    fmt::print(stderr, "taut: stopped by {}: nothing was kept.\n", StopSignals::name(StopSignals::caught()));
    return 128 + StopSignals::caught();
  }
  for (const std::string& warning : result.warnings) fmt::print(stderr, "taut: warning: {}\n", warning);
  printed([&] { fmt::print("{}", flags.json ? to_json(result) + "\n" : to_text(result, "xi")); });
  const int written = finish_output();
  return flags.strict && !result.warnings.empty() ? 1 : written;
}

}  // namespace

void add_free_energy(Program& program) {
  const auto flags = std::make_shared<FreeEnergyFlags>();
  Command command{.name = "free-energy",
                  .what = "Compute a free energy along a coordinate, from the mean force",
                  .examples = "  taut free-energy m.toml --coordinate z --values 'linspace(-0.9, 0.9, 19)'\n",
                  .notes = free_energy_notes,
                  .action = [flags] { return compute(*flags); }};
  SamplingOptions& o = flags->options.sampling;
  const auto count = [](std::int64_t& into, const std::string& name) {
    return [&into, name](const std::string& text) {
      into = count_of(text, name);
      if (into < 1) throw InputError(fmt::format("{} {}: at least 1.", name, text));
    };
  };
  flags->model.add_problem(command);
  command.add(required(option("--coordinate", "FORMULA", flags->coordinate,
                              "xi: a formula of coordinates and parameters, or the name of a quantity")));
  command.add(
      required(option("--values", "LIST", flags->values, "of xi: 'linspace(a, b, n)' or '[a, b, c]'")));
  command.add(
      option("--draws", "N", count(o.draws, "--draws"), "draws of each chain at each value; default 1000"));
  command.add(option("--warmup", "W", count(o.warmup, "--warmup"), "iterations before them; default 1000"));
  command.add(option(
      "--chains", "C",
      [&o](const std::string& text) {
        const std::int64_t chains = count_of(text, "--chains");
        if (chains < 1 || chains > 10000) throw InputError("--chains: from 1 to 10000.");
        o.chains = static_cast<int>(chains);
      },
      "number of chains; default 4"));
  command.add(option(
      "--seed", "S",
      [&o](const std::string& text) {
        const std::int64_t seed = count_of(text, "--seed");
        if (seed < 0) throw InputError("--seed: a seed is not negative.");
        o.seed = static_cast<std::uint64_t>(seed);
      },
      "of all random numbers; default 1"));
  command.add(option(
      "--temperature", "KT",
      [flags](const std::string& text) {
        flags->options.target.temperature = number_of(text, "--temperature");
        if (!(*flags->options.target.temperature > 0)) throw InputError("--temperature: kT is positive.");
      },
      "kT; default: what the model says"));
  Option kernel =
      option("--kernel", "K", flags->words.kernel, "nuts (default), hmc(L), ghmc, g-baoab(k) or random-walk");
  kernel.words = kernel_names;
  command.add(std::move(kernel));
  command.add(option("--step", "H", o.step, "step size of the kernel; it is then not adapted"));
  Option inits = option("--inits", "I", flags->words.inits,
                        "where chains with xi free begin: start (default), or spread about it");
  inits.words = [] { return std::vector<std::string>{"start", "spread"}; };
  command.add(std::move(inits));
  command.add(option(
      "--spread", "X",
      [flags](const std::string& text) { flags->words.spread = number_of(text, "--spread"); },
      "size of the spread before starts are brought onto g = 0; default 1"));
  Option measure = option(
      "--measure", "M",
      [flags](const std::string& text) {
        flags->options.target.measure =
            static_cast<Measure>(choice_of(text, "measure", choice_names<Measure>));
      },
      "surface, conditioned or rigid; default: what the model says");
  measure.words = [] { return listed(choice_names<Measure>); };
  command.add(std::move(measure));
  flags->model.add_set(command);
  command.add(threads_option(flags->threads, "default: as many as there are processors"));
  command.add(flag("--no-direct", flags->no_direct, "leave out the histogram of direct draws beside it"));
  command.add(flag("--strict", flags->strict, "exit with 1 if a diagnostic warns"));
  command.add(flag("--json", flags->json, "print one JSON object instead of the table"));
  program.add(std::move(command));
}

}  // namespace taut::cli
