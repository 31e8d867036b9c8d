#include <taut/contract/request.hpp>
#include <taut/method/composition_table.hpp>
#include <taut/sample/mover.hpp>
#include <taut/scalar/number.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

// Up to so many constraints the matrix of Newton's iteration is formed anew each time. For more, the factor
// of G₀ W G₀ᵀ serves all corrections of a solve: its iteration is linear, and each correction costs one
// solve.
constexpr int most_full = 12;
constexpr int most_full_corrections = 30, most_kept_corrections = 120;
// A residual within so many units of rounding counts as zero. If rounding in g itself stops the iteration
// above that, it may stand still within `still` units.
constexpr double solved = 4, still = 1e4;
// The way back must end within so many units of rounding of the start: another solution lies much farther
// away.
constexpr double returned = 1e3;

}  // namespace

Mover::Mover(Target& target, const MoverOptions& options)
    : target_(target), options_(options), full_newton_(target.code().m <= most_full), start_(target.code()) {
  const auto m = static_cast<std::size_t>(target.code().m);
  g_.resize(m + target.code().pattern->column.size());
  impulse_.resize(m);
  delta_.resize(m);
  unit_.resize(m);
  matrix_.resize(full_newton_ ? m * m : 0);
  back_.resize(static_cast<std::size_t>(target.code().n));
}

void Mover::find_units(const Phase& from, const std::vector<double>& q) {
  const GramPattern& s = *target_.code().pattern;
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    double sum = 0;
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)]);
      sum += std::abs(from.G[static_cast<std::size_t>(e)]) * (std::abs(from.q[j]) + std::abs(q[j]));
    }
    unit_[i] = sum * (epsilon<double>() / 2) + std::numeric_limits<double>::min();
  }
}

double Mover::residual() const {
  double largest = 0;
  for (std::size_t i = 0; i < unit_.size(); ++i) {
    const double r = std::abs(g_[i]) / unit_[i];
    if (!(r <= largest)) largest = r;  // also if it is not a number
  }
  return largest;
}

// q ← q - W G₀ᵀ δ
void Mover::shift(const Phase& from, std::vector<double>& q) {
  const GramPattern& s = *target_.code().pattern;
  const std::vector<double>& W = target_.metric();
  for (std::size_t i = 0; i < delta_.size(); ++i)
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)]);
      q[j] -= W[j] * from.G[static_cast<std::size_t>(e)] * delta_[i];
    }
}

// δ ← (G(q) W G₀ᵀ)⁻¹ g by elimination with pivoting; G(q) stands behind g. Returns false if the matrix is
// singular.
bool Mover::newton_correction(const Phase& from) {
  const GramPattern& s = *target_.code().pattern;
  const std::vector<double>& W = target_.metric();
  const int m = s.m;
  const double* const G = g_.data() + m;
  if (m == 1) {
    double K = 0;
    for (int e = 0; e < s.begin[1]; ++e)
      K += G[e] * W[static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)])] *
           from.G[static_cast<std::size_t>(e)];
    delta_[0] = g_[0] / K;
    return K != 0 && std::isfinite(delta_[0]);
  }
  double* const K = matrix_.data();
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  for (const GramPattern::Pair& pair : s.pairs) {
    const int a = pair.row1, b = pair.row2;
    const double w = W[static_cast<std::size_t>(pair.column)];
    K[a * m + b] += G[pair.e1] * w * from.G[static_cast<std::size_t>(pair.e2)];
    if (pair.e1 != pair.e2) K[b * m + a] += G[pair.e2] * w * from.G[static_cast<std::size_t>(pair.e1)];
  }
  std::copy_n(g_.begin(), m, delta_.begin());
  for (int k = 0; k < m; ++k) {
    int pivot = k;
    for (int i = k + 1; i < m; ++i)
      if (std::abs(K[i * m + k]) > std::abs(K[pivot * m + k])) pivot = i;
    if (!(std::abs(K[pivot * m + k]) > 0)) return false;
    if (pivot != k) {
      std::swap_ranges(K + pivot * m, K + pivot * m + m, K + k * m);
      std::swap(delta_[static_cast<std::size_t>(pivot)], delta_[static_cast<std::size_t>(k)]);
    }
    for (int i = k + 1; i < m; ++i) {
      const double factor = K[i * m + k] / K[k * m + k];
      for (int j = k + 1; j < m; ++j) K[i * m + j] -= factor * K[k * m + j];
      delta_[static_cast<std::size_t>(i)] -= factor * delta_[static_cast<std::size_t>(k)];
    }
  }
  for (int k = m - 1; k >= 0; --k) {
    double sum = delta_[static_cast<std::size_t>(k)];
    for (int j = k + 1; j < m; ++j) sum -= K[k * m + j] * delta_[static_cast<std::size_t>(j)];
    delta_[static_cast<std::size_t>(k)] = sum / K[k * m + k];
  }
  return true;
}

