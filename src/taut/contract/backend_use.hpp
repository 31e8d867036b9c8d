// The backends that make a run, each from a step on.
#pragma once

#include <taut/contract/choices.hpp>

#include <cstdint>
#include <string>

namespace taut {

struct BackendUse {
  Backend backend = Backend::interpret;  // the one that was used, never `automatic`
  std::string object = {};               // the key of the compiled object; empty if it is interpreted
  std::int64_t from = 0;                 // the steps after this one
};

// Asks whether both compute the same bits. The interpreter and compiled formulas do; a specialised step sums
// in an order of its own, which another compiler or other headers may change.
inline bool same_bits(const BackendUse& a, const BackendUse& b) {
  if (a.backend == Backend::specialise || b.backend == Backend::specialise)
    return a.backend == b.backend && a.object == b.object;
  return true;
}

}  // namespace taut
