// The container of trajectories, checkpoints and units of ensembles: a signature, then chunks, each with its
// length, its number and two checksums. A file that ends anywhere is thus read up to its last whole chunk,
// and a flipped bit is found. Layout: docs/guide/trajectory-file.md.
#pragma once

#include <taut/bytes/checksum.hpp>
#include <taut/files/open_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taut {

enum class FileKind : std::uint32_t { trajectory = 1, checkpoint = 2, unit = 3 };  // a unit of an ensemble

inline constexpr std::uint32_t file_layout = 2;  // the layout that is written; all from 1 on are read
// In bytes; a longer chunk is neither written nor read.
inline constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 30;

std::string file_signature(FileKind kind);

struct Chunk {
  std::string tag;  // four letters
  std::uint64_t number = 0;
  std::string payload;
};

// Encodes a chunk. `compress` shuffles the bytes of the 8-byte words (all first bytes, all second, …), then
// deflates. Throws WriteError if the chunk would be too long.
std::string encode(std::string_view tag, std::uint64_t number, std::string_view payload,
                   bool compress = false);

class ChunkReader {
 public:
  // Takes a file that can be sought in; it is read from its beginning.
  ChunkReader(OpenFile file, FileKind kind);

  // Returns the next whole chunk. Returns none at the end of the file, and if something is wrong, which
  // damage() then says.
  std::optional<Chunk> next();
  const std::string& damage() const { return damage_; }
  std::uint64_t good_bytes() const { return good_; }  // everything before this is whole
  std::uint64_t size() const { return size_; }
  std::uint32_t layout() const { return layout_; }

 private:
  std::optional<Chunk> wrong(const std::string& what);
  std::string bytes(std::uint64_t count);
  OpenFile file_;
  std::uint32_t layout_ = 0;
  std::uint64_t size_ = 0, good_ = 0, number_ = 0;
  std::string damage_;
};

}  // namespace taut
