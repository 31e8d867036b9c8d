// Judges what a solve leaves in units of the state that is kept. A solve takes its units of rounding from its
// first position or velocity, which may be far beyond the state it ends in: what the constraint forces cancel
// there is lost, and no rounding error. Labels: docs/theory/manifold.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/formulation/measured_noise.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/residual_size.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace taut {

// A residual may be this many units of rounding. It is what the solves accept if they stagnate.
inline constexpr double most_units_off = 1024;
// No coordinate counts for less than this part of the largest one: rounding of rounding errors is noise.
inline constexpr double noise_of_noise = 0x1p-40;
// Newton's iteration to rounding needs this many corrections at most, unless it comes from far away.
inline constexpr int usual_corrections = 10;
inline bool came_from_afar(const Expected<int>& landed) { return landed && *landed > usual_corrections; }
// A first residual of this many units is nearly all of what is added up in it, so that a solve may leave
// little of that. One constraint leaves 1 - c of it if its residual is c of it; several may share the work.
template <class P>
inline constexpr double nearly_all_of_it =
    (P::m == 1 ? 63.0 / 64 : 3.0 / 4) * 2 / epsilon<typename P::Scalar>();

// Joins two masks without a jump.
inline bool either(bool a, bool b) { return static_cast<bool>(static_cast<int>(a) | static_cast<int>(b)); }
template <class M>
M either(const M& a, const M& b) {
  return a || b;
}

inline bool both(bool a, bool b) { return a && b; }
template <class M>
M both(const M& a, const M& b) {
  return a && b;
}

// Units that were taken from a position, or a velocity, are too large for the state that is kept only if it
// lies further out than this many times the size of the system: (W1) counts what was cancelled up to there.
inline constexpr double far_out = 2;
template <class Vec>
auto is_far(const Vec& q1, const Vec& q0) {
  using R = std::remove_cvref_t<decltype(largest_entry(q0))>;
  return largest_entry(q1) > R(R(far_out) * largest_entry(q0));
}

template <class P>
using SizesOf = Vector<Real<typename P::Scalar>, P::n>;
template <class P>
using BoundsOf = Vector<Real<typename P::Scalar>, P::m>;

// Returns the worst entry that is above its bound and the tolerance, in the first lane of `suspect` that has
// one.
template <class Residual, class Bounds>
std::optional<Failure> beyond(const Residual& residual, const Bounds& bound, double tolerance,
                              SolveStage stage, const Mask<typename Residual::Scalar>& suspect) {
  using T = typename Residual::Scalar;
  std::optional<Failure> worst;
  for (int l = 0; l < ScalarTraits<T>::lanes && !worst; ++l)
    for (Eigen::Index i = 0; i < residual.size() && lane(suspect, l); ++i) {
      const double off = lane(magnitude(residual[i]), l);
      const double allowed = std::max(tolerance, lane(bound[i], l));
      if (off <= allowed || (worst && off <= worst->residual)) continue;  // a NaN gets through
      worst = Failure{.kind = FailureKind::off_constraint,
                      .stage = stage,
                      .residual = off,
                      .constraint = static_cast<int>(i),
                      .lane = l,
                      .allowed = allowed};
    }
  return worst;
}

// Does the same, and raises the bounds to what the measured noise explains before it says so.
template <class Residual, class Bounds, class Measure>
std::optional<Failure> beyond_noise(const Residual& residual, Bounds& bound, double tolerance,
                                    SolveStage stage, const Mask<typename Residual::Scalar>& suspect,
                                    Measure&& measure) {
  if (!beyond(residual, bound, tolerance, stage, suspect)) return std::nullopt;
  Bounds noise = bound;
  measure(noise);
  raise_to_noise(noise, bound);
  return beyond(residual, bound, tolerance, stage, suspect);
}

// Coordinates that no constraint uses do not count in the units of any if they are this many times as large
// as those that are used. (Nearer ones keep their part in the units: it is too small to matter.)
inline constexpr double far_larger = 0x1p13;

// Asks whether some constraint uses a coordinate of at least this size.
template <class Jacobian, class Sizes>
Mask<typename Jacobian::Scalar> uses_as_large(const Jacobian& G, const Sizes& size,
                                              const typename Sizes::Scalar& limit) {
  using T = typename Jacobian::Scalar;
  Mask<T> found(false);
  G.until([&](int j, const T& entry) {
    found = either(found, both(Mask<T>(magnitude(entry) > Real<T>(0)), Mask<T>(size[j] >= limit)));
    return all(found);
  });
  return found;
}

