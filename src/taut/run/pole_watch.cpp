#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/graph.hpp>
#include <taut/model/model.hpp>
#include <taut/run/pole_watch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace taut {

using Names = std::map<std::string, Float128, std::less<>>;

struct Divisor {
  const Formula* whole;    // the formula in which it divides
  int part;                // a node of it
  bool is_cosine = false;  // the divisor is the cosine of that part
  bool is_watched = true;

  std::string text() const {
    const std::string_view words = whole->part(whole->nodes[static_cast<std::size_t>(part)].span);
    return is_cosine ? fmt::format("cos({})", words) : std::string(words);
  }
};

namespace {

const FormulaNode& node_at(const Formula& f, int k) { return f.nodes[static_cast<std::size_t>(k)]; }

// Returns the values of the parts that are made of numbers and parameters.
std::vector<std::optional<Float128>> fixed_values(const Formula& f, const Names& parameters) {
  std::vector<std::optional<Float128>> values;
  const auto at = [&](int k) {
    return k < 0 ? std::optional(Float128(0)) : values[static_cast<std::size_t>(k)];
  };
  for (const FormulaNode& node : f.nodes) {
    std::optional<Float128> value;
    if (node.op == Op::constant) {
      value = node.value;
    } else if (node.op == Op::input) {
      if (const auto known = parameters.find(f.part(node.span)); known != parameters.end())
        value = known->second;
    } else if (at(node.a) && at(node.b)) {
      value = apply(node.op, *at(node.a), *at(node.b));
    }
    values.push_back(value);
  }
  return values;
}

// Adds the parts at whose zeros part k is zero: x and y for -x^2*sqrt(y). Such a part may change its sign
// though the whole does not.
void add_factors(const Formula& f, int k, std::vector<int>& to) {
  std::vector<int> left = {k};
  while (!left.empty()) {
    const int part = left.back();
    left.pop_back();
    const FormulaNode& node = node_at(f, part);
    switch (node.op) {
      case Op::constant:
      case Op::exp:
      case Op::cosh:
      case Op::erfc:
        break;
      case Op::multiply:
        left.push_back(node.b);
        [[fallthrough]];
      case Op::negate:
      case Op::divide:
      case Op::power:
      case Op::sqrt:
      case Op::cbrt:
      case Op::absolute:
        left.push_back(node.a);
        break;
      default:
        to.push_back(part);
    }
  }
}

// Lists what a formula divides by. The zeros of cos(u) are the poles of tan(u).
std::vector<Divisor> divisors_of(const Formula& f, const Names& parameters) {
  const auto is_division = [](const FormulaNode& node) {
    return node.op == Op::divide || node.op == Op::log || node.op == Op::power || node.op == Op::tan;
  };
  if (std::none_of(f.nodes.begin(), f.nodes.end(), is_division)) return {};
  const auto fixed = fixed_values(f, parameters);
  std::vector<int> parts;
  std::vector<Divisor> found;
  for (const FormulaNode& node : f.nodes) {
    if (node.op == Op::divide) add_factors(f, node.b, parts);
    if (node.op == Op::log) add_factors(f, node.a, parts);
    if (node.op == Op::tan) found.push_back({.whole = &f, .part = node.a, .is_cosine = true});
    if (node.op == Op::power)
      if (const auto& exponent = fixed[static_cast<std::size_t>(node.b)]; exponent && *exponent < 0)
        add_factors(f, node.a, parts);
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (const int k : parts) found.push_back({.whole = &f, .part = k});
  std::erase_if(found, [&](const Divisor& d) { return fixed[static_cast<std::size_t>(d.part)].has_value(); });
  return found;
}

}  // namespace

struct PoleWatch::Divisors {
  std::vector<std::string> coordinates;
  Names parameters;
  // H, or V; beside it the masses or the kinetic energy from which H was made: where a mass has no bound H
  // has one, and no motion passes.
  std::vector<Formula> formulas;
  std::vector<Formula> constraints;  // g, in which no momentum occurs
  std::vector<Divisor> all;
  Evaluator<double> evaluate;
  mutable std::vector<double> values;
  std::vector<bool> is_negative;
  std::vector<double> values_before, rate;  // at the last call of steps_ahead(); the largest change in a step

  // The way between two states; a place on it is a number from 0 to 1. It is the straight one, or what
  // becomes of that if each of its positions is brought onto the constraints.
  struct Way {
    std::span<const double> q0, p0, q1, p1;
    std::vector<int> constraints = {};  // those onto which it is brought

