// Reads samples that were kept as text. The checkpoint beside them says to which run they belong.
#pragma once

#include <taut/store/checkpoint.hpp>
#include <taut/store/csv_samples.hpp>
#include <taut/store/sample_reader.hpp>

namespace taut {

class CsvReader final : public SampleReader {
 public:
  // Throws InputError if there is no checkpoint beside it, or if the file is not as the run wrote it.
  explicit CsvReader(const std::string& path);

  const RunIdentity& identity() const override { return identity_; }
  std::size_t columns() const override { return columns_; }
  std::optional<std::vector<double>> next() override;
  const std::string& damage() const override { return damage_; }
  std::uint64_t samples() const override { return samples_; }

 private:
  bool add(std::vector<double>& rows);  // false if the line is not a sample

  bool next_line();  // false at the end of the file

  OpenFile file_;
  std::string line_;   // the last one read, without its end
  bool whole_ = true;  // it had an end
  RunIdentity identity_;
  std::size_t columns_ = 0;
  std::uint64_t samples_ = 0;
  std::string damage_;
};

}  // namespace taut
