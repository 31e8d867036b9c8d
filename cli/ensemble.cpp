#include <taut/bytes/json.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/summary.hpp>
#include <taut/run/signals.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cstdio>

#include "commands.hpp"
#include "progress.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* ensemble_notes = R"text(
Trajectory i is a function of the model, the method, the step, the seed and i alone: the same bits for any number of lanes and
threads, any part of the work, any size of the ensemble, and those of `taut run` with the same values. What varies is a parameter, a
coordinate or a momentum of the start: a list (linspace(a, b, n), logspace(a, b, n), [1, 2, 3]) or a distribution (normal(mean, sd),
uniform(a, b), choice(a, b, c)). A trajectory that fails is a row in the table of failures, and not the end of the ensemble.
docs/guide/ensembles.md says more.)text";

struct EnsembleFlags {
  TypedModel model;
  VaryRequest vary;
  std::string table;
  EnsembleOptions options;
  int threads = 0;
  bool json = false;
};

// Hands out all units, and shows how far the work is.
class Terminal final : public EnsembleObserver {
 public:
  Terminal(const Ensemble& ensemble, EnsembleSummary& summary)
      : ensemble_(ensemble), summary_(summary), wanted_(ensemble.size() * ensemble.schedule.steps) {}
  std::optional<std::int64_t> next_unit() override {
    return next_ < ensemble_.units() ? std::optional(next_++) : std::nullopt;
  }
  void take(const Unit& unit) override { summary_.totals.add(unit); }
  void progress(const EnsembleProgress& now) override {
    line_.show(now.steps, wanted_,
               fmt::format("{} of {} ended, {} failed, lanes {:.0f} % busy", now.ended, ensemble_.size(),
                           now.failed, 100 * now.busy));
  }
  bool wants_to_stop() override { return StopSignals::caught() != 0; }
  void clear() { line_.clear(); }

 private:
  const Ensemble& ensemble_;
  EnsembleSummary& summary_;
  std::int64_t wanted_, next_ = 0;
  Progress line_;
};

int ensemble(EnsembleFlags& flags) {
  if (!flags.table.empty()) flags.vary.table = read_table_file(flags.table);
  const RunRequest request = flags.model.request();
  flags.options.samples = request.every > 0;
  const Ensemble made = make_ensemble(read_model_run(flags.model.problem, request, flags.model.set),
                                      flags.vary, flags.options);
  if (!made.note.empty()) fmt::print(stderr, "taut: {}\n", made.note);
  const int threads = flags.threads > 0 ? flags.threads : usual_threads();
  const StopSignals signals;
  EnsembleSummary summary(made);
  Terminal terminal(made, summary);
  const auto began = std::chrono::steady_clock::now();
  const EnsembleProgress done = run_ensemble(made, threads, terminal);
  terminal.clear();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  summary.threads = threads;
  summary.busy = done.busy;
  if (StopSignals::caught() != 0) {
    fmt::print(stderr, "taut: stopped by {}: {} of {} trajectories had ended.\n",
               StopSignals::name(StopSignals::caught()), done.ended, made.size());
    return 128 + StopSignals::caught();
  }
  printed([&] { fmt::print("{}", flags.json ? to_json(summary) + "\n" : to_text(summary)); });
  return finish_output();
}

}  // namespace

void add_ensemble(Program& program) {
  const auto flags = std::make_shared<EnsembleFlags>();
  Command command{
      .name = "ensemble",
      .what = "Integrate many trajectories of a problem: other starts, other parameters",
      .examples =
          R"text(  taut ensemble pendulum --size 1000 --vary 'p_y ~ normal(0, 0.5)' --project-start
  taut ensemble double-pendulum --vary 'gravity = linspace(1, 10, 64)' --json
)text",
      .notes = ensemble_notes,
      .action = [flags] { return ensemble(*flags); }};
  flags->model.add_problem(command);
  command.add(option(
      "--size", "N", [flags](const std::string& text) { flags->vary.size = count_of(text, "--size"); },
      "number of trajectories; default: that of the lists"));
  Option vary = option("--vary", "NAME=VALUES", flags->vary.vary,
                       "what differs: 'L = linspace(1, 2, 100)', 'x ~ normal(0.6, 1e-3)', …");
  command.add(std::move(vary));
  command.add(flag("--grid", flags->vary.grid, "all combinations of the lists; the last name runs fastest"));
  command.add(option("--table", "FILE", flags->table,
                     "starts and parameters of one's own: .csv with names, or .npy; a row for each trajectory"));
  command.add(option(
      "--seed", "S",
      [flags](const std::string& text) {
        const std::int64_t seed = count_of(text, "--seed");
        if (seed < 0) throw InputError(fmt::format("--seed {}: a seed is not negative.", text));
        flags->vary.seed = static_cast<std::uint64_t>(seed);
      },
      "of what is drawn at random; default 1"));
  flags->model.add_method(command);
  flags->model.add_length(command);
  flags->model.add_every(command);
  flags->model.add_set(command);
  flags->model.add_quantity(command);
  flags->model.add_solve(command);
  flags->model.add_backend_alone(command);
  command.add(threads_option(flags->threads, "default: as many as there are processors"));
  command.add(option(
      "--lanes", "L",
      [flags](const std::string& text) { flags->options.lanes = lanes_of(text); },
      "trajectories side by side in a thread: 1, 4, 8 or 16; default: as many as pay"));
  command.add(flag("--json", flags->json, "print one JSON object instead of the summary"));
  program.add(std::move(command));
}

}  // namespace taut::cli
