// Particles in d dimensions joined by rigid rods, the graph known at compile time: g_k = (|r_i - r_j|² -
// L_k²)/2. A rod end `anchor` is the origin.
#pragma once

#include <taut/problem/tiers.hpp>

#include <array>

namespace taut {

inline constexpr int anchor = -1;

struct Rod {
  int i, j;
};

// The sparsity pattern of G: 2d places per rod, or d if one end is the anchor.
template <int d, int particles, auto rods>
struct RodPattern {
  static constexpr int rows = static_cast<int>(rods.size()), columns = d * particles;
  static constexpr int ends = [] {
    int count = 0;
    for (const Rod& r : rods) count += (r.i != anchor) + (r.j != anchor);
    return count;
  }();
  static constexpr std::array<Place, static_cast<std::size_t>(d* ends)> places = [] {
    std::array<Place, static_cast<std::size_t>(d * ends)> list{};
    std::size_t c = 0;
    for (int k = 0; k < rows; ++k)
      for (const int end : {rods[k].i, rods[k].j})
        for (int a = 0; end != anchor && a < d; ++a) list[c++] = {k, d * end + a};
    return list;
  }();
  // Entry dk + a is component a of r_i - r_j; it has a minus sign at the second end.
  static constexpr std::array<Source, static_cast<std::size_t>(d* ends)> sources = [] {
    std::array<Source, static_cast<std::size_t>(d * ends)> list{};
    for (std::size_t c = 0; c < list.size(); ++c) {
      const Rod r = rods[places[c].row];
      list[c] = {d * places[c].row + places[c].column % d, places[c].column / d == r.j};
    }
    return list;
  }();
};

// The functions g and G of a rod graph; a problem inherits it and adds V.
template <class T, int d, int particles, auto rods>
struct RodSystem : Shape<T, d * particles, static_cast<int>(rods.size()),
                         PatternJacobian<T, RodPattern<d, particles, rods>>> {
  static constexpr int rod_count = static_cast<int>(rods.size());
  using Base = Shape<T, d * particles, rod_count, PatternJacobian<T, RodPattern<d, particles, rods>>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;

  int coordinates() const { return d * particles; }
  int constraints() const { return rod_count; }
  Jacobian make_jacobian() const { return {}; }

  // Computes g; `length2(k)` is L_k². It is subtracted first: floats lie twice as close below a power of two
  // as above it, so that a sum rounded near L² = 1 before the subtraction is rounded to one side.
  template <class Length2>
  static void rods_g(const Vec& q, Multiplier& g, Length2&& length2) {
    unroll<rod_count>([&]<int k>() {
      T sum = difference<k, 0>(q) * difference<k, 0>(q) - length2(k);
      unroll<d - 1>([&]<int a>() { sum += difference<k, a + 1>(q) * difference<k, a + 1>(q); });
      g[k] = sum / 2;
    });
  }
  void bend(const Vec& x, Multiplier& b) const {
    rods_g(x, b, [](int) { return T(0); });
  }
  static void rods_G(const Vec& q, Jacobian& G) {
    unroll<Jacobian::entry_count>([&]<int e>() { G.entries[e] = difference<e / d, e % d>(q); });
  }

  static std::string constraint_name(int k) {
    const auto end = [](int i) { return i == anchor ? std::string("anchor") : std::to_string(i + 1); };
    return "rod " + end(rods[k].i) + "-" + end(rods[k].j);
  }

 private:
  template <int k, int a>
  static T difference(const Vec& q) {  // component a of r_i - r_j
    constexpr Rod r = rods[k];
    if constexpr (r.i == anchor)
      return -q[d * r.j + a];
    else if constexpr (r.j == anchor)
      return q[d * r.i + a];
    else
      return q[d * r.i + a] - q[d * r.j + a];
  }
};

// Returns the rods 1-2, 2-3, …; if `anchored`, the first particle hangs from the origin.
template <int particles, bool anchored>
constexpr auto chain_of_rods() {
  std::array<Rod, static_cast<std::size_t>(anchored ? particles : particles - 1)> rods{};
  for (int k = 0; k < static_cast<int>(rods.size()); ++k)
    rods[static_cast<std::size_t>(k)] = anchored ? Rod{k - 1, k} : Rod{k, k + 1};
  return rods;
}

}  // namespace taut
