#include <taut/run/events/torn.hpp>
#include <taut/solve/dense_systems.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr int steps_ahead = 10;  // the velocities grow without end before the time, and a step fails early
constexpr int most_corrections = 400;
// A gap grows like the time, so that this tells the time to about as many digits.
constexpr double met = 1e-10;

// The position constraints as a function of the moving coordinates, at a time that is given.
class Positions {
 public:
  Positions(const Mechanism& mechanism, std::vector<double> q)
      : mechanism_(&mechanism),
        q_(std::move(q)),
        n_(static_cast<int>(q_.size()) - 1),
        m_(mechanism.constraints()) {}

  double time() const { return q_.back(); }

  // Finds the least |g| near the last position, at this time, by Levenberg's damped least squares, and
  // returns its largest entry.
  double least_gap_at(double time) {
    q_.back() = time;
    std::vector<double> g = constraints(q_);
    double damping = 1e-3;
    for (int k = 0; k < most_corrections && largest(g) > met && damping < 1e12; ++k) {
      const auto change = correction(g, damping);
      if (!change) break;
      std::vector<double> there = q_;
      for (std::size_t i = 0; i < change->size(); ++i) there[i] += (*change)[i];
      std::vector<double> next = constraints(there);
      const bool better = square(next) < square(g);
      damping *= better ? 0.2 : 5;
      if (!better) continue;
      q_ = std::move(there);
      g = std::move(next);
    }
    return largest(g);
  }

 private:
  static double square(const std::vector<double>& g) {
    double sum = 0;
    for (const double x : g) sum += x * x;
    return sum;
  }
  static double largest(const std::vector<double>& g) {
    double most = 0;
    for (const double x : g) most = std::max(most, std::abs(x));
    return most;
  }
  std::vector<double> evaluated(Evaluated what, const std::vector<double>& q, int size) const {
    std::vector<double> out(static_cast<std::size_t>(size));
    const std::vector<double> at_rest(q.size(), 0.0);
    mechanism_->evaluate(what, {.count = 1, .q = q.data(), .p = at_rest.data()}, out.data());
    return out;
  }
  std::vector<double> constraints(const std::vector<double>& q) const {
    return evaluated(Evaluated::g, q, m_);
  }
  // Minimises |g + G d|² + damping |d|².
  std::optional<std::vector<double>> correction(const std::vector<double>& g, double damping) const {
    const std::vector<double> G = evaluated(Evaluated::G, q_, m_ * (n_ + 1));
    DenseMatrix A(m_ + n_, n_);
    std::vector<double> right(static_cast<std::size_t>(m_ + n_), 0.0);
    for (int i = 0; i < m_; ++i) {
      right[static_cast<std::size_t>(i)] = -g[static_cast<std::size_t>(i)];
      for (int j = 0; j < n_; ++j) A(i, j) = G[static_cast<std::size_t>(i * (n_ + 1) + j)];
    }
    for (int j = 0; j < n_; ++j) A(m_ + j, j) = std::sqrt(damping);
    return least_squares(A, right, 0);
  }

  const Mechanism* mechanism_;
  std::vector<double> q_;
  int n_, m_;
};

}  // namespace

std::optional<Torn> torn_apart(const Mechanism& mechanism, const PlainState& x, double h) {
  if (!mechanism.timed() || mechanism.constraints() == 0) return std::nullopt;
  Positions last(mechanism, x.q);  // the last positions that were found, at their time
  double later = 0, gap = 0;
  for (int k = 1; k <= steps_ahead && !(gap > met); ++k) {
    Positions next = last;
    later = x.q.back() + k * h;
    gap = next.least_gap_at(later);
    if (!(gap > met)) last = std::move(next);
  }
  if (!(gap > met)) return std::nullopt;
  double can = last.time(), cannot = later;
  for (int k = 0; k < 40; ++k) {
    const double middle = can + (cannot - can) / 2;
    Positions next = last;
    if (next.least_gap_at(middle) > met) {
      cannot = middle;
    } else {
      can = middle;
      last = std::move(next);
    }
  }
  return Torn{can, later, gap};
}

}  // namespace taut
