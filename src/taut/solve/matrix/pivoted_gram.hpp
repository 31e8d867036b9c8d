// K = G₁ H_pp G₀ᵀ if some constraints follow from others. Rows are eliminated in the order of what is left of
// their diagonal. If nothing is left of a row, it is left out, and the others decide: its residual vanishes
// with theirs, because redundant equations agree. A row that is zero beside the others but for rounding, as
// that of a square that vanishes, makes no force and is left out too: its direction is noise.
#pragma once

#include <taut/scalar/number.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace taut {

// A square that vanishes to 1e-12 has 1e-12 of a row beside it; below that rounding decides.
inline constexpr double zero_row = 1e-12;

template <class T>
class PivotedGram {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  PivotedGram(int constraints, int coordinates)
      : response_(Matrix::Zero(coordinates, constraints)),
        k_(Matrix::Zero(constraints, constraints)),
        order_(static_cast<std::size_t>(constraints)) {}

  // Forms the right factor H_pp G₀ᵀ, column by column: `fill(R)` writes it.
  template <class Fill>
  void right(Fill&& fill) {
    fill(response_);
  }
  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    k_.setZero();
    G1.for_each([&](int i, int j, const T& entry) { k_.row(i) += entry * response_.row(j); });
  }

  // Factors what is regular of K; always returns -1.
  int factor() {
    const int m = size();
    std::iota(order_.begin(), order_.end(), 0);
    const std::vector<double> force = forces();
    const double no_force = zero_row * *std::max_element(force.begin(), force.end());
    std::vector<double> whole(static_cast<std::size_t>(m), 0.0);
    for (int i = 0; i < m; ++i)
      if (const auto k = static_cast<std::size_t>(i); force[k] > no_force)
        whole[k] = magnitude(lane(k_(i, i), 0));
    for (rank_ = 0; rank_ < m; ++rank_) {
      int best = -1;
      double most = nothing_left;
      for (int i = rank_; i < m; ++i) {
        if (!(whole[static_cast<std::size_t>(i)] > 0)) continue;
        const double part = magnitude(lane(k_(i, i), 0)) / whole[static_cast<std::size_t>(i)];
        if (part > most) std::tie(best, most) = std::pair(i, part);
      }
      if (best < 0) break;
      exchange(rank_, best, whole);
      const T pivot = T(1) / k_(rank_, rank_);
      for (int i = rank_ + 1; i < m; ++i) {
        k_(i, rank_) *= pivot;
        for (int j = rank_ + 1; j < m; ++j) k_(i, j) -= k_(i, rank_) * k_(rank_, j);
      }
    }
    return -1;
  }

  template <class Multiplier>
  void solve(Multiplier& b) const {
    Multiplier x = b;
    for (int i = 0; i < rank_; ++i) {
      x[i] = b[place(i)];
      for (int j = 0; j < i; ++j) x[i] -= k_(i, j) * x[j];
    }
    up(x);
    b.setZero();
    for (int i = 0; i < rank_; ++i) b[place(i)] = x[i];
  }

  // Sets the entries of the rows that were left out to 0.
  template <class Multiplier>
  void leave_out(Multiplier& residual) const {
    for (int i = rank_; i < size(); ++i) residual[place(i)] = T(0);
  }

  // Takes off the part of λ that makes no force: what stays is the shortest λ with the same Gᵀλ.
  template <class Multiplier>
  void minimum_norm(Multiplier& lambda) const {
    const int free = size() - rank_;
    std::vector<Multiplier> idle;
    for (int k = 0; k < free; ++k) {
      Multiplier x = lambda;
      for (int i = 0; i < rank_; ++i) x[i] = -k_(i, rank_ + k);
      up(x);
      Multiplier one = lambda;
      one.setZero();
      for (int i = 0; i < rank_; ++i) one[place(i)] = x[i];
      one[place(rank_ + k)] = T(1);
      for (const Multiplier& before : idle) one -= before.dot(one) * before;
      using std::sqrt;
      one /= T(sqrt(one.dot(one)));
      idle.push_back(one);
    }
    for (const Multiplier& one : idle) lambda -= one.dot(lambda) * one;
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K.
  template <class Multiplier>
  int sweep(Multiplier& b) const {
    const std::vector<double> force = forces();
    const double no_force = zero_row * *std::max_element(force.begin(), force.end());
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < i; ++j) b[i] -= k_(i, j) * b[j];
      b[i] = force[static_cast<std::size_t>(i)] > no_force ? b[i] / k_(i, i) : T(0);
    }
    return -1;
  }

 private:
  // Elimination leaves 1e-16 times the condition of the regular part of a row that follows from others; a row
  // of which 1e-9 is left is off them by 3e-5 of its length.
  static constexpr double nothing_left = 1e-9;

  // Returns the largest response to each row of G₀.
  std::vector<double> forces() const {
    std::vector<double> out;
    for (int i = 0; i < size(); ++i) {
      double most = 0;
      for (Eigen::Index j = 0; j < response_.rows(); ++j)
        most = std::max(most, magnitude(lane(response_(j, i), 0)));
      out.push_back(most);
    }
    return out;
  }

  int size() const { return static_cast<int>(k_.rows()); }
  int place(int i) const { return order_[static_cast<std::size_t>(i)]; }
  void exchange(int i, int j, std::vector<double>& whole) {
    if (i == j) return;
    k_.row(i).swap(k_.row(j));
    k_.col(i).swap(k_.col(j));
    std::swap(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(j)]);
    std::swap(whole[static_cast<std::size_t>(i)], whole[static_cast<std::size_t>(j)]);
  }
  template <class Multiplier>
  void up(Multiplier& x) const {
    for (int i = rank_ - 1; i >= 0; --i) {
      for (int j = i + 1; j < rank_; ++j) x[i] -= k_(i, j) * x[j];
      x[i] /= k_(i, i);
    }
  }

  Matrix response_, k_;  // H_pp G₀ᵀ; K, then its factors
  std::vector<int> order_;
  int rank_ = 0;
};

}  // namespace taut
