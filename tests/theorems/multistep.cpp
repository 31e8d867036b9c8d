// The theorems about symmetric multistep methods for constrained systems (Console, Hairer & Lubich 2013): the
// sequence of points is symmetric, the energy stays near its first value, and parasitic roots that are not
// on the unit circle, or of σ, take that away. Their order is measured with that of every row.

#include <taut/measure/distance.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "support/catalogue.hpp"

namespace {

using namespace taut;

template <class P, class X>
double energy(const P& s, const X& x) {
  typename P::Vec v = x.p;
  s.W().times(x.p, v);
  return x.p.dot(v) / 2 + s.V(x.q);
}

// A method, its memory and its state, open to look at.
template <class P>
struct Sequence {
  using X = CompensatedState<double, P::n>;
  SymmetricMultistep method;
  P s;
  X x;
  SymmetricMultistep::Memory<P, X> memory;
  Sequence(int k, const P& problem)
      : method{.k = k}, s(problem), x(problem.start()), memory(make_memory(method, s, x)) {}
  void step(double h) { ASSERT_TRUE(method.step(s, x, memory, h)); }
  X output(double h) {
    X copy = x;
    EXPECT_TRUE(method.output(s, copy, memory, h));
    return copy;
  }
};

// One point of a sequence: the position, the force F with its multiplier, φ, and the momenta of the half
// steps beside it.
template <class P>
struct Point {
  typename P::Vec q, F, phi, p_before, p_after;
};

template <class P>
std::vector<Point<P>> points_of(Sequence<P>& run, double h, int steps) {
  std::vector<Point<P>> points;
  for (int i = 0; i < steps; ++i) {
    const auto before = run.x;
    run.step(h);
    if (i > 0) points.push_back({before.q, run.memory.force, run.memory.filtered, before.p, run.x.p});
  }
  return points;
}

// Hands the last points of a sequence to a new memory in reverse order, with the momenta reversed.
template <class P>
void turn_around(Sequence<P>& back, const std::vector<Point<P>>& points) {
  const std::size_t known = static_cast<std::size_t>(back.method.k);
  for (std::size_t i = 0; i < known; ++i) {
    const Point<P>& point = points[points.size() - 1 - i];
    back.x = CompensatedState<double, P::n>(StateOf<P>{point.q, -point.p_after});
    if (i + 1 == known) break;
    back.memory.remember(back.x);
    back.memory.take(point.F, point.phi);
  }
  back.memory.started = true;
  back.memory.refresh(back.s, back.x.q);
}

template <class P>
double reversal_defect(int k, const P& s, double h, int steps) {
  Sequence<P> forth(k, s), back(k, s);
  const auto points = points_of(forth, h, steps);
  turn_around(back, points);
  for (std::size_t i = points.size() - static_cast<std::size_t>(k); i-- > 0;) {
    back.step(h);
    if (i == 0) return (back.x.q - points[i].q).norm();
  }
  return 1;
}

// The worst is 2e-12 of rounding (order 10 on the chain).
TEST(Multistep, TheSequenceIsSymmetric) {
  for (const MultistepTable& table : multistep_tables) {
    EXPECT_LT(reversal_defect(table.steps, PlanarPendulum<>{}, 0.05, 200), 1e-11) << table.steps;
    EXPECT_LT(reversal_defect(table.steps, SixNodeChain<>{}, 0.01, 100), 1e-10) << table.steps;
  }
}

// Largest |H - H₀| up to t = 1000 and up to t = 100.
TEST(Multistep, TheEnergyStaysNearItsFirstValue) {
  for (const MultistepTable& table : multistep_tables) {
    Sequence<PlanarPendulum<>> run(table.steps, {});
    const double h = 1.0 / 30, H = energy(run.s, run.x);
    double early = 0, late = 0;
    for (int i = 1; i <= 30000; ++i) {
      run.step(h);
      const double off = std::abs(energy(run.s, run.output(h)) - H);
      (i <= 3000 ? early : late) = std::max(i <= 3000 ? early : late, off);
    }
    EXPECT_GT(early, 0.0);
    EXPECT_LT(late, 1.1 * early) << table.steps;  // measured 1.03 at most
  }
}

// Returns the roots of a polynomial with the coefficients of ζ⁰, ζ¹, …
std::vector<std::complex<double>> roots(const std::vector<double>& coefficients) {
  const auto n = static_cast<Eigen::Index>(coefficients.size()) - 1;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    companion(i, n - 1) = -coefficients[static_cast<std::size_t>(i)] / coefficients.back();
    if (i > 0) companion(i, i - 1) = 1;
  }
  const Eigen::VectorXcd found = companion.eigenvalues();
  return {found.begin(), found.end()};
}

