// The linear algebra of the midpoint rule for models of formulas in which few coordinates meet: V'' is sparse
// there, and so is all that is factored. Labels: docs/theory/implicit-midpoint.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/matrix/envelope_lu.hpp>
#include <taut/solve/matrix/envelope_saddle.hpp>
#include <taut/solve/matrix/narrow_order.hpp>
#include <taut/solve/residual_size.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taut {

// A problem whose kind is data may say on which coordinates each entry of its force depends. In other numbers
// than floats its matrices are dense.
template <class P>
inline constexpr bool has_force_pattern = [] {
  if constexpr (Graded<P> && Castable<P>)
    return is_float<typename P::Scalar> && requires(const P& s) { s.coordinates_in_force(); };
  else
    return false;
}();

// Models with fewer coordinates than this keep dense matrices.
inline constexpr int least_sparse_midpoint = 16;

// Groups columns no two of which have an entry in the same row: one product with a matrix then shows the
// entries of a whole group. rows[i] lists the columns of row i. Returns the group of each column.
inline std::vector<int> groups_of_columns(const std::vector<std::vector<int>>& rows) {
  const std::size_t n = rows.size();
  std::vector<std::vector<int>> rows_of(n);
  for (std::size_t i = 0; i < n; ++i)
    for (const int j : rows[i]) rows_of[static_cast<std::size_t>(j)].push_back(static_cast<int>(i));
  std::vector<int> group(n, -1), taken;
  for (std::size_t j = 0; j < n; ++j) {
    taken.clear();
    for (const int i : rows_of[j])
      for (const int k : rows[static_cast<std::size_t>(i)])
        taken.push_back(group[static_cast<std::size_t>(k)]);
    int free = 0;
    while (std::find(taken.begin(), taken.end(), free) != taken.end()) ++free;
    group[j] = free;
  }
  return group;
}

// The matrix A = I - (h/2) J H'' for H = ½ pᵀWp + V, by way of S = M + (h²/4) V''.                    (N6)
template <class P>
class EnvelopeMidpointMatrix {
 public:
  using T = typename P::Scalar;
  using Tangent = Dual<T, 1>;
  using Cast = decltype(std::declval<const P&>().template cast<Tangent>());
  using Entry = typename SparseMass<T>::Entry;
  using Vec = Vector<T, dynamic>;

  // Says whether it is less work than dense matrices.
  static bool pays(const P& s) {
    const std::int64_t n = s.coordinates();
    if (n < least_sparse_midpoint || !is_natural(s) || !(s.W().is_diagonal || s.W().sparse)) return false;
    const SaddleOrder order(s.make_jacobian(), masses_of(s), s.coordinates());
    return 3 * work_in(order.first) < n * n * n;
  }

