// The way from an ensemble to the manifest of its folder, and back.
#pragma once

#include <taut/ensemble/ensemble.hpp>
#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/ensemble/summary.hpp>

namespace taut {

Manifest manifest_of(const Ensemble& ensemble, const VaryRequest& vary);

EnsembleSummary::About about(const EnsembleFolder& folder);

// Makes the ensemble of a folder again, by the backend that made it before. Throws InputError if that cannot
// be had, because another one would give other digits.
Ensemble ensemble_in(const EnsembleFolder& folder, int lanes, Device device = Device::cpu,
                     std::function<bool()> wants_to_stop = {});

}  // namespace taut
