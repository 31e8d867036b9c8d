#include "kept_analysis.hpp"

#include <taut/store/recording.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

namespace taut::cli {

void KeptAnalysis::add(Command& command) {
  command.add(option("--out", "DIR", out_,
                     "keep in this folder what there is; the same command goes on there after a kill"));
  command.add(checkpoint_option(every_, "seconds between two times at which it is kept there; default 10"));
}

Keeping KeptAnalysis::open(const ModelRun& run, const std::vector<std::string>& words) {
  if (out_.empty()) return {};
  std::string whose = identity_of(run, schedule_of(run.request)).digest();
  for (const std::string& word : words) whose += "\n" + word;
  file_.emplace(out_, whose);
  Keeping keeping;
  keeping.from = file_->kept();
  kept_at_ = std::chrono::steady_clock::now();
  keeping.due = [this] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - kept_at_).count() >=
           every_.value_or(10);
  };
  keeping.keep = [this](const std::string& state) {
    file_->keep(state);
    kept_at_ = std::chrono::steady_clock::now();
  };
  keeping.resumed = [this](std::string_view place) {
    fmt::print(stderr, "taut: goes on after {}, which {} has.\n", place, harmless(out_));
  };
  return keeping;
}

}  // namespace taut::cli