// Returns the largest size that some constraint uses; that of all, if what is used is no more than its
// rounding.
template <class Jacobian, class Sizes>
[[gnu::cold, gnu::noinline]] typename Sizes::Scalar largest_used(const Jacobian& G, Sizes size) {
  using T = typename Jacobian::Scalar;
  const Real<T> largest = largest_size(size);
  Real<T> used(0);
  G.for_each([&](int, int j, const T& entry) {
    used = select(both(Mask<T>(magnitude(entry) > Real<T>(0)), Mask<T>(size[j] > used)), size[j], used);
  });
  return select(Mask<T>(used > Real<T>(epsilon<T>()) * largest), used, largest);
}

// Sets unit_i to what rounding of coordinates, or velocities, of these sizes does to constraint i. They are
// `apart` if rounding of one does not touch the others.
template <class Jacobian, class Sizes, class Bounds>
void units_of_rows(const Jacobian& G, Sizes& size, bool apart, Bounds& unit) {
  using T = typename Jacobian::Scalar;
  Real<T> largest = largest_size(size);
  if (apart)
    if (const Mask<T> near = uses_as_large(G, size, Real<T>(largest * Real<T>(1 / far_larger))); !all(near))
        [[unlikely]]
      largest = select(near, largest, largest_used(G, size));
  raise_vanishing(size, largest);
  G.row_bounds(size, unit);
  unit *= Real<T>(epsilon<T>() / 2);
}

// A row that is zero, as that of a square that vanishes, is left out of K if constraints may follow from
// others, and its residual vanishes with theirs. Its own units would be 0, and no residual within them.
template <class P, class Bounds>
void lend_units_to_zero_rows([[maybe_unused]] const P& s, [[maybe_unused]] Bounds& unit) {
  if constexpr (requires { s.least_squares(); }) {
    if (!s.least_squares()) return;
    using R = typename Bounds::Scalar;
    const R least = R(zero_row) * largest_size(unit);
    for (Eigen::Index i = 0; i < unit.size(); ++i) unit[i] = larger(unit[i], least);
  }
}

// Raises the units of a position solve from q to those that the largest coordinate of all gives, where they
// go by the largest that is used: an entry of G may happen to vanish at q.
template <Hamiltonian P>
void raise_to_largest(const P& s, const typename P::Vec& q, BoundsOf<P>& unit) {
  using T = typename P::Scalar;
  typename P::Jacobian G = s.make_jacobian();
  SizesOf<P> size = SizesOf<P>::Zero(s.coordinates());
  BoundsOf<P> bound = BoundsOf<P>::Zero(s.constraints());
  for (Eigen::Index j = 0; j < size.size(); ++j) size[j] = Real<T>(2) * magnitude(q[j]);
  s.G(q, G);
  const Real<T> largest = largest_size(size);
  const Mask<T> near = uses_as_large(G, size, Real<T>(largest * Real<T>(1 / far_larger)));
  if (all(near)) return;
  raise_vanishing(size, largest);
  G.row_bounds(size, bound);
  for (Eigen::Index i = 0; i < unit.size(); ++i) {
    const Real<T> raised = larger(unit[i], Real<T>(Real<T>(epsilon<T>() / 2) * bound[i]));
    unit[i] = select(near, unit[i], raised);
  }
}

// Sets bound_i = 1024 ε Σⱼ |G_ij| size_j: what rounding of coordinates of these sizes explains.
template <class Jacobian, class Sizes, class Bounds>
void bounds_of_rounding(const Jacobian& G, const Sizes& size, Bounds& bound) {
  using T = typename Jacobian::Scalar;
  G.row_bounds(size, bound);
  bound *= Real<T>(most_units_off * epsilon<T>());
}

// Sets the sizes of coordinates that are now `kept`, and were `passed` before constraint forces cancelled
// part of them. What was passed counts up to `limit`; no size is below `least`.
template <class Sizes, class R>
void sizes_kept(const Sizes& kept, const Sizes& passed, const R& limit, const R& least, Sizes& size) {
  for (Eigen::Index j = 0; j < kept.size(); ++j) {
    const R counted = select(Mask<R>(passed[j] < limit), passed[j], limit);  // a NaN counts as the limit
    size[j] = larger(larger(kept[j], counted), least);
  }
}

