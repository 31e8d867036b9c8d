// The one function of zlib that the compiled part of taut calls (bytes/checksum.cpp).
#pragma once

#include <cstddef>

using Bytef = unsigned char;
unsigned long crc32_z(unsigned long before, const Bytef* bytes, std::size_t size);
