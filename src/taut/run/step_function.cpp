#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/system.hpp>
#include <taut/run/step_function.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace taut {

namespace {

// Returns the nodes of H_p, in the graph of the system.
std::vector<int> velocity_nodes(System& s) {
  if (s.kind == System::Kind::hamiltonian) return s.H_p;
  const auto n = static_cast<std::size_t>(s.n);
  const bool diagonal = s.inverse_mass.size() == n;
  std::vector<int> v;
  for (std::size_t i = 0; i < n; ++i) {
    int sum = s.graph.constant(0);
    for (std::size_t j = 0; j < n; ++j) {
      if (diagonal && i != j) continue;
      const int w = s.graph.constant(s.inverse_mass[diagonal ? i : i * n + j]);
      sum =
          s.graph.make(Op::add, sum, s.graph.make(Op::multiply, w, s.graph.input(s.n + static_cast<int>(j))));
    }
    v.push_back(sum);
  }
  return v;
}

class FormulaStepFunction final : public StepFunction {
 public:
  explicit FormulaStepFunction(const Model& model) {
    System s = model.derived ? *model.derived : derive(model);
    const auto node_of = [&](std::string_view name) {
      for (int k = 0; k < s.n; ++k)
        if (name == model.coordinates[static_cast<std::size_t>(k)]) return s.graph.input(k);
      for (const NamedFormula& a : model.parameters)
        if (name == a.name) return s.graph.constant(a.value);
      return s.graph.constant(std::numeric_limits<double>::quiet_NaN());  // the reader has refused it
    };
    const int sigma = s.graph.add(model.run.step_formula, node_of);
    if (s.graph.is_constant(sigma)) constant_ = static_cast<double>(s.graph.value(sigma));
    const Graph::FreeDomain free(s.graph);
    const std::vector<int> v = velocity_nodes(s);
    const int change =
        s.graph.along({sigma}, [&](int k) { return k < s.n ? v[static_cast<std::size_t>(k)] : -1; }).front();
    const int rate = s.graph.make(Op::negate, s.graph.make(Op::divide, change, sigma));  // (AD2)
    evaluate_ = Evaluator<double>(std::make_shared<const Program>(linearise(s.graph, {sigma, rate}, s.n)));
  }
  double sigma(std::span<const double> q, std::span<const double> p) override { return at(q, p)[0]; }
  double rate(std::span<const double> q, std::span<const double> p) override { return at(q, p)[1]; }
  std::optional<double> constant() const override { return constant_; }

