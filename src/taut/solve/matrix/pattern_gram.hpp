// K = G₁ W G₀ᵀ for a sparsity pattern known at compile time and a diagonal W. The compiler works out which
// products, eliminations and substitutions there are, and only those are compiled.
#pragma once

#include <taut/scalar/unroll.hpp>
#include <taut/solve/elimination.hpp>

#include <Eigen/Core>

#include <array>

namespace taut {

// The plan of work for K, for K = LDU without pivoting, and for the substitutions.
template <class Jacobian>
struct GramPlan {
  using Pattern = typename Jacobian::Pattern;
  static constexpr int m = Pattern::rows;
  static constexpr int entries = static_cast<int>(Pattern::places.size());
  struct Product {  // K(row, column) ± G₁[left] R[right]
    int row, column, left, right;
    bool first, minus;
  };
  // K(row, column) -= K(row, pivot) K(pivot, column); for a column or row equal to the pivot see factor().
  struct Update {
    int row, column, pivot;
  };

  using Filled = std::array<std::array<bool, m>, m>;

  template <class F>
  static constexpr void each_product(F f) {
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < m; ++column) {
        bool first = true;
        for (int a = 0; a < entries; ++a)
          for (int b = 0; b < entries; ++b) {
            const auto left = Pattern::places[a], right = Pattern::places[b];
            if (left.row != row || right.row != column || left.column != right.column) continue;
            f(Product{row, column, Jacobian::source(a).entry, b, first,
                      Jacobian::source(a).minus != Jacobian::source(b).minus});
            first = false;
          }
      }
  }

  static constexpr Filled structure = [] {  // the entries of K before elimination
    Filled f{};
    each_product([&](Product p) { f[p.row][p.column] = true; });
    return f;
  }();

  // The order of elimination. Each round takes those with the fewest neighbours left, none beside another, so
  // that they do not wait for each other. A chain is thus eliminated from both ends.
  static constexpr std::array<int, m> order = [] {
    Filled f = structure;
    std::array<int, m> list{};
    std::array<bool, m> gone{};
    const auto neighbours = [&](int i) {
      int count = 0;
      for (int j = 0; j < m; ++j) count += j != i && !gone[j] && (f[i][j] || f[j][i]);
      return count;
    };
    for (int made = 0; made < m;) {
      int fewest = m;
      for (int i = 0; i < m; ++i)
        if (!gone[i] && neighbours(i) < fewest) fewest = neighbours(i);
      const int from = made;
      for (int i = 0; i < m; ++i) {
        bool chosen = !gone[i] && neighbours(i) == fewest;
        for (int k = from; k < made; ++k) chosen = chosen && !f[i][list[k]] && !f[list[k]][i];
        if (chosen) list[made++] = i;
      }
      for (int k = from; k < made; ++k) {
        gone[list[k]] = true;
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < m; ++j)
            if (!gone[i] && !gone[j] && f[i][list[k]] && f[list[k]][j]) f[i][j] = true;
      }
    }
    return list;
  }();
  static constexpr std::array<int, m> turn = [] {  // the inverse of `order`
    std::array<int, m> t{};
    for (int k = 0; k < m; ++k) t[order[k]] = k;
    return t;
  }();

  static constexpr Filled filled = [] {
    Filled f = structure;
    for (const int k : order)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
          if (turn[i] > turn[k] && turn[j] > turn[k] && f[i][k] && f[k][j]) f[i][j] = true;
    return f;
  }();

  // The only constraint eliminated before k to which k is coupled, if the pivot of that one waits for no
  // quotient; otherwise -1. The pivot of k is then known from both as a quotient, one division sooner.
  static constexpr std::array<int, m> sole = [] {
    std::array<int, m> s{};
    for (const int k : order) {
      int count = 0, which = -1;
      for (int j = 0; j < m; ++j)
        if (turn[j] < turn[k] && filled[k][j] && filled[j][k]) ++count, which = j;
      s[k] = count == 1 && s[which] < 0 ? which : -1;
    }
    return s;
  }();

  template <class F>
  static constexpr void each_update(F f) {
    for (const int k : order) {
      f(Update{k, k, k});
      for (int i = 0; i < m; ++i) {
        if (turn[i] <= turn[k] || !filled[i][k]) continue;
        f(Update{i, k, k});
        for (int j = 0; j < m; ++j)
          if (turn[j] > turn[k] && filled[k][j]) f(Update{i, j, k});
      }
      for (int j = 0; j < m; ++j)
        if (turn[j] > turn[k] && filled[k][j]) f(Update{k, j, k});
    }
  }

  template <class Item, class Each>
  static constexpr auto listed(Each each) {
    constexpr int count = [] {
      int c = 0;
      Each{}([&](Item) { ++c; });
      return c;
    }();
    std::array<Item, count> items{};
    int c = 0;
    each([&](Item item) { items[c++] = item; });
    return items;
  }

  static constexpr auto products = listed<Product>([](auto f) { each_product(f); });
  static constexpr auto updates = listed<Update>([](auto f) { each_update(f); });

  // Returns how many products make the entry of K whose first product is number i.
  static constexpr int products_from(int i) {
    const int all = static_cast<int>(products.size());
    int end = i + 1;
    while (end < all && !products[end].first) ++end;
    return end - i;
  }
};

