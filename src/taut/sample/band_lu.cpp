#include <taut/sample/band_lu.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace taut {

BandLu::BandLu(const GramPattern& s)
    : m_(s.m), place_(s.place), work_(static_cast<std::size_t>(s.m)), pivot_(static_cast<std::size_t>(s.m)) {
  for (int i = 0; i < m_; ++i) width_ = std::max(width_, i - s.first[static_cast<std::size_t>(i)]);
  const bool whole = 3 * width_ + 1 >= m_;
  stride_ = whole ? m_ : 3 * width_;
  shift_ = whole ? 0 : width_;
  if (whole) std::iota(place_.begin(), place_.end(), 0);
  const auto rows = static_cast<std::size_t>(m_);
  entries_.resize(rows * (whole ? rows : 3 * static_cast<std::size_t>(width_) + 1));
  for (std::size_t begin = 0, end = 0; begin < s.pairs.size(); begin = end) {
    const GramPattern::Pair& pair = s.pairs[begin];
    while (end < s.pairs.size() && s.pairs[end].to == pair.to) ++end;
    const int a = place_[static_cast<std::size_t>(pair.row1)],
              b = place_[static_cast<std::size_t>(pair.row2)];
    sums_.push_back({begin, end, row(a) + b, a == b ? -1 : row(b) + a});
  }
}

bool BandLu::factor(const GramPattern& s, const double* G, const double* W, const double* G0) {
  double* const K = entries_.data();
  std::fill(entries_.begin(), entries_.end(), 0.0);
  for (const Sum& sum : sums_) {
    double entry = 0, mirrored = 0;
    for (std::size_t k = sum.begin; k < sum.end; ++k) {
      const GramPattern::Pair& pair = s.pairs[k];
      entry += G[pair.e1] * W[pair.column] * G0[pair.e2];
      mirrored += G[pair.e2] * W[pair.column] * G0[pair.e1];
    }
    K[sum.to] = entry;
    if (sum.mirrored >= 0) K[sum.mirrored] = mirrored;
  }
  for (int k = 0; k < m_; ++k) {
    int best = k;
    for (int i = k + 1; i <= below(k); ++i)
      if (std::abs(K[row(i) + k]) > std::abs(K[row(best) + k])) best = i;
    double* const above = K + row(k);
    if (!(std::abs(K[row(best) + k]) > 0)) return false;  // also if it is not a number
    pivot_[static_cast<std::size_t>(k)] = best;
    const int end = behind(k);
    if (best != k) std::swap_ranges(K + row(best) + k, K + row(best) + end + 1, above + k);
    for (int i = k + 1; i <= below(k); ++i) {
      double* const own = K + row(i);
      const double factor = own[k] /= above[k];
      for (int j = k + 1; j <= end; ++j) own[j] -= factor * above[j];
    }
  }
  return true;
}

void BandLu::solve(double* x) {
  const double* const K = entries_.data();
  double* const y = work_.data();
  for (int i = 0; i < m_; ++i) y[place_[static_cast<std::size_t>(i)]] = x[i];
  for (int k = 0; k < m_; ++k) {
    std::swap(y[k], y[pivot_[static_cast<std::size_t>(k)]]);
    for (int i = k + 1; i <= below(k); ++i) y[i] -= K[row(i) + k] * y[k];
  }
  for (int k = m_ - 1; k >= 0; --k) {
    double sum = y[k];
    for (int j = k + 1; j <= behind(k); ++j) sum -= K[row(k) + j] * y[j];
    y[k] = sum / K[row(k) + k];
  }
  for (int i = 0; i < m_; ++i) x[i] = y[place_[static_cast<std::size_t>(i)]];
}

}  // namespace taut
