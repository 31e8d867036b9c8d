#include <taut/store/files.hpp>
#include <taut/store/whole_file.hpp>

#include <filesystem>

namespace taut {

void write_summary(const std::string& folder, const RunSummary& summary) {
  write_whole_file((std::filesystem::path(folder) / "summary.json").string(), to_json(summary) + "\n");
}

}  // namespace taut
