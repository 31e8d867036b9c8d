// Measures how constraints are rounded where they are evaluated. The units of a solve are those of its
// coordinates and velocities. But g may add up terms that are far larger than these, as (x - 2)² - 4 does
// near x = 0, and so may G H_p if a velocity is a difference of momenta. Only steps that would fail ask for
// this. Labels: docs/theory/manifold.md.
#pragma once

#include <taut/problem/tiers.hpp>
#include <taut/solve/forecast.hpp>
#include <taut/solve/residual_size.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace taut {

// Noise is asked of double, alone or in lanes. Steps in other numbers measure properties of methods and have
// no rounding to speak of; they would be compiled for longer.
template <class T>
inline constexpr bool is_judged = std::is_same_v<T, double> || (ScalarTraits<T>::lanes > 1);

// The noise is the largest that is seen in this many displacements.
inline constexpr int noise_probes = 8;
// A residual may be this many times the noise: a step rounds in several evaluations.
inline constexpr double noise_slack = 64;

// Returns the k-th displacement of x, with components up to length_j times a small number: its square, in
// units of length_j, is far below rounding. All components are exact differences.
template <class Vec, class Lengths>
Vec displacement(int k, const Vec& x, const Lengths& length) {
  using T = typename Vec::Scalar;
  using R = typename Lengths::Scalar;
  const double part = std::pow(epsilon<T>(), 0.75);
  Vec moved = x;
  for (Eigen::Index j = 0; j < x.size(); ++j)
    moved[j] += T(length[j] * R(part * std::cos(1 + 2.4 * static_cast<double>(j) + 1.7 * k)));
  return moved - x;
}

// Finds for each coordinate the shortest length over which a constraint bends that it occurs in: |G_i| over
// the change of G_i in a displacement, times that. If none bends, it is the largest of the sizes.
template <Constrained P, class Sizes>
Sizes lengths_of_bends(const P& s, const typename P::Vec& q, const typename P::Jacobian& G,
                       const Sizes& size) {
  using T = typename P::Scalar;
  using R = typename Sizes::Scalar;
  R largest(0);
  for (Eigen::Index j = 0; j < size.size(); ++j) largest = larger(largest, size[j]);
  largest = select(Mask<R>(largest > R(0)), largest, R(1));
  typename P::Vec beside = q;
  for (Eigen::Index j = 0; j < q.size(); ++j)
    beside[j] += T(largest * R(0x1p-10 * std::cos(1 + 2.4 * static_cast<double>(j))));
  typename P::Jacobian there = s.make_jacobian();
  s.G(beside, there);
  // The sums of squares |G_i|², |ΔG_i|² and |Δq|² over the coordinates in g_i.
  using Rows = Vector<R, P::m>;
  Rows slope = Rows::Zero(s.constraints()), change = slope, way = slope;
  std::vector<T> entries;
  G.for_each([&](int, int, const T& entry) { entries.push_back(entry); });
  std::size_t at = 0;
  there.for_each([&](int i, int j, const T& entry) {
    const R before = magnitude(entries[at]), by = magnitude(T(entry - entries[at])),
            moved = magnitude(T(beside[j] - q[j]));
    ++at;
    slope[i] += before * before;
    change[i] += by * by;
    way[i] += moved * moved;
  });
  Sizes length = size;
  for (Eigen::Index j = 0; j < length.size(); ++j) length[j] = R(std::numeric_limits<double>::infinity());
  G.for_each([&](int i, int j, const T&) {
    const R bends = sqrt(R(slope[i] * way[i] / change[i]));
    length[j] = select(Mask<R>(bends < length[j]), bends, length[j]);
  });
  for (Eigen::Index j = 0; j < length.size(); ++j)
    length[j] = select(Mask<R>(length[j] < R(std::numeric_limits<double>::max())), length[j], largest);
  return length;
}

