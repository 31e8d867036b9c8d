#include <taut/ensemble/stored_ensemble.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"
#include "ensemble_work.hpp"
#include "typed_ensemble.hpp"

namespace taut::cli {

namespace {

constexpr const char* ensemble_notes = R"text(
Trajectory i is a function of the model, the method, the step, the seed and i alone: the same bits for any number of lanes and
threads, any part of the work, any size of the ensemble, and those of `taut run` with the same values. What varies is a parameter, or a
coordinate, momentum or velocity of the start: a list (linspace(a, b, n), logspace(a, b, n), [1, 2, 3]) or a distribution (normal(mean,
sd), uniform(a, b), choice(a, b, c)). A trajectory that fails is a row in the table of failures, and not the end of the ensemble.
--out keeps the ends of all trajectories, with --every their samples too; `taut resume DIR` makes what is missing, `taut show DIR`
prints the summary, `taut export DIR --npy` writes the array. docs/guide/ensembles.md says more.)text";

struct EnsembleFlags {
  TypedEnsemble typed;
  Part part;
  EnsembleWanted wanted;
};

int ensemble(EnsembleFlags& flags, const Workforce& workforce) {
  const std::string out = flags.typed.model.request().out;
  if (flags.typed.model.request().every > 0 && out.empty())
    throw InputError("samples of an ensemble are kept in its folder: add --out DIR, or leave --every out.");
  if (flags.part.of > 1 && out.empty())
    throw InputError("a part of an ensemble is kept in a folder of its own: add --out DIR.");
  const Ensemble made = flags.typed.made();
  const std::optional<EnsembleFolder> folder = flags.typed.folder_of(made);
  return work_on(made, folder ? &*folder : nullptr, flags.part, flags.typed.layout, flags.wanted, workforce);
}

}  // namespace

void add_ensemble(Program& program, const Workforce& workforce) {
  const auto flags = std::make_shared<EnsembleFlags>();
  Command command{
      .name = "ensemble",
      .what = "Integrate many trajectories of a problem: other starts, other parameters",
      .examples =
          R"text(  taut ensemble pendulum --size 1000 --vary 'p_y ~ normal(0, 0.5)' --project-start
)text",
      .notes = ensemble_notes,
      .action = [flags, workforce] { return ensemble(*flags, workforce); }};
  TypedEnsemble& typed = flags->typed;
  typed.model.add_problem(command);
  typed.add_what_varies(command);
  typed.model.add_method(command);
  typed.model.add_length(command);
  typed.model.add_every(command);
  typed.model.add_set(command);
  typed.model.add_quantity(command);
  typed.model.add_out(command);
  add_reductions(command, flags->wanted);
  typed.model.add_solve(command);
  typed.model.add_backend_alone(command);
  typed.add_work(command);
  command.add(option(
      "--part", "K/M", [flags](const std::string& text) { flags->part = part_of(text); },
      "only part K of M; `taut merge` joins the folders of all parts"));
  program.add(std::move(command));
}

void add_ensemble(Program& program) { add_ensemble(program, Workforce{}); }

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
