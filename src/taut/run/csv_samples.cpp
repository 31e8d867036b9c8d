#include <taut/run/chunk_file.hpp>
#include <taut/run/csv_samples.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace taut {

namespace {

constexpr std::size_t largest_wait = std::size_t{1} << 20;

AppendFile reopened(const std::string& path, const SampleMark& mark) {
  const OpenFile file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  std::uint32_t sum = 0;
  std::string piece(largest_wait, '\0');
  for (std::uint64_t left = mark.bytes; left > 0;) {
    const std::size_t got =
        std::fread(piece.data(), 1, std::min<std::uint64_t>(left, piece.size()), file.get());
    if (got == 0)
      throw InputError(fmt::format("{} is not whole: the checkpoint knows of {} bytes, and it has {}.", path,
                                   mark.bytes, mark.bytes - left));
    sum = checksum(std::string_view(piece).substr(0, got), sum);
    left -= got;
  }
  if (sum != mark.checksum)
    throw InputError(fmt::format(
        "{} is not as the run wrote it: the checksum of its first {} bytes is wrong.", path, mark.bytes));
  return AppendFile::reopen(path, mark.bytes);
}

}  // namespace

void append_csv(std::string& out, std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", row[i]);
  out.push_back('\n');
}

std::string csv_header(const RunIdentity& identity) {
  return fmt::format("{}\n", fmt::join(identity.columns(), ","));
}

CsvSamples::CsvSamples(const std::string& path, const RunIdentity& identity)
    : file_(AppendFile::create(path)), lines_(csv_header(identity)) {
  flush();
}

CsvSamples::CsvSamples(const std::string& path, const SampleMark& mark)
    : file_(reopened(path, mark)), samples_(mark.samples), checksum_(mark.checksum) {}

void CsvSamples::add(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more) {
  std::vector<double> row = {time};
  row.insert(row.end(), q.begin(), q.end());
  row.insert(row.end(), p.begin(), p.end());
  row.insert(row.end(), {reading.energy, reading.position, reading.momentum});
  row.insert(row.end(), more.begin(), more.end());
  append_csv(lines_, row);
  ++samples_;
  if (lines_.size() >= largest_wait) flush();
}

void CsvSamples::flush() {
  if (lines_.empty()) return;
  file_.append(lines_);
  checksum_ = checksum(lines_, checksum_);
  lines_.clear();
}

SampleMark CsvSamples::sync() {
  flush();
  file_.check();
  file_.sync();
  return {.file = csv_name,
          .samples = samples_,
          .bytes = file_.length(),
          .inside = samples_,
          .checksum = checksum_};
}

void CsvSamples::finish() {
  flush();
  file_.sync();
}

}  // namespace taut
