// Reads any bytes as a model file and, if they are a small model, differentiates it. A first byte of 1, 2 or
// 3 makes the rest a file of particles: XYZ, PDB, LAMMPS data.
#include <taut/model/code/system.hpp>
#include <taut/model/particles/particle_file.hpp>
#include <taut/model/particles/particles.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace taut;

// A system of particles is as large as its count says: one more digit would be a gigabyte more, and no
// mistake of the reader.
constexpr int most_particles = 500;

void look_at(const std::vector<ModelError>& errors) {
  for (const ModelError& error : errors)
    if (error.text().size() > 1500) std::abort();
}

void read_file(const std::string& text, ParticleFormat format) {
  std::vector<ModelError> errors;
  const SourceText source("fuzz", text);
  const auto file = read_particle_file(source, {.format = format, .most_particles = most_particles}, errors);
  if (file.has_value() == !errors.empty()) std::abort();  // particles or errors, never both
  look_at(errors);
  if (!file) return;
  const auto n = static_cast<std::size_t>(file->count);
  if (n == 0 || file->position.size() != 3 * n || file->species.size() != n) std::abort();
  if (!file->velocity.empty() && file->velocity.size() != 3 * n) std::abort();
  if (!file->mass.empty() && file->mass.size() != n) std::abort();
  for (const auto* terms : {&file->bonds, &file->angles, &file->dihedrals})
    for (const FileTerm& term : *terms)
      for (const int i : term.particle)
        if (i < 0 || i >= file->count) std::abort();
}

void read_any_model(const std::string& text) {
  const Surroundings around{.file = [](const std::string& path) -> FoundText {
                              return {"3\nLattice=\"9 0 0 0 9 0 0 0 9\"\nO 0 0 0\nH 1 0 0\nH 0 1 0\n", path};
                            },
                            .most_particles = most_particles};
  const ReadModel read = read_model(text, "fuzz.toml", {}, around);
  if (read.model.has_value() == !read.errors.empty()) std::abort();  // a model or its errors, never both
  look_at(read.errors);
  if (read.model && read.model->particles && read.model->particles->count > most_particles) std::abort();
  if (read.model && !read.model->particles && read.model->coordinates.size() <= 8) {
    const System system = derive(*read.model);
    if (system.n != static_cast<int>(read.model->coordinates.size())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] >= 1 && data[0] <= 3)
    read_file(text.substr(1), static_cast<ParticleFormat>(data[0] - 1));
  else
    read_any_model(text);
  return 0;
}
