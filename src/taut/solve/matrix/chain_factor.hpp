// Factors a tridiagonal K, cut so that the recursion runs in eight lanes. The rows are cut into pieces of
// equal length; the last row of each piece, its separator, stays out. A block is eight pieces side by side,
// one in each lane. Inside a piece elimination goes from left to right, and the separator on its left fills
// one more number in each row. What is left is a tridiagonal matrix of the separators alone. The cuts depend
// on the number of rows only. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/scalar/batch.hpp>
#include <taut/solve/elimination.hpp>

#include <vector>

namespace taut {

// Row r is in piece r / length, at place r % length. Rows past the end are rows of the identity; the very
// last row is always one of these.
struct ChainCut {
  static constexpr int aim = 128;        // rows in a piece: a block of all arrays stays in the second cache
  static constexpr int least_rows = 96;  // with fewer rows cutting costs more than it saves
  int rows = 0, blocks = 0, length = 0;

  explicit ChainCut(int count)
      : rows(count),
        blocks((count + batch_size * aim) / (batch_size * aim)),
        length((count + pieces()) / pieces()) {}

  int pieces() const { return blocks * batch_size; }
  int slots() const { return pieces() * length; }
  int slot(int row) const {
    const int piece = row / length, t = row % length;
    return (piece / batch_size * length + t) * batch_size + piece % batch_size;
  }
  int row(int slot) const {
    const int piece = slot / batch_size / length * batch_size + slot % batch_size;
    return piece * length + slot / batch_size % length;
  }
};

// Arrays are in slots: upper[slot(r)] = K(r, r+1), lower[slot(r)] = K(r+1, r), and 0 if there is no such row.
class ChainFactor {
 public:
  explicit ChainFactor(const ChainCut& cut)
      : cut_(cut),
        spike_(cut.slots()),
        back_spike_(cut.slots()),
        d_(cut.pieces() + 1, 0.0),
        u_(d_),
        l_(d_),
        left_(d_),
        x_(d_) {}

  const ChainCut& cut() const { return cut_; }

  // Factors K. `inverse` holds the diagonal of K on entry and 1/pivot on return. Returns -1, or a row whose
  // pivot vanished.
  template <bool symmetric>
  int factor(const double* upper, const double* lower, double* inverse) {
    for (int b = 0; b < cut_.blocks; ++b)
      if (const int failed = factor_block<symmetric>(b, upper, lower, inverse); failed >= 0) return failed;
    return factor_separators(inverse);
  }

