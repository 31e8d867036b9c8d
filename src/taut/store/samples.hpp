// The files to which the samples of a run go: text or binary.
#pragma once

#include <taut/files/folder.hpp>
#include <taut/run/observer.hpp>
#include <taut/store/run_identity.hpp>

#include <memory>

namespace taut {

// How far the samples were written when the checkpoint was.
struct SampleMark {
  std::string file;           // name in the folder
  std::uint64_t samples = 0;  // taken so far
  // Bytes of the file, and the samples in them: more than `samples` if samples are being taken again.
  std::uint64_t bytes = 0, inside = 0;
  std::uint32_t checksum = 0;   // covers the bytes, if the file itself has none
  std::vector<double> waiting;  // rows that could no longer be written
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  // `wide` has the digits of the sample that a double has not, if the run has them.
  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
           std::span<const double> more, const WideState* wide = nullptr);
  virtual void add(std::span<const double> row) = 0;
  // Says how many doubles a number of a row takes: three if the file has more digits than doubles.
  virtual std::size_t parts() const { return 1; }
  virtual void flush() = 0;       // hands over to the system what waits: it outlasts the end of the program
  virtual SampleMark sync() = 0;  // hands it over to the disk: it outlasts a loss of power
  virtual SampleMark held() = 0;  // after a write that failed: what is in the file, and what waits
  virtual void finish() = 0;      // no more will come

 private:
  std::vector<double> row_, in_parts_;
};

inline constexpr double most_csv_numbers = 1e6;  // some 20 MB of text
bool is_binary(const RunIdentity& identity);

// Makes a new file in the folder, in the place of older samples. Everything from here on throws WriteError.
std::unique_ptr<SampleSink> new_samples(const Folder& folder, const RunIdentity& identity);

// Opens the file of the mark. If `keep_later`, its samples after the mark are kept if they are whole, and
// samples that are added again are not written twice. Throws InputError if the file is missing, belongs to
// another run, or is damaged before the mark.
std::unique_ptr<SampleSink> old_samples(const Folder& folder, const RunIdentity& identity,
                                        const SampleMark& mark, bool keep_later);

// Appends one line of text: a sample in the shortest form that reads back as the same bits. In a precision
// beyond double, a row has three doubles for each number.
void append_csv(std::string& out, std::span<const double> row,
                Precision precision = Precision::double_precision);
std::string csv_header(const RunIdentity& identity);

}  // namespace taut