// Raises noise_i to |G_i| max_k noise_k / |G_k| if constraints follow from others: one that does is met by
// these, and carries their rounding, however little it has itself. Rows that are 0 but for rounding do not
// count.                                                                                              (W4)
template <Constrained P, class Noise>
void share_noise(const P& s, const typename P::Jacobian& G, Noise& noise) {
  if (!is_redundant(s)) return;
  using T = typename P::Scalar;
  using R = typename Noise::Scalar;
  Noise length = Noise::Zero(noise.size());
  R longest(0), share(0);
  G.for_each([&](int i, int, const T& entry) { length[i] += magnitude(entry) * magnitude(entry); });
  for (Eigen::Index i = 0; i < noise.size(); ++i) {
    length[i] = sqrt(length[i]);
    longest = larger(longest, length[i]);
  }
  for (Eigen::Index i = 0; i < noise.size(); ++i)
    share = select(Mask<R>(length[i] > R(1e-12) * longest), larger(share, R(noise[i] / length[i])), share);
  for (Eigen::Index i = 0; i < noise.size(); ++i) noise[i] = larger(noise[i], R(length[i] * share));
}

// Sets noise_i = max |g_i(q + δ) - g_i(q) - G_i δ| over short displacements δ: rounding is all that is left.
//                                                                                                     (W4)
template <Constrained P, class Noise>
void noise_of_positions(const P& s, const typename P::Vec& q, Noise& noise) {
  typename P::Multiplier here = zero_multiplier(s), there = here, expected = here;
  typename P::Jacobian G = s.make_jacobian();
  s.g(q, here);
  s.G(q, G);
  Vector<Real<typename P::Scalar>, P::n> size = q.unaryExpr([](const auto& x) { return magnitude(x); });
  const auto length = lengths_of_bends(s, q, G, size);
  for (Eigen::Index i = 0; i < noise.size(); ++i) noise[i] = 0;
  for (int k = 0; k < noise_probes; ++k) {
    const typename P::Vec moved = displacement(k, q, length);
    s.g(typename P::Vec(q + moved), there);
    G.times(moved, expected);
    for (Eigen::Index i = 0; i < noise.size(); ++i)
      noise[i] = larger(noise[i], magnitude(there[i] - here[i] - expected[i]));
  }
  share_noise(s, G, noise);
}

// Does the same for f = G H_p, with displacements of the momenta: |f(p + δ) - f(p) - G H_pp δ|.        (W4)
template <Hamiltonian P, class Noise>
void noise_of_momenta(const P& s, const typename P::Vec& q, const typename P::Vec& p,
                      const typename P::Jacobian& G, Noise& noise) {
  using T = typename P::Scalar;
  typename P::Multiplier here = zero_multiplier(s), there = here, expected = here;
  typename P::Vec v = zero_vector(s);
  Vector<Real<T>, P::n> size = Vector<Real<T>, P::n>::Zero(s.coordinates());
  Real<T> largest(0);
  for (Eigen::Index j = 0; j < size.size(); ++j) largest = larger(largest, magnitude(p[j]));
  for (Eigen::Index j = 0; j < size.size(); ++j) size[j] = largest;
  H_p(s, q, p, v);
  G.times(v, here);
  for (Eigen::Index i = 0; i < noise.size(); ++i) noise[i] = 0;
  for (int k = 0; k < noise_probes; ++k) {
    const typename P::Vec moved = displacement(k, p, size);
    H_p(s, q, typename P::Vec(p + moved), v);
    G.times(v, there);
    H_pp_times(s, q, p, moved, v);
    G.times(v, expected);
    for (Eigen::Index i = 0; i < noise.size(); ++i)
      noise[i] = larger(noise[i], magnitude(there[i] - here[i] - expected[i]));
  }
  share_noise(s, G, noise);
}

// Asks whether a residual at which a solve gave up may be noise.
template <class Noise>
bool may_be_noise(double residual, const Noise& noise) {
  using R = typename Noise::Scalar;
  for (Eigen::Index i = 0; i < noise.size(); ++i)
    if (any(Mask<R>(R(residual) <= R(stagnation_slack) * noise[i]))) return true;
  return false;
}

// Raises each bound to what the noise explains.
template <class Bounds>
void raise_to_noise(const Bounds& noise, Bounds& bound) {
  using R = typename Bounds::Scalar;
  for (Eigen::Index i = 0; i < bound.size(); ++i) bound[i] = larger(bound[i], R(R(noise_slack) * noise[i]));
}

}  // namespace taut
