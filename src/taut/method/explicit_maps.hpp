// Explicit symplectic maps of the unconstrained system, for scheme (24): symplectic Euler, Verlet, and Verlet with multiple
// time steps. Labels: docs/theory/explicit-maps.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/failure.hpp>

namespace taut {

template <Natural P, class X>
struct ForceAndVelocity {
  ForceAndVelocity(const P& s, const X&) : grad(zero_vector(s)), velocity(grad) {}
  typename P::Vec grad, velocity;
};

template <Natural P, class X>
void kick_by_V(const P& s, X& x, ForceAndVelocity<P, X>& at, const typename P::Scalar& h) {
  s.grad_V(x.q, at.grad);
  kick(x, -h * at.grad);
}

template <Natural P, class X>
void free_flight(const P& s, X& x, ForceAndVelocity<P, X>& at, const typename P::Scalar& h) {
  s.W().times(x.p, at.velocity);
  drift(x, h * at.velocity);
}

struct SymplecticEuler {
  static constexpr MethodFacts facts{.name = "symplectic-euler",
                                     .what = "kick, then drift, under the projection: first order",
                                     .source = "Reich 3.1 (24)",
                                     .theory = "explicit-maps",
                                     .order = 1,
                                     .symplectic = true};
  bool adjoint = false;  // drift, then kick: the other half of compositions that alternate

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  using Memory = ForceAndVelocity<P, X>;

  template <Natural P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if (adjoint) free_flight(s, x, at, h);   // (E3)
    kick_by_V(s, x, at, h);                  // (E1)
    if (!adjoint) free_flight(s, x, at, h);  // (E2)
    return 0;
  }
};

struct Verlet {
  static constexpr MethodFacts facts{.name = "verlet",
                                     .what = "kick, drift, kick under the projection: the same map as rattle",
                                     .source = "Reich 3.1 (24)",
                                     .theory = "explicit-maps",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true};

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  using Memory = ForceAndVelocity<P, X>;

  template <Natural P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    kick_by_V(s, x, at, h / 2);  // (V1)
    free_flight(s, x, at, h);    // (V2)
    kick_by_V(s, x, at, h / 2);  // (V3)
    return 0;
  }
};

struct Impulse {
  static constexpr MethodFacts facts{
      .name = "impulse",
      .what = "slow force in kicks of h, fast force by k Verlet substeps of h/k",
      .source = "Reich 3.1 and 6",
      .theory = "explicit-maps",
      .order = 2,
      .symmetric = true,
      .symplectic = true,
      .tier = Tier::split};
  int substeps = 4;

  template <class P>
  static constexpr bool fits = Split<P>;
  template <Split P, class X>
  using Memory = ForceAndVelocity<P, X>;

  template <Split P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    const typename P::Scalar fine = h / typename P::Scalar(substeps);
    s.grad_V_slow(x.q, at.grad);
    kick(x, -h / 2 * at.grad);  // (I1)
    s.grad_V_fast(x.q, at.grad);
    for (int i = 0; i < substeps; ++i) {
      kick(x, -fine / 2 * at.grad);  // (I2)
      free_flight(s, x, at, fine);   // (I3)
      s.grad_V_fast(x.q, at.grad);
      kick(x, -fine / 2 * at.grad);  // (I4)
    }
    s.grad_V_slow(x.q, at.grad);
    kick(x, -h / 2 * at.grad);  // (I5)
    return 0;
  }
};

}  // namespace taut
