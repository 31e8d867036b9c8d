// Draws in the formats of others: CSV as CmdStan writes it, which posterior, cmdstanr, rstan and ArviZ read,
// and arrays of numpy.
#pragma once

#include <taut/sample/sampling.hpp>

#include <string>
#include <vector>

namespace taut {

// Writes NAME-1.csv, NAME-2.csv, …, one for each chain, and returns their paths. Throws WriteError.
std::vector<std::string> export_cmdstan(const Sampling& sampling, const SamplingResult& result,
                                        const std::string& name);

// Writes an array of shape (chains, draws, columns): coordinates, then quantities. An empty path is standard
// output.
void export_draws_npy(const Sampling& sampling, const SamplingResult& result, const std::string& path);

}  // namespace taut
