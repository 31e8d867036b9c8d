// Explicit symplectic maps of the unconstrained system, for scheme (24): symplectic Euler, Verlet, and Verlet
// with multiple time steps. Labels: docs/theory/explicit-maps.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/failure.hpp>

namespace taut {

// The gradient at the present q, carried from step to step, and room to work in.
template <Natural P, class X>
struct MapMemory {
  MapMemory(const P& s, const X& x) : grad(zero_vector(s)), moved(grad) { refresh(s, x.q); }
  void refresh(const P& s, const typename P::Vec& q) { s.grad_V(q, grad); }
  typename P::Vec grad;
  Displacement<X> moved;
};

struct SymplecticEuler {
  static constexpr MethodFacts facts{.name = "symplectic-euler",
                                     .what = "kick, then drift, under the projection: first order",
                                     .source = "Reich 3.1 (24)",
                                     .theory = "explicit-maps",
                                     .order = 1,
                                     .symplectic = true};
  static Spelling spelling() { return spelled("explicit_maps.hpp", "SymplecticEuler"); }
  bool adjoint = false;  // drift, then kick: the other half of compositions that alternate

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  using Memory = MapMemory<P, X>;

  template <Natural P, class X>
  Expected<int> reach(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if (!adjoint) kick(x, -h * at.grad);  // (E1)
    free_flight(x, s.W(), h, at.moved);   // (E2)
    return 0;
  }
  template <Natural P, class X>
  void finish(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.refresh(s, x.q);
    if (adjoint) kick(x, -h * at.grad);  // (E3)
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
  static Spelling spelling() { return spelled("explicit_maps.hpp", "Verlet"); }

  template <class P>
  static constexpr bool fits = Natural<P>;
  template <Natural P, class X>
  using Memory = MapMemory<P, X>;

  template <Natural P, class X>
  Expected<int> reach(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    kick(x, -h / 2 * at.grad);           // (V1)
    free_flight(x, s.W(), h, at.moved);  // (V2)
    return 0;
  }
  template <Natural P, class X>
  void finish(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.refresh(s, x.q);
    kick(x, -h / 2 * at.grad);  // (V3)
  }
};

struct Impulse {
  int substeps = 4;

  MethodFacts facts() const {
    return {.name = "impulse",
            .argument = substeps,
            .what = "slow force in kicks of h, fast force by k Verlet substeps of h/k",
            .source = "Reich 3.1 and 6",
            .theory = "explicit-maps",
            .order = 2,
            .symmetric = true,
            .symplectic = true,
            .tier = Tier::split,
            .work = 2};
  }
  static constexpr MethodNumber number() { return {"k", "substeps", 1, 1000000}; }
  Impulse numbered(int k) const { return {.substeps = k}; }
  Spelling spelling() const { return spelled("explicit_maps.hpp", "Impulse", "substeps", substeps); }

  template <class P>
  static constexpr bool fits = Split<P>;
  template <Split P, class X>
  struct Memory {
    Memory(const P& s, const X& x) : slow(zero_vector(s)), fast(slow), grad(slow), moved(slow) {
      refresh(s, x.q);
    }
    void refresh(const P& s, const typename P::Vec& q) {
      s.grad_V_slow(q, slow);
      s.grad_V_fast(q, fast);
    }
    typename P::Vec slow, fast;  // gradients at the present q
    typename P::Vec grad;
    Displacement<X> moved;
  };

  template <Split P, class X>
  Expected<int> reach(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    const typename P::Scalar fine = h / typename P::Scalar(substeps);
    kick(x, -h / 2 * at.slow);     // (I1)
    kick(x, -fine / 2 * at.fast);  // (I2)
    for (int i = 1; i < substeps; ++i) {
      free_flight(x, s.W(), fine, at.moved);  // (I3)
      s.grad_V_fast(x.q, at.grad);
      kick(x, -fine * at.grad);  // (I4): the end of one substep and the beginning of the next
    }
    free_flight(x, s.W(), fine, at.moved);  // (I3)
    return 0;
  }
  template <Split P, class X>
  void finish(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.refresh(s, x.q);
    kick(x, -h / typename P::Scalar(substeps) / 2 * at.fast);  // (I5)
    kick(x, -h / 2 * at.slow);                                 // (I6)
  }
};

}  // namespace taut
