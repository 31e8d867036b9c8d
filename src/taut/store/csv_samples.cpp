#include <taut/bytes/wide_text.hpp>
#include <taut/files/open_file.hpp>
#include <taut/store/chunk_file.hpp>
#include <taut/store/csv_samples.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace taut {

namespace {

constexpr std::size_t largest_text_wait = std::size_t{1} << 16;  // doubles: a mebibyte of text
constexpr std::size_t piece_size = std::size_t{1} << 20;

AppendFile reopened(const Folder& folder, const SampleMark& mark) {
  AppendFile file = AppendFile::reopen(folder, csv_name);
  check_csv(file.reader().get(), file.path(), mark);
  file.cut(mark.bytes);
  return file;
}

}  // namespace

void check_csv(std::FILE* file, const std::string& path, const SampleMark& mark) {
  std::uint32_t sum = 0;
  std::string piece(piece_size, '\0');
  for (std::uint64_t left = mark.bytes; left > 0;) {
    const std::size_t got = std::fread(piece.data(), 1, std::min<std::uint64_t>(left, piece.size()), file);
    if (std::ferror(file) != 0) {
      check_memory();
      throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
    }
    if (got == 0)
      throw InputError(fmt::format("{} is not whole: the checkpoint knows of {} bytes, and it has {}.", path,
                                   mark.bytes, mark.bytes - left));
    sum = checksum(std::string_view(piece).substr(0, got), sum);
    left -= got;
  }
  if (sum != mark.checksum)
    throw InputError(fmt::format(
        "{} is not as the run wrote it: the checksum of its first {} bytes is wrong.", path, mark.bytes));
}

void append_csv(std::string& out, std::span<const double> row, Precision precision) {
  if (precision != Precision::double_precision) {
    for (std::size_t i = 0; i + 3 <= row.size(); i += 3)
      out.append(i == 0 ? "" : ",").append(text_of({row[i], row[i + 1], row[i + 2]}, precision));
    out.push_back('\n');
    return;
  }
  for (std::size_t i = 0; i < row.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", row[i]);
  out.push_back('\n');
}

std::string csv_header(const RunIdentity& identity) {
  return fmt::format("{}\n", fmt::join(identity.columns(), ","));
}

CsvSamples::CsvSamples(const Folder& folder, const RunIdentity& identity)
    : precision_(identity.asked.precision),
      columns_(identity.width() * CsvSamples::parts()),
      file_(AppendFile::create(folder, csv_name)) {
  append(csv_header(identity));
}

CsvSamples::CsvSamples(const Folder& folder, const RunIdentity& identity, const SampleMark& mark)
    : precision_(identity.asked.precision),
      columns_(identity.width() * CsvSamples::parts()),
      file_(reopened(folder, mark)),
      samples_(mark.samples),
      checksum_(mark.checksum),
      rows_(mark.waiting) {}

void CsvSamples::add(std::span<const double> row) {
  rows_.insert(rows_.end(), row.begin(), row.end());
  ++samples_;
  if (rows_.size() >= largest_text_wait) flush();
}

void CsvSamples::append(const std::string& text) {
  file_.append(text);
  checksum_ = checksum(text, checksum_);
}

void CsvSamples::flush() {
  if (rows_.empty()) return;
  std::string lines;
  for (std::size_t i = 0; i < rows_.size(); i += columns_)
    append_csv(lines, std::span(rows_).subspan(i, columns_), precision_);
  append(lines);
  rows_.clear();
}

SampleMark CsvSamples::sync() {
  flush();
  file_.check();
  return held();
}

SampleMark CsvSamples::held() {
  file_.sync();
  return {.file = csv_name,
          .samples = samples_,
          .bytes = file_.length(),
          .inside = samples_ - rows_.size() / columns_,
          .checksum = checksum_,
          .waiting = rows_};
}

void CsvSamples::finish() {
  flush();
  file_.sync();
}

}  // namespace taut
