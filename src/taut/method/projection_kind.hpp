// Which projection follows a step, as plain data; projection.hpp carries it out.
#pragma once

#include <optional>
#include <string_view>

namespace taut {

enum class ProjectionKind { none, position, momentum, both };

struct Projection {
  ProjectionKind kind = ProjectionKind::none;
  double tolerance = 0;  // on max |g| and max |G H_p|; 0: at every step

  bool moves_q() const { return kind == ProjectionKind::position || kind == ProjectionKind::both; }
  bool moves_p() const { return kind == ProjectionKind::momentum || kind == ProjectionKind::both; }
};

constexpr std::optional<ProjectionKind> projection_kind(std::string_view name) {
  if (name == "none") return ProjectionKind::none;
  if (name == "position") return ProjectionKind::position;
  if (name == "momentum") return ProjectionKind::momentum;
  if (name == "both") return ProjectionKind::both;
  return std::nullopt;
}

}  // namespace taut
