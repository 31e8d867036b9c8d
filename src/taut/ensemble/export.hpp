// The trajectories of an ensemble for other programs: arrays of numpy, and text.
#pragma once

#include <taut/ensemble/ensemble_folder.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace taut {

enum class EnsemblePart { ends, samples };

// Both write a file, or standard output if the path is empty, and return the units that are missing; `damage`
// receives a sentence for each of them that is damaged. They throw WriteError, and InputError if samples are
// asked for and none were kept, if a unit cannot be read, and if the file is one of the ensemble itself.

// Writes an array of doubles: (N, columns) of the ends, or (N, samples, columns) of the samples. Trajectories
// of a missing unit are NaN.
std::vector<std::int64_t> export_npy(const EnsembleFolder& folder, const std::string& path, EnsemblePart part,
                                     std::vector<std::string>* damage = nullptr);

// Writes a line for each trajectory, with how it ended before its columns, or one for each of its samples.
// Trajectories of a missing unit have no line.
std::vector<std::int64_t> export_csv(const EnsembleFolder& folder, const std::string& path, EnsemblePart part,
                                     std::vector<std::string>* damage = nullptr);

}  // namespace taut
