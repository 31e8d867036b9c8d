// A line on standard error that says how far a run is: only on a terminal, only for runs that take longer
// than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace taut::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::int64_t done, std::int64_t wanted, const std::string& more = {});
  void wait_for(const std::string& what);  // until something else is shown
  void clear();

 private:
  // The first report of the run: what was done before it, such as compiling a step or the part of a run that
  // is resumed, says nothing about the speed.
  struct First {
    std::chrono::steady_clock::time_point when;
    std::int64_t done;
  };
  std::optional<First> first_ = {};
  bool terminal_, shown_ = false;
};

}  // namespace taut::cli
