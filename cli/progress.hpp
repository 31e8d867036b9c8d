// A line on standard error that says how far a run is: only on a terminal, only for runs that take longer
// than a second.
#pragma once

#include <chrono>
#include <cstdint>

namespace taut::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::int64_t done, std::int64_t wanted);
  void clear();

 private:
  std::chrono::steady_clock::time_point began_;
  bool terminal_, shown_ = false;
};

}  // namespace taut::cli