template <class Jacobian>
class PatternGram {
  using T = typename Jacobian::Scalar;
  using Pattern = typename Jacobian::Pattern;
  using Plan = GramPlan<Jacobian>;
  static constexpr int m = Plan::m;

 public:
  using Multiplier = Eigen::Matrix<T, m, 1>;
  // How many solves cost less than a factorisation and one solve: a solve waits for g, a factorisation for K.
  static constexpr int keeps = m == 1 ? 0 : m == 2 ? 1 : 2;

  PatternGram() = default;
  PatternGram(int, int) {}

  // Forms the right factor W G₀ᵀ, place by place and without the signs of its entries.
  template <class Mass>
  void right(const Jacobian& G0, const Mass& W, const T& gain) {
    unroll<Plan::entries>([&]<int k>() {
      right_[k] = gain * W.weight(Pattern::places[k].column) * G0.entries[Jacobian::source(k).entry];
    });
  }

  void assemble(const Jacobian& G1) {
    unroll<static_cast<int>(Plan::products.size())>([&]<int i>() {
      constexpr auto p = Plan::products[i];
      if constexpr (p.first) k_[p.row][p.column] = sum_of_products<i, Plan::products_from(i)>(G1);
    });
    unroll<m * m>([&]<int i>() {  // fill-in starts at zero
      if constexpr (Plan::filled[i / m][i % m] && !Plan::structure[i / m][i % m]) k_[i / m][i % m] = T(0);
    });
    unroll<m>([&]<int i>() { diagonal_[i] = k_[i][i]; });
  }

  // Factors K = L D U, with D⁻¹ on the diagonal. Two coupled constraints stay as they are, with 1/det K in
  // `over_`: Cramer's rule waits less.
  int factor() {
    if constexpr (m == 1) {
      over_ = T(1) / diagonal_[0];
      return any(Mask<T>(base(diagonal_[0]) == base(T(0)))) ? 0 : -1;
    } else if constexpr (pair) {
      over_ = T(1) / (k_[0][0] * k_[1][1] - k_[0][1] * k_[1][0]);
      if (any(Mask<T>(base(k_[0][0]) == base(T(0))))) return 0;
      return any(pivot_vanished(T(over_ * k_[0][0]), k_[1][1])) ? 1 : -1;
    } else {
      unroll<static_cast<int>(Plan::updates.size())>([&]<int i>() {
        constexpr auto u = Plan::updates[i];
        if constexpr (u.row == u.pivot && u.column == u.pivot)
          invert<u.pivot>();
        else if constexpr (u.row == u.column && Plan::sole[u.row] == u.pivot)
          return;
        else if constexpr (u.column == u.pivot || u.row == u.pivot)
          k_[u.row][u.column] *= k_[u.pivot][u.pivot];
        else
          k_[u.row][u.column] -= k_[u.row][u.pivot] * k_[u.pivot][u.column];
      });
      Mask<T> vanished(false);
      unroll<m>([&]<int i>() { vanished = vanished || pivot_vanished(k_[i][i], diagonal_[i]); });
      return any(vanished) ? first_vanished() : -1;
    }
  }

