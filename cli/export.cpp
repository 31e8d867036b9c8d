#include <taut/contract/request.hpp>
#include <taut/export/export.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"

namespace taut::cli {

namespace {

struct ExportFlags {
  std::string path, out;
  bool csv = false, xyz = false, npy = false, dcd = false, h5md = false;
};

ExportFormat format_of(const ExportFlags& flags) {
  if (flags.csv) return ExportFormat::csv;
  if (flags.xyz) return ExportFormat::xyz;
  if (flags.dcd) return ExportFormat::dcd;
  return flags.h5md ? ExportFormat::h5md : ExportFormat::npy;
}

int export_trajectory(const ExportFlags& flags) {
  if (flags.csv + flags.xyz + flags.npy + flags.dcd + flags.h5md != 1)
    throw InputError("say which format is wanted: one of --csv, --npy, --xyz, --dcd, --h5md.");
  const Exported written = export_samples(flags.path, format_of(flags), flags.out);
  if (!written.note.empty()) fmt::print(stderr, "taut: {}\n", written.note);
  if (written.damage.empty()) return finish_output();
  fmt::print(stderr, "taut: {} is not whole: {}. Its first {} samples were written.\n", flags.path,
             written.damage, written.samples);
  return 1;
}

}  // namespace

void add_export(Program& program) {
  CLI::App* command =
      program.command("export", "Write the samples of a run in another format",
                      "  taut export out/particle --npy --out samples.npy   an array for numpy\n");
  const auto flags = std::make_shared<ExportFlags>();
  command->add_option("FILE", flags->path, "the folder of a run, or its file of samples")->required();
  command->add_flag("--csv", flags->csv, "text, one line a sample");
  command->add_flag("--npy", flags->npy, "an array for numpy, one row a sample");
  command->add_flag("--xyz", flags->xyz, "extended XYZ: positions of points, for viewers of molecules");
  command->add_flag("--dcd", flags->dcd, "the same in 32 bits, as CHARMM and NAMD write it");
  command->add_flag("--h5md", flags->h5md, "HDF5 in the layout H5MD: positions, velocities, energies");
  command->add_option("--out", flags->out, "file to write; default: standard output")->type_name("F");
  program.actions[command] = [flags] { return export_trajectory(*flags); };
}

}  // namespace taut::cli
