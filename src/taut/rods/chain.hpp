// Newton's iteration for a chain of rigid rods, in the space of the rods. With r the rods at the end of the
// step, b those at its start, and C(k, l) the inverse masses that rods k and l share,
//     r_k = d_k - Σ_l C(k, l) μ_l b_l,   g = (|r|² - L²)/2,   K(k, l) = C(k, l) r_k·b_l,   μ ← μ + K⁻¹ g,
// where d is r for μ = 0. One sweep from left to right forms r, g and K and eliminates; one from right to
// left changes μ. Rods are cut as in chain_factor.hpp: a sweep touches one block of eight pieces at a time,
// and threads share the blocks. Only separators look into the next piece, so a block goes back and forward
// again at one visit.
// Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/chain_block.hpp>
#include <taut/rods/chain_impulses.hpp>
#include <taut/rods/chain_projection.hpp>
#include <taut/rods/chain_rows.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace taut {

template <int dimension>
class RodChain {
 public:
  using Record = RodRecord<dimension>;
  using Ends = PieceEnds<dimension>;
  using Work = BlockWork<dimension>;
  using Projection = ChainProjection<dimension>;
  using SetUp = BlockSetUp<dimension>;

  // Blocks and rods of a chain that goes through all its corrections in the second cache.
  static constexpr int cached_blocks = 2;
  static constexpr int cached_rods = cached_blocks * batch_size * ChainCut::aim - 1;
  // Memory for one solve of such a chain, which it may borrow instead of having its own.
  struct Scratch {
    std::array<Record, cached_blocks * ChainCut::aim> records;
    std::array<EliminatedRows, cached_blocks * ChainCut::aim> solution;
    std::array<double, batch_size * cached_blocks * ChainCut::aim> mu,
        along;  // in lanes; one rod after the other
  };

  RodChain(const RodList& rods, const ChainPlace& place)
      : RodChain(std::make_shared<const ChainPath>(rods, place), true) {}
  // Makes a chain that borrows the memory for each solve.
  static RodChain without_memory(const RodList& rods, const ChainPlace& place) {
    return RodChain(std::make_shared<const ChainPath>(rods, place), false);
  }
  RodChain(RodChain&&) = default;

  void borrow(Scratch& scratch) {
    records_ = scratch.records.data();
    solution_ = scratch.solution.data();
    mu_ = scratch.mu.data();
  }
  void give_back() {
    records_ = nullptr;
    solution_ = nullptr;
    mu_ = nullptr;
  }

  int blocks() const { return path_->cut.blocks; }
  int rods() const { return path_->cut.rows; }
  const ChainPath& path() const { return *path_; }
  const ChainImpulses<dimension>& impulses() const { return impulses_; }
  const Projection& projection() const { return projection_; }

  // Makes the first visit to a block: set_up(records, work) fills its records, and a sweep goes from left to
  // right.
  // For `prefetched` see BlockWork.
  template <class F>
  RodSweep start(int block, F&& set_up, const double* prefetched = nullptr) {
    const Work work = work_on(block, prefetched);
    set_up(set_up_, work);
    return sweep_forward<true>(work);
  }
  // Makes another visit: μ changes, and the next sweep goes on with the new one. first: the μ before was 0.
  template <bool first>
  RodSweep correct_and_sweep(int block) {
    correct<first>(block);
    return sweep_forward<false>(work_on(block, nullptr));
  }
  // Makes the last visit, from right to left. It does μ = δ if `first`, otherwise μ += δ.
  template <bool first>
  TAUT_KERNEL void correct(int block) {
    const int piece = block * batch_size, last = path_->cut.length - 1;
    const S left = pieces_from(x_, piece - 1);
    S x = load_batch(x_.data() + piece);
    double* mu = mu_at(block, last);
    store_batch(mu, load_batch(separator_mu_.data() + piece));
    for (const EliminatedRows* here = &solution_[path_->batch(block, last)]; mu != mu_at(block, 0);) {
      --here;
      mu -= batch_size;
      x = load_batch(here->z) - load_batch(here->w) * left - load_batch(here->v) * x;
      store_batch(mu, first ? x : S(load_batch(mu) + x));
    }
  }

