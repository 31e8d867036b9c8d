// The projection that follows a step, as plain data; projection.hpp carries it out.
#pragma once

#include <taut/contract/choices.hpp>

namespace taut {

struct Projection {
  ProjectionKind kind = ProjectionKind::none;
  double tolerance = 0;  // on max |g| and max |G H_p|; 0: at every step
  ProjectionMetric metric = ProjectionMetric::mass;
  ProjectionAlong along = ProjectionAlong::before;

  bool moves_q() const { return kind == ProjectionKind::position || kind == ProjectionKind::both; }
  bool moves_p() const { return kind == ProjectionKind::momentum || kind == ProjectionKind::both; }
};

}  // namespace taut
