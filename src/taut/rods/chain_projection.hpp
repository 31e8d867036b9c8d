// One linear solve for a chain of rigid rods, K(b, b) ν = demand: the momentum projection, whose demand is G
// W p. K is symmetric and needs b once: the rows of a block are formed one rod after the other, as they lie
// in memory, and turned into lanes as elimination comes to them. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/chain_path.hpp>
#include <taut/rods/rod_vectors.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/elimination.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace taut {

template <int dimension>
class ChainProjection {
 public:
  // The tridiagonal rows of one block, indexed by the rod's place k: K(k, k), K(k-1, k) and the right-hand
  // side. There is room for one rod more than the block has; the rest is padded with rows of the identity,
  // some of which are read and never used.
  struct alignas(64) Rows {
    static constexpr int most = batch_size * (ChainCut::aim + 2);
    double diagonal[most], link[most], demand[most];
  };

  explicit ChainProjection(std::shared_ptr<const ChainPath> path) : path_(std::move(path)) {
    for (auto* list : {&d_, &s_, &y_, &left_d_, &left_y_, &x_})
      list->assign(static_cast<std::size_t>(path_->cut.pieces()) + 1, 0.0);
  }

  // Forms the rows of a block.
  TAUT_KERNEL void form_rows(int block, const double* q, const double* p, Rows& rows) const {
    const int begin = path_->first_rod(block), count = rods_of(block), from = path_->lower(begin);
    V b_before;
    unroll<dimension>([&]<int a>() {
      const double* x = q + a * path_->rods.particles + from;
      b_before.v[a] = S(begin > path_->first ? x[-1] - x[0] : 0.0);
    });
    Particles here = read(from, std::min(batch_size, count + 1), q, p);
    const auto eight = [&](int k, int n) {
      const Particles next = read(from + k + batch_size, n, q, p);
      V b, b_last, dv;
      unroll<dimension>([&]<int a>() {
        b.v[a] = here.x.v[a] - before_first(here.x.v[a], next.x.v[a]);
        dv.v[a] = here.v.v[a] - before_first(here.v.v[a], next.v.v[a]);
        b_last.v[a] = after_last(b_before.v[a], b.v[a]);
      });
      store_batch(rows.diagonal + k, S((here.w + before_first(here.w, next.w)) * b.dot(b)));
      store_batch(rows.link + k, S(-(here.w * b.dot(b_last))));
      store_batch(rows.demand + k, b.dot(dv));
      b_before = b;
      here = next;
    };
    int k = 0;
    for (; k + 2 * batch_size <= count + 1; k += batch_size) eight(k, batch_size);
    for (; k < count; k += batch_size) eight(k, count + 1 - k - batch_size);
    pad(rows, count);
  }

  // Eliminates from left to right, (Z1)-(Z4). Returns false if a pivot vanished.
  TAUT_KERNEL bool eliminate(int block, const Rows& rows, EliminatedRows* to) {
    const int last = path_->cut.length - 1, piece = block * batch_size;
    S lower = of_all_pieces(rows.link, 0);  // K(t-1, t)
    S s = lower, pivot(0), v(0), z(0), left_d(0), left_y(0);
    Mask<S> sound(true);
    for (int from = 0; from < last; from += batch_size) {
      const auto diagonal = side_by_side(rows.diagonal + from), next = side_by_side(rows.link + from + 1),
                 demand = side_by_side(rows.demand + from);
      for (int k = 0; k < std::min(batch_size, last - from); ++k, ++to) {
        if (from + k > 0) s = -(v * s);
        pivot = S(1) / (diagonal[k] - (lower * lower) * pivot);
        sound = sound && !pivot_vanished(pivot, diagonal[k]);
        z = (demand[k] - lower * z) * pivot;
        lower = next[k];
        v = lower * pivot;
        const S w = s * pivot;
        left_d -= s * w;
        left_y -= s * z;
        store_batch(to->v, v);
        store_batch(to->w, w);
        store_batch(to->z, z);
      }
    }
    put_pieces(d_, piece, of_all_pieces(rows.diagonal, last) - lower * v);
    put_pieces(s_, piece, -(v * s));
    put_pieces(y_, piece, of_all_pieces(rows.demand, last) - lower * z);
    put_pieces(left_d_, piece, left_d);
    put_pieces(left_y_, piece, left_y);
    return all(sound);
  }
  // Solves the tridiagonal system of the separators, after all pieces have been eliminated. Returns false if
  // a pivot vanished.
  bool solve_separators() {
    const int pieces = path_->cut.pieces();
    bool sound = true;
    for (int c = 0; c < pieces; ++c) {
      const double own = d_[c];
      d_[c] += left_d_[c + 1];
      y_[c] += left_y_[c + 1];
      if (c > 0) {
        const double low = s_[c] * d_[c - 1];
        d_[c] -= low * s_[c];
        y_[c] -= low * y_[c - 1];
      }
      d_[c] = 1 / d_[c];
      sound = sound && !pivot_vanished(d_[c], own);
    }
    for (int c = pieces - 1; c >= 0; --c)
      x_[c] = c + 1 < pieces ? (y_[c] - s_[c + 1] * x_[c + 1]) * d_[c] : y_[c] * d_[c];
    return sound;
  }
  // Substitutes from right to left: to[k] is ν of the rod at place k of the block.
  TAUT_KERNEL void substitute_back(int block, const EliminatedRows* rows, double* to) const {
    const int length = path_->cut.length, rods = path_->cut.rows - path_->place(block, 0, 0);
    const S left = pieces_from(x_, block * batch_size - 1);
    std::array<S, ChainCut::aim> nu;
    S x = nu[length - 1] = load_batch(x_.data() + block * batch_size);
    for (int t = length - 1; t-- > 0;)
      nu[t] = x = (load_batch(rows[t].z) - load_batch(rows[t].w) * left) - load_batch(rows[t].v) * x;
    for (int from = 0; from < length; from += batch_size) {
      const int t = std::min(from, length - batch_size);
      std::array<S, batch_size> eight;
      for (int k = 0; k < batch_size; ++k) eight[k] = nu[t + k];
      transpose(eight);
      for (int lane = 0; lane < batch_size; ++lane) {
        const int k = lane * length + t;
        store_batch(to + k, eight[lane], std::min(batch_size, rods - k));
      }
    }
  }
  // Gives ν of the last rod before a block.
  double nu_before(int block) const { return block > 0 ? x_[block * batch_size - 1] : 0.0; }

