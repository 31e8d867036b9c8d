#include <taut/run/csv_samples.hpp>
#include <taut/run/trajectory.hpp>

#include <filesystem>

namespace taut {

namespace {

std::string path_of(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

bool is_binary(const RunIdentity& identity) {
  switch (identity.asked.format) {
    case SampleFormat::csv:
      return false;
    case SampleFormat::binary:
    case SampleFormat::compressed:
      return true;
    case SampleFormat::automatic:
      break;
  }
  return identity.schedule.steps / identity.schedule.every > most_csv_samples;
}

std::unique_ptr<SampleSink> new_samples(const std::string& folder, const RunIdentity& identity) {
  // Of an earlier run in this folder, in the other format: two files would contradict each other.
  std::error_code ignored;
  std::filesystem::remove(path_of(folder, is_binary(identity) ? csv_name : trajectory_name), ignored);
  if (is_binary(identity))
    return std::make_unique<TrajectoryWriter>(path_of(folder, trajectory_name), identity);
  return std::make_unique<CsvSamples>(path_of(folder, csv_name), identity);
}

std::unique_ptr<SampleSink> old_samples(const std::string& folder, const RunIdentity& identity,
                                        const SampleMark& mark) {
  if (mark.file == trajectory_name)
    return std::make_unique<TrajectoryWriter>(path_of(folder, trajectory_name), identity, mark);
  return std::make_unique<CsvSamples>(path_of(folder, csv_name), mark);
}

}  // namespace taut
