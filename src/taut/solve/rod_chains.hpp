// Newton's iteration for chains of rigid rods, in the space of the rods: with r the rods at the end of the step, b those at its start and
// C(k, l) the inverse masses that rods k and l share,
//     r_k = d_k - Σ_l C(k, l) μ_l b_l,   g = (|r|² - L²)/2,   K(k, l) = C(k, l) r_k·b_l,   μ ← μ + K⁻¹ g,
// where d is r for μ = 0. One sweep from left to right forms r, g and K and eliminates; one from right to left changes μ. Rods are cut as in chain_factor.hpp,
// a block of eight pieces is all that a sweep touches at a time, and blocks are shared out to the threads. Separators alone look into the next piece, so
// that a block goes back and forward again at one visit. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/solve/chain_factor.hpp>
#include <taut/solve/rods.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace taut {

template <int dimension>
class RodChain {
 public:
  // path[k]: the rod at place k of the chain
  RodChain(const RodList& rods, const RodEntries& entries, const std::vector<int>& path)
      : cut_(static_cast<int>(path.size())),
        rods_(rods),
        entries_(entries),
        start_(path.front()),
        in_order_(lies_in_order(path)),
        row_(cut_.slots(), -1),
        records_(cut_.slots() / batch_size, no_rods()),
        solution_(records_.size()),
        ends_(cut_.blocks) {
    std::vector<Couplings> all(records_.size(), no_couplings());
    for (int k = 0; k < cut_.rows; ++k) {
      const int slot = cut_.slot(k), row = path[k];
      row_[slot] = row;
      const int lane = slot % batch_size;
      records_[slot / batch_size].length2[lane] = rods.length[row] * rods.length[row];
      Couplings& couplings = all[slot / batch_size];
      couplings.own[lane] = rods.coupling(row, row);
      couplings.next[lane] = k + 1 < cut_.rows ? rods.coupling(row, path[k + 1]) : 0.0;
    }
    keep_couplings(all);
    for (int b = 0; b < cut_.blocks; ++b)
      for (int lane = 0; lane < batch_size; ++lane) {
        const int first = place(b, lane, 0), last = first + cut_.length - 1;
        ends_[b].left_row[lane] = first > 0 && first <= cut_.rows ? path[first - 1] : -1;
        ends_[b].right_row[lane] = last + 1 < cut_.rows ? path[last + 1] : -1;
        ends_[b].left_coupling[lane] =
            first > 0 && first < cut_.rows ? rods.coupling(path[first - 1], path[first]) : 0.0;
      }
    const std::size_t pieces = static_cast<std::size_t>(cut_.pieces()) + 1;
    for (auto* list : {&d_, &s_, &rho_, &y_, &left_d_, &left_y_, &across_, &x_, &mu_})
      list->assign(pieces, 0.0);
  }

  int blocks() const { return cut_.blocks; }

  [[gnu::noinline]] void begin(int block, const RodStart& from) {
    fill_ends(ends_[block], from.b);
    each_rod(
        block,
        [&](int t, int place) {
          for (int a = 0; a < dimension; ++a) {
            const double* b = from.b + entries_.first[start_] + a * entries_.stride[start_];
            into_lanes(
                place, [&](int k) { return load_batch(b + k); },
                [&](int k, const S& x) { store_batch(records_[at(block, t + k)].b[a], x); });
          }
        },
        [&](int slot, int row) {
          const double* b = from.b + entries_.first[row];
          for (int a = 0; a < dimension; ++a)
            records_[slot / batch_size].b[a][slot % batch_size] = b[a * entries_.stride[row]];
        });
    place(block, from);
  }
  // d of the rods, or the demand.
  [[gnu::noinline]] void place(int block, const RodStart& from) {
    if (from.q == nullptr) return place_demand(block, from.demand);
    each_rod(
        block,
        [&](int t, int place) {
          for (int a = 0; a < dimension; ++a) {
            const double* q = from.q + a * rods_.particles;
            into_lanes(
                place,
                [&](int k) {
                  return S(load_batch(q + rods_.first[start_] + k) - load_batch(q + rods_.second[start_] + k));
                },
                [&](int k, const S& x) { store_batch(records_[at(block, t + k)].d[a], x); });
          }
        },
        [&](int slot, int row) {
          const double *x = from.q + rods_.first[row], *y = from.q + rods_.second[row];
          for (int a = 0; a < dimension; ++a)
            records_[slot / batch_size].d[a][slot % batch_size] =
                x[a * rods_.particles] - y[a * rods_.particles];
        });
  }

