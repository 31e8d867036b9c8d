// Numbers without a pattern, for checks that are to find the same at every call.
#pragma once

#include <cstdint>

namespace taut {

class Scattered {
 public:
  explicit Scattered(std::uint32_t seed) : random_(seed) {}
  double next() {  // between -1 and 1
    random_ = random_ * 1664525U + 1013904223U;
    return random_ * 0x1p-31 - 1;
  }

 private:
  std::uint32_t random_;
};

}  // namespace taut