  explicit EnvelopeMidpointMatrix(const P& s)
      : n_(s.coordinates()),
        mass_(masses_of(s)),
        curvature_(mass_.size(), T(0)),
        value_(mass_.size(), T(0)),
        tangent_(s.template cast<Tangent>()),
        q_(zero_vector(tangent_)),
        slope_(q_),
        work_(Vec::Zero(n_)),
        x_(work_) {
    Neighbours near(static_cast<std::size_t>(n_));
    for (const Entry& e : mass_)
      if (e.row != e.column) near[static_cast<std::size_t>(e.row)].push_back(e.column);
    place_ = places_in(narrow_order(near));
    lu_ = EnvelopeLU<T>(envelope_of(near, place_));
    const auto rows = s.coordinates_in_force();
    group_ = groups_of_columns(rows);
    for (const int g : group_) groups_ = std::max(groups_, g + 1);
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      const auto& row = rows[static_cast<std::size_t>(mass_[k].row)];
      if (std::binary_search(row.begin(), row.end(), mass_[k].column)) bends_.push_back(k);
    }
    if (bends_.empty()) groups_ = 0;
  }

  // Forms and factors S at x.
  template <class X>
  Expected<int> prepare(const X& x, const T& h) {
    h_ = h;
    form_curvature(x.q);
    bool sound = true;
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      value_[k] = mass_[k].value + h * h / 4 * curvature_[k];
      sound = sound && finite(value_[k]);
    }
    if (!sound) return Failure{.kind = FailureKind::not_finite, .stage = SolveStage::inner};
    std::fill(lu_.lower.begin(), lu_.lower.end(), T(0));
    std::fill(lu_.upper.begin(), lu_.upper.end(), T(0));
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      const int row = place_[static_cast<std::size_t>(mass_[k].row)],
                column = place_[static_cast<std::size_t>(mass_[k].column)];
      if (row < column) continue;
      const auto at = static_cast<std::size_t>(lu_.place(row, column));
      lu_.lower[at] = lu_.upper[at] = value_[k];
      if (row == column) lu_.reference[static_cast<std::size_t>(row)] = mass_[k].value;
    }
    if (lu_.factor() >= 0) return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    return 0;
  }

  // Solves r ← A⁻¹ r with r = (a, b): S x = M a + (h/2) b, y = b - (h/2) V'' x.
  template <class Residual>
  void solve(Residual& r) const {
    work_.setZero();
    for (const Entry& e : mass_) work_[place_[static_cast<std::size_t>(e.row)]] += e.value * r[e.column];
    for (int i = 0; i < n_; ++i) work_[place_[static_cast<std::size_t>(i)]] += h_ / 2 * r[n_ + i];
    lu_.solve(work_);
    for (int i = 0; i < n_; ++i) x_[i] = r[i] = work_[place_[static_cast<std::size_t>(i)]];
    for (const std::size_t k : bends_) r[n_ + mass_[k].row] -= h_ / 2 * curvature_[k] * x_[mass_[k].column];
  }

  // Gives S to K: (∂q₁/∂p₀) Gᵀ = h S⁻¹ Gᵀ.
  template <class Jacobian, class Matrix>
  void response(const Jacobian& G, Matrix& K) const {
    K.right(*this, G, h_);
  }
  const std::vector<Entry>& masses() const { return mass_; }  // M, with all places of V''
  const std::vector<T>& values() const { return value_; }     // S, in the same places

 private:
  // Lists M with all places of V'', row by row.
  static std::vector<Entry> masses_of(const P& s) {
    const int n = s.coordinates();
    const auto force = s.coordinates_in_force();
    std::vector<std::vector<std::pair<int, T>>> rows(static_cast<std::size_t>(n));
    const auto add = [&](int i, int j, const T& value) {
      rows[static_cast<std::size_t>(i)].emplace_back(j, value);
    };
    if (s.W().is_diagonal)
      for (int i = 0; i < n; ++i) add(i, i, T(1) / s.W().weight(i));
    else
      for (const Entry& e : s.W().sparse->entries()) add(e.row, e.column, e.value);
    for (int i = 0; i < n; ++i)
      for (const int j : force[static_cast<std::size_t>(i)]) {
        add(i, j, T(0));
        add(j, i, T(0));
      }
    std::vector<Entry> all;
    for (int i = 0; i < n; ++i) {
      auto& row = rows[static_cast<std::size_t>(i)];
      std::stable_sort(row.begin(), row.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [j, value] : row) {
        if (all.empty() || all.back().row != i || all.back().column != j) all.push_back({i, j, T(0)});
        all.back().value += value;
      }
    }
    return all;
  }

  // Forms V'' from the force in dual numbers, a group of columns at a time.
  void form_curvature(const Vec& q) {
    for (int i = 0; i < n_; ++i) q_[i] = Tangent(q[i]);
    for (int g = 0; g < groups_; ++g) {
      for (int j = 0; j < n_; ++j) q_[j].tangent[0] = T(group_[static_cast<std::size_t>(j)] == g ? 1 : 0);
      tangent_.grad_V(q_, slope_);
      for (const std::size_t k : bends_)
        if (group_[static_cast<std::size_t>(mass_[k].column)] == g)
          curvature_[k] = slope_[mass_[k].row].tangent[0];
    }
  }

  int n_;
  std::vector<Entry> mass_;
  std::vector<T> curvature_, value_;
  std::vector<std::size_t> bends_;  // the places of V'' among them
  Cast tangent_;                    // the same problem on dual numbers
  typename Cast::Vec q_, slope_;
  std::vector<int> place_, group_;  // the turn of each coordinate, the group of each column of V''
  int groups_ = 0;
  EnvelopeLU<T> lu_;
  mutable Vec work_, x_;
  T h_{1};
};

// The matrix K = G₁ (∂q₁/∂p₀) G₀ᵀ of a landing: by columns, dense, or by way of S.
template <class P>
class MidpointLanding {
 public:
  static constexpr bool keeps_factor = false;
  using T = typename P::Scalar;
  using Jacobian = typename P::Jacobian;
  using Multiplier = typename P::Multiplier;
  using Saddle = EnvelopeSaddle<T, SparseMass<T>>;

  explicit MidpointLanding(const P& s) : problem_(s) {}

  template <class Fill>
  void right(Fill&& fill) {
    if (!dense_) dense_.emplace(problem_);
    is_sparse_ = false;
    dense_->right(std::forward<Fill>(fill));
  }
  template <class Sparse>
  void right(const Sparse& S, const Jacobian& G0, const T& h) {
    if (!saddle_) {
      const int n = problem_.coordinates();
      Neighbours near(static_cast<std::size_t>(n));
      for (const auto& e : S.masses())
        if (e.row != e.column) near[static_cast<std::size_t>(e.row)].push_back(e.column);
      saddle_.emplace(G0, SparseMass<T>(narrow_order(near), S.masses()), n);
    }
    is_sparse_ = true;
    saddle_->renew(S.values());
    saddle_->right(G0, h);
  }
  void assemble(const Jacobian& G1) { is_sparse_ ? saddle_->assemble(G1) : dense_->assemble(G1); }
  int factor() { return is_sparse_ ? saddle_->factor() : dense_->factor(); }
  void solve(Multiplier& b) const { is_sparse_ ? saddle_->solve(b) : dense_->solve(b); }
  // Sweeps of the sparse one take M for S: its rows are never formed.
  int sweep(Multiplier& b) const { return is_sparse_ ? saddle_->sweep(b) : dense_->sweep(b); }

 private:
  P problem_;
  std::optional<Saddle> saddle_;
  std::optional<DenseConstraintMatrix<P>> dense_;
  bool is_sparse_ = false;
};

}  // namespace taut