  template <bool symmetric>
  void solve(const double* upper, const double* lower, const double* inverse, double* x) {
    const double* spike = symmetric ? spike_.data() : back_spike_.data();
    for (int b = 0; b < cut_.blocks; ++b) forward(b, symmetric ? upper : lower, spike, inverse, x);
    solve_separators();
    for (int b = 0; b < cut_.blocks; ++b) backward(b, upper, inverse, x);
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K, separators last: (D + L) x = x.
  void sweep(const double* upper, const double* lower, const double* diagonal, double* x) const {
    const int separator = cut_.length - 1;
    for (int b = 0; b < cut_.blocks; ++b) {
      S y = load_batch(x + at(b, 0)) / load_batch(diagonal + at(b, 0));
      subtract_left(b, from_the_left(b, upper) * y, x);
      for (int t = 0; t < separator; ++t) {
        store_batch(x + at(b, t), y);
        y = load_batch(x + at(b, t + 1)) - load_batch(lower + at(b, t)) * y;
        if (t + 1 < separator) y /= load_batch(diagonal + at(b, t + 1));
      }
      store_batch(x + at(b, separator), y);
    }
    for (int b = 0; b < cut_.blocks; ++b) {
      const int k = at(b, separator);
      store_batch(x + k, S(load_batch(x + k) / load_batch(diagonal + k)));
    }
  }

 private:
  using S = Batch<double>;
  int at(int block, int t) const { return (block * cut_.length + t) * batch_size; }

  // Returns what `half` holds for the separator on the left of each piece. That separator is one lane before,
  // or in the last lane of the block before.
  S from_the_left(int block, const double* half) const {
    const double* here = half + at(block, cut_.length - 1);
    S x;
    x.set(0, block == 0 ? 0.0 : half[at(block - 1, cut_.length - 1) + batch_size - 1]);
    for (int i = 1; i < batch_size; ++i) x.set(i, here[i - 1]);
    return x;
  }
  void subtract_left(int block, const S& y, double* x) const {
    if (block > 0) x[at(block - 1, cut_.length - 1) + batch_size - 1] -= y[0];
    for (int i = 1; i < batch_size; ++i) x[at(block, cut_.length - 1) + i - 1] -= y[i];
  }

  template <bool symmetric>
  int factor_block(int b, const double* upper, const double* lower, double* inverse) {
    S diagonal = load_batch(inverse + at(b, 0)), d = diagonal;
    S s = from_the_left(b, lower);                  // K(t, separator on the left), at first for t = 0
    S r = symmetric ? s : from_the_left(b, upper);  // K(separator on the left, t)
    S left(0);                                      // what the piece adds to the diagonal of that separator
    for (int t = 0; t + 1 < cut_.length; ++t) {
      const int k = at(b, t);
      const S pivot = S(1) / d, u = load_batch(upper + k), l = symmetric ? u : load_batch(lower + k);
      const S lp = l * pivot;
      if (const auto bad = pivot_vanished(pivot, diagonal); any(bad)) return first_bad(bad, k);
      store_batch(inverse + k, pivot);
      store_batch(spike_.data() + k, s);
      if constexpr (!symmetric) store_batch(back_spike_.data() + k, r);
      diagonal = load_batch(inverse + k + batch_size);
      d = diagonal - lp * u;  // (Z1)
      left -= r * pivot * s;  // (Z3)
      s = -(lp * s);          // (Z2)
      if constexpr (symmetric)
        r = s;
      else
        r = -(u * pivot * r);
    }
    const int piece = b * batch_size;
    store_batch(d_.data() + piece, d);  // (Z4)
    store_batch(l_.data() + piece, s);
    store_batch(u_.data() + piece, r);
    store_batch(left_.data() + piece, left);
    return -1;
  }
  int first_bad(const Mask<S>& bad, int slot) const {
    int i = 0;
    while (!lane(bad, i)) ++i;
    return cut_.row(slot + i);
  }

  // Factors the matrix of the separators: d_[c] belongs to the separator of piece c, l_[c] = K(c, c-1) and
  // u_[c] = K(c-1, c) couple separators. On return d_ holds 1/pivot.
  int factor_separators(const double* diagonal) {
    for (int c = 0; c < cut_.pieces(); ++c) {
      d_[c] += left_[c + 1];
      if (c > 0) d_[c] -= l_[c] * d_[c - 1] * u_[c];
      d_[c] = 1 / d_[c];
      const int slot = at(c / batch_size, cut_.length - 1) + c % batch_size;
      if (pivot_vanished(d_[c], diagonal[slot])) return cut_.row(slot);
    }
    return -1;
  }
  void solve_separators() {
    for (int c = 0; c < cut_.pieces(); ++c) {
      x_[c] += left_[c + 1];
      if (c > 0) x_[c] -= l_[c] * x_[c - 1];
      x_[c] *= d_[c];
    }
    for (int c = cut_.pieces() - 1; c-- > 0;) x_[c] -= d_[c] * u_[c + 1] * x_[c + 1];
  }

  void forward(int b, const double* lower, const double* spike, const double* inverse, double* x) {
    S y = load_batch(x + at(b, 0)), left(0);
    for (int t = 0; t + 1 < cut_.length; ++t) {
      const int k = at(b, t);
      const S z = y * load_batch(inverse + k);
      store_batch(x + k, z);
      y = load_batch(x + k + batch_size) - load_batch(lower + k) * z;
      left -= load_batch(spike + k) * z;
    }
    store_batch(x_.data() + b * batch_size, y);
    store_batch(left_.data() + b * batch_size, left);
  }
  void backward(int b, const double* upper, const double* inverse, double* x) const {
    S y = load_batch(x_.data() + b * batch_size), left;
    left.set(0, b == 0 ? 0.0 : x_[b * batch_size - 1]);
    for (int i = 1; i < batch_size; ++i) left.set(i, x_[b * batch_size + i - 1]);
    store_batch(x + at(b, cut_.length - 1), y);
    for (int t = cut_.length - 2; t >= 0; --t) {
      const int k = at(b, t);
      const S pivot = load_batch(inverse + k);
      y = load_batch(x + k) - pivot * load_batch(spike_.data() + k) * left -
          pivot * load_batch(upper + k) * y;
      store_batch(x + k, y);
    }
  }

  ChainCut cut_;
  // The spikes hold K(t, separator on the left) and K(separator on the left, t) at the time when t is
  // eliminated.
  std::vector<double> spike_, back_spike_;
  std::vector<double> d_, u_, l_, left_, x_;  // one entry for each piece
};

}  // namespace taut
