// A run as the command line does it: shown while it goes, kept if there is a recording, ended by a signal,
// its summary printed.
#pragma once

#include <taut/store/recording.hpp>

#include "watcher.hpp"

namespace taut::cli {

struct CarriedOut {
  Recording* recording = nullptr;
  const Snapshot* from = nullptr;  // the checkpoint after which it continues
  bool json = false;
  bool hash = false;                     // print the hash of the last state alone
  const ReportWanted* wanted = nullptr;  // a report at the end
  const ReportSoFar* report = nullptr;   // its source: what the watcher put there
};

// Carries out the run. Returns the exit status: 0, 1 if the run failed or was not written, 128 + the number
// of a signal that stopped it.
int carry_out(const ModelRun& model, Watcher& watcher, const CarriedOut& how);

}  // namespace taut::cli