    bool is_straight() const { return constraints.empty(); }
  };
  using Position = std::vector<Float128>;
  // Returns the values of all parts of a formula there.
  std::vector<Float128> values_at(const Formula& f, const Way& way, Float128 t) const {
    Position q = straight_at(way, t);
    if (!way.is_straight())
      if (std::optional<Position> landed = on_constraints(q, way.constraints)) q = std::move(*landed);
    Names known = names_at(q);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      known["p_" + coordinates[k]] = way.p0[k] + t * (Float128(way.p1[k]) - way.p0[k]);
    }
    return taut::evaluate(f, [&](std::string_view name) { return known.find(name)->second; });
  }
  Names names_at(const Position& q) const {
    Names known = parameters;
    for (std::size_t k = 0; k < q.size(); ++k) {
      known[coordinates[k]] = q[k];
      if (coordinates[k] == time_name) known.emplace("t", q[k]);
    }
    return known;
  }
  Position straight_at(const Way& way, Float128 t) const {
    Position q(coordinates.size());
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = way.q0[k] + t * (Float128(way.q1[k]) - way.q0[k]);
    return q;
  }
  // Returns these constraints there.
  Position constraints_at(const Position& q, const std::vector<int>& which) const {
    const Names known = names_at(q);
    Position g;
    for (const int i : which)
      g.push_back(taut::evaluate(constraints[static_cast<std::size_t>(i)], [&](std::string_view name) {
                    return known.find(name)->second;
                  }).back());
    return g;
  }
  // Returns the constraints that are nearest to a part of a formula: first those on its coordinates, then
  // those on the coordinates of these, and so on, if there are not too many.
  std::vector<int> nearest_constraints(const Formula& f, int part) const {
    constexpr std::size_t most_constraints = 16;
    std::set<std::string, std::less<>> reached;
    std::vector<int> left = {part};
    while (!left.empty()) {
      const FormulaNode& node = node_at(f, left.back());
      left.pop_back();
      if (node.op == Op::input) reached.emplace(f.part(node.span));
      for (const int k : {node.a, node.b})
        if (k >= 0 && node.op != Op::input && node.op != Op::constant) left.push_back(k);
    }
    std::vector<int> found;
    std::vector<bool> is_taken(constraints.size());
    for (bool grows = true; grows;) {
      grows = false;
      const auto before = reached;
      for (std::size_t i = 0; i < constraints.size() && found.size() < most_constraints; ++i) {
        const Formula& g = constraints[i];
        const auto is_reached = [&](const FormulaNode& node) {
          return node.op == Op::input && !parameters.contains(g.part(node.span)) &&
                 before.contains(g.part(node.span));
        };
        if (is_taken[i] || std::none_of(g.nodes.begin(), g.nodes.end(), is_reached)) continue;
        is_taken[i] = grows = true;
        found.push_back(static_cast<int>(i));
        for (const FormulaNode& node : g.nodes)
          if (node.op == Op::input) reached.emplace(g.part(node.span));
      }
    }
    return found;
  }
  // Returns a position of g = 0 near q, by Newton's iteration along the gradients of g; none if it finds
  // none. Differences in 128 bits give gradients to 1e-17 or so, which is enough for 30 digits in three
  // corrections.
  std::optional<Position> on_constraints(Position q, const std::vector<int>& which) const {
    const std::size_t n = q.size(), m = which.size();
    Float128 size = 0;
    for (const Float128& x : q) size = std::max(size, x < 0 ? -x : x);
    const Float128 delta = (size > 0 ? size : Float128(1)) * 1e-17;
    for (int correction = 0; correction < 12; ++correction) {
      const Position g = constraints_at(q, which);
      std::vector<Position> G;  // one column for each coordinate
      for (std::size_t j = 0; j < n; ++j) {
        Position moved = q;
        moved[j] += delta;
        Position column = constraints_at(moved, which);
        for (std::size_t i = 0; i < m; ++i) column[i] = (column[i] - g[i]) / delta;
        G.push_back(std::move(column));
      }
      std::vector<Position> A(m, Position(m + 1));  // G Gᵀ, and g beside it
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t k = 0; k < m; ++k)
          for (std::size_t j = 0; j < n; ++j) A[i][k] += G[j][i] * G[j][k];
        A[i][m] = g[i];
      }
      if (!eliminate(A)) return std::nullopt;
      Float128 way = 0;
      for (std::size_t j = 0; j < n; ++j) {
        Float128 step = 0;
        for (std::size_t i = 0; i < m; ++i) step += G[j][i] * A[i][m];
        q[j] -= step;
        way = std::max(way, step < 0 ? -step : step);
      }
      if (way <= delta * 1e-13) return q;
      if (!std::isfinite(static_cast<double>(way))) return std::nullopt;
    }
    return std::nullopt;
  }
  // Solves A x = b for b in the last column of A, and leaves x there. A row that depends on the others is
  // left out, as for constraints that say the same. Returns false if something is not a number.
  static bool eliminate(std::vector<Position>& A) {
    const std::size_t m = A.size();
    const auto magnitude = [](const Float128& x) { return x < 0 ? -x : x; };
    std::vector<Float128> first(m);
    for (std::size_t k = 0; k < m; ++k) first[k] = A[k][k];
    for (std::size_t k = 0; k < m; ++k) {  // A is symmetric and positive: its own diagonal has the pivots
      if (!std::isfinite(static_cast<double>(A[k][k]))) return false;
      if (!(magnitude(A[k][k]) > first[k] * 1e-12)) {
        for (std::size_t i = 0; i < m; ++i) A[i][k] = A[k][i] = 0;
        A[k][k] = 1;
        A[k][m] = 0;
        continue;
      }
      for (std::size_t i = 0; i < m; ++i) {
        if (i == k) continue;
        const Float128 factor = A[i][k] / A[k][k];
        for (std::size_t j = k; j <= m; ++j) A[i][j] -= factor * A[k][j];
      }
    }
    for (std::size_t k = 0; k < m; ++k) A[k][m] /= A[k][k];
    return true;
  }
  bool negative_at(const Divisor& d, const Way& way, Float128 t) const {
    const Float128 value = values_at(*d.whole, way, t)[static_cast<std::size_t>(d.part)];
    return (d.is_cosine ? apply(Op::cos, value, 0) : value) < 0;
  }
  // Returns where on the way the divisor is zero.
  Float128 zero_of(const Divisor& d, const Way& way) const {
    Float128 from = 0, to = 1;
    const bool begins_negative = negative_at(d, way, from);
    for (int k = 0; k < 112; ++k) {
      const Float128 middle = (from + to) / 2;
      (negative_at(d, way, middle) == begins_negative ? from : to) = middle;
    }
    return from;
  }
  // Asks whether the formula grows beyond all bounds towards the zero of its divisor. A pole of any power, or
  // a logarithm, changes from 2^-24 to 2^-32 of the way before the zero by as much as from 2^-8 to 2^-16, or
  // by more; what has a bound changes by far less there. On the constraints y = x² the formula y/x has a
  // bound where x is zero, and a pole beside them: the way is bent onto them.
  bool has_pole(const Divisor& d, Way way) const {
    if (!is_pole_of(d, way)) return false;
    const std::vector<int> nearest = nearest_constraints(*d.whole, d.part);
    if (nearest.empty()) return true;
    const Float128 zero = zero_of(d, way);
    way.constraints = nearest;
    return !on_constraints(straight_at(way, zero), nearest) || is_pole_of(d, way);
  }
  bool is_pole_of(const Divisor& d, const Way& way) const {
    const Float128 zero = zero_of(d, way);
    Float128 w[4];
    for (int k = 0; k < 4; ++k) {
      Float128 before = zero;
      for (int i = 0; i < 8 * (k + 1); ++i) before /= 2;
      w[k] = values_at(*d.whole, way, zero - before).back();
      if (!std::isfinite(static_cast<double>(w[k]))) return k > 0;
    }
    const auto size = [](Float128 x) { return x < 0 ? -x : x; };
    return size(w[3] - w[2]) > size(w[1] - w[0]) / 4 && size(w[3] - w[2]) > Float128(1e-20) * size(w[3]);
  }
};

