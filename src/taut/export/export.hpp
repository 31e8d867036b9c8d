// The samples of a run in other formats.
#pragma once

#include <cstdint>
#include <string>

namespace taut {

enum class ExportFormat { csv, xyz, npy, dcd, h5md };

struct Exported {
  std::uint64_t samples = 0;
  std::string damage;  // what is wrong with the samples after them; empty: nothing
  std::string note;    // what the format cannot say of them; empty: nothing
};

// From a folder, or a file of samples, into a file, or to standard output where `to` is empty. Everything that is whole. InputError where
// the coordinates are not those of points, the format needs a file, or `to` is a file of the run itself; WriteError.
Exported export_samples(const std::string& from, ExportFormat format, const std::string& to);

}  // namespace taut
