// Samples as positions of points, for the formats that viewers of molecules read.
#pragma once

#include <taut/store/run_identity.hpp>

#include <array>
#include <span>

namespace taut {

// The columns of a point's coordinates; -1 means that it has no such coordinate, which is then 0.
struct Point {
  std::string name;
  std::array<int, 3> column = {-1, -1, -1};
};

struct Points {
  std::vector<Point> all;
  bool is_particles = false;  // a system of particles, for which there are:
  std::vector<std::string> species;
  std::vector<double> mass;
  std::array<double, 3> box{};  // edges; 0: open
  int dimension = 3;

  bool is_periodic() const { return box[0] > 0 || box[1] > 0 || box[2] > 0; }
};

// Returns the points whose coordinates the run has: x1, y1, z1, x2, …, an axis and the name of a point.
// Throws InputError if a coordinate is of another kind.
Points points_of(const RunIdentity& identity);

// Returns x, y, z of a point in a row of the trajectory; `offset` columns further on, its
// momentum or its force.
std::array<double, 3> vector_of(const Point& point, std::span<const double> row, std::size_t offset = 0);

}  // namespace taut
