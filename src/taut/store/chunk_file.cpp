#include <taut/contract/request.hpp>
#include <taut/store/chunk_file.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace taut {

namespace {

constexpr std::string_view magic = "\x89taut\r\n\x1a";  // a program that treats the file as text changes this
constexpr std::size_t signature_size = 16, header_size = 40;
constexpr std::uint32_t compressed = 1;

template <class Integer>
// The bytes are little-endian on every machine.
void put(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}
template <class Integer>
Integer get(std::string_view in, std::size_t at) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Integer>(static_cast<unsigned char>(in[at + i])) << (8 * i);
  return value;
}

// Returns the first bytes of all words, then the second bytes, …; a rest that does not fill a word stays at
// the end. Neighbouring doubles share their first bytes, which are then together.
std::string shuffled(std::string_view in) {
  std::string out(in);
  const std::size_t words = in.size() / 8;
  for (std::size_t w = 0; w < words; ++w)
    for (std::size_t b = 0; b < 8; ++b) out[b * words + w] = in[w * 8 + b];
  return out;
}
std::string unshuffled(std::string_view in) {
  std::string out(in);
  const std::size_t words = in.size() / 8;
  for (std::size_t w = 0; w < words; ++w)
    for (std::size_t b = 0; b < 8; ++b) out[w * 8 + b] = in[b * words + w];
  return out;
}

const Bytef* data_of(std::string_view bytes) { return reinterpret_cast<const Bytef*>(bytes.data()); }

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  constexpr int level = 1;  // higher levels save a few per cent and cost several times as much
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, data_of(bytes), bytes.size(), level) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

std::optional<std::string> inflated(std::string_view bytes, std::uint64_t size) {
  // deflate packs at most 1032 to 1: a longer claim is false, and would ask for memory in vain.
  if (size > 1100 * (bytes.size() + 64)) return std::nullopt;
  std::string out(size, '\0');
  uLongf got = size;
  const int end = uncompress(reinterpret_cast<Bytef*>(out.data()), &got, data_of(bytes), bytes.size());
  if (end == Z_MEM_ERROR) throw std::bad_alloc();
  if (end != Z_OK || got != size) return std::nullopt;
  return out;
}

std::uint64_t size_of(std::FILE* file) {
  const bool at_the_end = fseeko(file, 0, SEEK_END) == 0;
  const off_t size = at_the_end ? ftello(file) : -1;
  if (size < 0 || fseeko(file, 0, SEEK_SET) != 0)
    throw InputError(fmt::format("it cannot be read: {}", std::strerror(errno)));
  return static_cast<std::uint64_t>(size);
}

}  // namespace

std::string file_signature(FileKind kind) {
  std::string out(magic);
  put(out, file_layout);
  put(out, static_cast<std::uint32_t>(kind));
  return out;
}

std::string encode(std::string_view tag, std::uint64_t number, std::string_view payload, bool compress) {
  const std::string packed = compress ? deflated(shuffled(payload)) : std::string();
  const std::string_view stored = compress ? std::string_view(packed) : payload;
  if (std::max(stored.size(), payload.size()) > largest_chunk)
    throw WriteError(fmt::format("a chunk {} of {} bytes cannot be kept: {} is the most that is read again",
                                 tag, payload.size(), largest_chunk));
  std::string out(tag);
  put(out, compress ? compressed : std::uint32_t{0});
  put(out, number);
  put(out, static_cast<std::uint64_t>(stored.size()));
  put(out, static_cast<std::uint64_t>(payload.size()));
  put(out, checksum(stored));
  put(out, checksum(out));
  out += stored;
  return out;
}

ChunkReader::ChunkReader(OpenFile file, FileKind kind) : file_(std::move(file)), size_(size_of(file_.get())) {
  const std::string signature = bytes(signature_size);
  const char* const what = kind == FileKind::trajectory   ? "trajectory"
                           : kind == FileKind::checkpoint ? "checkpoint"
                                                          : "unit of an ensemble";
  const bool whole = signature.size() == signature_size;
  if (whole) layout_ = get<std::uint32_t>(signature, 8);
  if (size_ == 0) {
    damage_ = "the file is empty";
  } else if (!signature.starts_with(magic)) {
    damage_ = fmt::format("it does not begin as a {} of taut does", what);
  } else if (whole && (layout_ < 1 || layout_ > file_layout)) {
    damage_ =
        fmt::format("its layout is number {}; this version of taut reads number {}", layout_, file_layout);
  } else if (!whole || get<std::uint32_t>(signature, 12) != static_cast<std::uint32_t>(kind)) {
    damage_ = fmt::format("it is no {} of taut", what);
  } else {
    good_ = signature_size;
  }
}

std::string ChunkReader::bytes(std::uint64_t count) {
  std::string out(count, '\0');
  out.resize(std::fread(out.data(), 1, count, file_.get()));
  // What cannot be read is not damaged: nothing is concluded from it.
  if (std::ferror(file_.get()) != 0)
    throw InputError(fmt::format("it cannot be read: {}", std::strerror(errno)));
  return out;
}

std::optional<Chunk> ChunkReader::wrong(const std::string& what) {
  damage_ = fmt::format("chunk {}, at byte {}: {}", number_, good_, what);
  return std::nullopt;
}

std::optional<Chunk> ChunkReader::next() {
  if (!damage_.empty() || good_ == size_) return std::nullopt;
  if (size_ - good_ < header_size) return wrong("the file ends inside it");
  const std::string header = bytes(header_size);
  if (header.size() != header_size) return wrong("it cannot be read");
  if (get<std::uint32_t>(header, 36) != checksum(std::string_view(header).substr(0, 36)))
    return wrong("the checksum of its header is wrong");
  const auto flags = get<std::uint32_t>(header, 4);
  const auto stored = get<std::uint64_t>(header, 16), plain = get<std::uint64_t>(header, 24);
  if (flags > compressed || get<std::uint64_t>(header, 8) != number_ || stored > largest_chunk ||
      plain > largest_chunk || (flags == 0 && stored != plain))
    return wrong("its header makes no sense");
  if (stored > size_ - good_ - header_size) return wrong("the file ends inside it");
  std::string payload = bytes(stored);
  if (payload.size() != stored || get<std::uint32_t>(header, 32) != checksum(payload))
    return wrong("its checksum is wrong");
  if (flags == compressed) {
    const auto unpacked = inflated(payload, plain);
    if (!unpacked) return wrong("its contents do not unpack");
    payload = unshuffled(*unpacked);
  }
  good_ += header_size + stored;
  return Chunk{header.substr(0, 4), number_++, std::move(payload)};
}

}  // namespace taut
