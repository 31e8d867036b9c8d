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

// If the band of the constraints is no wider than this, the matrix of Newton's iteration is formed anew for
// each correction. Otherwise the factor of G₀ W G₀ᵀ serves as long as each correction leaves less than
// `most_left` of the residual, and after that a matrix that is formed where it did not.
constexpr int most_full = 12;
constexpr double most_left = 0.5;
constexpr int most_formed = 30, most_corrections = 120;
// A residual within so many units of rounding counts as zero. It may be rounding in g itself that stops the
// iteration above that. It may then stand still within `still` units, if it was Newton's correction that
// left so much, and that moved no coordinate by more than `settled` units of rounding: each later step will
// correct the point as much, and must find its way back. Next to a fold, where two solutions meet or
// vanish, corrections are large.
constexpr double solved = 4, still = 1e4, settled = 100;
// The way back must end within so many units of rounding of the start: another solution lies much farther
// away. Straight chains of 1000 rods stay within it.
constexpr double returned = 1e3;

bool stands_still(double residual, double moved) {
  return residual <= still && moved <= settled * epsilon<double>();
}

}  // namespace

Mover::Mover(Target& target, const MoverOptions& options)
    : target_(target),
      options_(options),
      newton_(*target.code().pattern),
      full_newton_(newton_.width() <= most_full),
      start_(target.code()) {
  const auto m = static_cast<std::size_t>(target.code().m);
  g_.resize(m + target.code().pattern->column.size());
  impulse_.resize(m);
  delta_.resize(m);
  unit_.resize(m);
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

// q ← q - W G₀ᵀ δ. Returns the largest change that one constraint makes, in parts of the largest coordinate.
double Mover::shift(const Phase& from, std::vector<double>& q) {
  const GramPattern& s = *target_.code().pattern;
  const std::vector<double>& W = target_.metric();
  double largest = 0;
  for (std::size_t i = 0; i < delta_.size(); ++i)
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)]);
      const double change = W[j] * from.G[static_cast<std::size_t>(e)] * delta_[i];
      q[j] -= change;
      largest = std::max(largest, std::abs(change));
    }
  double scale = std::numeric_limits<double>::min();
  for (const double x : q) scale = std::max(scale, std::abs(x));
  return largest / scale;
}

bool Mover::correction(const Phase& from, bool form_anew) {
  const GramPattern& s = *target_.code().pattern;
  const std::vector<double>& W = target_.metric();
  const double* const G = g_.data() + s.m;
  std::copy_n(g_.begin(), delta_.size(), delta_.begin());
  if (s.m == 1) {
    double K = 0;
    for (int e = 0; e < s.begin[1]; ++e)
      K += G[e] * W[static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)])] *
           from.G[static_cast<std::size_t>(e)];
    delta_[0] /= K;
    return K != 0 && std::isfinite(delta_[0]);
  }
  if (form_anew && !newton_.factor(s, G, W.data(), from.G.data())) return false;
  formed_ = formed_ || form_anew;
  if (formed_)
    newton_.solve(delta_.data());
  else
    from.factor.solve(s, delta_.data());
  return true;
}

bool Mover::solve(const Phase& from, std::vector<double>& q) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  if (impulse_.empty()) return true;
  find_units(from, q);
  formed_ = false;
  bool form = full_newton_;
  double before = std::numeric_limits<double>::infinity(), first = before, moved = before;
  for (int k = 0, times_formed = 0; k <= most_corrections; ++k) {
    if (full_newton_)
      target_.g_and_G(q.data(), g_.data());
    else
      target_.g(q.data(), g_.data());
    const double now = residual();
    if (now <= solved) return true;
    if (k == 0) first = now;
    if (!std::isfinite(now) || (!full_newton_ && now > 100 * first)) return false;
    const bool slow = now >= most_left * before;
    if (slow && form && stands_still(now, moved)) return true;  // the last correction was one of Newton's
    before = now;
    form = full_newton_ || slow;
    if (form && ++times_formed > most_formed) return false;
    if (form && !full_newton_) target_.g_and_G(q.data(), g_.data());
    if (!correction(from, form)) return false;
    moved = shift(from, q);
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
    double part = 1, moved = 0;
    for (;; part /= 2) {  // a step that makes g larger is halved
      x.q = before;
      std::vector<double> whole = delta_;
      for (double& d : delta_) d *= part;
      moved = shift(x, x.q);
      delta_ = whole;
      target_.g(x.q.data(), g_.data());
      if (residual() < size || part < 1e-3) break;
    }
    if (part == 1 && residual() >= size / 2 && stands_still(residual(), moved)) {  // after a whole correction
      q = x.q;
      return true;
    }
  }
  return false;
}

}  // namespace taut
