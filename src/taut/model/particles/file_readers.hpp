// One reader for each format; read_particle_file chooses.
#pragma once

#include <taut/model/particles/file_lines.hpp>
#include <taut/model/particles/particle_file.hpp>

namespace taut {

std::optional<ParticleFile> read_xyz(FileLines& lines, const FileChoice& choice);
std::optional<ParticleFile> read_pdb(FileLines& lines, const FileChoice& choice);
std::optional<ParticleFile> read_lammps(FileLines& lines, const FileChoice& choice);

}  // namespace taut
