// Explicit symplectic maps of the unconstrained system, for scheme (24): symplectic Euler, Verlet, and Verlet
// with multiple time steps. Labels: docs/theory/explicit-maps.md.
#pragma once

#include <taut/formulation/response_matrix.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/kick_and_drift.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>

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
  static constexpr bool affine = true;
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
  static constexpr bool affine = true;

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

// The gradients of the two parts at the present q, carried from step to step, and room for the substeps.
template <Split P, class X>
struct SubstepMemory {
  SubstepMemory(const P& s, const X& x) : slow(zero_vector(s)), fast(slow), grad(slow), moved(slow) {
    refresh(s, x.q);
  }
  void refresh(const P& s, const typename P::Vec& q) {
    s.grad_V_slow(q, slow);
    s.grad_V_fast(q, fast);
  }
  typename P::Vec slow, fast;
  typename P::Vec grad;
  Displacement<X> moved;
};

// The response ∂q₁/∂p₀ of the substeps: the same substeps on dual numbers, with tangents along the columns of
// Gᵀ at the start.
template <Split P>
  requires Castable<P>
class SubstepResponse {
 public:
  using T = typename P::Scalar;
  static constexpr int width = P::m == dynamic || P::m > 4 ? 1 : P::m;  // columns at a time
  using Along = Dual<Base<T>, width>;
  using Cast = decltype(std::declval<const P&>().template cast<Along>());
  using Point = StateOf<Cast>;

  template <class X>
  SubstepResponse(const P& s, const X&)
      : tangent_(s.template cast<Along>()),
        x_{zero_vector(tangent_), zero_vector(tangent_)},
        at_(tangent_, x_) {}

  // Writes (∂q₁/∂p₀) Gᵀ of a step of h from x, whose gradients are in `at`, into K.
  template <class Psi, class X, class Jacobian, class Matrix>
  void write(const Psi& psi, const X& x, const SubstepMemory<P, X>& at, const T& h, const Jacobian& G,
             Matrix& K) {
    K.right([&](auto& R) {
      R.setZero();
      G.for_each([&](int i, int j, const T& entry) { R(j, i) = entry; });
      for (int from = 0; from < R.cols(); from += width) {
        for (int j = 0; j < R.rows(); ++j) {
          x_.q[j] = Along(base(x.q[j]));
          x_.p[j] = Along(base(x.p[j]));
          for (int k = 0; k < width; ++k) x_.p[j].tangent[index(k)] = base(R(j, from + k));
          at_.slow[j] = Along(base(at.slow[j]));
          at_.fast[j] = Along(base(at.fast[j]));
        }
        psi.substeps_from(tangent_, x_, at_, Along(base(h)));
        for (int j = 0; j < R.rows(); ++j)
          for (int k = 0; k < width; ++k) R(j, from + k) = T(x_.q[j].tangent[index(k)]);
      }
    });
  }

 private:
  static constexpr std::size_t index(int k) { return static_cast<std::size_t>(k); }

  Cast tangent_;  // the same problem on dual numbers
  Point x_;
  SubstepMemory<Cast, Point> at_;
};

struct Impulse {
  int substeps = 4;
  // Each column of the response costs as much as a step of the map. If there are more, the response of the
  // kinetic energy alone is tried first.
  static constexpr int few_columns = 8;
  static constexpr bool response_is_exact = true;

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
            .work = 2,
            .solve_limit = most_linear_corrections};
  }
  static constexpr MethodNumber number() { return {"k", "substeps", 1, 1000000}; }
  Impulse numbered(int k) const { return {.substeps = k}; }
  Spelling spelling() const { return spelled("explicit_maps.hpp", "Impulse", "substeps", substeps); }

  template <class P>
  static constexpr bool fits = Split<P>;
  template <class P>
  static constexpr bool knows_response = Castable<P> && !has_groups<typename P::Jacobian>;
  template <class P>
    requires knows_response<P>
  using ResponseMatrix = PlainOrResponse<P>;

  template <Split P, class X>
  struct Memory : SubstepMemory<P, X> {
    Memory(const P& s, const X& x) : SubstepMemory<P, X>(s, x) {}
  };
  template <Split P, class X>
    requires knows_response<P>
  struct Memory<P, X> : SubstepMemory<P, X> {
    Memory(const P& s, const X& x)
        : SubstepMemory<P, X>(s, x), start(x), launched(x), tangents(s, x), columns(s.constraints()) {}
    X start, launched;  // the state at the start of the step, and after the impulse last mapped
    typename P::Scalar h{};
    SubstepResponse<P> tangents;
    int columns;
    bool exact = false;  // the response is that of the substeps
  };

  template <Split P, class X>
    requires knows_response<P>
  Expected<int> prepare(const P&, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.start = at.launched = x;
    at.h = h;
    at.exact = at.columns <= few_columns;
    return 0;
  }
  template <Split P, class X, class J, class Matrix>
  void response(const P& s, Memory<P, X>& at, const J& G, Matrix& K) const {
    if (at.exact)
      at.tangents.write(*this, at.launched, at, at.h, G, K);
    else
      K.right(s, at.start.q, at.start.p, G, at.h);
  }
  template <Split P, class X>
    requires knows_response<P>
  bool renews(const Memory<P, X>& at) const {
    return at.exact;
  }
  template <Split P, class X>
    requires knows_response<P>
  bool may_approach(const Memory<P, X>& at) const {
    return !at.exact;
  }
  template <Split P, class X>
    requires knows_response<P>
  Expected<int> approach(const P&, const X& x, const typename P::Jacobian&, typename P::Multiplier& mu,
                         Memory<P, X>& at, const typename P::Scalar&) const {
    at.launched = x;
    at.exact = true;
    set_zero(mu);
    return 0;
  }

  template <Split P, class X>
  Expected<int> reach(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    if constexpr (knows_response<P>) at.launched = x;
    substeps_from(s, x, at, h);
    return 0;
  }
  template <Split P, class X>
  void substeps_from(const P& s, X& x, SubstepMemory<P, X>& at, const typename P::Scalar& h) const {
    const typename P::Scalar fine = h / typename P::Scalar(substeps);
    kick(x, -h / 2 * at.slow);     // (I1)
    kick(x, -fine / 2 * at.fast);  // (I2)
    for (int i = 1; i < substeps; ++i) {
      free_flight(x, s.W(), fine, at.moved);  // (I3)
      s.grad_V_fast(x.q, at.grad);
      kick(x, -fine * at.grad);  // (I4): the end of one substep and the beginning of the next
    }
    free_flight(x, s.W(), fine, at.moved);  // (I3)
  }
  template <Split P, class X>
  void finish(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.refresh(s, x.q);
    kick(x, -h / typename P::Scalar(substeps) / 2 * at.fast);  // (I5)
    kick(x, -h / 2 * at.slow);                                 // (I6)
  }
};

}  // namespace taut
