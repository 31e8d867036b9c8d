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

  // Computes the points. Returns the corrections of all solves. Each lane keeps the points of its own number
  // of parts, so that they do not depend on the other lanes.
  Expected<int> compute(const P& s, const X& x0, const T& h) {
    corrections_ = 0;
    begin(s, coarse_, x0);
    if (const auto moved = advance(s, coarse_, h, 1); !moved) return moved;
    Mask<T> waiting(true);
    for (int parts = 2;; parts *= 2) {
      begin(s, fine_, x0);
      if (const auto moved = advance(s, fine_, h, parts); !moved) return moved;
      const Mask<T> enough = parts == most_parts ? waiting : waiting && repeats();
      coarse_ = fine_;
      if (any(enough))
        if (const auto made = make_points(s, x0, h, parts, enough); !made) return made;
      waiting = waiting && !enough;
      if (!any(waiting)) return corrections_;
    }
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
  void begin(const P& s, X& x, const X& x0) {
    x = x0;
    memory_.refresh(s, x.q);
  }
  // Makes the points on both sides with so many parts, and keeps them in the marked lanes.
  Expected<int> make_points(const P& s, const X& x0, const T& h, int parts, const Mask<T>& marked) {
    at_(0) = x0;
    for (const int side : {1, -1}) {
      begin(s, fine_, x0);
      for (int j = 1; j <= (side > 0 ? l_ : l_ - 1); ++j) {
        if (const auto moved = advance(s, fine_, T(side * h), parts); !moved) return moved;
        keep(marked, at_(side * j));
      }
    }
    return 0;
  }
  void keep(const Mask<T>& marked, X& point) const {
    if (all(marked)) {
      point = fine_;
      return;
    }
    const auto choose = [&](auto& kept, const auto& made) {
      for (Eigen::Index i = 0; i < made.size(); ++i) kept[i] = select(marked, T(made[i]), T(kept[i]));
    };
    choose(point.q, fine_.q);
    choose(point.p, fine_.p);
    choose(point.q_low, fine_.q_low);
    choose(point.p_low, fine_.p_low);
  }
  // The lanes in which twice as many parts change the first point by rounding alone.
  Mask<T> repeats() const {
    const Real<T> few = Real<T>(8 * epsilon<T>());
    Real<T> size = Real<T>(0);
    for (Eigen::Index i = 0; i < fine_.q.size(); ++i) {
      const Real<T> here = magnitude(fine_.q[i]);
      size = select(here > size, here, size);
    }
    Mask<T> same(true);
    for (Eigen::Index i = 0; i < fine_.q.size(); ++i)
      same = same && magnitude(T(fine_.q[i] - coarse_.q[i])) <= few * size;
    return same;
  }

  Composition<Rattle> map_;
  Composition<Rattle>::Memory<P, X> memory_;
  int l_;
  std::vector<X> points_;
  X coarse_, fine_;
  int corrections_ = 0;
};

}  // namespace taut
