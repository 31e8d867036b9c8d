// Newton's iteration for chains of rigid rods, in the space of the rods: with r the rods at the end of the step, b those at its start and
// C(k, l) the inverse masses that rods k and l share,
//     r_k = d_k - Σ_l C(k, l) μ_l b_l,   g = (|r|² - L²)/2,   K(k, l) = C(k, l) r_k·b_l,   μ ← μ + K⁻¹ g,
// where d is r for μ = 0. One sweep from left to right forms r, g and K and eliminates; one from right to left changes μ. Rods are cut as in chain_factor.hpp,
// a block of eight pieces is all that a sweep touches at a time, and blocks are shared out to the threads. Separators alone look into the next piece, so
// that a block goes back and forward again at one visit. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/departure.hpp>
#include <taut/rods/impulses.hpp>
#include <taut/rods/projection.hpp>
#include <taut/rods/rows.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/elimination.hpp>

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
  using Ends = RodEnds<dimension>;
  using Room = RodRoom<dimension>;
  using Projection = RodProjection<dimension>;

  // Blocks and rods of a chain that goes through all its corrections in the second cache.
  static constexpr int cached_blocks = 2;
  static constexpr int cached_rods = cached_blocks * batch_size * ChainCut::aim - 1;
  // Memory lent to such a chain for one solve.
  struct Desk {
    std::array<Record, cached_blocks * ChainCut::aim> records;
    std::array<EliminatedRows, cached_blocks * ChainCut::aim> solution;
    std::array<double, batch_size * cached_blocks * ChainCut::aim> mu, along;  // by slots; by rods
  };

  // path[k]: the rod at place k of the chain
  RodChain(const RodList& rods, const RodEntries& entries, const std::vector<int>& path)
      : RodChain(std::make_shared<const RodPath>(rods, entries, path), true) {}
  // The same for a chain that is to work at a desk.
  static RodChain without_memory(const RodList& rods, const RodEntries& entries,
                                 const std::vector<int>& path) {
    return RodChain(std::make_shared<const RodPath>(rods, entries, path), false);
  }
  RodChain(RodChain&&) = default;

  void sit_down(Desk& desk) {
    records_ = desk.records.data();
    solution_ = desk.solution.data();
    rods_mu_ = desk.mu.data();
  }
  void stand_up() {
    records_ = nullptr;
    solution_ = nullptr;
    rods_mu_ = nullptr;
  }

  int blocks() const { return path_->cut.blocks; }
  int rows() const { return path_->cut.rows; }
  int first() const { return path_->first; }
  // Whether the chain goes through a flight or a projection by itself.
  bool in_order() const { return path_->in_order; }
  const RodImpulses<dimension>& impulses() const { return impulses_; }
  const Projection& projection() const { return projection_; }

  // The first visit to a block: begin(room) sets its records up, and a sweep goes from left to right. `other`: see RodRoom.
  template <class Begin>
  RodSweep start(int block, Begin&& begin, const double* other = nullptr) {
    const Room room = room_of(block, other);
    begin(departure_, room);
    return forward<true>(room);
  }
  // Another one: μ changes, and the next sweep goes on with the new one. first: the μ before was 0.
  template <bool first>
  RodSweep go_on(int block) {
    finish<first>(block);
    return forward<false>(room_of(block, nullptr));
  }
  // The last one. first: μ = δ, else μ += δ.
  template <bool first>
  TAUT_KERNEL void finish(int block) {
    const int piece = block * batch_size, last = path_->cut.length - 1;
    const S left = pieces_from(x_, piece - 1);
    S x = load_batch(x_.data() + piece);
    double* mu = mu_at(block, last);
    store_batch(mu, load_batch(mu_.data() + piece));
    for (const EliminatedRows* here = &solution_[path_->at(block, last)]; mu != mu_at(block, 0);) {
      --here;
      mu -= batch_size;
      x = load_batch(here->z) - load_batch(here->w) * left - load_batch(here->v) * x;
      store_batch(mu, first ? x : S(load_batch(mu) + x));
    }
  }

  // The rows of the separators, and the tridiagonal system that is left of them: all pieces have gone forward. Left of piece c stands separator c-1,
  // coupled to the piece by across_[c-1] and through rho, which is per unit of that coupling.
  template <bool first>
  [[gnu::noinline]] RodSweep separators() {
    RodSweep result;
    for (int block = 0; block < blocks(); ++block)
      result.largest = std::max(result.largest, separator_rows<first>(block));
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
      mu_[c] = first ? x_[c] : mu_[c] + x_[c];
    }
    return result;
  }

  // scale · μ of rod `row` in to[row - base].
  [[gnu::noinline]] void take(int block, double scale, double* to, int base = 0) const {
    each_rod(
        *path_, block,
        [&](int t, int row) {
          std::array<S, batch_size> x;
          for (int k = 0; k < batch_size; ++k) x[k] = load_batch(mu_at(block, t + k)) * S(scale);
          transpose(x);
          for (int i = 0; i < batch_size; ++i) store_batch(to + (row - base) + i * path_->cut.length, x[i]);
        },
        [&](int slot, int row) {
          if (row >= 0) to[row - base] = scale * rods_mu_[slot];
        });
  }
  // The end of a flight of a chain in order: μ of the rods, and the particles moved, and a look at all rods inside the block.
  template <bool to_rounding>
  RodLook arrive(int block, const RodFlight& flight) const {
    take(block, 1 / flight.h, flight.mu);
    const int begin = path_->first_row(block);
    const double before = block > 0 ? mu_[block * batch_size - 1] : 0.0;  // may not be taken yet
    return impulses_.template fly<to_rounding>(begin, path_->end_row(block), 1 / flight.h * before,
                                               flight.mu + begin, flight);
  }

  // The same for one linear solve: form(projection, rows) sets the rows of a block up, and they are eliminated. False: a pivot vanished.
  template <class Form>
  bool eliminate(int block, Form&& form) {
    typename Projection::Rows rows;
    form(projection_, rows);
    return projection_.eliminate(block, rows, &solution_[path_->at(block, 0)]);
  }
  bool linear_separators() { return projection_.separators(); }
  // ν of rod `row` in to[row - base].
  void scatter(int block, double* to, int base = 0) const {
    const EliminatedRows* solution = &solution_[path_->at(block, 0)];
    const int begin = path_->place(block, 0, 0);
    if (in_order()) return projection_.go_back(block, solution, to + (first() + begin - base));
    std::array<double, batch_size * ChainCut::aim> by_place;
    projection_.go_back(block, solution, by_place.data());
    for (int k = 0; k < batch_size * path_->cut.length; ++k)
      if (const int row = path_->row[path_->cut.slot(begin + k)]; row >= 0) to[row - base] = by_place[k];
  }
  // The end of a projection of a chain in order: ν and the momenta, and a look at all rods inside the block.
  template <bool to_rounding>
  RodLook part(int block, const double* q, const RodSums& p, double* nu) const {
    scatter(block, nu);
    return impulses_.template part<to_rounding>(path_->first_row(block), path_->end_row(block),
                                                projection_.before(block), q, p, nu);
  }

  // Does what happens at the other end of `count` rods at an end of the chain die away in them, to below rounding? A rod feels -v of what the next one does. (Z5)
  bool fades_at_start(int count) const {
    return fades(count, [](int k) { return k; });
  }
  bool fades_at_end(int count) const {  // the last rod has no next one
    return fades(count - 1, [&](int k) { return rows() - 2 - k; });
  }

  void clear(double* mu) const { std::fill_n(mu + first(), rows(), 0.0); }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  using Three = ThreeRods<dimension>;

  RodChain(std::shared_ptr<const RodPath> path, bool own_memory)
      : path_(std::move(path)),
        departure_(path_),
        impulses_(path_),
        projection_(path_),
        length2_(path_->cut.slots(), 1.0),
        own_mu_(own_memory ? path_->cut.slots() : 0, 0.0),
        own_records_(own_mu_.size() / batch_size),
        own_solution_(own_records_.size()),
        rods_mu_(own_mu_.data()),
        records_(own_records_.data()),
        solution_(own_solution_.data()),
        ends_(blocks()) {
    find_couplings();
    find_ends();
    const std::size_t pieces = static_cast<std::size_t>(path_->cut.pieces()) + 1;
    for (auto* list : {&d_, &s_, &rho_, &y_, &left_d_, &left_y_, &across_, &x_, &mu_})
      list->assign(pieces, 0.0);
  }

  int row_at(int place) const {
    return place >= 0 && place < rows() ? path_->row[path_->cut.slot(place)] : -1;
  }
  double coupling(int row, int other) const {
    return row < 0 || other < 0 ? 0.0 : path_->rods.coupling(row, other);
  }
  // A block whose rods are all coupled alike keeps their couplings once.
  void find_couplings() {
    std::vector<RodCouplings> all(path_->cut.slots() / batch_size);
    for (int slot = 0; slot < path_->cut.slots(); ++slot) {
      RodCouplings& couplings = all[slot / batch_size];
      const int lane = slot % batch_size, k = path_->cut.row(slot), row = path_->row[slot];
      couplings.own[lane] = row < 0 ? 1 : coupling(row, row);
      couplings.next[lane] = coupling(row, row_at(k + 1));
      if (row >= 0) length2_[slot] = path_->rods.length[row] * path_->rods.length[row];
    }
    for (int b = 0; b < blocks(); ++b) {
      const auto from = all.begin() + path_->at(b, 0), to = from + path_->cut.length;
      const bool alike = std::all_of(from, to, [&](const RodCouplings& c) { return c == *from; });
      ends_[b].first_couplings = static_cast<int>(couplings_.size());
      ends_[b].alike = alike;
      couplings_.insert(couplings_.end(), from, alike ? from + 1 : to);
    }
  }
  void find_ends() {
    for (int b = 0; b < blocks(); ++b)
      for (int lane = 0; lane < batch_size; ++lane) {
        const int begin = path_->place(b, lane, 0);
        ends_[b].left_row[lane] = row_at(begin - 1);
        ends_[b].right_row[lane] = row_at(begin + path_->cut.length);
        ends_[b].left_coupling[lane] = coupling(row_at(begin - 1), row_at(begin));
      }
  }

  // Of one block; returns max |g|.
  template <bool first>
  double separator_rows(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = path_->cut.length - 1;
    const RodCouplings* couplings = couplings_.data() + ends.first_couplings + (ends.alike ? 0 : last);
    Three near;
    near.before = V::load(ends.before.b());
    near.here = V::load(ends.last.b());
    near.after = V::load(ends.right_b);
    if constexpr (!first) {
      S right_mu(0);  // of the first rods of the next pieces
      for (int i = 0; i < batch_size && piece + i + 1 < path_->cut.pieces(); ++i)
        right_mu.set(i, mu_at((piece + i + 1) / batch_size, 0)[(i + 1) % batch_size]);
      near.moved_before = near.before * load_batch(mu_at(block, last - 1));
      near.moved_here = near.here * load_batch(mu_at(block, last));
      near.moved_after = near.after * right_mu;
    }
    const RodRow row =
        near.template row<first>(ends.last, length2_.data() + path_->at(block, last) * batch_size, *couplings,
                                 load_batch(couplings[ends.alike ? 0 : -1].next));
    put_pieces(d_, piece, row.diagonal - row.lower * load_batch(ends.eliminated.v));
    put_pieces(s_, piece, -(row.lower * load_batch(ends.eliminated.w)));
    put_pieces(y_, piece, row.g - row.lower * load_batch(ends.eliminated.z));
    put_pieces(across_, piece, row.upper);
    return largest_lane(magnitude(row.g));
  }

  // From left to right, up to the separators. first: μ = 0.
  template <bool first>
  TAUT_KERNEL RodSweep forward(const Room& room) {
    Ends& ends = *room.ends;
    const int piece = room.block * batch_size, last = path_->cut.length - 1;
    const Record* record = room.records;
    const RodCouplings* couplings = couplings_.data() + ends.first_couplings;
    const double *length2 = length2_.data() + path_->at(room.block, 0) * batch_size,
                 *mu = mu_at(room.block, 0);
    EliminatedRows* solution = room.solution;
    Three near;
    near.before = V::load(ends.left_b);
    near.here = V::load(record->b());
    S c = load_batch(ends.left_coupling);  // C(t-1, t)
    if constexpr (!first) {
      near.moved_before = near.before * pieces_from(mu_, piece - 1);
      near.moved_here = near.here * load_batch(mu);
    }
    S v(0), w(0), z(0), rho(1), left_d(0), left_y(0), largest(0);
    Mask<S> sound(true);
    for (int t = 0; t < last; ++t, ++record, ++solution, couplings += ends.alike ? 0 : 1,
             length2 += batch_size, mu += batch_size) {
      if constexpr (first)
        if (room.other != nullptr) {
          departure_.template foresee<dimension>(room.block, t - t % batch_size, t % batch_size, room.other);
          departure_.template foresee<1>(room.block, t - t % batch_size, t % batch_size,
                                         path_->rods.weight.data());
        }
      near.after = V::load(record[1].b());
      if constexpr (!first) near.moved_after = near.after * load_batch(mu + batch_size);
      const RodRow row = near.template row<first>(*record, length2, *couplings, c);
      largest = larger(largest, magnitude(row.g));
      S d = row.diagonal, s = row.lower, y = row.g;
      if (t > 0) {
        d = row.diagonal - row.lower * v;
        s = -(row.lower * w);
        y = row.g - row.lower * z;
        rho = -(v * rho);
      }
      const S pivot = S(1) / d;
      sound = sound && !pivot_vanished(pivot, row.diagonal);
      v = row.upper * pivot;
      w = s * pivot;
      z = y * pivot;
      left_d -= rho * w;
      left_y -= rho * z;
      store_batch(solution->v, v);
      store_batch(solution->w, w);
      store_batch(solution->z, z);
      near.template go_on<first>();
      c = load_batch(couplings->next);
    }
    ends.before = record[-1];
    ends.last = *record;
    ends.eliminated = solution[-1];
    put_pieces(rho_, piece, -(v * rho));
    put_pieces(left_d_, piece, left_d);
    put_pieces(left_y_, piece, left_y);
    return {largest_lane(largest), all(sound)};
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

  Room room_of(int block, const double* other) {
    return {block, &records_[path_->at(block, 0)], &solution_[path_->at(block, 0)], &ends_[block], other};
  }
  double* mu_at(int block, int t) { return rods_mu_ + path_->at(block, t) * batch_size; }
  const double* mu_at(int block, int t) const { return rods_mu_ + path_->at(block, t) * batch_size; }

  std::shared_ptr<const RodPath> path_;
  RodDeparture<dimension> departure_;
  RodImpulses<dimension> impulses_;
  Projection projection_;
  std::vector<double> length2_, own_mu_;  // L² and μ of each slot
  std::vector<RodCouplings> couplings_;
  std::vector<Record> own_records_;
  std::vector<EliminatedRows> own_solution_;
  double* rods_mu_;  // what is its own, or lent
  Record* records_;
  EliminatedRows* solution_;
  std::vector<Ends> ends_;
  // Of the pieces: diagonal, spike, unit spike, right-hand side at the separator; what they leave on the separator before, per unit of
  // across; K(separator, first of the next piece); δ and μ of the separator.
  PieceNumbers d_, s_, rho_, y_, left_d_, left_y_, across_, x_, mu_;
};

}  // namespace taut
