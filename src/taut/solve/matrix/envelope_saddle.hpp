// K = G₁ (gain · M⁻¹) G₀ᵀ for a sparse M, whose inverse, and K with it, is full. K x = b is solved as
//
//     ( M/gain  -G₀ᵀ ) (v)   (0)
//     ( G₁        0  ) (x) = (b)
//
// in which everything is sparse. A multiplier is eliminated after all coordinates of its constraint: then no
// pivot vanishes unless constraints depend on each other, and rows need no exchange.
#pragma once

#include <taut/solve/matrix/envelope_lu.hpp>
#include <taut/solve/matrix/narrow_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace taut {

// The order of elimination of n velocities, numbers 0 … n-1, and the multipliers after them, and the envelope
// of the matrix in this order.
struct SaddleOrder {
  std::vector<int> place, first;

  // `masses` lists the entries of M, each with its row and column.
  template <class Jacobian, class Masses>
  SaddleOrder(const Jacobian& G, const Masses& masses, int n) {
    Neighbours near(n);
    for (const auto& e : masses)
      if (e.row != e.column) near[e.row].push_back(e.column);
    const auto each_column = [&](int i, auto&& f) {
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k) f(G.column[k]);
    };
    for (int i = 0; i < G.rows(); ++i)
      each_column(i, [&](int j) { each_column(i, [&](int l) { near[j].push_back(l); }); });
    for (int j = 0; j < n; ++j) {
      auto& list = near[j];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      std::erase(list, j);
    }
    const std::vector<int> velocities = places_in(narrow_order(near));
    std::vector<std::vector<int>> after(n);  // the constraints that wait for the velocity at each place
    for (int i = 0; i < G.rows(); ++i) {
      int last = 0;
      each_column(i, [&](int j) { last = std::max(last, velocities[j]); });
      after[last].push_back(i);
    }
    place.resize(n + G.rows());
    int next = 0;
    std::vector<int> by_place(n);
    for (int j = 0; j < n; ++j) by_place[velocities[j]] = j;
    for (int k = 0; k < n; ++k) {
      place[by_place[k]] = next++;
      for (const int i : after[k]) place[n + i] = next++;
    }
    Neighbours all(n + G.rows());
    for (const auto& e : masses)
      if (e.row != e.column) all[e.row].push_back(e.column);
    for (int i = 0; i < G.rows(); ++i)
      each_column(i, [&](int j) {
        all[n + i].push_back(j);
        all[j].push_back(n + i);
      });
    first = envelope_of(all, place);
  }
};

// `Mass` is a SparseMass.
template <class T, class Mass>
class EnvelopeSaddle {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  // Says whether it is less work than the dense K.
  template <class Jacobian>
  static bool pays(const Jacobian& G, const Mass& M, int n) {
    const std::int64_t m = G.rows();
    return 3 * work_in(SaddleOrder(G, M.entries(), n).first) < m * m * m;
  }

  template <class Jacobian>
  EnvelopeSaddle(const Jacobian& G, const Mass& M, int n)
      : m_(G.rows()), mass_(M), weight_(n), velocity_(n), response_(n), work_(n + m_) {
    SaddleOrder order(G, M.entries(), n);
    lu_ = EnvelopeLU<T>(std::move(order.first));
    multiplier_.assign(order.place.begin() + n, order.place.end());
    for (const auto& e : M.entries()) {
      const int row = order.place[e.row], column = order.place[e.column];
      if (row >= column) {
        from_.push_back(&e - M.entries().data());
        masses_.push_back({lu_.place(row, column), e.value});
      }
      if (row == column) weight_[e.row] = T(1) / e.value;
    }
    for (int i = 0; i < m_; ++i)
      for (int k = G.begin[i]; k < G.begin[i + 1]; ++k)
        entries_.push_back({i, G.column[k], lu_.place(multiplier_[i], order.place[G.column[k]])});
    right_.assign(entries_.size(), T(0));
  }

  // Puts other values in the places of M, given in the order of its entries; sweeps still take M.
  void renew(const std::vector<T>& values) {
    for (std::size_t k = 0; k < from_.size(); ++k)
      masses_[k].value = values[static_cast<std::size_t>(from_[k])];
  }

  template <class Jacobian>
  void right(const Jacobian& G0, const T& gain) {
    gain_ = gain;
    right_.assign(G0.entries.begin(), G0.entries.end());
  }

  template <class Jacobian>
  [[gnu::noinline]] void assemble(const Jacobian& G1) {
    for (auto* values : {&lu_.lower, &lu_.upper, &lu_.reference})
      std::fill(values->begin(), values->end(), T(0));  // only multipliers are compared with a reference
    const T per_gain = T(1) / gain_;
    for (const auto& [place, value] : masses_) lu_.lower[place] = lu_.upper[place] = value * per_gain;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const auto& [row, column, place] = entries_[k];
      lu_.lower[place] = G1.entries[k];
      lu_.upper[place] = -right_[k];
      lu_.reference[multiplier_[row]] += G1.entries[k] * gain_ * weight_[column] * right_[k];
    }
  }

  // Returns -1, or a constraint that depends on others.
  [[gnu::noinline]] int factor() {
    const int vanished = lu_.factor();
    if (vanished < 0) return -1;
    int next = 0;  // the constraint whose turn it is, or the next one
    for (int i = 0; i < m_; ++i)
      if (multiplier_[i] >= vanished && (multiplier_[next] < vanished || multiplier_[i] < multiplier_[next]))
        next = i;
    return next;
  }

  [[gnu::noinline]] void solve(Multiplier& b) const {
    work_.setZero();
    for (int i = 0; i < m_; ++i) work_[multiplier_[i]] = b[i];
    lu_.solve(work_);
    for (int i = 0; i < m_; ++i) b[i] = work_[multiplier_[i]];
  }

  // Makes one Gauss-Seidel sweep from zero on K. Its rows are formed one after the other, from the velocities
  // that the impulses so far make.
  [[gnu::noinline]] int sweep(Multiplier& b) const {
    velocity_.setZero();
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      const int i = entries_[begin].row;
      work_.head(velocity_.size()).setZero();
      for (end = begin; end < entries_.size() && entries_[end].row == i; ++end)
        work_[entries_[end].column] = right_[end];
      mass_.times(gain_, Multiplier(work_.head(velocity_.size())), response_);
      T diagonal(0);
      for (std::size_t k = begin; k < end; ++k) {
        b[i] -= lu_.lower[entries_[k].place] * velocity_[entries_[k].column];
        diagonal += lu_.lower[entries_[k].place] * response_[entries_[k].column];
      }
      b[i] /= diagonal;
      velocity_ += response_ * b[i];
    }
    return -1;
  }

 private:
  struct MassEntry {
    int place;
    T value;
  };
  struct ConstraintEntry {
    int row, column, place;  // G₁ is at this place of `lower`, -G₀ᵀ of `upper`
  };
  int m_;
  Mass mass_;
  EnvelopeLU<T> lu_;
  std::vector<int> multiplier_;  // the turn of each multiplier
  std::vector<MassEntry> masses_;
  std::vector<std::ptrdiff_t> from_;      // the entry of M that each of them is
  std::vector<ConstraintEntry> entries_;  // in the order of the entries of G
  std::vector<T> right_;                  // the entries of G₀
  Multiplier weight_;                     // 1/M_jj, with which pivots are compared
  mutable Multiplier velocity_, response_, work_;
  T gain_{1};
};

}  // namespace taut
