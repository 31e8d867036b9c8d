// The files that a run keeps in its folder: one list, which everything that writes asks.
#pragma once

#include <taut/files/folder.hpp>

#include <span>
#include <string>
#include <string_view>

namespace taut {

inline constexpr const char* checkpoint_name = "checkpoint.taut";
inline constexpr const char* previous_checkpoint_name = "checkpoint.previous.taut";
inline constexpr const char* trajectory_name = "trajectory.taut";
inline constexpr const char* csv_name = "samples.csv";
inline constexpr const char* summary_name = "summary.json";
inline constexpr const char* page_name = "report.html";  // only if a report is asked for

struct RunFile {
  std::string_view name;
  bool (*is_ours)(std::string_view beginning);  // asks whether a run of taut wrote a file that begins so
};

std::span<const RunFile> run_files();  // all but the page
bool is_run_file(std::string_view name);

// Throws InputError if a file that no run has written, a link or something else has a name that a run will
// write.
void refuse_foreign(const Folder& folder, bool with_page);

// Removes what a run that was killed while it wrote left beside its files.
void remove_leftovers(const Folder& folder);

// Throws InputError if `path` is one of the files of the run in `folder`, by whatever name.
void refuse_run_files(const std::string& folder, const std::string& path, std::string_view option);

}  // namespace taut
