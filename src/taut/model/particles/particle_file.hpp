// Particles from a file: XYZ and extended XYZ, PDB, LAMMPS data. The readers take what a model can use and leave the rest: docs/guide/particles.md.
#pragma once

#include <taut/model/text/source.hpp>

#include <array>
#include <optional>

namespace taut {

enum class ParticleFormat { xyz, pdb, lammps };

// A bond, an angle or a dihedral: as many of the particles as it has.
struct FileTerm {
  int type = 0;  // of LAMMPS
  std::array<int, 4> particle{};
};

struct ParticleFile {
  int count = 0;
  std::vector<std::string> species;        // one for each: a name or an element; of LAMMPS the type
  std::vector<double> position, velocity;  // x, y, z of each; no velocities: empty
  std::vector<double> mass;                // empty where the file has none
  std::array<double, 3> box{};             // edges; 0: open
  bool of_types = false;                   // species are numbers of types, not of elements
  std::vector<FileTerm> bonds, angles, dihedrals;
};

struct FileChoice {
  ParticleFormat format = ParticleFormat::xyz;
  int frame = 0;           // of XYZ, and MODEL of PDB
  std::string style = {};  // of LAMMPS, where the file does not say it
  int most_particles = 0;
};

// Nothing where an error was added.
std::optional<ParticleFile> read_particle_file(const SourceText& source, const FileChoice& choice,
                                               std::vector<ModelError>& errors);

const std::vector<std::string>& lammps_styles();

// The standard atomic weight of an element in u; nothing where it has none. The name is a symbol, also with digits after it, or an atomic number.
std::optional<double> atomic_weight(std::string_view name);
// The symbol of the element whose weight differs by less than a hundredth; X where there is none.
std::string_view element_of_weight(double weight);

}  // namespace taut
