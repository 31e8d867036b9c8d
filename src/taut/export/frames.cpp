#include <taut/export/frames.hpp>
#include <taut/model/particles/particle_file.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/format.h>

#include <cctype>
#include <unordered_map>

namespace taut {

namespace {

// Adds what the columns do not tell, from the model that is inside the file.
void add_particles(const RunIdentity& identity, Points& points) {
  const ReadModel read =
      read_model(identity.text, identity.model, identity.set, stored_files(identity.files));
  if (!read.model || !read.model->particles) return;
  const ParticleModel& model = *read.model->particles;
  if (model.count != static_cast<int>(points.all.size())) return;
  points.is_particles = true;
  points.mass = model.mass;
  points.species = model.species;
  // Types of LAMMPS and atomic numbers are not names that a viewer knows.
  for (std::size_t i = 0; i < points.species.size(); ++i)
    if (points.species[i].find_first_not_of("0123456789") == std::string::npos)
      points.species[i] = element_of_weight(points.mass[i]);
  points.box = model.box;
  points.dimension = model.dimension;
}

}  // namespace

Points points_of(const RunIdentity& identity) {
  if (identity.coordinates.empty()) throw InputError("the run has no coordinates to show.");
  Points points;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < identity.coordinates.size(); ++i) {
    const std::string& name = identity.coordinates[i];
    const std::size_t axis = std::string_view("xyz").find(name[0]);
    const std::string whose = name.substr(1);
    const bool is_letter = whose.size() == 1 && std::isalpha(static_cast<unsigned char>(whose[0])) != 0;
    if (axis == std::string::npos ||
        (!is_letter && whose.find_first_not_of("_0123456789") != std::string::npos))
      throw InputError(
          fmt::format("the coordinate {} is not that of a point (x1, y1, z1, …), so that there is nothing to "
                      "show: export --csv or --npy.",
                      name));
    const auto [at, is_new] = known.emplace(whose, points.all.size());
    if (is_new) points.all.push_back({.name = whose});
    points.all[at->second].column[axis] = static_cast<int>(i) + 1;  // t is column 0
  }
  add_particles(identity, points);
  if (points.species.empty()) points.species.assign(points.all.size(), "C");
  return points;
}

std::array<double, 3> vector_of(const Point& point, std::span<const double> row, std::size_t offset) {
  std::array<double, 3> v{};
  for (std::size_t a = 0; a < 3; ++a)
    if (point.column[a] >= 0) v[a] = row[static_cast<std::size_t>(point.column[a]) + offset];
  return v;
}

}  // namespace taut