  void solve(Multiplier& b) const {
    if constexpr (m == 1) {
      b[0] *= over_;
    } else if constexpr (pair) {
      const T first = k_[1][1] * b[0] - k_[0][1] * b[1];
      b[1] = (k_[0][0] * b[1] - k_[1][0] * b[0]) * over_;
      b[0] = first * over_;
    } else {
      unroll<m * m>([&]<int t>() {
        constexpr int i = Plan::order[t / m], j = Plan::order[t % m];
        if constexpr (t % m < t / m && Plan::filled[i][j]) b[i] -= k_[i][j] * b[j];
      });
      unroll<m>([&]<int i>() { b[i] *= k_[i][i]; });
      unroll<m * m>([&]<int t>() {
        constexpr int i = Plan::order[m - 1 - t / m], j = Plan::order[m - 1 - t % m];
        if constexpr (t % m < t / m && Plan::filled[i][j]) b[i] -= k_[i][j] * b[j];
      });
    }
  }

  // Makes one Gauss-Seidel sweep from zero on the unfactored K: (D + L) b = b.
  int sweep(Multiplier& b) const {
    unroll<m * m>([&]<int t>() {
      constexpr int i = t / m, j = t % m;
      if constexpr (j < i && Plan::structure[i][j]) b[i] -= k_[i][j] * b[j];
      if constexpr (j == i) b[i] /= k_[i][i];
    });
    return -1;
  }

 private:
  // Sums `count` products from `first` on, by halves: a sum of one after the other is a longer chain for the
  // step to wait on.
  template <int first, int count>
  T sum_of_products(const Jacobian& G1) const {
    if constexpr (count == 1) {
      constexpr auto p = Plan::products[first];
      const T product = G1.entries[p.left] * right_[p.right];
      return p.minus ? T(-product) : product;
    } else {
      constexpr int half = count / 2;
      return sum_of_products<first, half>(G1) + sum_of_products<first + half, count - half>(G1);
    }
  }

  static constexpr bool pair = m == 2 && Plan::filled[0][1];

  // Forms 1/pivot. If a later pivot is to be a quotient, forms its part too, before anything is scaled: with
  // the pivot d = k_cc of the one before, l = k_kc and u = k_ck, it is 1/(k_kk - l u/d) = d/(k_kk d - l u).
  template <int c>
  void invert() {
    unroll<m>([&]<int k>() {
      if constexpr (Plan::sole[k] == c) k_[k][k] = k_[c][c] / (k_[k][k] * k_[c][c] - k_[k][c] * k_[c][k]);
    });
    if constexpr (Plan::sole[c] < 0) k_[c][c] = T(1) / k_[c][c];
  }

  int first_vanished() const {
    int first = m;
    unroll<m>([&]<int t>() {  // a loop would keep k_ in memory
      constexpr int i = Plan::order[t];
      if (first == m && any(pivot_vanished(k_[i][i], diagonal_[i]))) first = i;
    });
    return first;
  }
  std::array<T, Plan::entries> right_;
  std::array<std::array<T, m>, m> k_;
  std::array<T, m> diagonal_;  // the diagonal of K before elimination
  T over_;                     // 1/det K of one constraint, or of a pair
};

}  // namespace taut
