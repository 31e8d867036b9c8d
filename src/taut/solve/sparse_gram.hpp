// K = G₁ W G₀ᵀ for any constraint graph and diagonal W. The graph is analysed once: connected components; long chains are cut into pieces that
// run in lanes (chain_factor.hpp); equal components go into batches, one in each lane, and what is left alone, both by fronts
// (front_tree.hpp). Entries of K that come from the same entries of G are formed in batches. Labels: docs/theory/sparse-solve.md.
//
// Methods ask the compiler to inline their steps whole, for problems of a few coordinates; what loops over thousands stays out of line.
#pragma once

#include <taut/solve/chain_factor.hpp>
#include <taut/solve/front_factor.hpp>
#include <taut/solve/sparse_plan.hpp>

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace taut {

template <class T>
class SparseGram {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  template <class Jacobian, class Mass>
  SparseGram(std::shared_ptr<const SparsePlan> plan, const Jacobian& G, const Mass& W)
      : plan_(std::move(plan)),
        weight_(Multiplier::Zero(static_cast<Eigen::Index>(G.entries.size()))),
        right_(weight_),
        upper_(Multiplier::Zero(plan_->places)),
        lower_(upper_),
        inverse_(Multiplier::Zero(plan_->slots)),
        x_(inverse_),
        working_(Multiplier::Zero(plan_->working)),
        work_(Multiplier::Zero(plan_->largest_front)) {
    for (const auto& g : G.groups())
      for (int e = 0; e < g.size; ++e)
        for (int k = 0; k < g.rows; ++k) weight_[g.first_entry + e * g.stride + k] = W.weight(g.column[e][k]);
    for (const SparsePlan::Part& part : plan_->parts)
      if (part.cut) chains_.emplace_back(*part.cut);
  }

  // R = gain · W G₀ᵀ
  template <class Jacobian>
  [[gnu::noinline]] void right(const Jacobian& G0, const T& gain) {
    const Batch<T> factor(gain);
    const int count = static_cast<int>(right_.size());
    for (int k = 0; k < count; k += batch_lanes<T>)
      store_batch(right_.data() + k,
                  Batch<T>(factor * load_batch(weight_.data() + k) * load_batch(G0.entries.data() + k)));
    right_of_ = &G0;
  }

  // K is symmetric where G₁ is the very matrix that the right factor was made of.
  template <class Jacobian>
  [[gnu::noinline]] void assemble(const Jacobian& G1) {
    symmetric_ = &G1 == right_of_;
    for (const auto& [begin, end] : plan_->fill) {
      upper_.segment(begin, end - begin).setZero();
      if (!symmetric_) lower_.segment(begin, end - begin).setZero();
    }
    const T* left = G1.entries.data();
    for (const SparsePlan::Products& p : plan_->diagonal)
      for (int k = 0; k < p.to.size(); k += batch_lanes<T>)
        p.to.scatter(inverse_.data(), k, product(p.shared, p.a, left, p.b, right_.data(), k));
    for (const int slot : plan_->padding) inverse_[slot] = T(1);
    for (const SparsePlan::Products& p : plan_->products)
      for (int k = 0; k < p.to.size(); k += batch_lanes<T>) {
        p.to.scatter(upper_.data(), k, product(p.shared, p.a, left, p.b, right_.data(), k));
        if (!symmetric_) p.to.scatter(lower_.data(), k, product(p.shared, p.a, right_.data(), p.b, left, k));
      }
  }

  // -1, or a constraint that depends on others.
  [[gnu::noinline]] int factor() { return symmetric_ ? factor_as<true>() : factor_as<false>(); }
  [[gnu::noinline]] void solve(Multiplier& b) const { symmetric_ ? solve_as<true>(b) : solve_as<false>(b); }

  // The constraints that are connected to this one, itself included, sorted.
  std::vector<int> component_with(int constraint) const {
    std::vector<int> rows;
    for (int i = 0; i < plan_->rows; ++i)
      if (plan_->component[i] == plan_->component[constraint]) rows.push_back(i);
    return rows;
  }

  [[gnu::noinline]] int sweep(Multiplier& b) const {
    gather(b);
    each_part([&](const SparsePlan::Part& part, std::size_t chain) {
      if constexpr (batch_lanes<T> > 1)
        if (part.cut) {
          chains_[chain].sweep(upper_.data() + part.first_place, lower_half() + part.first_place,
                               inverse_.data() + part.first_slot, x_.data() + part.first_slot);
          return;
        }
      const_cast<SparseGram*>(this)->with_fronts(
          part, [&](auto&& fronts) { fronts.sweep(x_.data() + part.first_slot); });
    });
    scatter(b);
    return -1;
  }

 private:
  // Σ of[a + i] · with[b + j] over the shared entries (i, j), for a batch of pairs of rows.
  static Batch<T> product(const std::vector<std::pair<int, int>>& shared, const Places& a, const T* of,
                          const Places& b, const T* with, int k) {
    Batch<T> sum(0);
    if (a.run(k) >= 0 && b.run(k) >= 0) {
      of += a[k];
      with += b[k];
      for (const auto& [i, j] : shared) sum += load_batch(of + i) * load_batch(with + j);
    } else {
      for (const auto& [i, j] : shared) sum += a.gather(of + i, k) * b.gather(with + j, k);
    }
    return sum;
  }

  const T* lower_half() const { return symmetric_ ? upper_.data() : lower_.data(); }

  template <class F>
  void each_part(F&& f) const {
    std::size_t chain = 0;
    for (const SparsePlan::Part& part : plan_->parts) {
      f(part, chain);
      if (part.cut) ++chain;
    }
  }
  template <class F>
  void with_fronts(const SparsePlan::Part& part, F&& f) {
    T *upper = upper_.data() + part.first_place, *lower = lower_.data() + part.first_place;
    T* inverse = inverse_.data() + part.first_slot;
    if constexpr (batch_lanes<T> > 1)
      if (part.lanes > 1)
        return f(FrontFactor<T, true>(*part.tree, upper, symmetric_ ? upper : lower, inverse));
    f(FrontFactor<T, false>(*part.tree, upper, symmetric_ ? upper : lower, inverse));
  }

  template <bool symmetric>
  int factor_as() {
    int failed = -1;
    each_part([&](const SparsePlan::Part& part, std::size_t chain) {
      if (failed >= 0) return;
      int slot = -1;
      if (part.cut) {
        if constexpr (batch_lanes<T> > 1) {
          const int row = chains_[chain].template factor<symmetric>(upper_.data() + part.first_place,
                                                                    lower_half() + part.first_place,
                                                                    inverse_.data() + part.first_slot);
          if (row >= 0) slot = part.cut->slot(row);
        }
      } else {
        with_fronts(part, [&]<bool batched>(FrontFactor<T, batched>&& fronts) {
          Mask<std::conditional_t<batched, Batch<T>, T>> bad(false);
          const int k = fronts.template factor<symmetric>(working_.data(), bad);
          if (k < 0) return;
          int which = 0;
          while (which < part.lanes - 1 && !lane(bad, which)) ++which;
          slot = k * part.lanes + which;
        });
      }
      if (slot >= 0) failed = plan_->row_of[part.first_slot + slot];
    });
    return failed;
  }

  template <bool symmetric>
  void solve_as(Multiplier& b) const {
    gather(b);
    each_part([&](const SparsePlan::Part& part, std::size_t chain) {
      T* x = x_.data() + part.first_slot;
      if constexpr (batch_lanes<T> > 1)
        if (part.cut) {
          chains_[chain].template solve<symmetric>(upper_.data() + part.first_place,
                                                   lower_half() + part.first_place,
                                                   inverse_.data() + part.first_slot, x);
          return;
        }
      const_cast<SparseGram*>(this)->with_fronts(
          part, [&](auto&& fronts) { fronts.template solve<symmetric>(x, work_.data()); });
    });
    scatter(b);
  }

  void gather(const Multiplier& b) const {
    for (int k = 0; k < plan_->slots; k += batch_lanes<T>)
      store_batch(x_.data() + k, plan_->row_of.gather(b.data(), k), plan_->slots - k);
    for (const int slot : plan_->padding) x_[slot] = T(0);
  }
  void scatter(Multiplier& b) const {
    for (int k = 0; k < plan_->rows; k += batch_lanes<T>)
      store_batch(b.data() + k, plan_->slot_of.gather(x_.data(), k), plan_->rows - k);
  }

  std::shared_ptr<const SparsePlan> plan_;
  Multiplier weight_, right_;  // W and R in the places of G's entries
  Multiplier upper_, lower_;   // K, later its factors
  Multiplier inverse_;         // the diagonal of K, later 1/pivot
  mutable Multiplier x_;       // a right-hand side in slots
  Multiplier working_;
  mutable Multiplier work_;
  mutable std::vector<ChainFactor> chains_;
  const void* right_of_ = nullptr;
  bool symmetric_ = false;
};

}  // namespace taut
