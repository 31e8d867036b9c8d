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

// The same point carrying what rounding cut off the last sums: q + q_low and p + p_low are the better values.
// With it the round-off of a long run is a random walk (Brouwer's law) where plain updates drift.
template <class T, int n>
struct CompensatedState : State<T, n> {
  using typename State<T, n>::Vec;
  Vec q_low = Vec::Zero(this->q.size()), p_low = Vec::Zero(this->p.size());

  CompensatedState() = default;
  explicit CompensatedState(const State<T, n>& x)
      : State<T, n>(x), q_low(Vec::Zero(x.q.size())), p_low(Vec::Zero(x.p.size())) {}
};

// Long vectors of floats are worked on by all threads.
template <class Vec>
inline constexpr bool shared_out =
    Vec::SizeAtCompileTime == dynamic && std::is_floating_point_v<typename Vec::Scalar>;

// f(x, y, …) on the same segment of each.
template <class F, class Vec, class... More>
void by_segments(F&& f, Vec& x, More&&... more) {
  if constexpr (shared_out<std::remove_cvref_t<Vec>>) {
    in_ranges(static_cast<int>(x.size()), 8, worth_a_thread,
              [&](int from, int to) { f(x.segment(from, to - from), more.segment(from, to - from)...); });
  } else {
    f(x, more...);
  }
}

// sum + low += d, where `low` receives what the addition loses.
template <class Vec, class D>
void add_compensated(Vec& sum, Vec& low, const Eigen::MatrixBase<D>& d) {
  using T = typename Vec::Scalar;
  by_segments(
      [](auto&& s, auto&& l, const auto& dx) {
        for (Eigen::Index i = 0; i < s.size(); ++i) {
          const CompensatedSum<T> t(s[i], l[i], dx.coeff(i));
          s[i] = t.sum;
          l[i] = t.low;
        }
      },
      sum, low, d.derived());
}

// to = from, for long vectors by all threads.
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

// to = from, which need not be kept: long vectors change hands.
template <class X>
void give(X& to, X& from) {
  if constexpr (X::Vec::SizeAtCompileTime == Eigen::Dynamic)
    std::swap(to, from);
  else
    assign(to, from);
}

template <class T, int n, class D>
void kick(State<T, n>& x, const Eigen::MatrixBase<D>& dp) {
  by_segments([](auto&& p, const auto& d) { p += d; }, x.p, dp.derived());
}
template <class T, int n, class D>
void kick(CompensatedState<T, n>& x, const Eigen::MatrixBase<D>& dp) {
  add_compensated(x.p, x.p_low, dp);
}
template <class T, int n, class D>
void drift(State<T, n>& x, const Eigen::MatrixBase<D>& dq) {
  by_segments([](auto&& q, const auto& d) { q += d; }, x.q, dq.derived());
}
template <class T, int n, class D>
void drift(CompensatedState<T, n>& x, const Eigen::MatrixBase<D>& dq) {
  add_compensated(x.q, x.q_low, dq);
}

// p -= Gᵀl. `room` is a vector to work in.
template <class T, int n, class Jacobian, class Row, class Vec>
void kick_along(State<T, n>& x, const Jacobian& G, const Row& l, Vec&) {
  G.subtract_transpose(l, x.p);
}
template <class T, int n, class Jacobian, class Row, class Vec>
void kick_along(CompensatedState<T, n>& x, const Jacobian& G, const Row& l, Vec& room) {
  room.setZero();
  G.subtract_transpose(l, room);
  kick(x, room);
}

// x = `from` after an impulse and the drift that follows: p = from.p - Gᵀl, q = from.q + h W p. Storages of G that know a faster way overload it.
template <class X, class Jacobian, class Row, class Mass, class Vec>
void kick_along_and_drift(X& x, const X& from, const Jacobian& G, const Row& l, const Mass& W,
                          const typename X::Scalar& h, Vec& room) {
  x = from;
  kick_along(x, G, l, room);
  W.times(h, x.p, room);
  drift(x, room);
}
// A short p is formed apart from x, which may be where G is for all the compiler knows.
template <class T, int n, class Jacobian, class Row, class Mass, class Vec>
  requires(n > 0)
void kick_along_and_drift(State<T, n>& x, const State<T, n>& from, const Jacobian& G, const Row& l,
                          const Mass& W, const T& h, Vec& room) {
  Vec p = from.p;
  G.subtract_transpose(l, p);
  W.times(h, p, room);
  x.p = p;
  x.q = from.q + room;
}

