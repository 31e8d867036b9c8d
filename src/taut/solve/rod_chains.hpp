// Newton's iteration for chains of rigid rods, in the space of the rods: with r the rods at the end of the step, b those at its start and
// C(k, l) the inverse masses that rods k and l share,
//     r_k = d_k - Σ_l C(k, l) μ_l b_l,   g = (|r|² - L²)/2,   K(k, l) = C(k, l) r_k·b_l,   μ ← μ + K⁻¹ g,
// where d is r for μ = 0. One sweep from left to right forms r, g and K and eliminates; one from right to left changes μ. Rods are cut as in chain_factor.hpp,
// a block of eight pieces is all that a sweep touches at a time, and blocks are shared out to the threads. Labels: docs/theory/sparse-solve.md.
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
        row_(cut_.slots(), -1),
        records_(cut_.slots() / batch_size, no_rods()),
        solution_(records_.size()),
        ends_(cut_.blocks) {
    std::vector<Numbers> all(records_.size(), no_numbers());
    for (int k = 0; k < cut_.rows; ++k) {
      const int slot = cut_.slot(k), row = path[k];
      row_[slot] = row;
      Numbers& numbers = all[slot / batch_size];
      const int lane = slot % batch_size;
      numbers.length2[lane] = rods.length[row] * rods.length[row];
      numbers.own[lane] = rods.coupling(row, row);
      numbers.next[lane] = k + 1 < cut_.rows ? rods.coupling(row, path[k + 1]) : 0.0;
    }
    keep_numbers(all);
    for (int b = 0; b < cut_.blocks; ++b)
      for (int lane = 0; lane < batch_size; ++lane) {
        const int first = (b * batch_size + lane) * cut_.length, last = first + cut_.length - 1;
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
    for (int lane = 0; lane < batch_size; ++lane) {
      const int* row = row_.data() + at(block, 0) * batch_size + lane;
      Record* record = records_.data() + at(block, 0);
      for (int t = 0; t < cut_.length; ++t, row += batch_size, ++record) {
        if (*row < 0) continue;
        const double* b = from.b + entries_.first[*row];
        for (int a = 0; a < dimension; ++a) record->b[a][lane] = b[a * entries_.stride[*row]];
      }
    }
    place(block, from);
  }
  // d of the rods, or the demand.
  [[gnu::noinline]] void place(int block, const RodStart& from) {
    for (int lane = 0; lane < batch_size; ++lane) {
      const int* row = row_.data() + at(block, 0) * batch_size + lane;
      Record* record = records_.data() + at(block, 0);
      for (int t = 0; t < cut_.length; ++t, row += batch_size, ++record) {
        if (*row < 0) continue;
        if (from.q != nullptr) {
          const double *x = from.q + rods_.first[*row], *y = from.q + rods_.second[*row];
          for (int a = 0; a < dimension; ++a)
            record->d[a][lane] = x[a * rods_.particles] - y[a * rods_.particles];
        } else {
          record->d[0][lane] = from.demand[*row];
        }
      }
    }
  }

  // first: μ = 0. linear: one solve with r = b for what was placed.
  template <bool first, bool linear>
  [[gnu::noinline, gnu::flatten]] RodSweep forward(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = cut_.length - 1;
    const Record* record = records_.data() + at(block, 0);
    const Numbers* numbers = numbers_.data() + ends.first_numbers;
    Solution* solution = solution_.data() + at(block, 0);
    V before = V::load(ends.left_b), here = V::load(record->b);  // b of t-1, t
    S c = load_batch(ends.left_coupling);                        // C(t-1, t)
    V moved_before, moved_here;                                  // μ b of t-1, t
    if constexpr (!first) {
      moved_before = before * shifted(mu_, piece - 1);
      moved_here = here * load_batch(solution->mu);
    }
    S pivot(0), u(0), s(0), rho(1), y(0), left_d(0), left_y(0), largest(0);
    Mask<S> sound(true);
    for (int t = 0; t <= last; ++t, ++record, ++solution, numbers += ends.alike ? 0 : 1) {
      const V after = V::load(t < last ? record[1].b : ends.right_b);
      const S own = load_batch(numbers->own), next = load_batch(numbers->next);
      V r = linear ? here : V::load(record->d);
      if constexpr (!first) {
        const V moved_after = after * load_batch(t < last ? solution[1].mu : ends.right_mu);
        r = r - moved_here * own - moved_before * c - moved_after * next;
        moved_before = moved_here;
        moved_here = moved_after;
      }
      const S g = linear ? load_batch(record->d[0]) : (r.dot(r) - load_batch(numbers->length2)) * S(0.5);
      const S diagonal = own * r.dot(here), l = c * r.dot(before);
      if constexpr (!linear) largest = larger(largest, magnitude(g));
      S d = diagonal;
      if (t == 0) {
        s = l;
        y = g;
      } else {
        const S lp = l * pivot;
        rho = -(u * pivot * rho);
        d = diagonal - lp * u;
        s = -(lp * s);
        y = g - lp * y;
      }
      u = next * r.dot(after);
      before = here;
      here = after;
      c = next;
      if (t == last) {
        store(d_, piece, d);
        store(across_, piece, u);
        break;
      }
      pivot = S(1) / d;
      sound = sound && !pivot_vanished(pivot, diagonal);
      const S w = rho * pivot;
      left_d -= w * s;
      left_y -= w * y;
      store_batch(solution->pivot, pivot);
      store_batch(solution->u, u);
      store_batch(solution->s, s);
      store_batch(solution->y, y);
    }
    store(s_, piece, s);
    store(rho_, piece, rho);
    store(y_, piece, y);
    store(left_d_, piece, left_d);
    store(left_y_, piece, left_y);
    RodSweep result{0, all(sound)};
    for (int i = 0; i < batch_size; ++i) result.largest = std::max(result.largest, largest[i]);
    return result;
  }

  // The tridiagonal system of the separators. Left of piece c stands separator c-1, coupled to the piece by across_[c-1] and through
  // rho, which is per unit of that coupling.
  [[gnu::noinline]] bool separators() {
    bool sound = true;
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
      sound = sound && !pivot_vanished(d_[c], own);
    }
    for (int c = pieces - 1; c >= 0; --c)
      x_[c] = c + 1 < pieces ? (y_[c] - rho_[c + 1] * across_[c] * x_[c + 1]) * d_[c] : y_[c] * d_[c];
    return sound;
  }

  // first: μ = δ, else μ += δ.
  template <bool first>
  [[gnu::noinline, gnu::flatten]] void backward(int block) {
    const int piece = block * batch_size, last = cut_.length - 1;
    Solution* solution = solution_.data() + at(block, 0);
    const S left = shifted(x_, piece - 1);
    S x = load_batch(x_.data() + piece);
    for (int t = last; t >= 0; --t) {
      Solution& here = solution[t];
      if (t < last)
        x = (load_batch(here.y) - load_batch(here.s) * left - load_batch(here.u) * x) *
            load_batch(here.pivot);
      store_batch(here.mu, first ? x : S(load_batch(here.mu) + x));
    }
    store(mu_, piece, load_batch(solution[last].mu));
  }
  // Between two sweeps: what the first rods of the pieces did goes to the pieces before.
  void exchange(int block) {
    for (int i = 0; i < batch_size; ++i) {
      const int piece = block * batch_size + i + 1;
      ends_[block].right_mu[i] =
          piece < cut_.pieces() ? solution_[at(piece / batch_size, 0)].mu[piece % batch_size] : 0.0;
    }
  }

  [[gnu::noinline]] void take(int block, double scale, double* to) const {
    for (int lane = 0; lane < batch_size; ++lane) {
      const int* row = row_.data() + at(block, 0) * batch_size + lane;
      const Solution* solution = solution_.data() + at(block, 0);
      for (int t = 0; t < cut_.length; ++t, row += batch_size, ++solution)
        if (*row >= 0) to[*row] = scale * solution->mu[lane];
    }
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  struct alignas(64) Record {
    double b[dimension][batch_size], d[dimension][batch_size];
  };
  struct alignas(64) Numbers {
    double length2[batch_size], own[batch_size], next[batch_size];  // L², C(t, t), C(t, t+1)
    bool operator==(const Numbers&) const = default;
  };
  struct alignas(64) Solution {
    double pivot[batch_size], u[batch_size], s[batch_size], y[batch_size], mu[batch_size];
  };
  // What a piece knows of its neighbours.
  struct alignas(64) Ends {
    double left_b[dimension][batch_size], right_b[dimension][batch_size];
    double left_coupling[batch_size], right_mu[batch_size];
    int left_row[batch_size], right_row[batch_size];
    int first_numbers;
    bool alike;
  };

  // Places that hold no rod: g = 0, K = 1.
  static Record no_rods() {
    Record record{};
    for (int i = 0; i < batch_size; ++i) record.b[0][i] = record.d[0][i] = 1;
    return record;
  }
  static Numbers no_numbers() {
    Numbers numbers{};
    for (int i = 0; i < batch_size; ++i) numbers.length2[i] = numbers.own[i] = 1;
    return numbers;
  }

  // A block whose rods are all alike keeps their numbers once.
  void keep_numbers(const std::vector<Numbers>& all) {
    for (int b = 0; b < cut_.blocks; ++b) {
      const auto from = all.begin() + at(b, 0), to = from + cut_.length;
      const bool alike = std::all_of(from, to, [&](const Numbers& n) { return n == *from; });
      ends_[b].first_numbers = static_cast<int>(numbers_.size());
      ends_[b].alike = alike;
      numbers_.insert(numbers_.end(), from, alike ? from + 1 : to);
    }
  }

  int at(int block, int t) const { return block * cut_.length + t; }
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
  std::vector<int> row_;  // of each slot; -1: none
  std::vector<Record> records_;
  std::vector<Numbers> numbers_;
  std::vector<Solution> solution_;
  std::vector<Ends> ends_;
  // Of the pieces: diagonal, spike, unit spike, right-hand side at the separator; what they leave on the separator before, per unit of
  // across; K(separator, first of the next piece); δ and μ of the separator.
  std::vector<double> d_, s_, rho_, y_, left_d_, left_y_, across_, x_, mu_;
};

}  // namespace taut
