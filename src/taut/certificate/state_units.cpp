#include <taut/certificate/state_units.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace taut {

namespace {

// Sizes are the same down to the first part of the largest, and below the second they are rounding.
constexpr double same_size = 0x1p-14, least_size = 0x1p-40;
constexpr double most_entries = 0x1p22;  // G is written as a full matrix up to here

using Point = StateUnits::Point;
using Sizes = Eigen::VectorXd;

// Returns the larger size of each entry. One that is zero, or nearly so, counts like the largest of all.
Sizes sizes_between(const Eigen::VectorXd& began, const Eigen::VectorXd& x) {
  Sizes size = began.cwiseAbs().cwiseMax(x.cwiseAbs());
  double most = size.size() == 0 ? 0 : size.maxCoeff();
  if (!(most > 0 && std::isfinite(most))) most = 1;
  for (double& s : size)
    if (!(s >= least_size * most)) s = most;
  return size;
}

bool differ(const Sizes& size) { return size.size() > 0 && size.minCoeff() < same_size * size.maxCoeff(); }

// Gives coordinates that a constraint connects the size of the largest one.
void join_connected(const Mechanism& mechanism, const Point& x, Sizes& q, Sizes& p) {
  const std::int64_t n = x.q.size(), m = mechanism.constraints();
  if (m == 0 || static_cast<double>(n) * static_cast<double>(m) > most_entries) return;
  const PlainState at = plain_state(x);
  std::vector<double> G(static_cast<std::size_t>(n) * static_cast<std::size_t>(m));
  const StatesToEvaluate one{.count = 1, .q = at.q.data(), .q_stride = n, .p = at.p.data(), .p_stride = n};
  if (!mechanism.evaluate(Evaluated::G, one, G.data())) return;
  std::vector<std::int64_t> group(static_cast<std::size_t>(n));
  std::iota(group.begin(), group.end(), 0);
  const auto group_of = [&](std::int64_t j) {
    while (group[static_cast<std::size_t>(j)] != j) j = group[static_cast<std::size_t>(j)];
    return j;
  };
  for (std::int64_t i = 0; i < m; ++i) {
    std::int64_t first = -1;
    for (std::int64_t j = 0; j < n; ++j) {
      if (G[static_cast<std::size_t>(i * n + j)] == 0) continue;
      const std::int64_t mine = group_of(j);
      if (first < 0) first = mine;
      group[static_cast<std::size_t>(mine)] = group_of(first);
    }
  }
  for (Sizes* size : {&q, &p}) {
    for (std::int64_t j = 0; j < n; ++j) (*size)[group_of(j)] = std::max((*size)[group_of(j)], (*size)[j]);
    for (std::int64_t j = 0; j < n; ++j) (*size)[j] = (*size)[group_of(j)];
  }
}

// Raises each size to the largest that is the same up to `same_size`.
void level(Sizes& size) {
  std::vector<double> sorted(size.begin(), size.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<double> tops;
  for (const double s : sorted)
    if (tops.empty() || s < same_size * tops.back()) tops.push_back(s);
  for (double& s : size) s = *std::find_if(tops.rbegin(), tops.rend(), [s](double top) { return top >= s; });
}

SizeClass class_of(const Sizes& q, const Sizes& p, const std::pair<double, double>& size) {
  const Eigen::Index n = q.size();
  SizeClass one{Eigen::VectorXd::Zero(2 * n), {q, p}};
  for (Eigen::Index j = 0; j < n; ++j) {
    const double stretch = std::sqrt(size.first * size.second / (q[j] * p[j]));
    one.units.q[j] *= stretch;
    one.units.p[j] *= stretch;
    if (q[j] == size.first && p[j] == size.second) one.members[j] = one.members[n + j] = 1;
  }
  return one;
}

}  // namespace

Eigen::VectorXd StateUnits::packed(const Point& x) const {
  Eigen::VectorXd both(2 * q.size());
  both << x.q.cwiseQuotient(q), x.p.cwiseQuotient(p);
  return both;
}

Point StateUnits::unpacked(const Eigen::VectorXd& y) const {
  return {y.head(q.size()).cwiseProduct(q), y.tail(p.size()).cwiseProduct(p)};
}

StateSizes sizes_of(const Mechanism& mechanism, const Point& began, const Point& x) {
  Sizes q = sizes_between(began.q, x.q), p = sizes_between(began.p, x.p);
  if (differ(q) || differ(p)) join_connected(mechanism, x, q, p);
  level(q);
  level(p);
  StateSizes found{.own = {q, p}, .classes = {}};
  std::set<std::pair<double, double>, std::greater<>> sizes;
  for (Eigen::Index j = 0; j < q.size(); ++j) sizes.insert({q[j], p[j]});
  for (const auto& size : sizes) found.classes.push_back(class_of(q, p, size));
  return found;
}

}  // namespace taut
