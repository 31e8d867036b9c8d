#include <taut/model/code/system.hpp>

#include <taut/model/code/confirm.hpp>
#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/velocity_nodes.hpp>
#include <taut/solve/dense_systems.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_map>

namespace taut {

namespace {

std::vector<int> range(int begin, int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), begin);
  return list;
}

class Derivation {
 public:
  Derivation(const Model& model, Parameters parameters) : model_(model), parameters_(parameters) {
    s_.n = static_cast<int>(model.coordinates.size());
    s_.m = static_cast<int>(model.constraints.size());
    nodes_.reserve(2 * model.coordinates.size() + model.parameters.size());
    for (int i = 0; i < s_.n; ++i) {
      const std::string& x = model.coordinates[static_cast<std::size_t>(i)];
      // Nodes are made in this order, so that the numbering does not depend on which formula comes first.
      nodes_[x] = s_.graph.input(i);
    }
    for (int i = 0; i < s_.n; ++i)
      nodes_["p_" + model.coordinates[static_cast<std::size_t>(i)]] = s_.graph.input(s_.n + i);
    int k = 3 * s_.n;
    for (const NamedFormula& a : model.parameters)
      nodes_[a.name] = parameters == Parameters::symbols ? s_.graph.input(k++) : s_.graph.constant(a.value);
  }

  System derive() {
    if (model_.form == Model::Form::hamiltonian) {
      derive_hamiltonian();
    } else {
      derive_potential();
      derive_mass();
    }
    derive_constraints();
    return std::move(s_);
  }

 private:
  int node(const Formula& f) {
    return s_.graph.add(f, [&](std::string_view name) { return nodes_.at(std::string(name)); });
  }
  std::vector<int> by_q(int f) { return s_.graph.gradient(f, range(0, s_.n)); }

  void derive_potential() {
    if (model_.form == Model::Form::split) {
      s_.kind = System::Kind::split;
      s_.V_fast = node(model_.potential_fast);
      const int slow = node(model_.potential_slow);
      s_.V = s_.graph.make(Op::add, slow, s_.V_fast);
      s_.grad_V_fast = by_q(s_.V_fast);
      s_.grad_V_slow = by_q(slow);
      for (std::size_t i = 0; i < s_.grad_V_fast.size(); ++i)
        s_.grad_V.push_back(s_.graph.make(Op::add, s_.grad_V_slow[i], s_.grad_V_fast[i]));
    } else {
      s_.kind = System::Kind::natural;
      s_.V = node(model_.potential);
      s_.grad_V = by_q(s_.V);
    }
  }

  void derive_mass() {
    const std::size_t n = static_cast<std::size_t>(s_.n);
    const bool full = n > 1 && model_.mass.size() == n * n;
    for (std::size_t k = 0; k < (full ? n * n : n); ++k) {
      // In a full matrix the lower triangle decides, so that W is symmetric to the last bit.
      const std::size_t i = k / n, j = k % n;
      const std::size_t given = full ? std::max(i, j) * n + std::min(i, j) : model_.mass.size() == 1 ? 0 : k;
      s_.M.push_back(node(model_.mass[given]));
      s_.mass.push_back(model_.mass_values[given]);
    }
    if (full) s_.mass = shortened(std::move(s_.mass), n);
    s_.inverse_mass = s_.mass;
    if (s_.mass.size() == n) {
      for (Float128& w : s_.inverse_mass) w = 1 / w;
    } else if (const auto inverse = inverse_of_positive(s_.mass, n)) {
      s_.inverse_mass = *inverse;
    }
  }

  void derive_hamiltonian() {
    const int n = s_.n;
    s_.kind = System::Kind::hamiltonian;
    s_.H = node(model_.hamiltonian);
    s_.H_p = s_.graph.gradient(s_.H, range(n, n));
    if (is_natural()) {
      s_.kind = System::Kind::natural;
      // A factor of p² may lack a value for some values of the parameters; that is no matter of V.
      const Graph::FreeDomain free(s_.graph, parameters_ == Parameters::symbols);
      s_.V = s_.graph.replace(s_.H, [&](int k) { return is_momentum(k) ? s_.graph.constant(0) : -1; });
      s_.grad_V = by_q(s_.V);
      return;
    }
    s_.H_q = by_q(s_.H);
    add_forces();
    s_.H_pp_v = s_.graph.along(s_.H_p, [&](int k) { return is_momentum(k) ? s_.graph.input(k + n) : -1; });
  }