PoleWatch::PoleWatch(const Model& model) : divisors_(std::make_unique<Divisors>()) {
  if (model.particles) return;
  Divisors& d = *divisors_;
  d.coordinates = model.coordinates;
  for (const NamedFormula& a : model.parameters) d.parameters.emplace(a.name, a.value);
  d.constraints = model.constraints;
  d.constraints.resize(d.constraints.size() - static_cast<std::size_t>(model.dynamics.velocity_constraints));
  d.formulas.push_back(model.form == Model::Form::hamiltonian ? model.hamiltonian : model.potential);
  if (model.dynamics.written_as == "mass")
    for (const Formula& mass : model.mass)
      if (std::none_of(d.formulas.begin(), d.formulas.end(),
                       [&](const Formula& f) { return f.text == mass.text; }))
        d.formulas.push_back(mass);
  if (!model.dynamics.kinetic.nodes.empty()) d.formulas.push_back(model.dynamics.kinetic);
  // The pole of a mass is one whatever the velocity is.
  for (std::size_t k = 0; k < d.coordinates.size(); ++k)
    d.parameters.emplace("v_" + d.coordinates[k], Float128(1) + Float128(static_cast<double>(k)) / 8);
  const int n = static_cast<int>(model.coordinates.size());
  Graph graph;
  std::map<std::string, int, std::less<>> inputs;
  for (int k = 0; k < n; ++k) {
    inputs.emplace(model.coordinates[static_cast<std::size_t>(k)], k);
    inputs.emplace("p_" + model.coordinates[static_cast<std::size_t>(k)], n + k);
    if (model.dynamics.timed && model.coordinates[static_cast<std::size_t>(k)] == time_name)
      inputs.emplace("t", k);
  }
  const auto node_of = [&](std::string_view name) {
    const auto input = inputs.find(name);
    return input == inputs.end() ? graph.constant(d.parameters.find(name)->second)
                                 : graph.input(input->second);
  };
  std::vector<int> outputs;
  for (const Formula& formula : d.formulas) {
    const std::vector<Divisor> found = divisors_of(formula, d.parameters);
    if (found.empty()) continue;
    const std::vector<int> nodes = graph.add_parts(formula, node_of);
    for (const Divisor& divisor : found) {
      const int part = nodes[static_cast<std::size_t>(divisor.part)];
      outputs.push_back(divisor.is_cosine ? graph.make(Op::cos, part) : part);
      d.all.push_back(divisor);
    }
  }
  if (d.all.empty()) return;
  d.evaluate = Evaluator<double>(std::make_shared<const Program>(linearise(graph, outputs, n)));
  d.values.resize(outputs.size());
}

