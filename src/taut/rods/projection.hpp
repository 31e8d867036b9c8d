// One linear solve for a chain of rigid rods, K(b, b) ν = demand: the momentum projection, where the demand is G W p. K is symmetric and needs b once: the rows of a block are formed one rod
// after the other, as they lie in memory, and turned into lanes as elimination comes to them. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/rods/path.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/elimination.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace taut {

template <int dimension>
class RodProjection {
 public:
  // By place in the block: K(k, k), K(k-1, k), and what is asked for; one rod more than the block has. Then rows of the identity, some of which are read and not used.
  struct alignas(64) Rows {
    static constexpr int most = batch_size * (ChainCut::aim + 2);
    double diagonal[most], link[most], demand[most];
  };

  explicit RodProjection(std::shared_ptr<const RodPath> path) : path_(std::move(path)) {
    for (auto* list : {&d_, &s_, &y_, &left_d_, &left_y_, &x_})
      list->assign(static_cast<std::size_t>(path_->cut.pieces()) + 1, 0.0);
  }

  // The rows of a block of a chain in order, for demand = G W p.
  TAUT_KERNEL void meet(int block, const double* q, const double* p, Rows& rows) const {
    const int begin = path_->first_row(block), count = rods_of(block), particles = path_->rods.particles,
              from = path_->lower(begin);
    const double* weight = path_->rods.weight.data() + from;
    struct Particles {
      S w;
      V x, v;
    };
    const auto read = [&](int k, int n) {
      Particles here;
      here.w = load_batch(weight + k, n);
      unroll<dimension>([&]<int a>() {
        const int j = a * particles + from + k;
        here.x.v[a] = load_batch(q + j, n);
        here.v.v[a] = here.w * load_batch(p + j, n);
      });
      return here;
    };
    V b_before;
    unroll<dimension>([&]<int a>() {
      const double* x = q + a * particles + from;
      b_before.v[a] = S(begin > path_->first ? x[-1] - x[0] : 0.0);
    });
    Particles here = read(0, std::min(batch_size, count + 1));
    const auto eight = [&](int k, int n) {
      const Particles next = read(k + batch_size, n);
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
    put_no_rods(rows, count);
  }
  // The rows of a block of any chain: b by the entries of G.
  void gather(int block, const RodStart& start, Rows& rows) const {
    const auto rod = [&](int k) { return path_->row[path_->cut.slot(k)]; };
    const auto product = [&](int i, int j) {
      const RodEntries& at = path_->entries;
      double sum = 0;
      for (int a = 0; a < dimension; ++a)
        sum += start.b[at.first[i] + a * at.stride[i]] * start.b[at.first[j] + a * at.stride[j]];
      return path_->rods.coupling(i, j) * sum;
    };
    const int first = path_->place(block, 0, 0), count = rods_of(block);
    for (int k = 0; k < count; ++k) {
      const int row = rod(first + k);
      rows.diagonal[k] = product(row, row);
      rows.link[k] = first + k > 0 ? product(rod(first + k - 1), row) : 0.0;
      rows.demand[k] = start.demand[row];
    }
    put_no_rods(rows, count);
  }

  // From left to right, (Z1)-(Z4). False: a pivot vanished.
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
  // The tridiagonal system of the separators: all pieces have been eliminated. False: a pivot vanished.
  bool separators() {
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
  // From right to left: to[k] is ν of the rod at place k of the block.
  TAUT_KERNEL void go_back(int block, const EliminatedRows* rows, double* to) const {
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
  // ν of the last rod before a block.
  double before(int block) const { return block > 0 ? x_[block * batch_size - 1] : 0.0; }

  // Would windows that end `count` rods beyond rod `row`, and before it, feel their ends there? (Z5)
  bool fades_about(int row, int count, const double* q) const {
    return fades_from(row - count, 1, count, q) && fades_from(row + count - 1, -1, count, q);
  }
  // That will be asked soon.
  void foresee_about(int row, int count, const double* q) const {
    for (int a = 0; a < dimension; ++a)
      for (int i = path_->lower(row - count); i < path_->lower(row + count); i += batch_size)
        __builtin_prefetch(q + a * path_->rods.particles + i);
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;

  // How many rows of a block are formed: the first of the next block has its coupling to the last separator of this one.
  int rods_of(int block) const {
    return std::min(batch_size * path_->cut.length + 1, path_->cut.rows - path_->place(block, 0, 0));
  }
  void put_no_rods(Rows& rows, int from) const {
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
  // Eight in a row of every piece, in lanes.
  std::array<S, batch_size> side_by_side(const double* list) const {
    std::array<S, batch_size> x;
    for (int lane = 0; lane < batch_size; ++lane) x[lane] = load_batch(list + lane * path_->cut.length);
    transpose(x);
    return x;
  }

  // From the rod at an end of `count` rods, one after the other in the direction `step`.
  bool fades_from(int row, int step, int count, const double* q) const {
    const auto product = [&](int k, int l) {
      double sum = 0;
      for (int a = 0; a < dimension; ++a) {
        const double *x = q + a * path_->rods.particles + path_->lower(k),
                     *y = q + a * path_->rods.particles + path_->lower(l);
        sum += (x[0] - x[1]) * (y[0] - y[1]);
      }
      return path_->rods.coupling(k, l) * sum;
    };
    double felt = 1, d = product(row, row);
    for (int k = 0; k < count && !(felt <= not_felt); ++k, row += step) {
      const double across = product(row, row + step), v = across / d;
      felt *= std::abs(v);
      d = product(row + step, row + step) - across * v;
    }
    return felt <= not_felt;
  }

  std::shared_ptr<const RodPath> path_;
  // Of the pieces: diagonal, coupling to the separator on the left and right-hand side at the separator; what they leave on that separator; ν of the separator.
  PieceNumbers d_, s_, y_, left_d_, left_y_, x_;
};

}  // namespace taut