  // p' = -H_q + F, and the momentum of the time is minus the work: p_time' = -H_t - F·v.
  void add_forces() {
    Graph& graph = s_.graph;
    if (model_.dynamics.forces.empty()) return;
    for (int i = 0; i < s_.n; ++i)
      nodes_.try_emplace("v_" + model_.coordinates[static_cast<std::size_t>(i)],
                         s_.H_p[static_cast<std::size_t>(i)]);
    for (const Force& force : model_.dynamics.forces) {
      const auto i = static_cast<std::size_t>(force.coordinate);
      const int F = node(force.formula);
      s_.H_q[i] = graph.make(Op::subtract, s_.H_q[i], F);                                          // (TF3)
      s_.H_q.back() = graph.make(Op::add, s_.H_q.back(), graph.make(Op::multiply, F, s_.H_p[i]));  // (TF4)
    }
  }

  bool is_momentum(int input) const { return input >= s_.n && input < 2 * s_.n; }

  // Asks whether H_p = W p with W free of q and p, symmetric and positive definite.
  bool is_natural() {
    const int n = s_.n;
    Graph& graph = s_.graph;
    std::vector<std::pair<std::size_t, int>> entries;  // W row by row, without its zeros
    bool diagonal = true;
    for (int i = 0; i < n; ++i) {
      const int row = s_.H_p[static_cast<std::size_t>(i)];
      if (has_sign_of_momentum(row)) return false;
      const std::vector<int> inputs = graph.inputs_of(row);
      std::vector<int> momenta;
      for (const int k : inputs) {
        if (k < n) return false;  // H_qp
        if (is_momentum(k)) momenta.push_back(k);
      }
      const std::vector<int> slopes = graph.gradient(row, momenta);
      for (std::size_t k = 0; k < momenta.size(); ++k) {
        for (const int input : graph.inputs_of(slopes[k]))
          if (input < 2 * n) return false;  // H_ppp
        const int j = momenta[k] - n;
        diagonal = diagonal && i == j;
        entries.emplace_back(static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + j, slopes[k]);
      }
      const Graph::FreeDomain free(graph);
      const int at_rest = graph.replace(row, [&](int k) { return is_momentum(k) ? graph.constant(0) : -1; });
      if (!graph.is_constant(at_rest, 0)) return false;  // a term linear in p
    }
    const auto size = static_cast<std::size_t>(n);
    if (entries.size() < size) return false;  // a row of W is zero
    std::vector<int> W(diagonal ? size : size * size, graph.constant(0));
    Numbers values(W.size(), 0);
    for (const auto& [place, slope] : entries) {
      const std::size_t k = diagonal ? place / size : place;
      W[k] = slope;
      values[k] = value(slope);
    }
    if (!invert(values) || !confirmation().is_natural(s_.inverse_mass)) return false;
    s_.W = std::move(W);
    return true;
  }

  // A derivative passes over a sign as if it were a number, so that |p| would count as zero.
  bool has_sign_of_momentum(int row) const {
    const std::vector<int> nodes = s_.graph.below({row});
    return std::any_of(nodes.begin(), nodes.end(), [&](int k) {
      if (s_.graph[k].op != Op::sign) return false;
      const std::vector<int> inputs = s_.graph.inputs_of(k);
      return std::any_of(inputs.begin(), inputs.end(), [&](int input) { return is_momentum(input); });
    });
  }

  // Takes these values of W, and their inverse; returns false if W is not symmetric or not positive definite.
  bool invert(const Numbers& W) {
    const auto n = static_cast<std::size_t>(s_.n);
    if (W.size() == n) {
      s_.mass = W;
      for (Float128& m : s_.mass) {
        if (!(m > 0)) return false;
        m = 1 / m;
      }
    } else {
      if (not_symmetric(W, n)) return false;
      const auto M = inverse_of_positive(W, n);
      if (!M) return false;
      s_.mass = shortened(*M, n);
    }
    s_.inverse_mass = W.size() == n ? W : shortened(W, n);
    return true;
  }

  // Returns the value of a node that depends on parameters alone.
  Float128 value(int f) {
    const int k = s_.graph.replace(f, [&](int input) {
      return input >= 3 * s_.n
                 ? s_.graph.constant(model_.parameters[static_cast<std::size_t>(input - 3 * s_.n)].value)
                 : -1;
    });
    return s_.graph.value(k);
  }

