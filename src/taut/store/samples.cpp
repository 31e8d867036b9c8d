#include <taut/store/csv_samples.hpp>
#include <taut/store/trajectory.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace taut {

void SampleSink::add(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more, const WideState* wide) {
  row_.assign(1, time);
  row_.insert(row_.end(), q.begin(), q.end());
  row_.insert(row_.end(), p.begin(), p.end());
  row_.insert(row_.end(), {reading.energy, reading.position, reading.momentum});
  row_.insert(row_.end(), more.begin(), more.end());
  if (parts() == 1) return add(row_);
  in_parts_.assign(parts() * row_.size(), 0);
  for (std::size_t i = 0; i < row_.size(); ++i) in_parts_[parts() * i] = row_[i];
  std::size_t at = 0;
  const auto put = [&](const Wide& x) {
    in_parts_[at] = x.high;
    in_parts_[at + 1] = x.middle;
    in_parts_[at + 2] = x.low;
    at += parts();
  };
  if (wide != nullptr) {
    put(wide->time);
    for (const auto* side : {&wide->q, &wide->p})
      for (const Wide& x : *side) put(x);
    put(wide->energy);
    at = parts() * (row_.size() - wide->quantities.size());  // the formulas of the model are the last columns
    for (const Wide& x : wide->quantities) put(x);
  }
  add(in_parts_);
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
  return identity.schedule.samples() * static_cast<double>(identity.width()) > most_csv_numbers;
}

std::unique_ptr<SampleSink> new_samples(const Folder& folder, const RunIdentity& identity) {
  // An earlier run in this folder may have left samples in either format: two files would contradict each
  // other.
  for (const char* name : {csv_name, trajectory_name})
    if (!folder.remove(name))
      throw WriteError(fmt::format("cannot write {}: {}", folder.path_of(name), std::strerror(errno)));
  if (is_binary(identity)) return std::make_unique<TrajectoryWriter>(folder, identity);
  return std::make_unique<CsvSamples>(folder, identity);
}

std::unique_ptr<SampleSink> old_samples(const Folder& folder, const RunIdentity& identity,
                                        const SampleMark& mark, bool keep_later) {
  if (mark.file == trajectory_name)
    return std::make_unique<TrajectoryWriter>(folder, identity, mark, keep_later);
  return std::make_unique<CsvSamples>(folder, identity, mark);
}

}  // namespace taut
