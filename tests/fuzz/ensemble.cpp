// Reads any bytes as a table or a unit of an ensemble: they are read, or refused with a sentence. Checksums
// would stop nearly all units at the first chunk, so the first byte may also put what follows into chunks
// with the right ones.
#include <taut/contract/request.hpp>
#include <taut/ensemble/table.hpp>
#include <taut/ensemble/unit_file.hpp>
#include <taut/store/chunk_file.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace taut;

void read_as_table(const char* name, const std::string& bytes) {
  try {
    const StartTable table =
        read_table({name, bytes}, {"x", "y", "p_x", "p_y", "L"}, {"x", "y", "p_x", "p_y"});
    if (table.rows() == 0 || table.values.size() != table.rows() * table.names.size()) std::abort();
    for (const double x : table.values)
      if (!std::isfinite(x)) std::abort();
  } catch (const InputError&) {
  }
}

void read_as_unit(std::string bytes) {
  if (bytes.empty()) bytes.push_back('\0');  // an empty buffer cannot be opened
  const FoundUnit found = read_unit(OpenFile(fmemopen(bytes.data(), bytes.size(), "rb")), "abc");
  if (found.unit.has_value() != found.damage.empty()) std::abort();
  if (found.unit && found.unit->endings.size() != static_cast<std::size_t>(found.unit->count)) std::abort();
}

// Puts 24 bytes into the first chunk, and the pieces after them, which a line "--" separates, into one each.
std::string in_chunks(const std::string& input) {
  std::string bytes = file_signature(FileKind::unit);
  bytes += encode("UNIT", 0, input.substr(0, 24) + "abc");
  std::uint64_t number = 1;
  std::string rest = input.size() > 24 ? input.substr(24) : "";
  for (const char* tag : {"ROWS", "ENDS", "SAMP"}) {
    const std::size_t end = rest.find("\n--\n");
    bytes += encode(tag, number, rest.substr(0, end), number % 2 == 0);
    ++number;
    rest = end == std::string::npos ? "" : rest.substr(end + 4);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_as_table("table.csv", input);
      break;
    case 1:
      read_as_table("table.npy", input);
      break;
    case 2:
      read_as_unit(input);
      break;
    default:
      read_as_unit(in_chunks(input));
  }
  return 0;
}
