// The page of a sampling: traces, rank plots, marginals, energies, rejections.
#pragma once

#include <taut/report/report.hpp>
#include <taut/sample/summary.hpp>

namespace taut::cli {

Report report_of_sampling(const Sampling& sampling, const SamplingResult& result,
                          const SamplingSummary& summary);

}  // namespace taut::cli