  void derive_constraints() {
    s_.begin = {0};
    const auto all = model_.constraints.begin();
    const auto rolling = model_.constraints.end() - model_.dynamics.velocity_constraints;
    for (auto one = all; one != rolling; ++one) {
      const Formula& f = *one;
      s_.g.push_back(node(f));
      std::vector<int> columns, kept;
      for (const int k : s_.graph.inputs_of(s_.g.back()))
        if (k < s_.n) columns.push_back(k);
      const std::vector<int> row = s_.graph.gradient(s_.g.back(), columns);
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (!s_.graph.is_constant(row[k], 0)) kept.push_back(columns[k]);
      // A zero is left out of G only if the values of g know nothing of that coordinate either.
      const bool sparse = kept.size() == columns.size() || confirmation().depends_only_on(f, kept);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (sparse && s_.graph.is_constant(row[k], 0)) continue;
        s_.column.push_back(columns[k]);
        s_.G.push_back(row[k]);
      }
      s_.begin.push_back(static_cast<int>(s_.column.size()));
    }
    // From here on v is the direction of the graph, and no longer H_p.
    for (int i = 0; i < s_.n && rolling != model_.constraints.end(); ++i)
      nodes_["v_" + model_.coordinates[static_cast<std::size_t>(i)]] = s_.graph.input(2 * s_.n + i);
    for (auto one = rolling; one != model_.constraints.end(); ++one) derive_velocity_constraint(*one);
  }

  // The row of G is A(q). What stands beside A(q) v is the entry of the time, whose velocity is 1. There is
  // no g: it counts as 0.
  void derive_velocity_constraint(const Formula& f) {
    LinearInVelocities linear = linear_in_velocities(s_.graph, node(f), 2 * s_.n, s_.n);
    if (model_.dynamics.timed) linear.row.back() = linear.rest;
    s_.g.push_back(s_.graph.constant(0));
    for (int k = 0; k < s_.n; ++k) {
      if (s_.graph.is_constant(linear.row[static_cast<std::size_t>(k)], 0)) continue;
      s_.column.push_back(k);
      s_.G.push_back(linear.row[static_cast<std::size_t>(k)]);
    }
    s_.begin.push_back(static_cast<int>(s_.column.size()));
  }

  const Confirmation& confirmation() {
    if (!confirmation_) confirmation_.emplace(model_);
    return *confirmation_;
  }

  const Model& model_;
  std::optional<Confirmation> confirmation_;  // made when it is first asked
  Parameters parameters_;
  System s_;
  std::unordered_map<std::string, int> nodes_;
};

std::vector<double> values_of(const std::vector<NamedFormula>& list) {
  std::vector<double> values;
  values.reserve(list.size());
  for (const NamedFormula& x : list) values.push_back(static_cast<double>(x.value));
  return values;
}

std::vector<double> at_start(const System& s, const Model& model, const std::vector<int>& nodes) {
  const Evaluator<double> run(std::make_shared<const Program>(linearise(s.graph, nodes, s.n)));
  const auto q = values_of(model.q), p = values_of(model.p);
  const std::vector<double> v(q.size(), 0);
  std::vector<double> out(nodes.size());
  run(q.data(), p.data(), v.data(), out.data());
  return out;
}

}  // namespace

System derive(const Model& model, Parameters parameters) { return Derivation(model, parameters).derive(); }

std::vector<int> derive_bend(System& s, const Model& model) {
  if (model.dynamics.velocity_constraints > 0) return {};  // G is no derivative of g
  Graph& graph = s.graph;
  const auto depends_on_q = [&](int k) {
    const std::vector<int> inputs = graph.inputs_of(k);
    return std::any_of(inputs.begin(), inputs.end(), [&](int input) { return input < s.n; });
  };
  // The derivative of a sign is zero, and says nothing.
  for (const int k : graph.below(s.G))
    if (graph[k].op == Op::sign && depends_on_q(k)) return {};
  // The derivative of G along v, entry by entry.
  const std::vector<int> turn =
      graph.along(s.G, [&](int input) { return input < s.n ? graph.input(2 * s.n + input) : -1; });
  if (std::any_of(turn.begin(), turn.end(), depends_on_q)) return {};
  std::vector<int> bend;
  for (std::size_t i = 0; i + 1 < s.begin.size(); ++i) {
    int sum = graph.constant(0);
    for (auto k = static_cast<std::size_t>(s.begin[i]); k < static_cast<std::size_t>(s.begin[i + 1]); ++k)
      sum = graph.make(Op::add, sum, graph.make(Op::multiply, turn[k], graph.input(2 * s.n + s.column[k])));
    bend.push_back(graph.make(Op::multiply, graph.constant(Float128(1) / 2), sum));
  }
  return Confirmation(model).has_bend(s, bend) ? bend : std::vector<int>{};
}

