#include <zlib.h>

unsigned long crc32_z(unsigned long before, const Bytef* bytes, std::size_t size) {
  unsigned long sum = before ^ 0xffffffffUL;
  for (std::size_t i = 0; i < size; ++i) {
    sum ^= bytes[i];
    for (int k = 0; k < 8; ++k) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320UL : 0);
  }
  return sum ^ 0xffffffffUL;
}
