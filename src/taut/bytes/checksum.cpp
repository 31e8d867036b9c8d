#include <taut/bytes/checksum.hpp>

#include <zlib.h>

namespace taut {

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace taut
