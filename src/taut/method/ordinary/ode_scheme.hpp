// The claims of a method for ordinary differential equations y' = f(y), z' = k(y, z) by itself, before a
// formulation gives it a field.
//
// A scheme is a type with facts(), a Memory<Field, P> built from (scheme, problem, number of coordinates),
// and
//     Expected<int> increments(s, field, y, z, memory, h, options) const
// which leaves the step in memory.dy, memory.dz and changes neither y nor z.
#pragma once

#include <string_view>

namespace taut {

struct SchemeFacts {
  std::string_view name;
  int argument = 0;
  std::string_view what, source, theory;
  int order = 0;
  bool symmetric = false, symplectic = false;
};

}  // namespace taut