// Returns what impulses l along the constraints add to each velocity, each by itself: H_pp |Gᵀ||l|.
template <Hamiltonian P>
SizesOf<P> kick_sizes(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                      const typename P::Jacobian& G, const typename P::Multiplier& l) {
  using T = typename P::Scalar;
  typename P::Vec force = zero_vector(s), kick = force;
  G.for_each([&](int i, int j, const T& entry) { force[j] += T(magnitude(entry) * magnitude(l[i])); });
  H_pp_times(s, q, p, force, kick);
  SizesOf<P> size = SizesOf<P>::Zero(s.coordinates());
  for (Eigen::Index j = 0; j < size.size(); ++j) size[j] = magnitude(kick[j]);
  return size;
}

template <class T>
Real<T> one_if_zero(const Real<T>& x) {
  return select(Mask<T>(x > Real<T>(0)), x, Real<T>(1));
}

// Judges g at the end q₁ of a step from q₀, in the lanes of `suspect`. How far the impulses μ moved a
// coordinate counts up to the largest coordinate of q₀ and q₁.                                        (W1)
template <Hamiltonian P>
std::optional<Failure> missed_position(const P& s, const typename P::Vec& q0, const typename P::Vec& q1,
                                       const typename P::Vec& p, const typename P::Scalar& h,
                                       const typename P::Multiplier& mu,
                                       const Mask<typename P::Scalar>& suspect) {
  using T = typename P::Scalar;
  typename P::Multiplier g = zero_multiplier(s);
  typename P::Jacobian G = s.make_jacobian();
  BoundsOf<P> bound = BoundsOf<P>::Zero(s.constraints()), at_start = bound;
  SizesOf<P> kept = SizesOf<P>::Zero(s.coordinates()), size = kept;
  Real<T> limit(0);
  for (Eigen::Index j = 0; j < kept.size(); ++j) {
    kept[j] = larger(magnitude(q0[j]), magnitude(q1[j]));
    limit = larger(limit, kept[j]);
  }
  s.G(q0, G);
  const SizesOf<P> passed = kick_sizes(s, q0, p, G, mu) * magnitude(h);
  sizes_kept(kept, passed, one_if_zero<T>(limit), Real<T>(Real<T>(noise_of_noise) * limit), size);
  bounds_of_rounding(G, size, at_start);
  s.G(q1, G);
  bounds_of_rounding(G, size, bound);
  for (Eigen::Index i = 0; i < bound.size(); ++i) bound[i] = larger(bound[i], at_start[i]);
  s.g(q1, g);
  return beyond_noise(g, bound, 0, SolveStage::position, suspect,
                      [&](BoundsOf<P>& noise) { noise_of_positions(s, q1, noise); });
}

// Velocities are rows of W p; if W is not diagonal, each feels the rounding of all momenta.
template <Hamiltonian P>
double noise_of_velocities(const P& s) {
  if constexpr (Graded<P>)
    return has_diagonal_W(s) ? noise_of_noise : 0x1p-10;
  else if constexpr (Natural<P>)
    return std::remove_cvref_t<decltype(s.W())>::diagonal ? noise_of_noise : 0x1p-10;
  else
    return 0x1p-10;
}

template <Hamiltonian P>
bool velocities_are_apart(const P& s) {
  return noise_of_velocities(s) <= noise_of_noise;
}

// Takes the constraints that follow from others out of G H_p at (q, p): off M no projection meets them all.
template <Hamiltonian P>
void leave_out_redundant(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                         const typename P::Jacobian& G, typename P::Multiplier& residual) {
  if constexpr (Graded<P>)
    if (is_redundant(s)) {
      ConstraintMatrix<P> K(s);
      K.right(s, q, p, G, typename P::Scalar(1));
      K.assemble(G);
      K.factor();
      K.leave_out(residual);
    }
}