 private:
  std::array<double, 2> at(std::span<const double> q, std::span<const double> p) const {
    std::array<double, 2> values{};
    evaluate_(q.data(), p.data(), q.data(), values.data());
    return values;
  }
  Evaluator<double> evaluate_;
  std::optional<double> constant_;
};

using Reals = std::vector<double>;

double dot(const Reals& a, const Reals& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
Reals moved(std::span<const double> x, double by, const Reals& along) {
  Reals y(x.begin(), x.end());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += by * along[i];
  return y;
}

// The velocity v, the force f with that of the constraints, and the acceleration a = H_pp f; the force
// without that of the constraints, and its acceleration.
struct Motion {
  Reals v, f, a, free_f = {}, free_a = {};
};

class AutomaticStepFunction final : public StepFunction {
 public:
  AutomaticStepFunction(const Mechanism& mechanism, const PlainState& start)
      : mechanism_(mechanism), by_mass_(mechanism.tier() != Tier::hamiltonian) {
    const Motion here = motion(start.q, start.p);
    const double slow = std::sqrt(local_rate_squared(start, here));
    const double time = slow > 0 && std::isfinite(slow) ? 1 / slow : 1;
    kinetic_ = size(here) * time * time;
    constexpr double longest = 10;  // in units of the time scale at the start
    floor_ = 1 / (longest * longest * time * time);
  }
  double sigma(std::span<const double> q, std::span<const double> p) override {
    return sigma_of(motion(q, p), p);
  }
  // The difference along the motion is symmetric, so that it changes its sign with p to the last bit.
  double rate(std::span<const double> q, std::span<const double> p) override {
    constexpr double part = 1e-4;  // A part of σ: differences lose 1e-8 to curvature and 1e-12 to rounding
    const Motion here = motion(q, p);
    const double delta = part * sigma_of(here, p);
    const auto log_at = [&](double by) {
      const Reals there_q = moved(q, by, here.v), there_p = moved(p, by, here.f);
      return std::log(sigma_of(motion(there_q, there_p), there_p));
    };
    return -(log_at(delta) - log_at(-delta)) / (2 * delta);
  }

 private:
  Reals evaluated(Evaluated what, std::span<const double> q, std::span<const double> p,
                  std::size_t count) const {
    Reals values(count);
    mechanism_.evaluate(what, {.count = 1, .q = q.data(), .p = p.data()}, values.data());
    return values;
  }
  Motion motion(std::span<const double> q, std::span<const double> p) const {
    const std::size_t n = q.size(), m = static_cast<std::size_t>(mechanism_.constraints());
    Motion at{.v = evaluated(Evaluated::H_p, q, p, n), .f = evaluated(Evaluated::H_q, q, p, n), .a = {}};
    for (double& f : at.f) f = -f;
    at.free_f = at.f;
    at.free_a = accelerations(q, p, at.free_f);
    if (m > 0) {
      const Reals lambda = evaluated(Evaluated::lambda, q, p, m), G = evaluated(Evaluated::G, q, p, m * n);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) at.f[j] -= G[i * n + j] * lambda[i];
    }
    at.a = m > 0 ? accelerations(q, p, at.f) : at.free_a;
    return at;
  }
  // Returns H_pp f.
  Reals accelerations(std::span<const double> q, std::span<const double> p, const Reals& f) const {
    Reals a = evaluated(Evaluated::H_p, q, moved(p, 1, f), q.size());
    const Reals less = evaluated(Evaluated::H_p, q, moved(p, -1, f), q.size());
    for (std::size_t j = 0; j < a.size(); ++j) a[j] = (a[j] - less[j]) / 2;
    return a;
  }
  // Masses weigh coordinates of different units, if there is a mass matrix.
  // One of the two forces may vanish at a point that is passed; both do not, as a rule.
  double size(const Motion& at) const {
    return by_mass_ ? dot(at.f, at.a) + dot(at.free_f, at.free_a)
                    : dot(at.a, at.a) + dot(at.free_a, at.free_a);
  }
  double sigma_of(const Motion& at, std::span<const double> p) const {
    const double moving = by_mass_ ? dot({p.begin(), p.end()}, at.v) : dot(at.v, at.v);
    return 1 / std::sqrt(size(at) / (moving + kinetic_) + floor_);  // (AD5)
  }
  // Returns how fast the acceleration changes with the position at the start: the square of a frequency.
  double local_rate_squared(const PlainState& x, const Motion& here) const {
    const Reals& along = dot(here.v, here.v) > 0 ? here.v : here.a;
    const double length = std::sqrt(dot(along, along)), scale = std::sqrt(dot(x.q, x.q));
    if (!(length > 0)) return 0;
    const double delta = 1e-5 * (scale > 0 ? scale : 1) / length;
    const Motion after = motion(moved(x.q, delta, along), x.p),
                 before = motion(moved(x.q, -delta, along), x.p);
    const Reals change = moved(after.a, -1, before.a);
    return std::sqrt(dot(change, change)) / (2 * delta * length);
  }

  const Mechanism& mechanism_;
  bool by_mass_;
  double kinetic_ = 0, floor_ = 0;
};

}  // namespace

std::unique_ptr<StepFunction> formula_step_function(const Model& model) {
  return std::make_unique<FormulaStepFunction>(model);
}

std::unique_ptr<StepFunction> automatic_step_function(const Mechanism& mechanism, const PlainState& start) {
  return std::make_unique<AutomaticStepFunction>(mechanism, start);
}

}  // namespace taut