std::optional<NotFinite> derivative_not_finite(const System& s, const Model& model) {
  const auto check = [&](const std::vector<int>& nodes,
                         const std::string& prefix) -> std::optional<NotFinite> {
    const auto values = at_start(s, model, nodes);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!finite(values[i])) return NotFinite{-1, prefix + model.coordinates[i]};
    return std::nullopt;
  };
  if (s.kind == System::Kind::hamiltonian) {
    if (const auto bad = check(s.H_q, "")) return bad;
    if (const auto bad = check(s.H_p, "p_")) return bad;
  } else if (const auto bad = check(s.grad_V, "")) {
    return bad;
  }
  const auto values = at_start(s, model, s.G);
  for (int i = 0; i < s.m; ++i)
    for (int k = s.begin[static_cast<std::size_t>(i)]; k < s.begin[static_cast<std::size_t>(i) + 1]; ++k)
      if (!finite(values[static_cast<std::size_t>(k)]))
        return NotFinite{i,
                         model.coordinates[static_cast<std::size_t>(s.column[static_cast<std::size_t>(k)])]};
  return std::nullopt;
}

std::optional<GradientBeyondNumbers> gradient_beyond_numbers(const System& s, const Model& model) {
  const auto values = at_start(s, model, s.G);
  double weight = 1;  // the largest of W; a Hamiltonian of its own counts as 1
  for (const Float128 w : s.inverse_mass) weight = std::max(weight, static_cast<double>(magnitude(w)));
  for (int i = 0; i < s.m; ++i) {
    double largest = 0;
    for (int k = s.begin[static_cast<std::size_t>(i)]; k < s.begin[static_cast<std::size_t>(i) + 1]; ++k)
      largest = std::max(largest, magnitude(values[static_cast<std::size_t>(k)]));
    const double square = largest * largest;
    if (largest > 0 && (!finite(square * weight * s.n) || square < std::numeric_limits<double>::min()))
      return GradientBeyondNumbers{i, largest};
  }
  return std::nullopt;
}

std::vector<int> dependent_at_start(const System& s, const Model& model) {
  constexpr int most = 500;  // the analysis costs m³
  if (s.m > most) return {};
  const auto values = at_start(s, model, s.G);
  DenseMatrix rows(s.m, s.n - (model.dynamics.timed ? 1 : 0));
  for (int i = 0; i < s.m; ++i)
    for (auto k = static_cast<std::size_t>(s.begin[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(s.begin[static_cast<std::size_t>(i) + 1]); ++k)
      if (s.column[k] < rows.columns) rows(i, s.column[k]) = values[k];
  return dependent_rows_below_rank(rows);
}

bool singular_kinetic(const System& s, const Model& model) {
  constexpr int largest = 200;  // a factorisation costs n³
  if (s.kind != System::Kind::hamiltonian || s.n > largest) return false;
  const int moving = s.n - (model.dynamics.timed ? 1 : 0);  // H is linear in the momentum of the time
  const Evaluator<double> run(std::make_shared<const Program>(linearise(s.graph, s.H_pp_v, s.n)));
  const auto q = values_of(model.q), p = values_of(model.p);
  DenseMatrix H_pp(moving, moving);
  std::vector<double> column(q.size());
  for (int j = 0; j < moving; ++j) {
    std::vector<double> v(q.size(), 0);
    v[static_cast<std::size_t>(j)] = 1;
    run(q.data(), p.data(), v.data(), column.data());
    std::copy(column.begin(), column.begin() + moving, H_pp.column(j));
  }
  if (is_invertible(H_pp)) return false;
  // A coordinate whose velocity is given, as that of a clock is by H + p_t, needs no momentum: along one
  // direction in which H_pp vanishes, H_p may say how fast the system goes.
  const auto velocity = at_start(s, model, s.H_p);
  double fast = 0;
  for (const double v : velocity) fast = std::max(fast, magnitude(v));
  if (!(fast > 0)) return true;
  for (int j = 0; j < s.n; ++j)
    for (int i = 0; i < s.n; ++i)
      H_pp.column(j)[i] +=
          velocity[static_cast<std::size_t>(i)] / fast * (velocity[static_cast<std::size_t>(j)] / fast);
  return !is_invertible(H_pp);
}

}  // namespace taut
