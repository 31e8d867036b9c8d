// The numbers of a multifrontal factorisation K = LU, or LDLᵀ if K is symmetric, of one component or of a
// batch of equal ones, one in each lane. There is no pivoting (see dense_gram.hpp). Labels:
// docs/theory/sparse-solve.md.
//
// The factor keeps the pivot rows U(k, j), j >= k, and the pivot columns as rows, L(k, i) = K(i, k) of the
// reduced matrix, i > k, not divided by the pivot. The two halves then go through the same elimination, and
// for a symmetric K the second is the first.
#pragma once

#include <taut/scalar/batch.hpp>
#include <taut/solve/elimination.hpp>
#include <taut/solve/matrix/front_tree.hpp>

#include <algorithm>

namespace taut {

// Arrays of numbers, or of batches with one component in each lane.
template <class T, bool batched>
struct FrontArrays {
  static constexpr int lanes = batched ? batch_lanes<T> : 1;
  using S = std::conditional_t<batched, Batch<T>, T>;

  static S get(const T* a, int k) {
    if constexpr (batched)
      return load_batch(a + k * lanes);
    else
      return a[k];
  }
  static void put(T* a, int k, const S& x) {
    if constexpr (batched)
      store_batch(a + k * lanes, x);
    else
      a[k] = x;
  }
  static void clear(T* a, int count) { std::fill_n(a, static_cast<std::size_t>(count) * lanes, T(0)); }

  // Subtracts: y[0 … count) -= factor x[0 … count).
  static void subtract(T* y, const T* x, const S& factor, int count) {
    int k = 0;
    if constexpr (!batched && batch_lanes<T> > 1) {
      const Batch<T> factors(factor);
      for (; k + batch_size <= count; k += batch_size)
        store_batch(y + k, Batch<T>(load_batch(y + k) - factors * load_batch(x + k)));
    }
    for (; k < count; ++k) put(y, k, S(get(y, k) - factor * get(x, k)));
  }
  // Returns sum + Σ x y, summed from the last term to the first: in a substitution the first is known last.
  static S add_dot(S sum, const T* x, const T* y, int count) {
    if constexpr (!batched && batch_lanes<T> > 1)
      if (count >= batch_size) {
        Batch<T> sums(0);
        for (; count >= batch_size; count -= batch_size)
          sums += load_batch(x + count - batch_size) * load_batch(y + count - batch_size);
        for (int i = 0; i < batch_size; ++i) sum += sums[i];
      }
    while (count-- > 0) sum += get(x, count) * get(y, count);
    return sum;
  }
};

template <class T, bool batched>
class FrontFactor : FrontArrays<T, batched> {
  using Arrays = FrontArrays<T, batched>;
  using Arrays::add_dot, Arrays::clear, Arrays::get, Arrays::lanes, Arrays::put, Arrays::subtract;
  using typename Arrays::S;

 public:
  // upper, lower: tree.factor_size entries each, K on entry (its diagonal aside), the factors after factor().
  // inverse: the diagonal of K on entry, 1/pivot after factor(), in the order of elimination.
  FrontFactor(const FrontTree& tree, T* upper, T* lower, T* inverse)
      : tree_(tree), upper_(upper), lower_(lower), inverse_(inverse) {}

  // Factors K; `working` has 2 tree.working_size entries. Returns -1, or the first row in the order whose
  // pivot vanished; `bad` then marks the lanes. If leave_out is true, rows whose pivot vanishes are left out:
  // 1/pivot = 0.
  template <bool symmetric>
  int factor(T* working, Mask<S>& bad, bool leave_out) {
    squares_[0] = working;
    squares_[1] = working + tree_.working_size * lanes;
    for (const Front& f : tree_.fronts) {
      if constexpr (!batched && batch_lanes<T> > 1)
        if (f.size <= batch_size) {
          if (const int k = factor_small<symmetric>(f, bad, leave_out); k >= 0) return k;
          continue;
        }
      begin_front<symmetric>(f);
      for (const int child : f.children) {
        add_child(f, tree_.fronts[child], upper_, squares_[0]);
        if constexpr (!symmetric) add_child(f, tree_.fronts[child], lower_, squares_[1]);
      }
      if (const int k = eliminate<symmetric>(f, bad, leave_out); k >= 0) return k;
    }
    return -1;
  }

