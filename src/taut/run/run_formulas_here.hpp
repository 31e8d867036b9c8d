#pragma once

#include <taut/run/problem_run.hpp>
#include <taut/run/run_formulas.hpp>

namespace taut {

template <class P>
RunSummary run_formulas(const P& problem, const std::string& name, const RunRequest& request,
                        RunObserver& observer, std::string_view last_good) {
  constexpr double default_step = 0.01;
  return ProblemRun<P>(name).run(problem, problem.start(), request, schedule_of(request, default_step),
                                 observer, last_good);
}

}  // namespace taut
