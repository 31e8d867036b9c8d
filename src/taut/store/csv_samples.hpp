// Samples as text, one line each.
#pragma once

#include <taut/files/durable_file.hpp>
#include <taut/store/run_files.hpp>
#include <taut/store/samples.hpp>

namespace taut {

class CsvSamples final : public SampleSink {
 public:
  CsvSamples(const Folder& folder, const RunIdentity& identity);
  CsvSamples(const Folder& folder, const RunIdentity& identity, const SampleMark& mark);

  using SampleSink::add;
  void add(std::span<const double> row) override;
  std::size_t parts() const override { return precision_ == Precision::double_precision ? 1 : 3; }
  void flush() override;
  SampleMark sync() override;
  SampleMark held() override;
  void finish() override;

 private:
  void append(const std::string& text);

  Precision precision_;
  std::size_t columns_;  // doubles in a row
  AppendFile file_;
  std::uint64_t samples_ = 0;
  std::uint32_t checksum_ = 0;  // covers the whole file
  std::vector<double> rows_;    // rows that wait
};

// Reads the file from its beginning. Throws InputError if it is not as it was when the mark was made.
void check_csv(std::FILE* file, const std::string& path, const SampleMark& mark);

}  // namespace taut
