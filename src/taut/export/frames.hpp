// Samples as positions of points, for the formats that viewers of molecules read.
#pragma once

#include <taut/store/run_identity.hpp>

#include <array>
#include <span>

namespace taut {

// Columns of a point's coordinates; -1: it has no such coordinate, which is then 0.
struct Point {
  std::string name;
  std::array<int, 3> column = {-1, -1, -1};
};

struct Points {
  std::vector<Point> all;
  bool is_particles = false;  // of a system of particles; then there are:
  std::vector<std::string> species;
  std::vector<double> mass;
  std::array<double, 3> box{};  // edges; 0: open
  int dimension = 3;

  bool is_periodic() const { return box[0] > 0 || box[1] > 0 || box[2] > 0; }
};

// The points whose coordinates the run has: x1, y1, z1, x2, …, an axis and the name of a point. InputError where a coordinate is of another kind.
Points points_of(const RunIdentity& identity);

// x, y, z of a point in a row of the trajectory; `offset` further on: of its momentum, of its force.
std::array<double, 3> vector_of(const Point& point, std::span<const double> row, std::size_t offset = 0);

}  // namespace taut
