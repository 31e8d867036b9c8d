#pragma once

namespace taut {

struct ProjectionCount {
  long position = 0, momentum = 0;  // how often each was done; in a pack, in any lane
};

}  // namespace taut
