// The samples of a run, read again from the file that it keeps them in.
#pragma once

#include <taut/store/run_identity.hpp>

#include <memory>

namespace taut {

class SampleReader {
 public:
  virtual ~SampleReader() = default;
  virtual const RunIdentity& identity() const = 0;
  virtual std::size_t columns() const = 0;
  // Some rows, one after another; none at the end or where damage() says what is wrong.
  virtual std::optional<std::vector<double>> next() = 0;
  virtual const std::string& damage() const = 0;
  virtual std::uint64_t samples() const = 0;  // so far
};

// trajectory.taut, samples.csv beside the checkpoint that knows of it, or what a folder has of the two. InputError where there is none.
std::unique_ptr<SampleReader> open_samples(const std::string& path);

// The file that is read then.
std::string samples_in(const std::string& path);

}  // namespace taut
