#pragma once

#include <cstdint>
#include <string_view>

namespace taut {

// Returns the CRC-32, as in zlib and PNG. `before` is the checksum of the bytes that come before these.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);

}  // namespace taut
