#include <taut/contract/request.hpp>
#include <taut/ensemble/export.hpp>
#include <taut/export/export.hpp>
#include <taut/sample/export.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"
#include "ensemble_work.hpp"
#include "sampling/sample_work.hpp"

namespace taut::cli {

namespace {

struct ExportFlags {
  std::string path, out;
  bool samples = false;                      // those of an ensemble
  bool cmdstan = false;                      // the draws of a sampling
  std::vector<const ExportFormat*> formats;  // those that were asked for
};

// Writes the ends of the trajectories of an ensemble, or their samples.
int export_ensemble(const ExportFlags& flags) {
  const EnsembleFolder folder = EnsembleFolder::open(flags.path);
  const EnsemblePart part = flags.samples ? EnsemblePart::samples : EnsemblePart::ends;
  const std::string_view format = flags.formats.front()->name;
  if (format != "npy" && format != "csv")
    throw InputError(fmt::format("an ensemble is exported as --npy or --csv, not as --{}.", format));
  std::vector<std::string> damage;
  const auto missing = format == "npy" ? export_npy(folder, flags.out, part, &damage)
                                       : export_csv(folder, flags.out, part, &damage);
  for (const std::string& unit : damage) say_damage(unit, flags.path);
  if (missing.empty()) return finish_output();
  fmt::print(stderr, "taut: {} of {} units of {} are missing; `taut resume` makes them.\n", missing.size(),
             folder.manifest().units(), flags.path);
  return 1;
}

// Writes the draws of a sampling: an array, or a file for each chain.
int export_sampling(const ExportFlags& flags) {
  const DrawsFolder folder = DrawsFolder::open(flags.path);
  const Sampling sampling = sampling_in(folder);
  const SamplingResult result = stored_sampling(sampling, folder);
  const auto end = [&] {
    const bool whole = !say_what_is_missing(sampling, result) && result.damage.empty();
    const int written = finish_output();
    return whole ? written : 1;
  };
  if (flags.cmdstan) {
    if (flags.out.empty())
      throw InputError(
          "--cmdstan writes one file for each chain: name them by --out NAME, for NAME-1.csv, ….");
    for (const std::string& path : export_cmdstan(sampling, result, flags.out))
      fmt::print(stderr, "{}\n", path);
    return end();
  }
  if (flags.formats.size() != 1 || flags.formats.front()->name != "npy")
    throw InputError("a sampling is exported as --npy or --cmdstan.");
  export_draws_npy(sampling, result, flags.out);
  return end();
}

int export_trajectory(const ExportFlags& flags) {
  if (is_sampling_folder(flags.path)) return export_sampling(flags);
  if (flags.cmdstan) throw InputError("--cmdstan is for the folder of a sampling.");
  if (flags.formats.size() != 1) {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) names.push_back(fmt::format("--{}", format.name));
    throw InputError(fmt::format("say which format is wanted: one of {}.", joined(names)));
  }
  if (is_ensemble_folder(flags.path)) return export_ensemble(flags);
  const Exported written = export_samples(flags.path, *flags.formats.front(), flags.out);
  if (!written.note.empty()) fmt::print(stderr, "taut: {}\n", written.note);
  if (written.damage.empty()) return finish_output();
  fmt::print(stderr, "taut: {} is not whole: {}. Its first {} samples were written.\n", flags.path,
             written.damage, written.samples);
  return 1;
}

}  // namespace

void add_export(Program& program) {
  const auto flags = std::make_shared<ExportFlags>();
  Command command{.name = "export",
                  .what = "Write the samples of a run in another format",
                  .examples = "  taut export out/particle --npy --out samples.npy   an array for numpy\n",
                  .action = [flags] { return export_trajectory(*flags); }};
  command.add(required(place("FILE", flags->path, "the folder of a run, or its file of samples")));
  for (const ExportFormat& format : export_formats())
    command.add({.name = fmt::format("--{}", format.name),
                 .value_name = {},
                 .help = std::string(format.what),
                 .kind = Option::Kind::flag,
                 .take = [flags, &format](const std::string&) { flags->formats.push_back(&format); }});
  command.add(flag("--samples", flags->samples, "of an ensemble: its samples, not the ends alone"));
  command.add(flag("--cmdstan", flags->cmdstan,
                   "of a sampling: a CSV file as CmdStan writes it for each chain, OUT-1.csv, …"));
  Option out = option("--out", "F", flags->out, "file to write; default: standard output");
  out.files = Option::Files::folders;
  command.add(std::move(out));
  program.add(std::move(command));
}

}  // namespace taut::cli
