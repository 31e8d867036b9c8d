// SHA-256 (FIPS 180-4) names compiled objects by what they are made from, and detects a damaged one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace taut {

class Sha256 {
 public:
  Sha256& add(std::string_view bytes);
  std::string hex() const;  // 64 digits, for everything added so far

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> h_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  // bytes that do not fill a block yet
  std::uint64_t length_ = 0;
};

inline std::string sha256(std::string_view bytes) { return Sha256().add(bytes).hex(); }

}  // namespace taut
