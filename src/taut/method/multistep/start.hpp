// The points that a multistep formula begins with: x(jh) for j = -l+1 … l, from x(0) by an eighth-order
// composition whose substeps are cut until the first point repeats to rounding.
#pragma once

#include <taut/method/composition.hpp>

#include <vector>

namespace taut {

template <Natural P>
class MultistepStart {
 public:
  using T = typename P::Scalar;
  using X = CompensatedState<T, P::n>;

  MultistepStart(const P& s, const StateOf<P>& x, int half, const SolveOptions& solve)
      : map_{.scheme = &scheme(), .base = {.solve = solve}},
        memory_(make_memory(map_, s, X(x))),
        l_(half),
        points_(2 * static_cast<std::size_t>(half), X(x)),
        coarse_(x),
        fine_(x) {}

  const X& at(int j) const { return points_[static_cast<std::size_t>(j + l_ - 1)]; }

  // Computes the points. Returns the corrections of all solves.
  Expected<int> compute(const P& s, const X& x0, const T& h) {
    corrections_ = 0;
    const auto parts = enough_parts(s, x0, h);
    if (!parts) return parts;
    at_(0) = x0;
    for (const int side : {1, -1}) {
      fine_ = x0;
      memory_.refresh(s, fine_.q);
      for (int j = 1; j <= (side > 0 ? l_ : l_ - 1); ++j) {
        if (const auto moved = advance(s, fine_, T(side * h), *parts); !moved) return moved;
        at_(side * j) = fine_;
      }
    }
    return corrections_;
  }

 private:
  static constexpr int most_parts = 64;
  static const CompositionScheme& scheme() {
    for (const CompositionScheme& s : composition_schemes)
      if (s.name == "kahan-li8a") return s;
    return composition_schemes.front();
  }
  X& at_(int j) { return points_[static_cast<std::size_t>(j + l_ - 1)]; }

  Expected<int> advance(const P& s, X& x, const T& h, int parts) {
    for (int i = 0; i < parts; ++i) {
      const auto moved = map_.step(s, x, memory_, T(h / parts));
      if (!moved) return moved;
      corrections_ += *moved;
    }
    return 0;
  }
  Expected<int> enough_parts(const P& s, const X& x0, const T& h) {
    coarse_ = x0;
    memory_.refresh(s, coarse_.q);
    if (const auto moved = advance(s, coarse_, h, 1); !moved) return moved;
    for (int parts = 2;; parts *= 2) {
      fine_ = x0;
      memory_.refresh(s, fine_.q);
      if (const auto moved = advance(s, fine_, h, parts); !moved) return moved;
      if (parts == most_parts || repeats()) return parts;
      coarse_ = fine_;
    }
  }
  bool repeats() const {
    const Real<T> few = Real<T>(8 * epsilon<T>());
    Real<T> size = Real<T>(0);
    for (Eigen::Index i = 0; i < fine_.q.size(); ++i) {
      const Real<T> here = magnitude(fine_.q[i]);
      size = select(here > size, here, size);
    }
    for (Eigen::Index i = 0; i < fine_.q.size(); ++i)
      if (!all(magnitude(T(fine_.q[i] - coarse_.q[i])) <= few * size)) return false;
    return true;
  }

  Composition<Rattle> map_;
  Composition<Rattle>::Memory<P, X> memory_;
  int l_;
  std::vector<X> points_;
  X coarse_, fine_;
  int corrections_ = 0;
};

}  // namespace taut
