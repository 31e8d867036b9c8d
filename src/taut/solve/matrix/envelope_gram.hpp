// K = G₁ W G₀ᵀ for a sparsity known at run time and a diagonal W, inside its envelope: for a chain all work
// is linear in the number of rods. If the constraints come in an order in which the envelope is wide, they
// are eliminated in another one.
#pragma once

#include <taut/solve/matrix/envelope_lu.hpp>
#include <taut/solve/matrix/envelope_plan.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace taut {

template <class T>
class EnvelopeGram {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  EnvelopeGram() = default;

  template <class Jacobian>
  explicit EnvelopeGram(const Jacobian& G)
      : EnvelopeGram(std::make_shared<const EnvelopePlan>(G.begin, G.column)) {}
  // The plan is that of the pattern of G.
  explicit EnvelopeGram(std::shared_ptr<const EnvelopePlan> plan)
      : plan_(std::move(plan)), lu_(plan_->first), right_(plan_->entries) {
    if (!plan_->order.empty()) ordered_.resize(lu_.size());
    is_pair_ = lu_.size() == 2 && lu_.first(1) == 0;
  }

  template <class Jacobian, class Mass>
  void right(const Jacobian& G0, const Mass& W, const T& gain) {
    for (std::size_t k = 0; k < right_.size(); ++k) right_[k] = gain * W.weight(G0.column[k]) * G0.entries[k];
  }

  template <class Jacobian>
  void assemble(const Jacobian& G1) {
    const T* const g = G1.entries.data();
    const T* const r = right_.data();
    const int* const begin = plan_->begin.data();
    const EnvelopePlan::Pair* const pairs = plan_->pairs.data();
    int at = 0;
    for (int i = 0; i < lu_.size(); ++i) {
      for (const int end = lu_.place(i, i); at < end; ++at) {
        T l(0), u(0);
        for (int k = begin[at]; k < begin[at + 1]; ++k) {
          l += g[pairs[k].left] * r[pairs[k].right];
          u += g[pairs[k].right] * r[pairs[k].left];
        }
        lu_.lower[at] = l;
        lu_.upper[at] = u;
      }
      T d(0);
      for (int k = begin[at]; k < begin[at + 1]; ++k) d += g[pairs[k].left] * r[pairs[k].right];
      lu_.lower[at++] = lu_.reference[i] = d;
    }
  }

  int factor() {
    if (is_pair_) {  // by the determinant, as in PatternGram
      const T &a = lu_.lower[0], &b = lu_.upper[1], &c = lu_.lower[1], &d = lu_.lower[2];
      determinant_ = a * d - b * c;
      if (!any(determinant_vanished(determinant_, T(a * d)))) return -1;
      return any(Mask<T>(base(a) == base(T(0)))) ? 0 : 1;
    }
    const int vanished = lu_.factor();
    return vanished < 0 || plan_->order.empty() ? vanished : plan_->order[vanished];
  }

  void solve(Multiplier& b) const {
    if (is_pair_) {
      const T first = (b[0] * lu_.lower[2] - lu_.upper[1] * b[1]) / determinant_;
      b[1] = (lu_.lower[0] * b[1] - lu_.lower[1] * b[0]) / determinant_;
      b[0] = first;
      return;
    }
    in_order(b, [this](Multiplier& x) { lu_.solve(x); });
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K: (D + L) b = b.
  int sweep(Multiplier& b) const {
    in_order(b, [this](Multiplier& x) { lu_.sweep(x); });
    return -1;
  }

 private:
  template <class Solve>
  void in_order(Multiplier& b, Solve&& solve_in_place) const {
    const std::vector<int>& order = plan_->order;
    if (order.empty()) return solve_in_place(b);
    for (int k = 0; k < lu_.size(); ++k) ordered_[k] = b[order[k]];
    solve_in_place(ordered_);
    for (int k = 0; k < lu_.size(); ++k) b[order[k]] = ordered_[k];
  }

  std::shared_ptr<const EnvelopePlan> plan_;
  EnvelopeLU<T> lu_;
  bool is_pair_ = false;  // two coupled constraints: K is lower[0], upper[1]; lower[1], lower[2]
  T determinant_{};       // det K of such a pair
  mutable Multiplier ordered_;
  std::vector<T> right_;
};

}  // namespace taut
