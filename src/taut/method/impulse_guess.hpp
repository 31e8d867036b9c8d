// Says where Newton's iteration starts in the substeps of a composition: from the impulses of earlier
// substeps of the same step, so that the step stays a function of (q, p). Labels: docs/theory/composition.md.
#pragma once

#include <taut/problem/tiers.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace taut {

// Weights of the last `reach` impulses, the newest last. Let substep i start at the time τ, with a = γᵢ and b
// = γᵢ₋₁ (0 for the first). Up to terms of relative order h³ its impulse is the sum of these factors, each
// multiplied by a smooth function of the start: (Y3).
class GuessWeights {
 public:
  static constexpr int reach = 8;
  using Row = std::array<double, reach>;

  explicit GuessWeights(const std::vector<double>& gamma) : rows(gamma.size()) {
    std::vector<Factors> factors;
    double tau = 0, cubes = 0, b = 0;
    for (const double a : gamma) {
      const double mean = (a + b) / 2, turn = a * a - b * b;
      factors.push_back(
          {mean, tau * mean, turn, tau * tau * mean, tau * turn, a * a * a + b * b * b, cubes * mean});
      tau += a;
      cubes += a * a * a;
      b = a;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = weights(factors, i);
  }

  std::vector<Row> rows;

 private:
  static constexpr int conditions = 7;
  using Factors = std::array<double, conditions>;
  // Larger weights have alternating signs and amplify what the conditions leave out.
  static constexpr double largest_sum = 30;

  // Returns the shortest w with Σⱼ wⱼ factors[j][k] = factors[i][k] for k = 0, 1, …, for as many k as keep
  // Σ|w| small. The conditions are made orthonormal one after the other.
  static Row weights(const std::vector<Factors>& factors, std::size_t i) {
    const int known = static_cast<int>(std::min<std::size_t>(i, reach));
    Row w{}, best{};
    std::vector<Row> basis;
    std::vector<double> part;
    for (std::size_t k = 0; k < conditions && static_cast<int>(basis.size()) < known; ++k) {
      Row u{};
      for (int j = reach - known; j < reach; ++j)
        u[static_cast<std::size_t>(j)] = factors[i - reach + static_cast<std::size_t>(j)][k];
      const double size = std::sqrt(dot(u, u));
      double wanted = factors[i][k];
      for (std::size_t l = 0; l < basis.size(); ++l) {
        const double along = dot(u, basis[l]);
        wanted -= along * part[l];
        for (std::size_t j = 0; j < reach; ++j) u[j] -= along * basis[l][j];
      }
      const double rest = std::sqrt(dot(u, u));
      if (!(rest > 1e-6 * size)) break;
      for (double& entry : u) entry /= rest;
      basis.push_back(u);
      part.push_back(wanted / rest);
      double sum = 0;
      for (std::size_t j = 0; j < reach; ++j) {
        w[j] += part.back() * u[j];
        sum += std::abs(w[j]);
      }
      if (sum <= largest_sum) best = w;
    }
    return best;
  }

  static double dot(const Row& a, const Row& b) {
    double sum = 0;
    for (std::size_t j = 0; j < reach; ++j) sum += a[j] * b[j];
    return sum;
  }
};

// Adds to mu what the row of substep i guesses from the impulses of the substeps before it, that of substep
// j at j mod reach (Y3). The oldest comes first, so that only one addition waits for the newest.
template <class Weights, class Past, class Multiplier>
void add_guess(const Weights& w, const Past& past, std::size_t i, Multiplier& mu) {
  using T = typename Multiplier::Scalar;
  constexpr std::size_t reach = GuessWeights::reach;
  for (std::size_t j = i < reach ? reach - i : 0; j < reach; ++j) {
    const Multiplier& impulse = past[(i + j) % reach];
    each_index(mu, [&](int k) { mu[k] += T(w[j]) * impulse[k]; });
  }
}

template <class P>
class ImpulseGuess {
 public:
  using T = typename P::Scalar;
  using Multiplier = typename P::Multiplier;

  ImpulseGuess(const P& s, const std::vector<double>& gamma)
      : weights_(gamma),
        past_(GuessWeights::reach, zero_multiplier(s)),
        first_(zero_multiplier(s)),
        first_found_(first_) {}

  void offer(std::size_t i, Multiplier& mu) const {
    set_zero(mu);
    if (i == 0) mu = first_;
    add_guess(weights_.rows[i], past_, i, mu);
  }
  static constexpr bool is_damped() { return false; }
  // Says where the first substep of the next step begins, instead of at 0.
  void begin_at(const Multiplier& first) { first_ = first; }
  void keep(std::size_t i, const Multiplier& mu) {
    past_[i % reach] = mu;
    if (i == 0) first_found_ = mu;
  }
  const Multiplier& first() const { return first_found_; }  // the impulse of the first substep

 private:
  static constexpr std::size_t reach = GuessWeights::reach;
  GuessWeights weights_;
  std::vector<Multiplier> past_;  // the impulse of substep i at i mod reach
  Multiplier first_, first_found_;
};

}  // namespace taut
