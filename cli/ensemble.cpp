#include <taut/ensemble/stored_ensemble.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"
#include "ensemble_work.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* ensemble_notes = R"text(
Trajectory i is a function of the model, the method, the step, the seed and i alone: the same bits for any number of lanes and
threads, any part of the work, any size of the ensemble, and those of `taut run` with the same values. What varies is a parameter, a
coordinate or a momentum of the start: a list (linspace(a, b, n), logspace(a, b, n), [1, 2, 3]) or a distribution (normal(mean, sd),
uniform(a, b), choice(a, b, c)). A trajectory that fails is a row in the table of failures, and not the end of the ensemble.
--out keeps the ends of all trajectories, with --every their samples too; `taut resume DIR` makes what is missing, `taut show DIR`
prints the summary, `taut export DIR --npy` writes the array. docs/guide/ensembles.md says more.)text";

struct EnsembleFlags {
  TypedModel model;
  VaryRequest vary;
  std::string table;
  EnsembleOptions options;
  Part part;
  int threads = 0;
  EnsembleWanted wanted;
};

int ensemble(EnsembleFlags& flags) {
  if (!flags.table.empty()) flags.vary.table = read_table_file(flags.table);
  const RunRequest request = flags.model.request();
  flags.options.samples = request.every > 0;
  const std::string& out = request.out;
  if (flags.options.samples && out.empty())
    throw InputError("samples of an ensemble are kept in its folder: add --out DIR, or leave --every out.");
  if (flags.part.of > 1 && out.empty())
    throw InputError("a part of an ensemble is kept in a folder of its own: add --out DIR.");
  const Ensemble made =
      make_ensemble(read_model_run(flags.model.problem, request, flags.model.set), flags.vary, flags.options);
  if (!made.note.empty()) fmt::print(stderr, "taut: {}\n", made.note);
  std::optional<EnsembleFolder> folder;
  if (!out.empty())
    folder.emplace(EnsembleFolder::begin(out, manifest_of(made, flags.vary), flags.vary.table));
  return work_on(made, folder ? &*folder : nullptr, flags.part, flags.threads, flags.wanted);
}

std::uint64_t seed_of(const std::string& text) {
  const std::int64_t seed = count_of(text, "--seed");
  if (seed < 0) throw InputError(fmt::format("--seed {}: a seed is not negative.", text));
  return static_cast<std::uint64_t>(seed);
}

void add_what_varies(Command& command, const std::shared_ptr<EnsembleFlags>& flags) {
  command.add(option(
      "--size", "N", [flags](const std::string& text) { flags->vary.size = count_of(text, "--size"); },
      "number of trajectories; default: that of the lists"));
  command.add(option("--vary", "NAME=VALUES", flags->vary.vary,
                     "what differs: 'L = linspace(1, 2, 100)', 'x ~ normal(0.6, 1e-3)', …"));
  command.add(flag("--grid", flags->vary.grid, "all combinations of the lists; the last name runs fastest"));
  command.add(option("--table", "FILE", flags->table,
                     "starts and parameters of one's own: .csv or .npy, a row for each trajectory"));
  command.add(option(
      "--seed", "S", [flags](const std::string& text) { flags->vary.seed = seed_of(text); },
      "of what is drawn at random; default 1"));
}

void add_work(Command& command, const std::shared_ptr<EnsembleFlags>& flags) {
  command.add(threads_option(flags->threads, "default: as many as there are processors"));
  command.add(lanes_option(flags->options.lanes));
  command.add(option(
      "--part", "K/M", [flags](const std::string& text) { flags->part = part_of(text); },
      "only part K of M; `taut merge` joins the folders of all parts"));
}

}  // namespace

void add_ensemble(Program& program) {
  const auto flags = std::make_shared<EnsembleFlags>();
  Command command{
      .name = "ensemble",
      .what = "Integrate many trajectories of a problem: other starts, other parameters",
      .examples =
          R"text(  taut ensemble pendulum --size 1000 --vary 'p_y ~ normal(0, 0.5)' --project-start
)text",
      .notes = ensemble_notes,
      .action = [flags] { return ensemble(*flags); }};
  flags->model.add_problem(command);
  add_what_varies(command, flags);
  flags->model.add_method(command);
  flags->model.add_length(command);
  flags->model.add_every(command);
  flags->model.add_set(command);
  flags->model.add_quantity(command);
  flags->model.add_out(command);
  add_reductions(command, flags->wanted);
  flags->model.add_solve(command);
  flags->model.add_backend_alone(command);
  add_work(command, flags);
  program.add(std::move(command));
}

void add_merge(Program& program) {
  struct Flags {
    std::vector<std::string> parts;
    std::string out;
  };
  const auto flags = std::make_shared<Flags>();
  Command command{.name = "merge",
                  .what = "Join the folders of parts of an ensemble into one",
                  .examples = "  taut merge part-1 part-2 part-3 --out whole\n",
                  .action = [flags] {
                    const Merged merged = merge(flags->parts, flags->out);
                    for (const std::string& damage : merged.damage) fmt::print(stderr, "taut: {}\n", damage);
                    fmt::print("{}: {} units copied, {} were there, {} missing\n", flags->out, merged.copied,
                               merged.there_already, merged.missing.size());
                    const int written = finish_output();
                    return merged.missing.empty() ? written : 1;
                  }};
  Option parts = required(place("DIR", flags->out, "the folders of the parts"));
  parts.kind = Option::Kind::values;
  parts.take = [flags](const std::string& text) { flags->parts.push_back(text); };
  parts.files = Option::Files::folders;
  command.add(std::move(parts));
  Option out = required(option("--out", "DIR", flags->out, "the folder of the whole"));
  out.files = Option::Files::folders;
  command.add(std::move(out));
  program.add(std::move(command));
}

}  // namespace taut::cli