  // Forms the rows of the separators and solves the tridiagonal system that is left of them, after all pieces
  // have gone forward. Left of piece c stands separator c-1, coupled to the piece by across_[c-1] and through
  // rho, which is per unit of that coupling.
  template <bool first>
  [[gnu::noinline]] RodSweep solve_separators() {
    RodSweep result;
    for (int block = 0; block < blocks(); ++block)
      result.largest = std::max(result.largest, form_separator_rows<first>(block));
    const int pieces = path_->cut.pieces();
    for (int c = 0; c < pieces; ++c) {
      const double own = d_[c];
      d_[c] += across_[c] * left_d_[c + 1];
      y_[c] += across_[c] * left_y_[c + 1];
      if (c > 0) {
        const double up = rho_[c] * across_[c - 1], low = s_[c] * d_[c - 1];
        d_[c] -= low * up;
        y_[c] -= low * y_[c - 1];
      }
      d_[c] = 1 / d_[c];
      result.sound = result.sound && !pivot_vanished(d_[c], own);
    }
    for (int c = pieces - 1; c >= 0; --c) {
      x_[c] = c + 1 < pieces ? (y_[c] - rho_[c + 1] * across_[c] * x_[c + 1]) * d_[c] : y_[c] * d_[c];
      separator_mu_[c] = first ? x_[c] : separator_mu_[c] + x_[c];
    }
    return result;
  }

  // Writes scale · μ of the rods of a block: that of rod k of the list goes to to[k - base].
  [[gnu::noinline]] void copy_mu(int block, double scale, double* to, int base = 0) const {
    const int length = path_->cut.length;
    for (int from = 0; from < length; from += batch_size) {
      const int t = std::min(from, length - batch_size);
      std::array<S, batch_size> x;
      for (int k = 0; k < batch_size; ++k) x[k] = load_batch(mu_at(block, t + k)) * S(scale);
      transpose(x);
      for (int lane = 0; lane < batch_size; ++lane) {
        const int place = path_->place(block, lane, t);
        store_batch(to + (path_->first - base) + place, x[lane], std::min(batch_size, rods() - place));
      }
    }
  }
  // Ends a step: writes μ of the rods of a block, moves its particles, and returns the residuals of all rods
  // inside it.
  template <bool to_rounding>
  RodExcess end_step(int block, const RodStep& step) const {
    copy_mu(block, 1 / step.h, step.mu);
    const int begin = path_->first_rod(block);
    // The block before may not have written this impulse yet.
    const double before = block > 0 ? separator_mu_[block * batch_size - 1] : 0.0;
    return impulses_.template kick_and_drift<to_rounding>(begin, path_->end_rod(block), 1 / step.h * before,
                                                          step.mu + begin, step);
  }

  // Begins a projection: forms the rows of a block and eliminates them. Returns false if a pivot vanished.
  bool eliminate(int block, const double* q, const double* p) {
    typename Projection::Rows rows;
    projection_.form_rows(block, q, p, rows);
    return projection_.eliminate(block, rows, &solution_[path_->batch(block, 0)]);
  }
  bool solve_linear_separators() { return projection_.solve_separators(); }
  // Writes ν of rod k of the list to to[k - base].
  void copy_nu(int block, double* to, int base = 0) const {
    projection_.substitute_back(block, &solution_[path_->batch(block, 0)],
                                to + (path_->first_rod(block) - base));
  }
  // Ends a projection: writes ν, changes the momenta, and returns the residuals of all rods inside the block.
  template <bool to_rounding>
  RodExcess end_projection(int block, const double* q, const RodSums& p, double* nu) const {
    copy_nu(block, nu);
    return impulses_.template kick<to_rounding>(path_->first_rod(block), path_->end_rod(block),
                                                projection_.nu_before(block), q, p, nu);
  }

