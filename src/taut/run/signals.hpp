#pragma once

namespace taut {

// While this object lives, SIGINT, SIGTERM and SIGHUP are noted and nothing more: the run ends after its
// step. A second signal ends the program at once. A write beyond a limit on file sizes becomes an error of
// that write, not a signal.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  static int caught();                  // 0: none
  static const char* name(int signal);  // "SIGINT"
};

}  // namespace taut
