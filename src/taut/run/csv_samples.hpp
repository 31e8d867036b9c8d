// Samples as text, one line each.
#pragma once

#include <taut/run/durable_file.hpp>
#include <taut/run/samples.hpp>

namespace taut {

inline constexpr const char* csv_name = "samples.csv";

class CsvSamples final : public SampleSink {
 public:
  CsvSamples(const std::string& path, const RunIdentity& identity);
  CsvSamples(const std::string& path, const SampleMark& mark);

  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
           std::span<const double> more) override;
  void flush() override;
  SampleMark sync() override;
  void finish() override;

 private:
  AppendFile file_;
  std::uint64_t samples_ = 0;
  std::uint32_t checksum_ = 0;  // of the file
  std::string lines_;           // that wait
};

}  // namespace taut
