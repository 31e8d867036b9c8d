#pragma once

#include <taut/model/formula_problem.hpp>
#include <taut/run/ready_made_run.hpp>

namespace taut {

// Defined in run_formulas_here.hpp and instantiated in models/*.cpp, for each of the types that with_problem gives.
template <class P>
RunSummary run_formulas(const P& problem, const std::string& name, const RunRequest& request,
                        RunObserver& observer, std::string_view last_good);

}  // namespace taut
