// The few small sizes for which this program has steps on vectors of known length: small systems are what
// people begin with, and a step on such vectors costs half of one on vectors whose length is looked up.
#pragma once

#include <taut/model/formula_system.hpp>

namespace taut {

// Coordinates and constraints: a body on a curve in the plane, one on a surface in space, two bodies in the
// plane.
template <int n_, int m_>
struct KnownSize {
  static constexpr int n = n_, m = m_;
};
template <class Visit>
bool with_known_size(int n, int m, Visit&& visit) {
  const auto one = [&](auto size) {
    if (n != size.n || m != size.m) return false;
    visit(size);
    return true;
  };
  return one(KnownSize<2, 1>{}) || one(KnownSize<3, 1>{}) || one(KnownSize<4, 2>{});
}

inline bool has_known_size(const FormulaSystem& s) {
  return s.kind == System::Kind::natural && s.diagonal_mass && with_known_size(s.n, s.m, [](auto) {});
}

}  // namespace taut
