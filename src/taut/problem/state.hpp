// A point (q, p) of phase space: plain data, safe to copy, compare, send, save.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/scalar/eigen.hpp>
#include <taut/scalar/unroll.hpp>

#include <utility>

namespace taut {

inline constexpr int dynamic = Eigen::Dynamic;

template <class T, int n>
using Vector = Eigen::Matrix<T, n, 1>;
template <class T, int rows, int columns>
using Matrix = Eigen::Matrix<T, rows, columns>;

template <class T, int n>
struct State {
  using Scalar = T;
  using Vec = Vector<T, n>;
  Vec q, p;
};

// The same point with what rounding cut off the last sums: q + q_low and p + p_low are the better values.
// With compensated sums the round-off of a long run is a random walk (Brouwer's law); with plain ones it
// drifts.
template <class T, int n>
struct CompensatedState : State<T, n> {
  using typename State<T, n>::Vec;
  Vec q_low = Vec::Zero(this->q.size()), p_low = Vec::Zero(this->p.size());

  CompensatedState() = default;
  explicit CompensatedState(const State<T, n>& x)
      : State<T, n>(x), q_low(Vec::Zero(x.q.size())), p_low(Vec::Zero(x.p.size())) {}
};

// All threads share the work on long vectors of floats.
template <class Vec>
inline constexpr bool shared_out =
    Vec::SizeAtCompileTime == dynamic && std::is_floating_point_v<typename Vec::Scalar>;

// Calls f(x, y, …) with the same segment of each vector.
template <class F, class Vec, class... More>
void by_segments(F&& f, Vec& x, More&&... more) {
  if constexpr (shared_out<std::remove_cvref_t<Vec>>) {
    in_ranges(static_cast<int>(x.size()), 8, worth_a_thread,
              [&](int from, int to) { f(x.segment(from, to - from), more.segment(from, to - from)...); });
  } else {
    f(x, more...);
  }
}

// Calls f(i) for every index of x.
template <class Vec, class F>
void each_coordinate(const Vec& x, F&& f) {
  if constexpr (shared_out<Vec>)
    in_ranges(static_cast<int>(x.size()), 8, worth_a_thread, [&](int from, int to) {
      for (int i = from; i < to; ++i) f(i);
    });
  else
    each_index(x, f);
}

// The numbers of q or p as sums: plain ones, or compensated ones with their low parts beside them.
template <class Vec>
struct PlainSums {
  using T = typename Vec::Scalar;
  Vec& sum;
  const T& operator[](int i) const { return sum[i]; }
  void set(int i, const T& x) const { sum[i] = x; }
};
template <class Vec>
struct CompensatedSums {
  using T = typename Vec::Scalar;
  Vec &sum, &low;
  CompensatedSum<T> operator[](int i) const { return {sum[i], low[i]}; }
  void set(int i, const CompensatedSum<T>& x) const {
    sum[i] = x.sum;
    low[i] = x.low;
  }
};

// Whether the sums of a state are compensated.
template <class X>
inline constexpr bool compensated = requires(X& x) { x.p_low; };

template <class X>
auto positions(X& x) {
  if constexpr (compensated<X>)
    return CompensatedSums<std::remove_reference_t<decltype((x.q))>>{x.q, x.q_low};
  else
    return PlainSums<std::remove_reference_t<decltype((x.q))>>{x.q};
}
template <class X>
auto momenta(X& x) {
  if constexpr (compensated<X>)
    return CompensatedSums<std::remove_reference_t<decltype((x.p))>>{x.p, x.p_low};
  else
    return PlainSums<std::remove_reference_t<decltype((x.p))>>{x.p};
}

// Copies a state; all threads share long vectors.
template <class T, int n>
void assign(State<T, n>& to, const State<T, n>& from) {
  const auto copy = [](auto&& y, const auto& x) { y = x; };
  by_segments(copy, to.q, from.q);
  by_segments(copy, to.p, from.p);
}
template <class T, int n>
void assign(CompensatedState<T, n>& to, const CompensatedState<T, n>& from) {
  const auto copy = [](auto&& y, const auto& x) { y = x; };
  assign(static_cast<State<T, n>&>(to), static_cast<const State<T, n>&>(from));
  by_segments(copy, to.q_low, from.q_low);
  by_segments(copy, to.p_low, from.p_low);
}

// Copies a state that is not needed afterwards: long vectors change hands instead.
template <class X>
void give(X& to, X& from) {
  if constexpr (X::Vec::SizeAtCompileTime == Eigen::Dynamic)
    std::swap(to, from);
  else
    assign(to, from);
}

// Adds the vector d to the sums.
template <class Vec, class D>
void add_to(const PlainSums<Vec>& sums, const Eigen::MatrixBase<D>& d) {
  by_segments([](auto&& sum, const auto& dx) { sum += dx; }, sums.sum, d.derived());
}
template <class Vec, class D>
void add_to(const CompensatedSums<Vec>& sums, const Eigen::MatrixBase<D>& d) {
  each_coordinate(sums.sum, [&](int i) { sums.set(i, sums[i] + d.derived().coeff(i)); });
}
template <class X, class D>
void kick(X& x, const Eigen::MatrixBase<D>& dp) {
  add_to(momenta(x), dp);
}
template <class X, class D>
void drift(X& x, const Eigen::MatrixBase<D>& dq) {
  add_to(positions(x), dq);
}

// Puts the lanes that are not in `moved` back to where they were.
template <class M, class T, int n>
void restore_others(const M& moved, const State<T, n>& before, State<T, n>& x) {
  for (Eigen::Index i = 0; i < x.q.size(); ++i) {
    x.q[i] = select(moved, x.q[i], before.q[i]);
    x.p[i] = select(moved, x.p[i], before.p[i]);
  }
}
template <class M, class T, int n>
void restore_others(const M& moved, const CompensatedState<T, n>& before, CompensatedState<T, n>& x) {
  restore_others(moved, static_cast<const State<T, n>&>(before), static_cast<State<T, n>&>(x));
  for (Eigen::Index i = 0; i < x.q.size(); ++i) {
    x.q_low[i] = select(moved, x.q_low[i], before.q_low[i]);
    x.p_low[i] = select(moved, x.p_low[i], before.p_low[i]);
  }
}

}  // namespace taut
