// The page of a sweep: curves over one parameter, maps over two, and where trajectories failed.
#pragma once

#include <taut/ensemble/summary.hpp>
#include <taut/ensemble/sweep.hpp>
#include <taut/report/report.hpp>

namespace taut::cli {

Report report_of_sweep(const Sweep& sweep, const EnsembleSummary& summary);

}  // namespace taut::cli
