#include <taut/store/csv_samples.hpp>
#include <taut/store/trajectory.hpp>

#include <filesystem>

namespace taut {

namespace {

std::string path_of(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

void SampleSink::add(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more) {
  row_.assign(1, time);
  row_.insert(row_.end(), q.begin(), q.end());
  row_.insert(row_.end(), p.begin(), p.end());
  row_.insert(row_.end(), {reading.energy, reading.position, reading.momentum});
  row_.insert(row_.end(), more.begin(), more.end());
  add(row_);
}

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
  const std::int64_t rows = 1 + identity.schedule.steps / identity.schedule.every;
  return static_cast<double>(rows) * static_cast<double>(identity.width()) > most_csv_numbers;
}

std::unique_ptr<SampleSink> new_samples(const std::string& folder, const RunIdentity& identity) {
  // An earlier run in this folder may have left samples in the other format: two files would
  // contradict each other.
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
  return std::make_unique<CsvSamples>(path_of(folder, csv_name), identity, mark);
}

}  // namespace taut
