// Diagnostics of chains after Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021): rank-normalised split
// R-hat, effective sizes of bulk and tails, Monte Carlo errors; and the energy diagnostic of Betancourt
// (2016). The numbers are those of the R package posterior.
#pragma once

#include <vector>

namespace taut {

using ChainsOfColumn = std::vector<std::vector<double>>;  // one list for each chain, all of one length

struct ColumnDiagnostics {
  double mean = 0, sd = 0, mcse = 0;            // mcse: the standard error of the mean
  double rhat = 0, ess_bulk = 0, ess_tail = 0;  // NaN if the column is constant or too short
  double ess_mean = 0;                          // for the mean
};

ColumnDiagnostics diagnose(const ChainsOfColumn& column);

// The energy's Bayesian fraction of missing information of one chain; below 0.3 momenta are drawn too
// timidly.
double ebfmi(const std::vector<double>& energy);

}  // namespace taut
