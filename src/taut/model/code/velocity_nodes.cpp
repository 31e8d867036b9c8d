#include <taut/model/code/velocity_nodes.hpp>

#include <taut/contract/time_transform.hpp>
#include <taut/model/code/system.hpp>

#include <algorithm>
#include <numeric>

namespace taut {

std::vector<int> velocity_nodes(Graph& graph, const Model& model,
                                const std::function<int(std::string_view)>& node_of, int first_momentum) {
  const std::size_t n = model.coordinates.size();
  if (model.form == Model::Form::hamiltonian) {
    std::vector<int> momenta(n);
    std::iota(momenta.begin(), momenta.end(), first_momentum);
    std::vector<int> v = graph.gradient(graph.add(model.hamiltonian, node_of), momenta);
    // Velocities are those in t, and K of a time transform has σ H_p.
    if (time_transform_of(model.run.step_function.value_or(""))) {
      const int sigma = graph.add(model.run.step_formula, node_of);
      for (int& component : v) component = graph.make(Op::divide, component, sigma);
    }
    return v;
  }
  std::vector<int> v;
  const Numbers& W = model.derived->inverse_mass;
  for (std::size_t i = 0; i < n; ++i) {
    int sum = graph.constant(0);
    for (std::size_t j = 0; j < n; ++j) {
      if (W.size() == n && i != j) continue;
      const int p = graph.input(first_momentum + static_cast<int>(j));
      sum = graph.make(Op::add, sum,
                       graph.make(Op::multiply, graph.constant(W[W.size() == n ? i : i * n + j]), p));
    }
    v.push_back(sum);
  }
  return v;
}

LinearInVelocities linear_in_velocities(Graph& graph, int node, int first_velocity, int n) {
  const auto is_velocity = [&](int input) { return input >= first_velocity && input < first_velocity + n; };
  const auto moves = [&](int k) {
    const std::vector<int> inputs = graph.inputs_of(k);
    return std::any_of(inputs.begin(), inputs.end(), is_velocity);
  };
  std::vector<int> velocities(static_cast<std::size_t>(n));
  std::iota(velocities.begin(), velocities.end(), first_velocity);
  LinearInVelocities out;
  out.row = graph.gradient(node, velocities);
  // A derivative passes over a sign as if it were a number, so that |v| would count as linear.
  const auto has_sign = [&](int entry) {
    const std::vector<int> nodes = graph.below({entry});
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](int k) { return graph[k].op == Op::sign && moves(k); });
  };
  for (int i = 0; i < n && out.fault < 0; ++i)
    if (const int entry = out.row[static_cast<std::size_t>(i)]; moves(entry) || has_sign(entry))
      out.fault = i;
  const Graph::FreeDomain free(graph);
  out.rest = graph.replace(node, [&](int input) { return is_velocity(input) ? graph.constant(0) : -1; });
  return out;
}

int velocity_number(const Model& model, std::string_view name) {
  if (!name.starts_with("v_")) return -1;
  for (std::size_t k = 0; k < model.coordinates.size(); ++k)
    if (name.substr(2) == model.coordinates[k]) return static_cast<int>(k);
  return -1;
}

}  // namespace taut
