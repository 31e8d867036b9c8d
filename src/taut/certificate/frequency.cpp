#include <taut/certificate/frequency.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace taut {

namespace {

using Entries = std::vector<double>;

double length(const Entries& x) {
  double sum = 0;
  for (const double entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

Entries evaluated(const Mechanism& mechanism, Evaluated what, const PlainState& x, std::size_t count) {
  Entries values(count);
  mechanism.evaluate(what, {.count = 1, .q = x.q.data(), .p = x.p.data()}, values.data());
  return values;
}

// Returns H_q + Gᵀλ, which is minus the whole force.
Entries pull(const Mechanism& mechanism, const PlainState& x) {
  const std::size_t n = x.q.size(), m = static_cast<std::size_t>(mechanism.constraints());
  Entries force = evaluated(mechanism, Evaluated::H_q, x, n);
  if (m == 0) return force;
  const Entries lambda = evaluated(mechanism, Evaluated::lambda, x, m),
                G = evaluated(mechanism, Evaluated::G, x, m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) force[j] += G[i * n + j] * lambda[i];
  return force;
}

// Returns the change of the pull if q moves with the velocity that belongs to the momentum p.
Entries change_of_pull(const Mechanism& mechanism, const PlainState& x, const Entries& p) {
  const std::size_t n = x.q.size();
  const Entries v = evaluated(mechanism, Evaluated::H_p, {x.q, p}, n);
  const double delta = 1e-6 * std::max(1.0, length(x.q)) / length(v);
  PlainState there{x.q, Entries(n, 0.0)}, back = there;
  for (std::size_t j = 0; j < n; ++j) {
    there.q[j] += delta * v[j];
    back.q[j] -= delta * v[j];
  }
  Entries change = pull(mechanism, there);
  const Entries less = pull(mechanism, back);
  for (std::size_t j = 0; j < n; ++j) change[j] = (change[j] - less[j]) / (2 * delta);
  return change;
}

}  // namespace

std::optional<double> largest_frequency(const Mechanism& mechanism, const PlainState& x) {
  constexpr int rounds = 60;
  constexpr double settled = 1e-2;
  std::mt19937_64 random(20240607);
  PlainState y = x;
  for (double& p : y.p) p = static_cast<double>(random() >> 11U) * 0x1p-52 - 1;
  double squared = 0, before = 0;
  for (int k = 0; k < rounds; ++k) {
    if (!mechanism.project(y)) return std::nullopt;
    y.q = x.q;
    const double size = length(y.p);
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    for (double& p : y.p) p /= size;
    const Entries next = change_of_pull(mechanism, x, y.p);
    before = squared;
    squared = 0;
    for (std::size_t j = 0; j < next.size(); ++j) squared += next[j] * y.p[j];
    y.p = next;
  }
  if (!(squared > 0) || std::abs(squared - before) > settled * squared) return std::nullopt;
  return std::sqrt(squared);
}

}  // namespace taut