// d = -h W Gᵀl
template <class Jacobian, class Row, class Mass, class T, class Vec>
void shift_of_impulse(const Jacobian& G, const Row& l, const Mass& W, const T& h, Vec& d) {
  Vec dp;
  set_zero(dp);
  G.subtract_transpose(l, dp);
  W.times(h, dp, d);
}

// Where an impulse and the drift after it take a state, as the position solves of Verlet's method ask for it. G is that of from.q.
template <class X, class Jacobian, class Mass>
struct KickAndDrift {
  X& x;
  const X& from;
  const Jacobian& G;
  const Mass& W;
  typename X::Scalar h;
  typename X::Vec& room;

  template <class Row>
  const typename X::Vec& operator()(const Row& l) const {
    kick_along_and_drift(x, from, G, l, W, h, room);
    return x.q;
  }
  // What so much more of an impulse moves q by.
  template <class Row>
  void shift(const Row& l, typename X::Vec& d) const {
    shift_of_impulse(G, l, W, h, d);
  }
};

// The same for a short state with compensated sums, from a p that has been kicked already. The sums are made once, when the impulse is known, and from `from` to x,
// which may be the same. The iteration before that takes its q from look(), which is the same to the last bit.
//
// What p_low moves q by goes to q_low: without it the energy of pendulums at h = 2⁻⁵ moved by 7e-22 a step.
template <class T, int n, class Jacobian, class Mass>
struct CompensatedKickAndDrift {
  using X = CompensatedState<T, n>;
  using Vec = typename X::Vec;
  X& x;
  const X& from;
  const Jacobian& G;
  const Mass& W;
  T h;
  Vec p, p_low;  // kicked
  Vec q{};

  template <class Row>
  const Vec& look(const Row& l) {
    Vec d;
    set_zero(d);
    G.subtract_transpose(l, d);
    const Vec p_half = p + (d + p_low);
    W.times(h, p_half, d);
    q = from.q + (d + from.q_low);
    return q;
  }
  template <class Row>
  const Vec& operator()(const Row& l) {
    Vec d;
    set_zero(d);
    G.subtract_transpose(l, d);
    add(p, p_low, d, x.p, x.p_low);
    W.times(h, x.p, d);
    add(from.q, from.q_low, d, x.q, x.q_low);
    W.times(h, x.p_low, d);
    each_index(d, [&](int i) { x.q_low[i] += d[i]; });
    return x.q;
  }
  template <class Row>
  void shift(const Row& l, Vec& d) const {
    shift_of_impulse(G, l, W, h, d);
  }

  static void add(const Vec& s, const Vec& low, const Vec& d, Vec& to, Vec& to_low) {
    each_index(s, [&](int i) {
      const CompensatedSum<T> t(s[i], low[i], d[i]);
      to[i] = t.sum;
      to_low[i] = t.low;
    });
  }
};

// A kick of `push`, and then an impulse and a drift. `kicked` and `room` are there to work in. What comes back refers to
// all arguments but `push` and h; a temporary W does not compile.
template <class X, class D, class Jacobian, class Mass>
auto kick_and_drift(X& x, const X& from, const Eigen::MatrixBase<D>& push, const Jacobian& G, Mass& W,
                    const typename X::Scalar& h, X& kicked, typename X::Vec& room) {
  assign(kicked, from);
  kick(kicked, push);
  return KickAndDrift<X, Jacobian, Mass>{x, kicked, G, W, h, room};
}
template <class T, int n, class D, class Jacobian, class Mass>
  requires(n > 0)
auto kick_and_drift(CompensatedState<T, n>& x, const CompensatedState<T, n>& from,
                    const Eigen::MatrixBase<D>& push, const Jacobian& G, Mass& W, const T& h,
                    CompensatedState<T, n>&, Vector<T, n>&) {
  // The push is a sum of its own. A force that is the same in every step, rounded where it is added to the impulse, is rounded by the same amount each time: at
  // h = 0.02 the energy of pendulums that swing above the horizontal moved by 9e-22 a step.
  CompensatedKickAndDrift<T, n, Jacobian, Mass> land{x, from, G, W, h, {}, {}};
  land.add(from.p, from.p_low, push, land.p, land.p_low);
  return land;
}

// Lanes that are not in `moved` go back to where they were.
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