  // Returns true if a window that ends `count` rods beyond rod `rod`, or before it, does not feel its end
  // there. (Z5)
  bool fades_about(int rod, int count, const double* q) const {
    return fades_from(rod - count, 1, count, q) && fades_from(rod + count - 1, -1, count, q);
  }
  // Asks memory for what fades_about() will read.
  void prefetch_about(int rod, int count, const double* q) const {
    for (int a = 0; a < dimension; ++a)
      for (int i = path_->lower(rod - count); i < path_->lower(rod + count); i += batch_size)
        __builtin_prefetch(q + a * path_->rods.particles + i);
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  // Eight particles in a row: 1/mass, position, velocity.
  struct Particles {
    S w;
    V x, v;
  };

  Particles read(int i, int count, const double* q, const double* p) const {
    Particles here;
    here.w = load_batch(path_->rods.weight.data() + i, count);
    unroll<dimension>([&]<int a>() {
      const int j = a * path_->rods.particles + i;
      here.x.v[a] = load_batch(q + j, count);
      here.v.v[a] = here.w * load_batch(p + j, count);
    });
    return here;
  }

  // Says how many rows of a block are formed. The first rod of the next block is one of them, because its
  // row has the coupling to the last separator of this block.
  int rods_of(int block) const {
    return std::min(batch_size * path_->cut.length + 1, path_->cut.rows - path_->place(block, 0, 0));
  }
  void pad(Rows& rows, int from) const {
    for (int k = from; k < batch_size * (path_->cut.length + 2); ++k) {
      rows.diagonal[k] = 1;
      rows.link[k] = rows.demand[k] = 0;
    }
  }
  S of_all_pieces(const double* list, int t) const {
    S x;
    for (int lane = 0; lane < batch_size; ++lane) x.set(lane, list[lane * path_->cut.length + t]);
    return x;
  }
  // Turns eight numbers in a row of every piece into lanes.
  std::array<S, batch_size> side_by_side(const double* list) const {
    std::array<S, batch_size> x;
    for (int lane = 0; lane < batch_size; ++lane) x[lane] = load_batch(list + lane * path_->cut.length);
    transpose(x);
    return x;
  }

  // Eliminates from the rod at one end of `count` rods on, in the direction `step`.
  bool fades_from(int rod, int step, int count, const double* q) const {
    const auto dot = [&](int k, int l) {
      double sum = 0;
      for (int a = 0; a < dimension; ++a) {
        const double *x = q + a * path_->rods.particles + path_->lower(k),
                     *y = q + a * path_->rods.particles + path_->lower(l);
        sum += (x[0] - x[1]) * (y[0] - y[1]);
      }
      return sum;
    };
    const auto diagonal = [&](int k) { return path_->own_coupling(k - path_->first) * dot(k, k); };
    double felt = 1, d = diagonal(rod);
    for (int k = 0; k < count && !(felt <= not_felt); ++k, rod += step) {
      const double across =
          path_->next_coupling(std::min(rod, rod + step) - path_->first) * dot(rod, rod + step);
      const double v = across / d;
      felt *= std::abs(v);
      d = diagonal(rod + step) - across * v;
    }
    return felt <= not_felt;
  }

  std::shared_ptr<const ChainPath> path_;
  // For each piece: diagonal, coupling to the separator on the left, and right-hand side at its separator;
  // what it leaves on the separator on the left; ν of its separator.
  PieceNumbers d_, s_, y_, left_d_, left_y_, x_;
};

}  // namespace taut