// Judges G H_p at (q, p), to which the impulses ν have brought p. What they cancelled counts up to the
// velocity that moves a coordinate by the size of the system in a step h. No velocity counts for less than
// `least` times the largest.                                                                          (W1)
template <Hamiltonian P>
std::optional<Failure> missed_momentum(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                                       const typename P::Scalar& h, const typename P::Multiplier& nu,
                                       const Mask<typename P::Scalar>& suspect, double least) {
  using T = typename P::Scalar;
  typename P::Vec v = zero_vector(s);
  typename P::Multiplier residual = zero_multiplier(s);
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  H_p(s, q, p, v);
  G.times(v, residual);
  leave_out_redundant(s, q, p, G, residual);
  SizesOf<P> kept = SizesOf<P>::Zero(s.coordinates()), size = kept;
  Real<T> fast(0), far(0);
  for (Eigen::Index j = 0; j < v.size(); ++j) {
    kept[j] = magnitude(v[j]);
    fast = larger(fast, kept[j]);
    far = larger(far, magnitude(q[j]));
  }
  const Real<T> limit = larger(fast, Real<T>(one_if_zero<T>(far) / magnitude(h)));
  const SizesOf<P> passed = kick_sizes(s, q, p, G, nu);
  sizes_kept(kept, passed, limit, Real<T>(Real<T>(least) * fast), size);
  BoundsOf<P> bound = BoundsOf<P>::Zero(s.constraints());
  bounds_of_rounding(G, size, bound);
  return beyond_noise(residual, bound, 0, SolveStage::momentum, suspect,
                      [&](BoundsOf<P>& noise) { noise_of_momenta(s, q, p, G, noise); });
}

// The lanes of a step whose solves may have taken units that are too large for the state that it leaves: a
// residual was nearly all of what is added up in it, far out, or they made many corrections. All other steps
// cost no more than these flags.
template <Hamiltonian P>
class Suspicion {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  void add(const Mask<T>& lanes) { lanes_ = either(lanes_, lanes); }
  // Adds a projection of velocities that cross this part of the system's size in a unit of time.
  void add_rate(const Real<T>& rate) { rate_ = larger(rate_, rate); }
  bool exists(const T& h) const { return any(suspect(h)); }

  // Judges a step from x0 to x1, after a landing with impulses μ and a projection with impulses ν.
  template <class X>
  std::optional<Failure> judge(const P& s, const X& x0, const X& x1, const T& h, const Multiplier& mu,
                               const Multiplier& nu) {
    if constexpr (is_judged<T>) {
      if (!exists(h)) return std::nullopt;
      const Mask<T> suspect = clear(h);
      if (const auto missed = of_landing(s, x0.q, x1.q, x1.p, h, mu, suspect)) return missed;
      return of_projection(s, x1.q, x1.p, h, nu, suspect);
    } else {
      return std::nullopt;
    }
  }
  std::optional<Failure> judge_landing(const P& s, const Vec& q0, const Vec& q1, const T& h,
                                       const Multiplier& mu) {
    if constexpr (is_judged<T>)
      return exists(h) ? of_landing(s, q0, q1, zero_vector(s), h, mu, clear(h)) : std::nullopt;
    else
      return std::nullopt;
  }

 private:
  // A short vector is passed by value, because it could not live in registers if its address were taken.
  template <class V>
  using Passed = std::conditional_t<fixed_size<P>, V, const V&>;

  Mask<T> suspect(const T& h) const {
    return either(lanes_, Mask<T>(rate_ * magnitude(h) > Real<T>(far_out)));
  }
  Mask<T> clear(const T& h) {
    const Mask<T> lanes = suspect(h);
    lanes_ = Mask<T>(false);
    rate_ = Real<T>(0);
    return lanes;
  }

  [[gnu::cold, gnu::noinline]] static std::optional<Failure> of_landing(const P& s, Passed<Vec> q0,
                                                                        Passed<Vec> q1, Passed<Vec> p, T h,
                                                                        Passed<Multiplier> mu,
                                                                        Mask<T> suspect) {
    return missed_position(s, q0, q1, p, h, mu, suspect);
  }
  [[gnu::cold, gnu::noinline]] static std::optional<Failure> of_projection(const P& s, Passed<Vec> q,
                                                                           Passed<Vec> p, T h,
                                                                           Passed<Multiplier> nu,
                                                                           Mask<T> suspect) {
    return missed_momentum(s, q, p, h, nu, suspect, noise_of_velocities(s));
  }

  Mask<T> lanes_{false};
  Real<T> rate_{0};
};

}  // namespace taut
