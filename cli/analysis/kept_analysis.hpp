// The folder in which a long analysis keeps what it has, so that the same command goes on there.
#pragma once

#include <taut/analysis/keeping.hpp>
#include <taut/run/model_run.hpp>
#include <taut/store/analysis_file.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "../typed.hpp"

namespace taut::cli {

class KeptAnalysis {
 public:
  void add(Command& command);  // --out and --checkpoint-every
  bool is_asked() const { return !out_.empty(); }
  // Opens the folder, if one was typed, and takes what is there. Throws InputError if that is damaged or was
  // kept by another analysis: of another model, or with other `words`.
  Keeping open(const ModelRun& run, const std::vector<std::string>& words);

 private:
  std::string out_;
  std::optional<double> every_;
  std::optional<AnalysisFile> file_;
  std::chrono::steady_clock::time_point kept_at_ = {};
};

}  // namespace taut::cli
