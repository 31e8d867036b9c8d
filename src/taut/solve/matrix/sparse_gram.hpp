// K = G₁ W G₀ᵀ for any constraint graph and a diagonal W. The graph is analysed once, into connected
// components. Long chains are cut into pieces that run in lanes (chain_factor.hpp); equal components go into
// batches, one in each lane; the rest goes alone. Both of these use fronts (front_tree.hpp). Entries of K
// that come from the same entries of G are formed in batches. Labels: docs/theory/sparse-solve.md.
//
// Methods ask the compiler to inline their steps whole, for problems of a few coordinates. Loops over
// thousands stay out of line.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/solve/matrix/chain_factor.hpp>
#include <taut/solve/matrix/front_factor.hpp>
#include <taut/solve/matrix/sparse_plan.hpp>

#include <Eigen/Core>

#include <atomic>
#include <memory>
#include <vector>

namespace taut {

template <class T>
class SparseGram {
 public:
  using Multiplier = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  template <class Jacobian, class Mass>
  SparseGram(std::shared_ptr<const SparsePlan> plan, const Jacobian& G, const Mass& W, bool leave_out = false)
      : plan_(std::move(plan)),
        leave_out_(leave_out),
        weight_(Multiplier::Zero(static_cast<Eigen::Index>(G.entries.size()))),
        right_(weight_),
        upper_(Multiplier::Zero(plan_->places + batch_size)),  // rows are read in whole batches
        lower_(upper_),
        inverse_(Multiplier::Zero(plan_->slots)),
        x_(inverse_),
        room_{Multiplier::Zero(plan_->working), Multiplier::Zero(plan_->largest_front)} {
    for (const auto& g : G.groups())
      for (int e = 0; e < g.size; ++e)
        for (int k = 0; k < g.rows; ++k) weight_[g.first_entry + e * g.stride + k] = W.weight(g.column[e][k]);
    for (const SparsePlan::Part& part : plan_->parts) {
      chain_of_.push_back(static_cast<int>(chains_.size()));
      if (part.cut) chains_.emplace_back(*part.cut);
    }
  }

  // Forms R = gain · W G₀ᵀ.
  template <class Jacobian>
  [[gnu::noinline]] void right(const Jacobian& G0, const T& gain) {
    const Batch<T> factor(gain);
    in_ranges(static_cast<int>(right_.size()), batch_size, worth_a_thread, [&](int from, int to) {
      for (int k = from; k < to; k += batch_lanes<T>)
        store_batch(right_.data() + k,
                    Batch<T>(factor * load_batch(weight_.data() + k) * load_batch(G0.entries.data() + k)));
    });
    right_of_ = &G0;
  }

  // Assembles K. It is symmetric if G₁ is the very matrix from which the right factor was made.
  template <class Jacobian>
  [[gnu::noinline]] void assemble(const Jacobian& G1) {
    symmetric_ = &G1 == right_of_;
    for (const auto& [begin, end] : plan_->fill) {
      upper_.segment(begin, end - begin).setZero();
      if (!symmetric_) lower_.segment(begin, end - begin).setZero();
    }
    const T* left = G1.entries.data();
    for (const SparsePlan::Products& p : plan_->diagonal)
      each_batch(p, [&](int k) {
        p.to.scatter(inverse_.data(), k, product(p.shared, p.a, left, p.b, right_.data(), k));
      });
    for (const int slot : plan_->padding) inverse_[slot] = T(1);
    for (const SparsePlan::Products& p : plan_->products)
      each_batch(p, [&](int k) {
        p.to.scatter(upper_.data(), k, product(p.shared, p.a, left, p.b, right_.data(), k));
        if (!symmetric_) p.to.scatter(lower_.data(), k, product(p.shared, p.a, right_.data(), p.b, left, k));
      });
  }

  // Factors K. Returns -1, or a constraint that depends on others.
  [[gnu::noinline]] int factor() { return symmetric_ ? factor_as<true>() : factor_as<false>(); }
  [[gnu::noinline]] void solve(Multiplier& b) const { symmetric_ ? solve_as<true>(b) : solve_as<false>(b); }

  // Shortens b to the shortest one that makes the same impulse Gᵀb: its part in the null space of K goes.
  // Needs factor() of a symmetric K before.
  [[gnu::noinline]] void minimum_norm(Multiplier& b) const {
    if (!leave_out_) return;
    gather(b);
    std::vector<Multiplier> null;
    for (const SparsePlan::Part& part : plan_->parts) {
      null.clear();
      for (int slot = part.first_slot; slot < part.first_slot + part.tree->size() * part.lanes; ++slot)
        if (inverse_[slot] == T(0)) null.push_back(null_vector(part, slot - part.first_slot));
      auto x = x_.segment(part.first_slot, part.tree->size() * part.lanes);
      // Gram-Schmidt runs twice, because the vectors may be nearly parallel.
      for (std::size_t k = 0; k < null.size(); ++k) {
        for (int twice = 0; twice < 2; ++twice)
          for (std::size_t l = 0; l < k; ++l) null[k] -= null[l].dot(null[k]) * null[l];
        null[k].normalize();
        x -= null[k].dot(x) * null[k];
      }
    }
    scatter(b);
  }

