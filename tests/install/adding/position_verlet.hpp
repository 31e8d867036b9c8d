// Verlet's method in its position form, for scheme (24): drift, kick, drift. Labels:
// docs/theory/position-verlet.md.
#pragma once

#include <taut/method/explicit_maps.hpp>

namespace taut {

struct PositionVerlet {
  static constexpr MethodFacts facts{.name = "position-verlet",
                                     .what = "drift, kick, drift under the projection",
                                     .source = "Reich 3.1 (24)",
                                     .theory = "position-verlet",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};
  static Spelling spelling() { return spelled("position_verlet.hpp", "PositionVerlet"); }

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  using Memory = MapMemory<P, X>;

  template <Natural P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    free_flight(x, s.W(), h / 2, at.moved);  // (PV1)
    s.grad_V(x.q, at.grad);
    kick(x, -h * at.grad);                   // (PV2)
    free_flight(x, s.W(), h / 2, at.moved);  // (PV3)
    return 0;
  }
};

}  // namespace taut
