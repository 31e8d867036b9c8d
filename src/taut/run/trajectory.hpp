// The binary trajectory of a run. Layout: docs/guide/trajectory-file.md.
#pragma once

#include <taut/run/chunk_file.hpp>
#include <taut/run/durable_file.hpp>
#include <taut/run/samples.hpp>

namespace taut {

inline constexpr const char* trajectory_name = "trajectory.taut";

// Chunk by chunk from its beginning. InputError where the file cannot be opened or is no trajectory.
class TrajectoryReader {
 public:
  explicit TrajectoryReader(const std::string& path);
  explicit TrajectoryReader(OpenFile file);

  const RunIdentity& identity() const { return identity_; }
  std::size_t columns() const { return columns_; }
  // Rows of the next chunk, one after another; none at the end or where damage() says what is wrong.
  std::optional<std::vector<double>> next();
  const std::string& damage() const { return damage_; }
  bool is_finished() const { return finished_; }      // known once next() has given all
  std::uint64_t samples() const { return samples_; }  // so far
  std::uint64_t good_bytes() const { return chunks_.good_bytes(); }
  std::uint64_t chunks() const { return chunk_count_; }

 private:
  ChunkReader chunks_;
  RunIdentity identity_;
  std::size_t columns_ = 0;
  std::uint64_t samples_ = 0, chunk_count_ = 0;
  bool finished_ = false;
  std::string damage_;
};

class TrajectoryWriter final : public SampleSink {
 public:
  TrajectoryWriter(const std::string& path, const RunIdentity& identity);
  TrajectoryWriter(const std::string& path, const RunIdentity& identity, const SampleMark& mark);

  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
           std::span<const double> more) override;
  void flush() override;
  SampleMark sync() override;
  void finish() override;

 private:
  struct Found {  // in a file that is gone on with
    std::uint64_t bytes = 0, chunks = 0, samples = 0;
    std::vector<double> last;
  };
  static Found look_through(const std::string& path, const RunIdentity& identity, const SampleMark& mark);
  TrajectoryWriter(const std::string& path, const RunIdentity& identity, std::uint64_t added, Found found);
  void check_again(std::span<const double> row) const;

  std::size_t columns_;
  bool compress_;
  std::uint64_t added_ = 0;  // samples that came
  Found found_;
  AppendFile file_;
  std::uint64_t chunks_, samples_;  // in the file
  std::vector<double> rows_;        // that wait
};

}  // namespace taut