  // From left to right, up to the separators. first: μ = 0. linear: one solve with r = b for what was placed.
  template <bool first, bool linear>
  [[gnu::noinline, gnu::flatten]] RodSweep forward(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = cut_.length - 1;
    const Record* record = records_.data() + at(block, 0);
    const Couplings* couplings = couplings_.data() + ends.first_couplings;
    Solution* solution = solution_.data() + at(block, 0);
    Three near;
    near.before = V::load(ends.left_b);
    near.here = V::load(record->b);
    S c = load_batch(ends.left_coupling);  // C(t-1, t)
    if constexpr (!first) {
      near.moved_before = near.before * shifted(mu_, piece - 1);
      near.moved_here = near.here * load_batch(solution->mu);
    }
    S v(0), w(0), z(0), rho(1), left_d(0), left_y(0), largest(0);
    Mask<S> sound(true);
    for (int t = 0; t < last; ++t, ++record, ++solution, couplings += ends.alike ? 0 : 1) {
      near.after = V::load(record[1].b);
      if constexpr (!first) near.moved_after = near.after * load_batch(solution[1].mu);
      const Row row = row_of<first, linear>(*record, near, *couplings, c);
      if constexpr (!linear) largest = larger(largest, magnitude(row.g));
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
      near.go_on<first>();
      c = load_batch(couplings->next);
    }
    store(rho_, piece, S(-(v * rho)));
    store(left_d_, piece, left_d);
    store(left_y_, piece, left_y);
    return {largest_lane(largest), all(sound)};
  }

