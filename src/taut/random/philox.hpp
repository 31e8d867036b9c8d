// Philox 4x32-10: random bits as a function of a counter and a key, without any state. Salmon, Moraes, Dror
// and Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC11).
#pragma once

#include <array>
#include <cstdint>

namespace taut {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey key) {
  constexpr std::uint64_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;  // the paper's multipliers
  constexpr std::uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;  // golden ratio, sqrt(3) - 1
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = m0 * c[0], b = m1 * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + w0, key[1] + w1};
  }
  return c;
}

}  // namespace taut
