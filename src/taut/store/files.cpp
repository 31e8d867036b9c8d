#include <taut/files/durable_file.hpp>
#include <taut/store/files.hpp>
#include <taut/store/run_files.hpp>

namespace taut {

void write_summary(const Folder& folder, const RunSummary& summary) {
  replace_file(folder, summary_name, to_json(summary) + "\n");
}

}  // namespace taut