  // The rows of the separators, and the tridiagonal system that is left of them: all pieces have gone forward. Left of piece c stands separator c-1,
  // coupled to the piece by across_[c-1] and through rho, which is per unit of that coupling.
  template <bool first, bool linear>
  [[gnu::noinline]] RodSweep separators() {
    RodSweep result;
    for (int block = 0; block < cut_.blocks; ++block)
      result.largest = std::max(result.largest, separator_rows<first, linear>(block));
    const int pieces = cut_.pieces();
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

  // first: μ = δ, else μ += δ.
  template <bool first>
  [[gnu::noinline, gnu::flatten]] void backward(int block) {
    const int piece = block * batch_size, last = cut_.length - 1;
    Solution* solution = solution_.data() + at(block, 0);
    const S left = shifted(x_, piece - 1);
    S x = load_batch(x_.data() + piece);
    store_batch(solution[last].mu, load_batch(mu_.data() + piece));
    for (int t = last - 1; t >= 0; --t) {
      Solution& here = solution[t];
      x = load_batch(here.z) - load_batch(here.w) * left - load_batch(here.v) * x;
      store_batch(here.mu, first ? x : S(load_batch(here.mu) + x));
    }
  }

  [[gnu::noinline]] void take(int block, double scale, double* to) const {
    each_rod(
        block,
        [&](int t, int place) {
          std::array<S, batch_size> x;
          for (int k = 0; k < batch_size; ++k) x[k] = load_batch(solution_[at(block, t + k)].mu) * S(scale);
          transpose(x);
          for (int i = 0; i < batch_size; ++i) store_batch(to + start_ + place + i * cut_.length, x[i]);
        },
        [&](int slot, int row) {
          to[row] = scale * solution_[slot / batch_size].mu[slot % batch_size];
        });
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  struct alignas(64) Record {
    double b[dimension][batch_size], d[dimension][batch_size], length2[batch_size];
  };
  struct alignas(64) Couplings {
    double own[batch_size], next[batch_size];  // C(t, t), C(t, t+1)
    bool operator==(const Couplings&) const = default;
  };
  // What elimination leaves of a row, divided by its pivot: δ_t = z - w δ(left separator) - v δ_{t+1}.
  struct alignas(64) Solution {
    double v[batch_size], w[batch_size], z[batch_size], mu[batch_size];
  };
  // What a piece knows of its neighbours.
  struct alignas(64) Ends {
    double left_b[dimension][batch_size], right_b[dimension][batch_size];
    double left_coupling[batch_size];
    int left_row[batch_size], right_row[batch_size];
    int first_couplings;
    bool alike;
  };
  // b and μ b of the rods t-1, t, t+1.
  struct Three {
    V before, here, after, moved_before, moved_here, moved_after;

    template <bool first>
    void go_on() {
      before = here;
      here = after;
      if constexpr (!first) {
        moved_before = moved_here;
        moved_here = moved_after;
      }
    }
  };
  struct Row {
    S g, diagonal, lower, upper;  // of K
  };
  // c = C(t-1, t)
  template <bool first, bool linear>
  static Row row_of(const Record& record, const Three& near, const Couplings& couplings, const S& c) {
    const S own = load_batch(couplings.own), next = load_batch(couplings.next);
    V r = linear ? near.here : V::load(record.d);
    if constexpr (!first) r = r - near.moved_here * own - near.moved_before * c - near.moved_after * next;
    return {linear ? load_batch(record.d[0]) : (r.dot(r) - load_batch(record.length2)) * S(0.5),
            own * r.dot(near.here), c * r.dot(near.before), next * r.dot(near.after)};
  }

  // Of one block; returns max |g|.
  template <bool first, bool linear>
  double separator_rows(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = cut_.length - 1;
    const Record* record = records_.data() + at(block, last);
    const Solution* solution = solution_.data() + at(block, last);
    const Couplings* couplings = couplings_.data() + ends.first_couplings + (ends.alike ? 0 : last);
    Three near;
    near.before = V::load(record[-1].b);
    near.here = V::load(record->b);
    near.after = V::load(ends.right_b);
    if constexpr (!first) {
      S right_mu(0);  // of the first rods of the next pieces
      for (int i = 0; i < batch_size && piece + i + 1 < cut_.pieces(); ++i)
        right_mu.set(i, solution_[at((piece + i + 1) / batch_size, 0)].mu[(i + 1) % batch_size]);
      near.moved_before = near.before * load_batch(solution[-1].mu);
      near.moved_here = near.here * load_batch(solution->mu);
      near.moved_after = near.after * right_mu;
    }
    const Row row =
        row_of<first, linear>(*record, near, *couplings, load_batch(couplings[ends.alike ? 0 : -1].next));
    store(d_, piece, S(row.diagonal - row.lower * load_batch(solution[-1].v)));
    store(s_, piece, S(-(row.lower * load_batch(solution[-1].w))));
    store(y_, piece, S(row.g - row.lower * load_batch(solution[-1].z)));
    store(across_, piece, row.upper);
    return linear ? 0 : largest_lane(magnitude(row.g));
  }
  static double largest_lane(const S& x) {
    double largest = 0;
    for (int i = 0; i < batch_size; ++i) largest = std::max(largest, x[i]);
    return largest;
  }

  // Places that hold no rod: g = 0, K = 1.
  static Record no_rods() {
    Record record{};
    for (int i = 0; i < batch_size; ++i) record.b[0][i] = record.d[0][i] = record.length2[i] = 1;
    return record;
  }
  static Couplings no_couplings() {
    Couplings couplings{};
    for (double& own : couplings.own) own = 1;
    return couplings;
  }

  // A block whose rods are all coupled alike keeps their couplings once.
  void keep_couplings(const std::vector<Couplings>& all) {
    for (int b = 0; b < cut_.blocks; ++b) {
      const auto from = all.begin() + at(b, 0), to = from + cut_.length;
      const bool alike = std::all_of(from, to, [&](const Couplings& c) { return c == *from; });
      ends_[b].first_couplings = static_cast<int>(couplings_.size());
      ends_[b].alike = alike;
      couplings_.insert(couplings_.end(), from, alike ? from + 1 : to);
    }
  }

  // Do the rods follow each other in every list?
  bool lies_in_order(const std::vector<int>& path) const {
    for (int k = 0; k < cut_.rows; ++k) {
      const int row = path[k];
      if (row != start_ + k || entries_.first[row] != entries_.first[start_] + k ||
          entries_.stride[row] != entries_.stride[start_] || rods_.first[row] != rods_.first[start_] + k ||
          rods_.second[row] != rods_.second[start_] + k)
        return false;
    }
    return true;
  }

  int at(int block, int t) const { return block * cut_.length + t; }
  int place(int block, int lane, int t) const { return (block * batch_size + lane) * cut_.length + t; }

  // eight(t, place): rods t … t+7 of all pieces of the block, the first of them at this place of the chain, and the pieces `length` places apart: where rods lie in order.
  // Else one(slot, row). Some rods may come twice.
  template <class Eight, class One>
  void each_rod(int block, Eight&& eight, One&& one) const {
    for (int from = 0; from < cut_.length; from += batch_size) {
      const int t = std::max(0, std::min(from, cut_.length - batch_size));
      if (in_order_ && place(block, batch_size - 1, t + batch_size) <= cut_.rows) {
        eight(t, place(block, 0, t));
        continue;
      }
      for (int lane = 0; lane < batch_size; ++lane)
        for (int k = t; k < std::min(t + batch_size, cut_.length); ++k) {
          const int slot = at(block, k) * batch_size + lane;
          if (row_[slot] >= 0) one(slot, row_[slot]);
        }
    }
  }
  // row(place): eight numbers that belong to eight rods in a row. use(k, x): the k-th of them in all pieces.
  template <class Rows, class Use>
  void into_lanes(int place, Rows&& rows, Use&& use) const {
    std::array<S, batch_size> x;
    for (int i = 0; i < batch_size; ++i) x[i] = rows(place + i * cut_.length);
    transpose(x);
    for (int k = 0; k < batch_size; ++k) use(k, x[k]);
  }
  void place_demand(int block, const double* demand) {
    each_rod(
        block,
        [&](int t, int place) {
          into_lanes(
              place, [&](int k) { return load_batch(demand + start_ + k); },
              [&](int k, const S& x) { store_batch(records_[at(block, t + k)].d[0], x); });
        },
        [&](int slot, int row) { records_[slot / batch_size].d[0][slot % batch_size] = demand[row]; });
  }

  static void store(std::vector<double>& list, int piece, const S& x) { store_batch(list.data() + piece, x); }
  // list[from … from + 7], 0 before the first
  static S shifted(const std::vector<double>& list, int from) {
    if (from >= 0) return load_batch(list.data() + from);
    S x(0);
    for (int i = 1; i < batch_size; ++i) x.set(i, list[i - 1]);
    return x;
  }
  void fill_ends(Ends& ends, const double* b) const {
    for (int lane = 0; lane < batch_size; ++lane)
      for (int a = 0; a < dimension; ++a) {
        const auto entry = [&](int row) {
          return row < 0 ? 0.0 : b[entries_.first[row] + a * entries_.stride[row]];
        };
        ends.left_b[a][lane] = entry(ends.left_row[lane]);
        ends.right_b[a][lane] = entry(ends.right_row[lane]);
      }
  }

  ChainCut cut_;
  const RodList& rods_;
  const RodEntries& entries_;
  int start_;             // the first rod
  bool in_order_;         // rods, their entries and particles follow each other
  std::vector<int> row_;  // of each slot; -1: none
  std::vector<Record> records_;
  std::vector<Couplings> couplings_;
  std::vector<Solution> solution_;
  std::vector<Ends> ends_;
  // Of the pieces: diagonal, spike, unit spike, right-hand side at the separator; what they leave on the separator before, per unit of
  // across; K(separator, first of the next piece); δ and μ of the separator.
  std::vector<double> d_, s_, rho_, y_, left_d_, left_y_, across_, x_, mu_;
};

}  // namespace taut
