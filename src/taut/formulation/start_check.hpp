// What manifold.hpp finds out about a start, as plain data.
#pragma once

namespace taut {

// Says whether a start is on M, and how far off it is.
struct StartCheck {
  bool finite = true, on_position = true, on_momentum = true;
  double position = 0, momentum = 0;           // max |g| and max |G H_p|
  int worst_position = 0, worst_momentum = 0;  // the constraints that have them
  bool consistent() const { return finite && on_position && on_momentum; }
};

// How far a start was moved onto M.
struct Move {
  double q = 0, p = 0;  // largest change of a coordinate, of a momentum
};

}  // namespace taut