struct Polynomials {
  std::vector<double> rho, sigma;  // σ without its root 0
};
Polynomials polynomials(const MultistepTable& table) {
  const auto bar = parasitic<double>(table);
  const int k = table.steps, l = k / 2;
  Polynomials made{std::vector<double>(static_cast<std::size_t>(k) + 1, 0.0), {}};
  for (int j = 0; j <= k - 2; ++j)
    for (int d = 0; d <= 2; ++d)
      made.rho[static_cast<std::size_t>(j + d)] += (d == 1 ? -2 : 1) * bar[static_cast<std::size_t>(j)];
  for (int j = 1; j < k; ++j)
    made.sigma.push_back(static_cast<double>(table.beta[static_cast<std::size_t>(std::abs(j - l))]) /
                         static_cast<double>(table.divisor));
  return made;
}

double farthest_from_circle(const std::vector<double>& coefficients) {
  double farthest = 0;
  for (const auto& root : roots(coefficients)) farthest = std::max(farthest, std::abs(std::abs(root) - 1));
  return farthest;
}
double closest_pair(const std::vector<double>& coefficients) {
  const auto all = roots(coefficients);
  double closest = 2;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) closest = std::min(closest, std::abs(all[i] - all[j]));
  return closest;
}

// The multipliers follow a recursion whose characteristic polynomial is σ, the positions one with ρ.
TEST(Multistep, TheRootsAreOnTheUnitCircleAndApart) {
  for (const MultistepTable& table : multistep_tables) {
    const auto [rho, sigma] = polynomials(table);
    const auto bar = parasitic<double>(table);
    const std::vector<double> parasites(bar.begin(), bar.begin() + table.steps - 1);
    EXPECT_LT(farthest_from_circle(parasites), 1e-12) << table.steps;
    EXPECT_LT(farthest_from_circle(sigma), 1e-12) << table.steps;
    EXPECT_GT(closest_pair(parasites), 0.2) << table.steps;
    EXPECT_GT(closest_pair(sigma), 0.2) << table.steps;
  }
}

// ρ + (hω)²σ has its roots on the circle up to the limit in the table, and not much beyond it.
TEST(Multistep, TheLongestStepOfAnOscillatorIsThatOfTheTable) {
  for (const MultistepTable& table : multistep_tables) {
    const auto worst = [&](double to) {
      double most = 0;
      for (int i = 1; i <= 200; ++i) {
        auto [sum, sigma] = polynomials(table);
        const double h_omega = to * i / 200;
        for (std::size_t j = 0; j < sigma.size(); ++j) sum[j + 1] += h_omega * h_omega * sigma[j];
        most = std::max(most, farthest_from_circle(sum));
      }
      return most;
    };
    EXPECT_LT(worst(table.longest), 1e-6) << table.steps;
    EXPECT_GT(worst(table.longest + 0.05), 1e-3) << table.steps;
  }
}

// A step that is too long shows in the energy, or in a landing that fails; it is not taken without a word.
TEST(Multistep, AStepBeyondTheLimitIsSeen) {
  Sequence<PlanarPendulum<>> run(8, {});
  const double h = 0.7, H = energy(run.s, run.x);
  double off = 0;
  for (int i = 0; i < 200 && off < 1; ++i) {
    if (!run.method.step(run.s, run.x, run.memory, h)) {
      off = 1;
      break;
    }
    auto copy = run.x;
    if (run.method.output(run.s, copy, run.memory, h)) off = std::max(off, std::abs(energy(run.s, copy) - H));
  }
  EXPECT_GT(off, 0.1);  // the energy is of the size 1
}

}  // namespace
