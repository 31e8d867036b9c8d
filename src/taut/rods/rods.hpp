// Rigid rods as the iterations in their own space see them (rod_newton.hpp): vectors between particles, coupled where two share one.
#pragma once

#include <taut/scalar/batch.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace taut {

// What the rods of a system are, in the order of the constraints.
struct RodList {
  int dimension = 3, particles = 0;
  std::vector<int> first, second;      // particles of each rod: r = x_first - x_second
  std::vector<double> length, weight;  // of each rod; 1/mass of each particle

  int size() const { return static_cast<int>(first.size()); }

  // C(k, l)
  double coupling(int k, int l) const {
    if (k == l) return weight[first[k]] + weight[second[k]];
    double sum = 0;
    if (first[k] == first[l]) sum += weight[first[k]];
    if (second[k] == second[l]) sum += weight[second[k]];
    if (first[k] == second[l]) sum -= weight[first[k]];
    if (second[k] == first[l]) sum -= weight[second[k]];
    return sum;
  }
};

// What an iteration in the space of the rods starts from.
struct RodStart {
  const double* b;       // entry a of rod k is b[first_entry[k] + a * stride[k]]
  const double* q;       // q[a * particles + i]; none: r = b, and
  const double* demand;  // K δ = demand is solved once
};

// Numbers of all particles, as q is laid out, before and after something is added to them; where sums are compensated, what rounding cut off, else none.
struct RodSums {
  const double *from, *from_low;
  double *to, *to_low;
};

// A step that is an impulse -Gᵀmu and a drift: p ← p - Gᵀmu, q ← q + h W p.
struct RodFlight {
  RodSums q, p;
  double h;
  double* mu;
};

// Where the entries of each rod stand among those of G.
struct RodEntries {
  std::vector<int> first, stride;
};

// Largest |g| before the correction; whether all pivots stayed clear of zero.
struct RodSweep {
  double largest = 0;
  bool sound = true;
};

// How an iteration in the space of the rods ended: with how many corrections, and whether it got there.
struct RodSolve {
  int corrections = 0;
  bool sound = true;
};

// What an iteration is to reach: the last correction may leave |g| = target; and where |g| is at rounding before a correction, that one is the last.
struct RodGoal {
  double target, at_rounding;
  double length2;  // the least L², which g is to be compared with
};

// When is an iteration near enough to its end? Convergence is quadratic, so that two residuals foretell the next; the last correction needs no residual
// after it, since whoever asked will look at the true one.
class RodProgress {
 public:
  explicit RodProgress(const RodGoal& goal) : goal_(goal) {}

  // To be asked with max |g| before each correction: is this correction the last?
  bool last_after(double largest) {
    const double ratio = largest / (before_ > 0 ? before_ : goal_.length2);
    const double next = before_ > 0 ? largest * ratio * ratio : largest * ratio;
    before_ = largest;
    return largest <= goal_.at_rounding || (ratio < 0.25 && safety * next <= goal_.target);
  }

 private:
  static constexpr double safety = 16;  // a correction too many costs less than a look at the true residual
  RodGoal goal_;
  double before_ = 0;
};

// The true residuals at the end, less what rounding explains of them where they are to be at rounding; and the largest velocity seen.
struct RodLook {
  double excess = -1e300, speed = 0;
};
inline RodLook worse(const RodLook& a, const RodLook& b) {
  return {std::max(a.excess, b.excess), std::max(a.speed, b.speed)};
}
// A maximum may lose a NaN.
inline double or_beyond(double excess) { return excess <= 1e300 ? excess : 2e300; }
// Rounding of coordinates x, x' of a rod r moves g by at most (ε/2) Σ |r| (|x| + |x'|), and the sums in g itself by a few ε L².
inline constexpr double length_terms = 8;
// Velocities and the impulses that changed them likewise; here their products round, too.
inline constexpr double velocity_slack = 8;

inline RodSweep worse(const RodSweep& a, const RodSweep& b) {
  return {std::max(a.largest, b.largest), a.sound && b.sound};
}

// Newton's iteration in sweeps: separate(first) ends a sweep forward, and visit(first, over) goes back with its correction and, unless it is over, forward again.
template <class Separate, class Visit>
RodSolve in_corrections(RodProgress progress, int limit, Separate&& separate, Visit&& visit) {
  RodSolve result;
  for (bool over = false; !over;) {
    const bool first = result.corrections == 0;
    const RodSweep sweep = separate(first);
    result.sound = result.sound && sweep.sound;
    ++result.corrections;
    const bool last = progress.last_after(sweep.largest);
    over = last || result.corrections == limit || !result.sound;
    if (over) result.sound = result.sound && last;
    visit(first, over);
  }
  return result;
}

// A vector of each of eight rods.
template <int dimension>
struct RodVectors {
  using S = Batch<double>;
  std::array<S, dimension> v;

  static RodVectors load(const double (*from)[batch_size]) {
    RodVectors x;
    unroll<dimension>([&]<int a>() { x.v[a] = load_batch(from[a]); });
    return x;
  }
  void store(double (*to)[batch_size]) const {
    unroll<dimension>([&]<int a>() { store_batch(to[a], v[a]); });
  }
  S dot(const RodVectors& y) const {
    S sum = v[0] * y.v[0];
    unroll<dimension - 1>([&]<int a>() { sum += v[a + 1] * y.v[a + 1]; });
    return sum;
  }
  friend RodVectors operator*(const RodVectors& x, const S& c) {
    RodVectors y;
    unroll<dimension>([&]<int a>() { y.v[a] = x.v[a] * c; });
    return y;
  }
  friend RodVectors operator+(const RodVectors& x, const RodVectors& y) {
    RodVectors z;
    unroll<dimension>([&]<int a>() { z.v[a] = x.v[a] + y.v[a]; });
    return z;
  }
  friend RodVectors operator-(const RodVectors& x, const RodVectors& y) {
    RodVectors z;
    unroll<dimension>([&]<int a>() { z.v[a] = x.v[a] - y.v[a]; });
    return z;
  }
};

}  // namespace taut