  [[gnu::noinline]] int sweep(Multiplier& b) const {
    gather(b);
    each_part([&](const SparsePlan::Part& part, int chain, Room&) {
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
  // Calls f for each batch. Every number of K is written once, so threads may share the batches.
  template <class F>
  static void each_batch(const SparsePlan::Products& p, F&& f) {
    in_ranges(p.to.size(), batch_size, worth_a_thread / 4, [&](int from, int to) {
      for (int k = from; k < to; k += batch_lanes<T>) f(k);
    });
  }

  // Returns Σ of[a + i] · with[b + j] over the shared entries (i, j), for a batch of pairs of rows.
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

  // Returns the null vector of a row of this part that was left out, given by its slot there.
  Multiplier null_vector(const SparsePlan::Part& part, int slot) const {
    Multiplier x = Multiplier::Zero(part.tree->size() * part.lanes);
    x[slot] = T(1);
    const_cast<SparseGram*>(this)->with_fronts(
        part, [&](auto&& fronts) { fronts.solve_upper(x.data(), room_.border.data()); });
    return x;
  }

  const T* lower_half() const { return symmetric_ ? upper_.data() : lower_.data(); }

  // The working memory of a factorisation by fronts.
  struct Room {
    Multiplier squares, border;
  };
  static constexpr int rows_worth_a_thread = 4096;

  // Calls f(part, number of its chain, room). Parts are independent of each other; if there are many, threads
  // share them.
  template <class F>
  void each_part(F&& f) const {
    const int count = static_cast<int>(plan_->parts.size());
    const int least =
        1 + static_cast<int>(static_cast<long>(rows_worth_a_thread) * count / (1 + plan_->rows));
    in_ranges(count, 1, least, [&](int from, int to) {
      const bool alone = from == 0 && to == count;
      Room own = alone ? Room{} : room_;
      for (int k = from; k < to; ++k) f(plan_->parts[k], chain_of_[k], alone ? room_ : own);
    });
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

  // Factors all parts. The first part that fails names its row, whichever thread finds it.
  template <bool symmetric>
  int factor_as() {
    std::atomic<int> failed_slot = plan_->slots;
    each_part([&](const SparsePlan::Part& part, int chain, Room& room) {
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
          const int k = fronts.template factor<symmetric>(room.squares.data(), bad, leave_out_);
          if (k < 0) return;
          int which = 0;
          while (which < part.lanes - 1 && !lane(bad, which)) ++which;
          slot = k * part.lanes + which;
        });
      }
      if (slot < 0) return;
      slot += part.first_slot;
      for (int before = failed_slot; slot < before && !failed_slot.compare_exchange_weak(before, slot);) {
      }
    });
    return failed_slot == plan_->slots ? -1 : plan_->row_of[failed_slot];
  }

  template <bool symmetric>
  void solve_as(Multiplier& b) const {
    gather(b);
    each_part([&](const SparsePlan::Part& part, int chain, Room& room) {
      T* x = x_.data() + part.first_slot;
      if constexpr (batch_lanes<T> > 1)
        if (part.cut) {
          chains_[chain].template solve<symmetric>(upper_.data() + part.first_place,
                                                   lower_half() + part.first_place,
                                                   inverse_.data() + part.first_slot, x);
          return;
        }
      const_cast<SparseGram*>(this)->with_fronts(
          part, [&](auto&& fronts) { fronts.template solve<symmetric>(x, room.border.data()); });
    });
    scatter(b);
  }

  void gather(const Multiplier& b) const {
    in_ranges(plan_->slots, batch_size, worth_a_thread, [&](int from, int to) {
      for (int k = from; k < to; k += batch_lanes<T>)
        store_batch(x_.data() + k, plan_->row_of.gather(b.data(), k), to - k);
    });
    for (const int slot : plan_->padding) x_[slot] = T(0);
  }
  void scatter(Multiplier& b) const {
    in_ranges(plan_->rows, batch_size, worth_a_thread, [&](int from, int to) {
      for (int k = from; k < to; k += batch_lanes<T>)
        store_batch(b.data() + k, plan_->slot_of.gather(x_.data(), k), to - k);
    });
  }

  std::shared_ptr<const SparsePlan> plan_;
  bool leave_out_;
  Multiplier weight_, right_;  // W and R in the places of G's entries
  Multiplier upper_, lower_;   // K, later its factors
  Multiplier inverse_;         // the diagonal of K, later 1/pivot
  mutable Multiplier x_;       // a right-hand side in slots
  mutable Room room_;
  mutable std::vector<ChainFactor> chains_;
  std::vector<int> chain_of_;  // how many chains come before each part
  const void* right_of_ = nullptr;
  bool symmetric_ = false;
};

}  // namespace taut
