#pragma once

#include <taut/run/ready_made_run.hpp>

namespace taut {

// Defined in make_ready_made_here.hpp and instantiated in problems/*.cpp: a new ready-made problem is one more file there.
template <class P>
std::unique_ptr<ReadyMadeRun> make_ready_made(std::string_view name, std::string_view what, const P& problem);

}  // namespace taut
