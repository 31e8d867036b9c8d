#include <taut/ensemble/run_ensemble.hpp>
#include <taut/run/signals.hpp>
#include <taut/sample/bias.hpp>
#include <taut/sample/summary.hpp>
#include <taut/words/shell_word.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "../commands.hpp"
#include "../ensemble_work.hpp"
#include "../origin.hpp"
#include "../progress.hpp"
#include "../typed.hpp"
#include "sample_report.hpp"
#include "sample_work.hpp"

namespace taut::cli {

namespace {

constexpr const char* sample_notes = R"text(
The model says what is sampled: [sampling] density = "log density", a formula of coordinates, or temperature = kT for exp(-V/kT);
and with respect to what: measure = "surface" (the area of g = 0), "conditioned" (the ambient density given g = 0) or "rigid" (what
is left of exp(-H/kT) when momenta are integrated out). Draws are functions of the model, the options, the seed and the chain: the
same bits for any number of threads, and after any kill with --out DIR and `taut resume DIR`. `taut export DIR --cmdstan` writes
what posterior, cmdstanr and ArviZ read. docs/guide/sampling.md says more.)text";

struct SampleFlags {
  TypedModel model;
  TargetOptions target;
  SamplingOptions options;
  SampleWanted wanted;
  TypedReport reports;
  SamplingWords words;
  int threads = 0;
};

std::int64_t at_least(const std::string& text, const std::string& what, std::int64_t least) {
  const std::int64_t count = count_of(text, what);
  if (count < least) throw InputError(fmt::format("{} {}: at least {}.", what, text, least));
  return count;
}

int sample(SampleFlags& flags) {
  ModelRun run = read_model_run(flags.model.problem, flags.model.request(), flags.model.set);
  take_words(flags.words, run.model, flags.options);
  const std::string out = flags.model.request().out;
  const auto page = flags.reports.wanted_in(out, refuse_sampling_files);
  if (page) check_wanted(*page, out, run);
  const Sampling sampling = make_sampling(std::move(run), flags.target, flags.options);
  std::optional<DrawsFolder> folder;
  if (!out.empty()) folder.emplace(DrawsFolder::begin(out, manifest_of(sampling)));
  flags.wanted.page = page;
  return sample_and_print(sampling, folder ? &*folder : nullptr, flags.threads, flags.wanted);
}

}  // namespace

int sample_and_print(const Sampling& sampling, const DrawsFolder* folder, int threads,
                     const SampleWanted& wanted) {
  for (const std::string& note : sampling.notes) fmt::print(stderr, "taut: {}\n", note);
  if (folder != nullptr) lock(folder->folder());
  const StopSignals signals;
  Progress line;
  const SamplingObserver observer{
      .progress = [&](std::int64_t done, std::int64_t all) { line.show(done, all); },
      .wants_to_stop = [] { return StopSignals::caught() != 0; }};
  const SamplingResult result =
      run_sampling(sampling, threads > 0 ? threads : usual_threads(), folder, observer);
  line.clear();
  if (result.stopped) {
    const int signal = StopSignals::caught();
    fmt::print(stderr, "taut: stopped by {}.\n  {}\n", StopSignals::name(signal),
               folder == nullptr ? "Nothing was kept: with --out DIR a sampling can be continued."
                                 : fmt::format("What was drawn is in {0}; `taut resume {1}` goes on.",
                                               folder->folder().path(), shell_word(folder->folder().path())));
    return 128 + signal;
  }
  return print_sampling(sampling, result, wanted, [&](SamplingSummary& summary) {
    estimate_bias(sampling, threads > 0 ? threads : usual_threads(), observer, summary);
    line.clear();
  });
}

namespace {

// What was sampled stands in the place of what would have been integrated.
void say_distribution(Computed& computed, const Sampling& sampling, const SamplingSummary& summary) {
  std::erase_if(computed.statements, [](const Statement& s) { return s.title.starts_with("Method"); });
  const auto& density = sampling.run.model.sampling.density;
  computed.statements.push_back({"Distribution",
                                 {density && !sampling.target.temperature
                                      ? "log density = " + density->text
                                      : fmt::format("log density = -V/kT, kT = {:g}", sampling.code->kT),
                                  "measure " + summary.measure, "kernel " + summary.kernel}});
}

}  // namespace

int print_sampling(const Sampling& sampling, const SamplingResult& result, const SampleWanted& wanted,
                   const std::function<void(SamplingSummary&)>& add) {
  SamplingSummary summary = summarise(sampling, result);
  if (add) add(summary);
  if (wanted.page) {
    Report report = report_of_sampling(sampling, result, summary);
    RunSummary run;
    run.method = summary.kernel;
    report.computed = computed_by({&sampling.run}, {run}, origin_of_report());
    say_distribution(report.computed, sampling, summary);
    write_wanted(*wanted.page, result.folder != nullptr ? &result.folder->folder() : nullptr, report);
  }
  printed([&] { fmt::print("{}", wanted.json ? to_json(summary) + "\n" : to_text(summary)); });
  const int written = finish_output();
  for (const std::string& warning : summary.warnings) fmt::print(stderr, "taut: warning: {}\n", warning);
  return wanted.strict && !summary.warnings.empty() ? 1 : written;
}

int resume_sampling(const std::string& path, int threads, const SampleWanted& wanted) {
  const DrawsFolder folder = DrawsFolder::open(path);
  const Sampling sampling = sampling_in(folder);
  if (wanted.page) check_wanted(*wanted.page, path, sampling.run);
  return sample_and_print(sampling, &folder, threads, wanted);
}

