// Particles from a file: XYZ and extended XYZ, PDB, LAMMPS data. The readers take what a model can use and
// leave the rest: docs/guide/particles.md.
#pragma once

#include <taut/model/text/source.hpp>

#include <array>
#include <optional>

namespace taut {

enum class ParticleFormat { xyz, pdb, lammps };

// A bond, an angle or a dihedral; it uses as many of the particles as it has.
struct FileTerm {
  int type = 0;  // LAMMPS only
  std::array<int, 4> particle{};
};

struct ParticleFile {
  int count = 0;
  std::vector<std::string> species;        // one for each: a name or an element; the type in LAMMPS
  std::vector<double> position, velocity;  // x, y, z of each; empty if there are no velocities
  std::vector<double> mass;                // empty if the file has none
  std::array<double, 3> box{};             // edges; 0: open
  bool of_types = false;                   // species are numbers of types, not of elements
  std::vector<FileTerm> bonds, angles, dihedrals;
};

struct FileChoice {
  ParticleFormat format = ParticleFormat::xyz;
  int frame = 0;           // the frame of XYZ, or the MODEL of PDB
  std::string style = {};  // LAMMPS only, if the file does not say it
  int most_particles = 0;
};

// Reads the file. Returns nothing if an error was added.
std::optional<ParticleFile> read_particle_file(const SourceText& source, const FileChoice& choice,
                                               std::vector<ModelError>& errors);

const std::vector<std::string>& lammps_styles();

// Returns the standard atomic weight of an element in u, or nothing if it has none. The name is a symbol,
// also with digits after it, or an atomic number.
std::optional<double> atomic_weight(std::string_view name);
// Returns the symbol of the element whose weight differs by less than a hundredth, or X if there is none.
std::string_view element_of_weight(double weight);

}  // namespace taut