PoleWatch::~PoleWatch() = default;

bool PoleWatch::watches() const { return !divisors_->all.empty(); }

void PoleWatch::begin(std::span<const double> q, std::span<const double> p) {
  Divisors& d = *divisors_;
  d.evaluate(q.data(), p.data(), nullptr, d.values.data());
  d.is_negative.resize(d.values.size());
  for (std::size_t k = 0; k < d.values.size(); ++k) d.is_negative[k] = d.values[k] < 0;
}

bool PoleWatch::changed(std::span<const double> q, std::span<const double> p) const {
  const Divisors& d = *divisors_;
  d.evaluate(q.data(), p.data(), nullptr, d.values.data());
  for (std::size_t k = 0; k < d.values.size(); ++k)
    if (d.all[k].is_watched && (d.values[k] < 0) != d.is_negative[k]) return true;
  return false;
}

std::int64_t PoleWatch::steps_ahead(std::int64_t steps) {
  constexpr double fades = 0.9;  // a divisor that turns round will soon be as fast as it was
  constexpr double part = 0.5;   // goes so far towards its zero before the next look
  Divisors& d = *divisors_;
  double least = 0x1p30;
  d.rate.resize(d.values.size());
  for (std::size_t k = 0; k < d.values.size(); ++k) {
    if (!d.all[k].is_watched) continue;
    if (!d.values_before.empty() && steps > 0)
      d.rate[k] = std::max(fades * d.rate[k],
                           std::abs(d.values[k] - d.values_before[k]) / static_cast<double>(steps));
    const double ahead = part * std::abs(d.values[k]) / d.rate[k];
    if (ahead < least) least = ahead;  // not if neither is known
  }
  const bool knows_rates = !d.values_before.empty();
  d.values_before = d.values;
  return knows_rates ? std::max<std::int64_t>(1, static_cast<std::int64_t>(least)) : 1;
}

std::string PoleWatch::between(std::span<const double> q0, std::span<const double> p0,
                               std::span<const double> q1, std::span<const double> p1) {
  Divisors& d = *divisors_;
  if (!changed(q1, p1)) return "";
  for (std::size_t k = 0; k < d.all.size(); ++k) {
    Divisor& divisor = d.all[k];
    if (!divisor.is_watched || (d.values[k] < 0) == d.is_negative[k]) continue;
    if (d.has_pole(divisor, {q0, p0, q1, p1})) {
      const std::string text = divisor.text(), whole = divisor.whole->text;
      return fmt::format("{} changed its sign in `{}`, which has no bound where that is zero",
                         text == whole ? "a divisor" : '`' + text + '`', whole);
    }
    divisor.is_watched = false;
  }
  return "";
}

}  // namespace taut
