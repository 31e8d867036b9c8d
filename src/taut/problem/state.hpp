// A point (q, p) of phase space: plain data, safe to copy, compare, send, save.
#pragma once

#include <taut/scalar/eigen.hpp>

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

// sum + low += d, where `low` receives what the addition loses (Kahan 1965; -ffp-contract=off, no -ffast-math).
template <class Vec, class D>
void add_compensated(Vec& sum, Vec& low, const Eigen::MatrixBase<D>& d) {
  for (Eigen::Index i = 0; i < sum.size(); ++i) {
    const auto y = d.coeff(i) + low[i];
    const auto t = sum[i] + y;
    low[i] = y - (t - sum[i]);
    sum[i] = t;
  }
}

template <class T, int n, class D>
void kick(State<T, n>& x, const Eigen::MatrixBase<D>& dp) {
  x.p += dp;
}
template <class T, int n, class D>
void kick(CompensatedState<T, n>& x, const Eigen::MatrixBase<D>& dp) {
  add_compensated(x.p, x.p_low, dp);
}
template <class T, int n, class D>
void drift(State<T, n>& x, const Eigen::MatrixBase<D>& dq) {
  x.q += dq;
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

}  // namespace taut
