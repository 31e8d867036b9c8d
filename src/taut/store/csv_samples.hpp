// Samples as text, one line each.
#pragma once

#include <taut/store/durable_file.hpp>
#include <taut/store/samples.hpp>

namespace taut {

inline constexpr const char* csv_name = "samples.csv";

class CsvSamples final : public SampleSink {
 public:
  CsvSamples(const std::string& path, const RunIdentity& identity);
  CsvSamples(const std::string& path, const RunIdentity& identity, const SampleMark& mark);

  using SampleSink::add;
  void add(std::span<const double> row) override;
  void flush() override;
  SampleMark sync() override;
  SampleMark held() override;
  void finish() override;

 private:
  void append(const std::string& text);

  std::size_t columns_;
  AppendFile file_;
  std::uint64_t samples_ = 0;
  std::uint32_t checksum_ = 0;  // covers the whole file
  std::vector<double> rows_;    // rows that wait
};

// Throws InputError if the file is not as it was when the mark was made.
void check_csv(const std::string& path, const SampleMark& mark);

}  // namespace taut
