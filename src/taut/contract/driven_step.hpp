// How a summary says that its run was one of particles under forces and damping. Such a run has work, as runs
// with the time among their coordinates have, and no coordinate for the time.
#pragma once

#include <taut/contract/summary.hpp>

#include <string_view>

namespace taut {

inline constexpr std::string_view driven_step =
    "rattle between halves of the forces and of the exact damping; symmetric, of order 2";

// Asks whether the last coordinate of the summary is the time, which is not listed.
inline bool has_time_coordinate(const RunSummary& s) { return s.work && s.definition != driven_step; }

}  // namespace taut
