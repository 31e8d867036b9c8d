// Checkpoints: a run as it stood after some step, so that it can continue to the same bits. The newest
// is DIR/checkpoint.taut, the one before it DIR/checkpoint.previous.taut; each is replaced as a whole
// or not at all.
#pragma once

#include <taut/store/chunk_file.hpp>
#include <taut/store/report_so_far.hpp>
#include <taut/store/run_files.hpp>
#include <taut/store/samples.hpp>

namespace taut {

struct Checkpoint {
  RunIdentity identity;
  Snapshot snapshot;
  SampleMark mark;
  std::shared_ptr<ReportSoFar> report = {};  // if the run makes one
};

void write_checkpoint(const Folder& folder, const Checkpoint& checkpoint);  // throws WriteError

// Reads a checkpoint. Throws InputError with the reason if it cannot be used.
Checkpoint read_checkpoint(const std::string& path);
Checkpoint read_checkpoint(const Folder& folder, const std::string& name);
Checkpoint read_checkpoint(OpenFile file);

std::string_view status_name(RunStatus status);

}  // namespace taut