  // Returns true if what happens at the far end of the first (last) `count` rods dies away in them, to below
  // rounding. A rod feels -v of what the next one does. (Z5)
  bool fades_at_start(int count) const {
    return fades(count, [](int k) { return k; });
  }
  bool fades_at_end(int count) const {  // the last rod has no next one
    return fades(count - 1, [&](int k) { return rods() - 2 - k; });
  }

  // Does to += x for the rods of this chain.
  void add(const double* x, double* to) const {
    for (int k = path_->first; k < path_->end(); ++k) to[k] += x[k];
  }
  void clear(double* mu) const { std::fill_n(mu + path_->first, rods(), 0.0); }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  using Three = ThreeRods<dimension>;

  RodChain(std::shared_ptr<const ChainPath> path, bool own_memory)
      : path_(std::move(path)),
        set_up_(path_),
        impulses_(path_),
        projection_(path_),
        length2_(path_->cut.slots(), 1.0),
        own_mu_(own_memory ? path_->cut.slots() : 0, 0.0),
        own_records_(own_mu_.size() / batch_size),
        own_solution_(own_records_.size()),
        mu_(own_mu_.data()),
        records_(own_records_.data()),
        solution_(own_solution_.data()),
        ends_(blocks()) {
    find_couplings();
    const std::size_t pieces = static_cast<std::size_t>(path_->cut.pieces()) + 1;
    for (auto* list : {&d_, &s_, &rho_, &y_, &left_d_, &left_y_, &across_, &x_, &separator_mu_})
      list->assign(pieces, 0.0);
  }

  // A block whose rods are all coupled alike keeps their couplings once.
  void find_couplings() {
    std::vector<RodCouplings> all(path_->cut.slots() / batch_size);
    for (int slot = 0; slot < path_->cut.slots(); ++slot) {
      const int lane = slot % batch_size, k = path_->cut.row(slot);
      all[slot / batch_size].own[lane] = path_->own_coupling(k);
      all[slot / batch_size].next[lane] = path_->next_coupling(k);
      if (!path_->has(k)) continue;
      const double length = path_->rods.length[path_->first + k];
      length2_[slot] = length * length;
    }
    for (int b = 0; b < blocks(); ++b) {
      const auto from = all.begin() + path_->batch(b, 0), to = from + path_->cut.length;
      ends_[b].alike = std::all_of(from, to, [&](const RodCouplings& c) { return c == *from; });
      ends_[b].first_couplings = static_cast<int>(couplings_.size());
      couplings_.insert(couplings_.end(), from, ends_[b].alike ? from + 1 : to);
      for (int lane = 0; lane < batch_size; ++lane)
        ends_[b].left_coupling[lane] = path_->next_coupling(path_->place(b, lane, 0) - 1);
    }
  }

  // Returns max |g| of the separators of a block.
  template <bool first>
  double form_separator_rows(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = path_->cut.length - 1;
    const RodCouplings* couplings = couplings_.data() + ends.first_couplings + (ends.alike ? 0 : last);
    Three near;
    near.before = V::load(ends.before.b());
    near.here = V::load(ends.last.b());
    near.after = V::load(ends.right_b);
    if constexpr (!first) {
      S right_mu(0);  // μ of the first rods of the next pieces
      for (int i = 0; i < batch_size && piece + i + 1 < path_->cut.pieces(); ++i)
        right_mu.set(i, mu_at((piece + i + 1) / batch_size, 0)[(i + 1) % batch_size]);
      near.moved_before = near.before * load_batch(mu_at(block, last - 1));
      near.moved_here = near.here * load_batch(mu_at(block, last));
      near.moved_after = near.after * right_mu;
    }
    const RodRow row = near.template row<first>(ends.last, length2_at(block, last), *couplings,
                                                load_batch(couplings[ends.alike ? 0 : -1].next));
    put_pieces(d_, piece, row.diagonal - row.lower * load_batch(ends.eliminated.v));
    put_pieces(s_, piece, -(row.lower * load_batch(ends.eliminated.w)));
    put_pieces(y_, piece, row.g - row.lower * load_batch(ends.eliminated.z));
    put_pieces(across_, piece, row.upper);
    return largest_lane(magnitude(row.g));
  }

