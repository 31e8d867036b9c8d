// The binary trajectory of a run. Layout: docs/guide/trajectory-file.md.
#pragma once

#include <taut/files/durable_file.hpp>
#include <taut/store/chunk_file.hpp>
#include <taut/store/run_files.hpp>
#include <taut/store/sample_reader.hpp>
#include <taut/store/samples.hpp>

namespace taut {

// Reads the file chunk by chunk from its beginning. Throws InputError if it cannot be opened or is
// not a trajectory.
class TrajectoryReader final : public SampleReader {
 public:
  explicit TrajectoryReader(const std::string& path);
  explicit TrajectoryReader(OpenFile file);
  TrajectoryReader(OpenFile file, const std::string& path);  // the path is for messages

  const RunIdentity& identity() const override { return identity_; }
  std::size_t columns() const override { return columns_; }
  std::optional<std::vector<double>> next() override;  // rows of the next chunk
  const std::string& damage() const override { return damage_; }
  bool is_finished() const { return finished_; }  // known once next() has returned all
  std::uint64_t samples() const override { return samples_; }
  std::uint64_t good_bytes() const { return chunks_.good_bytes(); }
  std::uint64_t chunks() const { return chunk_count_; }

 private:
  std::optional<Chunk> next_chunk();
  ChunkReader chunks_;
  std::string path_;  // empty if it is not known
  RunIdentity identity_;
  std::size_t columns_ = 0;
  std::uint64_t samples_ = 0, chunk_count_ = 0;
  bool finished_ = false;
  std::string damage_;
};

class TrajectoryWriter final : public SampleSink {
 public:
  TrajectoryWriter(const Folder& folder, const RunIdentity& identity);
  TrajectoryWriter(const Folder& folder, const RunIdentity& identity, const SampleMark& mark,
                   bool keep_later);

  using SampleSink::add;
  void add(std::span<const double> row) override;
  void flush() override;
  SampleMark sync() override;
  SampleMark held() override;
  void finish() override;

 private:
  struct Found {  // in a file that is continued
    std::uint64_t bytes = 0, chunks = 0, samples = 0;
    std::vector<double> last;
  };
  static Found look_through(const AppendFile& file, const RunIdentity& identity, const SampleMark& mark,
                            bool keep_later);
  void check_again(std::span<const double> row) const;

  std::size_t columns_;
  bool compress_;
  std::uint64_t added_ = 0;  // samples that arrived
  AppendFile file_;
  Found found_;
  std::uint64_t chunks_, samples_, bytes_;  // in the file, of samples
  std::vector<double> rows_;                // rows that wait
};

}  // namespace taut
