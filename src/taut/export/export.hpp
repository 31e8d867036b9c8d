// The samples of a run in other formats.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taut {

struct ExportJob;  // formats.hpp

// A format as one row: the command line makes its flags, its help and its refusals from the rows.
struct ExportFormat {
  std::string_view name;      // its flag is --name
  std::string_view what;      // a line for the help
  bool wants_points = false;  // the coordinates must be those of points
  // If true, the beginning of the file says how many samples follow, so that it cannot go to standard output.
  bool wants_file = false;
  bool wants_count = false;  // the writer must know the number of samples before it begins
  // Writes all samples. Returns what the format cannot say of them and a user should know; empty: nothing.
  std::string (*write)(const ExportJob&) = nullptr;
};

// Returns all of them, in the order in which they are listed to people.
std::span<const ExportFormat> export_formats();

struct Exported {
  std::uint64_t samples = 0;
  std::string damage;  // what is wrong with the samples after them; empty: nothing
  std::string note;    // what the format cannot say of them; empty: nothing
};

// Writes everything that is whole in a folder, or in a file of samples, into a file, or to standard output if
// `to` is empty. Throws InputError if the coordinates are not those of points, the format needs a file, or
// `to` is a file of the run itself; throws WriteError if it cannot write.
Exported export_samples(const std::string& from, const ExportFormat& format, const std::string& to);

}  // namespace taut
