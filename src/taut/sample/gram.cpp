#include <taut/sample/gram.hpp>

#include <taut/scalar/elementary/logarithm.hpp>
#include <taut/solve/matrix/narrow_order.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace taut {

namespace {

// A pivot below this part of its diagonal is rounding: the rows of G are dependent.
constexpr double least_pivot = 1e-14;

// Four partial sums hide the latency of an addition; their order is fixed, and so are the bits.
double dot(const double* a, const double* b, int count) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    s0 += a[k] * b[k];
    s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2];
    s3 += a[k + 3] * b[k + 3];
  }
  for (; k < count; ++k) s0 += a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

using Entries = std::vector<std::vector<std::pair<int, int>>>;  // for each column: row and entry

Entries by_column(int n, int m, const std::vector<int>& begin, const std::vector<int>& column) {
  Entries entries(static_cast<std::size_t>(n));
  for (int i = 0; i < m; ++i)
    for (int e = begin[static_cast<std::size_t>(i)]; e < begin[static_cast<std::size_t>(i) + 1]; ++e)
      entries[static_cast<std::size_t>(column[static_cast<std::size_t>(e)])].emplace_back(i, e);
  return entries;
}

Neighbours neighbours_of(const Entries& entries, int m) {
  Neighbours of(static_cast<std::size_t>(m));
  for (const auto& list : entries)
    for (const auto& [i, e] : list)
      for (const auto& [j, f] : list)
        if (i != j) of[static_cast<std::size_t>(i)].push_back(j);
  for (auto& list : of) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return of;
}

}  // namespace

GramPattern::GramPattern(int rows, int columns, std::vector<int> row_begin,
                         std::vector<int> columns_of_entries)
    : m(rows), n(columns), begin(std::move(row_begin)), column(std::move(columns_of_entries)) {
  const Entries entries = by_column(n, m, begin, column);
  const Neighbours of = neighbours_of(entries, m);
  place = places_in(narrow_order(of));
  first = envelope_of(of, place);
  last.assign(static_cast<std::size_t>(m), 0);
  for (int i = 0; i < m; ++i) {
    const int from = first[static_cast<std::size_t>(i)];
    offset.push_back(size - from);
    size += i - from + 1;
    for (int j = from; j <= i; ++j) last[static_cast<std::size_t>(j)] = i;
  }
  for (int j = 0; j < n; ++j) {
    const auto& list = entries[static_cast<std::size_t>(j)];
    for (std::size_t a = 0; a < list.size(); ++a)
      for (std::size_t b = a; b < list.size(); ++b) {
        const int pa = place[static_cast<std::size_t>(list[a].first)];
        const int pb = place[static_cast<std::size_t>(list[b].first)];
        const int to = offset[static_cast<std::size_t>(std::max(pa, pb))] + std::min(pa, pb);
        pairs.push_back({to, list[a].second, list[b].second, j, list[a].first, list[b].first});
      }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.to < b.to; });
}

bool Gram::factor(const GramPattern& s, const double* G, const double* W) {
  std::fill(L_.begin(), L_.end(), 0.0);
  double* const L = L_.data();
  for (std::size_t k = 0; k < s.pairs.size();) {  // pairs with one target stand together
    const int to = s.pairs[k].to;
    double sum = 0;
    for (; k < s.pairs.size() && s.pairs[k].to == to; ++k)
      sum += G[s.pairs[k].e1] * W[s.pairs[k].column] * G[s.pairs[k].e2];
    L[to] = sum;
  }
  for (int i = 0; i < s.m; ++i) {
    const int first = s.first[static_cast<std::size_t>(i)];
    double* const row = L + s.offset[static_cast<std::size_t>(i)];
    const double diagonal = row[i];
    for (int j = first; j < i; ++j) {
      const double* const above = L + s.offset[static_cast<std::size_t>(j)];
      const int from = std::max(first, s.first[static_cast<std::size_t>(j)]);
      row[j] = (row[j] - dot(row + from, above + from, j - from)) / above[j];
    }
    const double pivot = diagonal - dot(row + first, row + first, i - first);
    if (!(pivot > least_pivot * diagonal)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

void Gram::solve(const GramPattern& s, double* x) const {
  const double* const L = L_.data();
  if (s.m == 1) {
    x[0] = x[0] / L[0] / L[0];
    return;
  }
  double* const y = work_.data();
  for (int i = 0; i < s.m; ++i) y[s.place[static_cast<std::size_t>(i)]] = x[i];
  for (int i = 0; i < s.m; ++i) {
    const int first = s.first[static_cast<std::size_t>(i)];
    const double* const row = L + s.offset[static_cast<std::size_t>(i)];
    y[i] = (y[i] - dot(row + first, y + first, i - first)) / row[i];
  }
  for (int i = s.m - 1; i >= 0; --i) {
    const double* const row = L + s.offset[static_cast<std::size_t>(i)];
    y[i] /= row[i];
    for (int j = s.first[static_cast<std::size_t>(i)]; j < i; ++j) y[j] -= row[j] * y[i];
  }
  for (int i = 0; i < s.m; ++i) x[i] = y[s.place[static_cast<std::size_t>(i)]];
}

double Gram::log_det(const GramPattern& s) const {
  double sum = 0;
  for (int i = 0; i < s.m; ++i)
    sum += elementary::log(L_[static_cast<std::size_t>(s.offset[static_cast<std::size_t>(i)] + i)]);
  return 2 * sum;
}

// Takahashi's recursion: with K = L Lᵀ and L' = L diag(L)⁻¹, column j of K⁻¹ follows from those behind it,
// and needs only entries of the envelope.
void Gram::weights(const GramPattern& s, const double* G, const double* W, std::vector<double>& Z,
                   double* Y) const {
  Z.resize(static_cast<std::size_t>(s.size));
  const double* const L = L_.data();
  double* const z = Z.data();
  const auto at = [&](int i, int j) {
    return i >= j ? s.offset[static_cast<std::size_t>(i)] + j : s.offset[static_cast<std::size_t>(j)] + i;
  };
  for (int j = s.m - 1; j >= 0; --j) {
    const int end = s.last[static_cast<std::size_t>(j)];
    const double own = L[at(j, j)];
    for (int i = end; i >= j; --i) {
      if (s.first[static_cast<std::size_t>(i)] > j) continue;
      double sum = i == j ? 1 / own : 0;
      for (int k = j + 1; k <= end; ++k)
        if (s.first[static_cast<std::size_t>(k)] <= j) sum -= L[at(k, j)] * z[at(i, k)];
      z[at(i, j)] = sum / own;
    }
  }
  std::fill(Y, Y + s.column.size(), 0.0);
  for (const GramPattern::Pair& pair : s.pairs) {
    const double entry = W[pair.column] * z[pair.to];
    Y[pair.e1] += entry * G[pair.e2];
    if (pair.e1 != pair.e2) Y[pair.e2] += entry * G[pair.e1];
  }
}

}  // namespace taut
