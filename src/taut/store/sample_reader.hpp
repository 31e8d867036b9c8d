// Reads the samples of a run again from the file in which it keeps them.
#pragma once

#include <taut/store/run_identity.hpp>

#include <memory>

namespace taut {

class SampleReader {
 public:
  virtual ~SampleReader() = default;
  virtual const RunIdentity& identity() const = 0;
  virtual std::size_t columns() const = 0;
  // Returns some rows, one after another; none at the end, or if damage() says what is wrong.
  virtual std::optional<std::vector<double>> next() = 0;
  virtual const std::string& damage() const = 0;
  virtual std::uint64_t samples() const = 0;  // read so far
};

// Opens trajectory.taut, samples.csv beside the checkpoint that knows of it, or whichever a folder has.
// Throws InputError if there is none.
std::unique_ptr<SampleReader> open_samples(const std::string& path);

// Returns the file that is then read.
std::string samples_in(const std::string& path);

}  // namespace taut
