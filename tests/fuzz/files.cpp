// Reads any bytes as a trajectory, a checkpoint or the draws of a chain. The checksums would stop nearly all of
// them at the first chunk, so the first byte may also put what follows into chunks with the right checksums.
#include <taut/sample/draws_folder.hpp>
#include <taut/store/checkpoint.hpp>
#include <taut/store/trajectory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taut;

OpenFile file_of(std::string& bytes) {
  if (bytes.empty()) bytes.push_back('\0');  // an empty buffer cannot be opened
  return OpenFile(fmemopen(bytes.data(), bytes.size(), "rb"));
}

void read_trajectory(std::string bytes) {
  try {
    TrajectoryReader reader(file_of(bytes));
    std::uint64_t samples = 0;
    while (const auto rows = reader.next()) samples += rows->size() / reader.columns();
    if (samples != reader.samples()) std::abort();
  } catch (const InputError&) {
  }
}

void read_checkpoint_of(std::string bytes) {
  try {
    const Checkpoint c = read_checkpoint(file_of(bytes));
    if (c.identity.width() < 4) std::abort();
  } catch (const InputError&) {
  }
}

const std::string digest(64, '0');

// What counts as whole is read again, without the rest, to the same draws.
void read_draws(std::string bytes, std::size_t columns) {
  try {
    std::size_t numbers = 0;
    const StoredChain found = read_chain(file_of(bytes), "draws", digest, columns,
                                         [&](std::span<const double> rows) { numbers += rows.size(); });
    if (numbers != static_cast<std::size_t>(found.draws) * columns || found.length > bytes.size())
      std::abort();
    if (found.damage.empty() != (found.length == bytes.size())) std::abort();
    if (found.length == 0) return;
    bytes.resize(found.length);
    const StoredChain again = read_chain(file_of(bytes), "draws", digest, columns);
    if (!again.damage.empty() || again.draws != found.draws || again.state.size() != found.state.size())
      std::abort();
  } catch (const InputError&) {
  }
}

// Makes blocks of the input: a byte says how many rows one claims to have, the next how many numbers follow,
// each a byte, and how many of these are rows.
std::string in_blocks(std::string_view input) {
  std::string bytes = chain_head(digest);
  while (input.size() >= 2) {
    const std::int64_t claimed = static_cast<signed char>(input[0]);
    const std::size_t count = std::min<std::size_t>(static_cast<unsigned char>(input[1]), input.size() - 2);
    const std::vector<double> numbers(input.begin() + 2,
                                      input.begin() + 2 + static_cast<std::ptrdiff_t>(count));
    const std::size_t rows = count / 2;
    bytes += chain_block(std::span(numbers).first(rows), claimed, std::span(numbers).subspan(rows));
    input.remove_prefix(2 + count);
  }
  return bytes;
}

// Puts the pieces of the input, separated by a line of its own, into one chunk each.
std::string in_chunks(FileKind kind, std::string_view input, std::initializer_list<const char*> tags,
                      bool compress) {
  std::string bytes = file_signature(kind);
  std::uint64_t number = 0;
  for (const char* tag : tags) {
    const std::size_t end = input.find("\n--\n");
    bytes += encode(tag, number++, input.substr(0, end), compress);
    input = end == std::string_view::npos ? std::string_view() : input.substr(end + 4);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 9) {
    case 0:
      read_trajectory(input);
      break;
    case 1:
      read_checkpoint_of(input);
      break;
    case 2:
    case 3:
      read_trajectory(
          in_chunks(FileKind::trajectory, input, {"HEAD", "ROWS", "ROWS", "DONE"}, data[0] % 2 == 1));
      break;
    case 4:
      read_checkpoint_of(
          in_chunks(FileKind::checkpoint, input, {"HEAD", "STEP", "MACH", "TALY", "WAIT", "DONE"}, false));
      break;
    case 5:
      read_checkpoint_of(in_chunks(FileKind::checkpoint, input,
                                   {"HEAD", "STEP", "MACH", "TALY", "WAIT", "PAGE", "DONE"}, false));
      break;
    case 6:
      read_draws(input, 3);
      break;
    case 7:
      read_draws(chain_head(digest) + input, 3);
      break;
    default:
      read_draws(in_blocks(input), 3);
  }
  return 0;
}
