#include <taut/run/dot.hpp>
#include <taut/run/events/reflection.hpp>
#include <taut/solve/dense_systems.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

std::vector<double> evaluated(const Mechanism& mechanism, Evaluated what, const PlainState& x,
                              std::size_t size) {
  std::vector<double> out(size);
  mechanism.evaluate(what, {.count = 1, .q = x.q.data(), .p = x.p.data()}, out.data());
  return out;
}

// Returns H_pp u, exact up to rounding if H is quadratic in p: the difference of two velocities.
std::vector<double> response(const Mechanism& mechanism, const PlainState& x, const std::vector<double>& v,
                             const std::vector<double>& u) {
  double size = 0, momentum = 0;
  for (const double entry : u) size = std::max(size, std::abs(entry));
  for (const double entry : x.p) momentum = std::max(momentum, std::abs(entry));
  const double length = size > 0 ? std::max(momentum, 1.0) / size : 1;
  PlainState moved = x;
  for (std::size_t i = 0; i < u.size(); ++i) moved.p[i] += length * u[i];
  std::vector<double> out = evaluated(mechanism, Evaluated::H_p, moved, u.size());
  for (std::size_t i = 0; i < u.size(); ++i) out[i] = (out[i] - v[i]) / length;
  return out;
}

}  // namespace

std::optional<PlainState> reflected(const Mechanism& mechanism, const PlainState& x,
                                    const std::vector<double>& wall) {
  const std::size_t n = x.q.size();
  const int m = mechanism.constraints();
  const std::vector<double> v = evaluated(mechanism, Evaluated::H_p, x, n);
  const double before = evaluated(mechanism, Evaluated::H, x, 1).front();
  std::vector<double> along = wall;
  if (m > 0) {
    const auto rows = static_cast<std::size_t>(m);
    const std::vector<double> G = evaluated(mechanism, Evaluated::G, x, rows * n);
    const auto row = [&](std::size_t i) {
      return std::vector<double>(G.data() + i * n, G.data() + (i + 1) * n);
    };
    DenseMatrix K(m, m);
    std::vector<double> right(rows);
    const std::vector<double> push = response(mechanism, x, v, wall);
    for (std::size_t j = 0; j < rows; ++j) {
      const std::vector<double> column = response(mechanism, x, v, row(j));
      for (std::size_t i = 0; i < rows; ++i)
        K(static_cast<int>(i), static_cast<int>(j)) = dot(row(i), column);
      right[j] = dot(row(j), push);
    }
    const auto mu = least_squares(K, right, 1e-14);  // (EV2)
    if (!mu) return std::nullopt;
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t i = 0; i < n; ++i) along[i] -= (*mu)[j] * G[j * n + i];
  }
  const double weight = dot(along, response(mechanism, x, v, along));
  // A wall that is orthogonal to the manifold leaves nothing but rounding.
  if (!(weight > 1e-12 * std::abs(dot(wall, response(mechanism, x, v, wall))))) return std::nullopt;
  PlainState out = x;
  const double impulse = 2 * dot(along, v) / weight;                           // (EV3)
  for (std::size_t i = 0; i < n; ++i) out.p[i] = x.p[i] - impulse * along[i];  // (EV4)
  if (!mechanism.project(out)) return std::nullopt;                            // rounding of G H_p = 0
  const double after = evaluated(mechanism, Evaluated::H, out, 1).front();
  const double size = std::abs(dot(out.p, v)) + std::abs(dot(x.p, v)) + std::abs(before);
  if (!(std::abs(after - before) <= 1e-9 * size)) return std::nullopt;
  return out;
}

}  // namespace taut
