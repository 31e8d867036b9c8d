// Reads any bytes as a trajectory or a checkpoint. The checksums would stop nearly all of them at the first
// chunk, so the first byte may also put what follows into chunks with the right checksums.
#include <taut/store/checkpoint.hpp>
#include <taut/store/trajectory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

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
  switch (data[0] % 6) {
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
    default:
      read_checkpoint_of(in_chunks(FileKind::checkpoint, input,
                                   {"HEAD", "STEP", "MACH", "TALY", "WAIT", "PAGE", "DONE"}, false));
  }
  return 0;
}
