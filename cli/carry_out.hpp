// A run as the command line does it: shown while it goes, kept where there is a recording, ended by a signal, its summary printed.
#pragma once

#include <taut/store/recording.hpp>

#include "watcher.hpp"

namespace taut::cli {

struct CarriedOut {
  Recording* recording = nullptr;
  const Snapshot* from = nullptr;  // goes on after a checkpoint
  bool json = false;
  const ReportWanted* wanted = nullptr;  // a report at the end,
  const RunRecord* record = nullptr;     // of what the watcher put there
};

// The exit status: 0, 1 where the run failed or was not written, 128 + the number of a signal that stopped it.
int carry_out(const ModelRun& model, Watcher& watcher, const CarriedOut& how);

}  // namespace taut::cli