bool Mover::solve(const Phase& from, std::vector<double>& q) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  if (impulse_.empty()) return true;
  find_units(from, q);
  const int most = full_newton_ ? most_full_corrections : most_kept_corrections;
  double before = std::numeric_limits<double>::infinity(), first = before;
  for (int k = 0; k <= most; ++k) {
    if (full_newton_)
      target_.g_and_G(q.data(), g_.data());
    else
      target_.g(q.data(), g_.data());
    const double now = residual();
    if (now <= solved) return true;
    if (k == 0) first = now;
    if (!std::isfinite(now) || (!full_newton_ && now > 100 * first)) return false;
    if (now >= before / 2 && now <= still && k > 1) return true;
    before = now;
    if (full_newton_) {
      if (!newton_correction(from)) return false;
    } else {
      std::copy_n(g_.begin(), delta_.size(), delta_.begin());
      from.factor.solve(*target_.code().pattern, delta_.data());
    }
    shift(from, q);
    for (std::size_t i = 0; i < delta_.size(); ++i) impulse_[i] += delta_[i];
  }
  return false;
}

void take_integrator(const std::string& name, MoverOptions& options) {
  if (name.empty() || name == "rattle") return;
  const CompositionScheme* const scheme = find_composition(name);
  if (scheme == nullptr || scheme->alternates || !scheme->palindromic) {
    std::vector<std::string> known{"rattle"};
    for (const CompositionScheme& s : composition_schemes)
      if (!s.alternates && s.palindromic) known.emplace_back(s.name);
    throw InputError(
        fmt::format("--integrator {}: a sampling moves by rattle or by a symmetric composition of it.{}\n  "
                    "There are {}.",
                    name, did_you_mean(name, known), fmt::join(known, ", ")));
  }
  options.integrator = name;
  options.gamma = coefficients<double>(*scheme);
}

Outcome Mover::step(Phase& x, double h, bool force, Need need) {
  if (!force) return part(x, h, false, need);
  for (const double gamma : options_.gamma)
    if (const Outcome outcome = part(x, gamma * h, true, need); outcome != Outcome::done) return outcome;
  return Outcome::done;
}

Outcome Mover::part(Phase& x, double h, bool force, Need need) {
  const GramPattern& s = *target_.code().pattern;
  const std::vector<double>& W = target_.metric();
  start_ = x;
  if (force)
    for (std::size_t j = 0; j < x.p.size(); ++j) x.p[j] -= h / 2 * x.gradient[j];  // (SM6)
  for (std::size_t j = 0; j < x.q.size(); ++j) x.q[j] += h * W[j] * x.p[j];
  if (!solve(start_, x.q)) return Outcome::no_forward;  // (SM7)
  for (std::size_t i = 0; i < impulse_.size(); ++i)
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e)
      x.p[static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)])] -=
          start_.G[static_cast<std::size_t>(e)] * impulse_[i] / h;
  if (!target_.refresh(x, need)) return Outcome::no_forward;
  if (force)
    for (std::size_t j = 0; j < x.p.size(); ++j) x.p[j] -= h / 2 * x.gradient[j];
  target_.project(x);  // (SM8)
  if (!options_.check_reverse || s.m == 0 || returns(start_, x, h, force)) return Outcome::done;
  return backward_found_ ? Outcome::other_solution : Outcome::no_backward;
}

// Makes the position part of the step back, from (q₁, -p₁).
bool Mover::returns(const Phase& start, const Phase& x, double h, bool force) {
  const std::vector<double>& W = target_.metric();
  double scale = 0, distance = 0;
  for (std::size_t j = 0; j < back_.size(); ++j) {
    const double p = force ? x.p[j] + h / 2 * x.gradient[j] : x.p[j];
    back_[j] = x.q[j] - h * W[j] * p;
  }
  backward_found_ = solve(x, back_);
  if (!backward_found_) return false;
  for (std::size_t j = 0; j < back_.size(); ++j) {
    scale = std::max({scale, std::abs(x.q[j]), std::abs(start.q[j])});
    distance = std::max(distance, std::abs(back_[j] - start.q[j]));
  }
  return distance <= returned * epsilon<double>() * scale;
}

bool Mover::land(std::vector<double>& q) {
  Phase& x = start_;
  x.q = q;
  for (int k = 0; k < 100; ++k) {
    if (!target_.refresh(x, Need::geometry)) return false;
    find_units(x, x.q);
    target_.g(x.q.data(), g_.data());
    if (residual() <= solved) {
      q = x.q;
      return true;
    }
    std::copy_n(g_.begin(), delta_.size(), delta_.begin());
    x.factor.solve(*target_.code().pattern, delta_.data());
    const std::vector<double> before = x.q;
    const double size = residual();
    double part = 1;
    for (;; part /= 2) {  // a step that makes g larger is halved
      x.q = before;
      std::vector<double> whole = delta_;
      for (double& d : delta_) d *= part;
      shift(x, x.q);
      delta_ = whole;
      target_.g(x.q.data(), g_.data());
      if (residual() < size || part < 1e-3) break;
    }
    if (residual() <= still && residual() >= size / 2) {
      q = x.q;
      return true;
    }
  }
  return false;
}

}  // namespace taut