  // Goes from left to right, up to the separators. first: μ = 0.
  template <bool first>
  TAUT_KERNEL RodSweep sweep_forward(const Work& work) {
    Ends& ends = *work.ends;
    const int piece = work.block * batch_size, last = path_->cut.length - 1;
    const Record* record = work.records;
    const RodCouplings* couplings = couplings_.data() + ends.first_couplings;
    const double *length2 = length2_at(work.block, 0), *mu = mu_at(work.block, 0);
    EliminatedRows* solution = work.solution;
    Three near;
    near.before = V::load(ends.left_b);
    near.here = V::load(record->b());
    S c = load_batch(ends.left_coupling);  // C(t-1, t)
    if constexpr (!first) {
      near.moved_before = near.before * pieces_from(separator_mu_, piece - 1);
      near.moved_here = near.here * load_batch(mu);
    }
    PieceElimination pieces;
    for (int t = 0; t < last; ++t, ++record, ++solution, couplings += ends.alike ? 0 : 1,
             length2 += batch_size, mu += batch_size) {
      if constexpr (first)
        if (work.prefetched != nullptr) prefetch(work, t);
      near.after = V::load(record[1].b());
      if constexpr (!first) near.moved_after = near.after * load_batch(mu + batch_size);
      pieces.take(near.template row<first>(*record, length2, *couplings, c), t == 0);
      pieces.store(*solution);
      near.template next<first>();
      c = load_batch(couplings->next);
    }
    ends.before = record[-1];
    ends.last = *record;
    ends.eliminated = solution[-1];
    put_pieces(rho_, piece, -(pieces.v * pieces.rho));
    put_pieces(left_d_, piece, pieces.left_d);
    put_pieces(left_y_, piece, pieces.left_y);
    return {largest_lane(pieces.largest), all(pieces.sound)};
  }
  void prefetch(const Work& work, int t) const {
    const int lane = t % batch_size;
    set_up_.template prefetch<dimension>(work.block, t - lane, lane, work.prefetched);
    set_up_.template prefetch<1>(work.block, t - lane, lane, path_->rods.weight.data());
  }

  template <class Place>
  bool fades(int count, Place&& place_of) const {
    double felt = 1;
    for (int k = 0; k < count && !(felt <= not_felt); ++k) {
      const int slot = path_->cut.slot(place_of(k)), t = slot / batch_size % path_->cut.length;
      if (t < path_->cut.length - 1) felt *= std::abs(solution_[slot / batch_size].v[slot % batch_size]);
    }
    return felt <= not_felt;
  }

  Work work_on(int block, const double* prefetched) {
    const int batch = path_->batch(block, 0);
    return {block, &records_[batch], &solution_[batch], &ends_[block], prefetched};
  }
  double* mu_at(int block, int t) { return mu_ + path_->batch(block, t) * batch_size; }
  const double* mu_at(int block, int t) const { return mu_ + path_->batch(block, t) * batch_size; }
  const double* length2_at(int block, int t) const {
    return length2_.data() + path_->batch(block, t) * batch_size;
  }

  std::shared_ptr<const ChainPath> path_;
  SetUp set_up_;
  ChainImpulses<dimension> impulses_;
  Projection projection_;
  std::vector<double> length2_, own_mu_;  // L² and μ of all rods, in lanes
  std::vector<RodCouplings> couplings_;
  std::vector<Record> own_records_;
  std::vector<EliminatedRows> own_solution_;
  double* mu_;  // its own memory, or borrowed
  Record* records_;
  EliminatedRows* solution_;
  std::vector<Ends> ends_;
  // For each piece: diagonal, spike, unit spike and right-hand side at its separator; what it leaves on the
  // separator before, per unit of across; K(separator, first rod of the next piece); δ and μ of its
  // separator.
  PieceNumbers d_, s_, rho_, y_, left_d_, left_y_, across_, x_, separator_mu_;
};

}  // namespace taut
