// Where the samples of a run go: text or binary.
#pragma once

#include <taut/run/observer.hpp>
#include <taut/store/run_identity.hpp>

#include <memory>

namespace taut {

// How far the samples were written when a checkpoint was.
struct SampleMark {
  std::string file;           // name in the folder
  std::uint64_t samples = 0;  // taken so far
  std::uint64_t bytes = 0,
                inside = 0;     // of the file, and the samples in them: more where they are being taken again
  std::uint32_t checksum = 0;   // of the bytes, where the file itself has none
  std::vector<double> waiting;  // rows that could not be written any more
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
           std::span<const double> more);
  virtual void add(std::span<const double> row) = 0;
  virtual void flush() = 0;       // hands what waits over to the system: it outlasts the end of the program
  virtual SampleMark sync() = 0;  // hands it over to the disk: it outlasts a loss of power
  virtual SampleMark held() = 0;  // after a write that failed: what is in the file, and what waits
  virtual void finish() = 0;      // no more will come

 private:
  std::vector<double> row_;
};

inline constexpr double most_csv_numbers = 1e6;  // some 20 MB of text
bool is_binary(const RunIdentity& identity);

// A new file in the folder. All that follows throws WriteError.
std::unique_ptr<SampleSink> new_samples(const std::string& folder, const RunIdentity& identity);

// The file of the mark, whose samples after it are kept where they are whole; samples that are added again are not written twice. InputError where the
// file is not there, is of another run, or is damaged before the mark.
std::unique_ptr<SampleSink> old_samples(const std::string& folder, const RunIdentity& identity,
                                        const SampleMark& mark);

// One line of text: a sample in the shortest form that reads back as the same bits.
void append_csv(std::string& out, std::span<const double> row);
std::string csv_header(const RunIdentity& identity);

}  // namespace taut
