// The samples of a trajectory in other formats.
#pragma once

#include <taut/run/trajectory.hpp>

namespace taut {

enum class ExportFormat { csv, xyz, npy };

// The trajectory of a folder, or the file itself.
std::string trajectory_in(const std::string& path);

// Into a file, or to standard output where `path` is empty. Everything up to the last whole chunk; what is wrong after it is in
// reader.damage(). InputError where the coordinates are not those of points (xyz); WriteError.
void export_samples(TrajectoryReader& reader, ExportFormat format, const std::string& path);

}  // namespace taut