  // Solves for x, which is in the order of elimination; `work` has room for the largest front.
  template <bool symmetric>
  void solve(T* x, T* work) const {
    for (const Front& f : tree_.fronts) forward(f, symmetric ? upper_ : lower_, x, work);
    solve_upper(x, work);
  }
  // Solves Lᵀx = x if K = LDLᵀ. From the unit vector of a row that was left out it makes a null vector of K.
  void solve_upper(T* x, T* work) const {
    for (std::size_t s = tree_.fronts.size(); s-- > 0;) backward(tree_.fronts[s], x, work);
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K, in the order of elimination: (D + L) x = x.
  void sweep(T* x) const {
    for (const Front& f : tree_.fronts)
      for (int k = 0; k < f.pivots; ++k) {
        const int* place = tree_.border.data() + f.border;
        const T* row = lower_ + (f.rows + k * f.size) * lanes;
        const S y = get(x, f.first + k) / get(inverse_, f.first + k);
        put(x, f.first + k, y);
        subtract(x + (f.first + k + 1) * lanes, row + (k + 1) * lanes, y, f.pivots - k - 1);
        for (int j = f.pivots; j < f.size; ++j, ++place) put(x, *place, S(get(x, *place) - get(row, j) * y));
      }
  }

 private:
  template <bool symmetric>
  void begin_front(const Front& f) {
    const int border = f.size - f.pivots;
    clear(squares_[0] + f.update * lanes, border * border);
    if constexpr (!symmetric) clear(squares_[1] + f.update * lanes, border * border);
    for (int k = 0; k < f.pivots; ++k) put(upper_, f.rows + k * f.size + k, get(inverse_, f.first + k));
  }

  // Returns row i of a front, shifted so that column j >= i is its entry j.
  static T* row_of(const Front& f, int i, T* half, T* squares) {
    if (i < f.pivots) return half + (f.rows + i * f.size) * lanes;
    return squares + (f.update + (i - f.pivots) * (f.size - f.pivots) - f.pivots) * lanes;
  }

  void add_child(const Front& f, const Front& child, T* half, T* squares) {
    const int border = child.size - child.pivots;
    const int* into = tree_.into.data() + child.into;
    const T* from = squares + child.update * lanes;
    for (int i = 0; i < border; ++i, from += border * lanes) {
      T* to = row_of(f, into[i], half, squares);
      for (int j = i; j < border; ++j) put(to, into[j], S(get(to, into[j]) + get(from, j)));
    }
  }

  template <bool symmetric>
  int eliminate(const Front& f, Mask<S>& bad, bool leave_out) {
    for (int k = 0; k < f.pivots; ++k) {
      const T* u = upper_ + (f.rows + k * f.size) * lanes;
      const T* l = (symmetric ? upper_ : lower_) + (f.rows + k * f.size) * lanes;
      const S diagonal = get(inverse_, f.first + k);
      S pivot = S(1) / get(u, k);
      if (leave_out) {
        pivot = inverse_or_zero(pivot, diagonal);
      } else {
        bad = pivot_vanished(pivot, diagonal);
        if (any(bad)) return f.first + k;
      }
      put(inverse_, f.first + k, pivot);
      for (int i = k + 1; i < f.size; ++i) {
        subtract(row_of(f, i, upper_, squares_[0]) + i * lanes, u + i * lanes, S(get(l, i) * pivot),
                 f.size - i);
        if constexpr (!symmetric)
          subtract(row_of(f, i, lower_, squares_[1]) + (i + 1) * lanes, l + (i + 1) * lanes,
                   S(get(u, i) * pivot), f.size - i - 1);
      }
    }
    return -1;
  }

  // A front of at most eight rows is eliminated in squares of its own, whole rows at a time. What stands to
  // the right of a row's end does no harm and is not written back.
  struct alignas(64) Square {
    T row[batch_size][batch_size];
  };
  void begin_small(const Front& f, Square& square, const T* half, const T* squares) const {
    for (int k = 0; k < f.pivots; ++k) store_batch(square.row[k], load_batch(half + f.rows + k * f.size));
    for (int k = f.pivots; k < f.size; ++k) store_batch(square.row[k], Batch<T>(0));
    for (const int number : f.children) {
      const Front& child = tree_.fronts[number];
      const int border = child.size - child.pivots;
      const int* into = tree_.into.data() + child.into;
      const T* from = squares + child.update;
      for (int i = 0; i < border; ++i, from += border)
        for (int j = i; j < border; ++j) square.row[into[i]][into[j]] += from[j];
    }
  }
  void end_small(const Front& f, const Square& square, T* half, T* squares) const {
    const auto whole = lanes_between(0, f.size), right = lanes_between(f.pivots, f.size);
    for (int k = 0; k < f.pivots; ++k)
      store_where(whole, half + f.rows + k * f.size, load_batch(square.row[k]));
    for (int i = f.pivots; i < f.size; ++i)
      store_where(right, row_of(f, i, half, squares), load_batch(square.row[i]));
  }
  template <bool symmetric>
  int factor_small(const Front& f, Mask<S>& bad, bool leave_out) {
    Square u, l;
    for (int k = 0; k < f.pivots; ++k) upper_[f.rows + k * f.size + k] = inverse_[f.first + k];
    begin_small(f, u, upper_, squares_[0]);
    if constexpr (!symmetric) begin_small(f, l, lower_, squares_[1]);
    const Square& left = symmetric ? u : l;
    for (int k = 0; k < f.pivots; ++k) {
      const T diagonal = inverse_[f.first + k];
      T pivot = 1 / u.row[k][k];
      if (leave_out) {
        pivot = inverse_or_zero(pivot, diagonal);
      } else {
        bad = pivot_vanished(pivot, diagonal);
        if (bad) return f.first + k;
      }
      inverse_[f.first + k] = pivot;
      const Batch<T> above = load_batch(u.row[k]), before = load_batch(left.row[k]);
      for (int i = k + 1; i < f.size; ++i) {
        const Batch<T> factor(left.row[k][i] * pivot);
        store_batch(u.row[i], Batch<T>(load_batch(u.row[i]) - factor * above));
        if constexpr (!symmetric) {
          const Batch<T> other(u.row[k][i] * pivot);
          store_batch(l.row[i], Batch<T>(load_batch(l.row[i]) - other * before));
        }
      }
    }
    end_small(f, u, upper_, squares_[0]);
    if constexpr (!symmetric) end_small(f, l, lower_, squares_[1]);
    return -1;
  }

  void forward(const Front& f, const T* left, T* x, T* work) const {
    const int border = f.size - f.pivots;
    const int* place = tree_.border.data() + f.border;
    for (int k = 0; k < border; ++k) put(work, k, get(x, place[k]));
    for (int k = 0; k < f.pivots; ++k) {
      const T* row = left + (f.rows + k * f.size) * lanes;
      const S y = get(x, f.first + k) * get(inverse_, f.first + k);
      put(x, f.first + k, y);
      subtract(x + (f.first + k + 1) * lanes, row + (k + 1) * lanes, y, f.pivots - k - 1);
      subtract(work, row + f.pivots * lanes, y, border);
    }
    for (int k = 0; k < border; ++k) put(x, place[k], get(work, k));
  }

  void backward(const Front& f, T* x, T* work) const {
    const int border = f.size - f.pivots;
    const int* place = tree_.border.data() + f.border;
    for (int k = 0; k < border; ++k) put(work, k, get(x, place[k]));
    for (int k = f.pivots - 1; k >= 0; --k) {
      const T* row = upper_ + (f.rows + k * f.size) * lanes;
      const S later = add_dot(add_dot(S(0), row + f.pivots * lanes, work, border), row + (k + 1) * lanes,
                              x + (f.first + k + 1) * lanes, f.pivots - k - 1);
      put(x, f.first + k, S(get(x, f.first + k) - get(inverse_, f.first + k) * later));
    }
  }

  const FrontTree& tree_;
  T *upper_, *lower_, *inverse_;
  T* squares_[2] = {nullptr, nullptr};  // what the fronts leave on their borders, for U and for L
};

}  // namespace taut
