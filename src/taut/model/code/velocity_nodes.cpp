#include <taut/model/code/velocity_nodes.hpp>

#include <taut/contract/time_transform.hpp>
#include <taut/model/code/system.hpp>

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

int velocity_number(const Model& model, std::string_view name) {
  if (!name.starts_with("v_")) return -1;
  for (std::size_t k = 0; k < model.coordinates.size(); ++k)
    if (name.substr(2) == model.coordinates[k]) return static_cast<int>(k);
  return -1;
}

}  // namespace taut
