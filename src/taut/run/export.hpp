// The samples of a trajectory in other formats.
#pragma once

#include <taut/run/trajectory.hpp>

namespace taut {

enum class ExportFormat { csv, xyz, npy, dcd, h5md };

// The trajectory of a folder, or the file itself.
std::string trajectory_in(const std::string& path);

struct Exported {
  std::uint64_t samples = 0;
  std::string damage;  // what is wrong with the trajectory after them; empty: nothing
};

// Into a file, or to standard output where `to` is empty. Everything up to the last whole chunk. InputError where the coordinates are not those of points,
// or the format needs a file; WriteError.
Exported export_samples(const std::string& trajectory, ExportFormat format, const std::string& to);

}  // namespace taut
