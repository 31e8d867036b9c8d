#pragma once

#include <taut/run/make_ready_made.hpp>
#include <taut/run/ready_made_run_of.hpp>

namespace taut {

template <class P>
std::unique_ptr<ReadyMadeRun> make_ready_made(std::string_view name, std::string_view what,
                                              const P& problem) {
  return std::make_unique<ReadyMadeRunOf<P>>(name, what, problem);
}

}  // namespace taut