int describe_sampling(const std::string& path) {
  const DrawsFolder folder = DrawsFolder::open(path);
  const Sampling sampling = sampling_in(folder);
  const SamplingResult result = stored_sampling(sampling, folder);
  const int written = print_sampling(sampling, result, {}, {});
  say_what_is_missing(sampling, result);
  return result.damage.empty() ? written : 1;
}

bool say_what_is_missing(const Sampling& sampling, const SamplingResult& result) {
  const SamplingOptions& o = sampling.options;
  const std::string path = result.folder->folder().path();
  for (const std::string& damage : result.damage) say_damage(damage, path);
  if (result.complete == o.chains) return false;
  fmt::print(
      stderr,
      "taut: the sampling in {} is not finished: {} of {} chains have all {} draws, and every chain has {}; "
      "`taut resume {}` goes on.\n",
      path, result.complete, o.chains, o.draws, result.draws(), shell_word(path));
  return true;
}

void add_sample(Program& program) {
  const auto flags = std::make_shared<SampleFlags>();
  Command command{.name = "sample",
                  .what = "Draw from a distribution on g = 0",
                  .examples = "  taut sample torus.toml --draws 2000 --chains 4 --report\n",
                  .notes = sample_notes,
                  .action = [flags] { return sample(*flags); }};
  SamplingOptions& o = flags->options;
  flags->model.add_problem(command);
  command.add(option(
      "--draws", "N", [&o](const std::string& t) { o.draws = at_least(t, "--draws", 1); },
      "draws of each chain; default 1000"));
  command.add(option(
      "--warmup", "W", [&o](const std::string& t) { o.warmup = at_least(t, "--warmup", 0); },
      "iterations before them, which adapt the step; default 1000"));
  command.add(option(
      "--chains", "C",
      [&o](const std::string& t) {
        o.chains = static_cast<int>(at_least(t, "--chains", 1));
        if (o.chains > 10000) throw InputError("--chains: at most 10000.");
      },
      "number of chains; default 4"));
  command.add(option(
      "--seed", "S",
      [&o](const std::string& t) { o.seed = static_cast<std::uint64_t>(at_least(t, "--seed", 0)); },
      "of all random numbers; default 1"));
  Option kernel =
      option("--kernel", "K", flags->words.kernel, "nuts (default), hmc(L), ghmc, g-baoab(k) or random-walk");
  kernel.words = kernel_names;
  command.add(std::move(kernel));
  Option measure = option(
      "--measure", "M",
      [flags](const std::string& t) {
        flags->target.measure = static_cast<Measure>(choice_of(t, "measure", choice_names<Measure>));
      },
      "surface, conditioned or rigid; default: what the model says");
  measure.words = [] { return listed(choice_names<Measure>); };
  command.add(std::move(measure));
  command.add(option(
      "--temperature", "KT",
      [flags](const std::string& t) {
        flags->target.temperature = number_of(t, "--temperature");
        if (!(*flags->target.temperature > 0)) throw InputError("--temperature: kT is positive.");
      },
      "sample exp(-V/kT)"));
  command.add(option("--integrator", "I", flags->words.integrator,
                     "rattle (default) or a symmetric composition of it, such as yoshida4"));
  command.add(option("--step", "H", flags->options.step, "step size of the kernel; it is then not adapted"));
  command.add(option("--accept", "A", flags->options.accept,
                     "acceptance that adaptation looks for; default 0.8, of ghmc 0.9, of random-walk 0.5"));
  Option metric =
      option("--metric", "M", flags->words.metric,
             "of momenta: unit (default), that of the measure, or diagonal, adapted to the draws");
  metric.words = [] { return std::vector<std::string>{"unit", "diagonal"}; };
  command.add(std::move(metric));
  command.add(option(
      "--friction", "G", [&o](const std::string& t) { o.kernel.friction = number_of(t, "--friction"); },
      "of ghmc and g-baoab; default 1"));
  command.add(option(
      "--max-depth", "D",
      [&o](const std::string& t) {
        o.kernel.max_depth = static_cast<int>(at_least(t, "--max-depth", 1));
        if (o.kernel.max_depth > 20) throw InputError("--max-depth: at most 20.");
      },
      "a trajectory of nuts has at most 2^D steps; default 10"));
  command.add(option(
      "--thin", "K", [&o](const std::string& t) { o.thin = at_least(t, "--thin", 1); },
      "keep one draw of K; default 1"));
  Option inits =
      option("--inits", "I", flags->words.inits, "where chains begin: start (default), or spread about it");
  inits.words = [] { return std::vector<std::string>{"start", "spread"}; };
  command.add(std::move(inits));
  command.add(option(
      "--spread", "X", [flags](const std::string& t) { flags->words.spread = number_of(t, "--spread"); },
      "size of the spread before starts are brought onto g = 0; default 1"));
  flags->model.add_set(command);
  flags->model.add_quantity(command);
  flags->model.add_out(command);
  flags->reports.add(command);
  command.add(threads_option(flags->threads, "default: as many as there are processors"));
  command.add(flag("--strict", flags->wanted.strict, "exit with 1 if a diagnostic warns"));
  command.add(flag("--json", flags->wanted.json, "print one JSON object instead of the summary"));
  program.add(std::move(command));
}

}  // namespace taut::cli
