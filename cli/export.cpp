#include <taut/run/export.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"

namespace taut::cli {

namespace {

struct ExportFlags {
  std::string path, out;
  bool csv = false, xyz = false, npy = false;
};

int export_trajectory(const ExportFlags& flags) {
  if (flags.csv + flags.xyz + flags.npy != 1)
    throw InputError("say which format is wanted: one of --csv, --xyz, --npy.");
  TrajectoryReader reader(trajectory_in(flags.path));
  export_samples(reader,
                 flags.csv   ? ExportFormat::csv
                 : flags.xyz ? ExportFormat::xyz
                             : ExportFormat::npy,
                 flags.out);
  if (reader.damage().empty()) return finish_output();
  fmt::print(stderr, "taut: {} is not whole: {}. Its first {} samples were written.\n", flags.path,
             reader.damage(), reader.samples());
  return 1;
}

}  // namespace

void add_export(Program& program) {
  CLI::App* command =
      program.command("export", "Write the samples of a trajectory in another format",
                      "  taut export out/particle --npy --out samples.npy   an array for numpy\n");
  const auto flags = std::make_shared<ExportFlags>();
  command->add_option("FILE", flags->path, "trajectory.taut, or the folder it is in")->required();
  command->add_flag("--csv", flags->csv, "text, one line a sample");
  command->add_flag("--xyz", flags->xyz, "positions of points, for viewers of molecules");
  command->add_flag("--npy", flags->npy, "an array for numpy, one row a sample");
  command->add_option("--out", flags->out, "file to write; default: standard output")->type_name("F");
  program.actions[command] = [flags] { return export_trajectory(*flags); };
}

}  // namespace taut::cli
