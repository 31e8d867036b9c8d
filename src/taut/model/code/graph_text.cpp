#include <taut/model/code/graph_text.hpp>

#include <unordered_map>
#include <utility>

namespace taut {

Formula formula_of_graph(const Graph& graph, int root, const std::function<std::string(int)>& name_of_input,
                         std::string text) {
  Formula f{.text = std::move(text), .nodes = {}, .defined = {}};
  std::unordered_map<int, int> place;
  for (const int k : graph.below({root})) {
    const Graph::Node& node = graph[k];
    FormulaNode copy{.op = node.op, .span = {0, f.text.size()}};
    if (node.op == Op::constant) {
      copy.value = graph.value(k);
    } else if (node.op == Op::input) {
      const std::string name = name_of_input(node.a);
      const std::size_t begin = f.text.size() + f.defined.size();
      f.defined += name;
      copy.span = {begin, begin + name.size()};
    } else {
      copy.a = place.at(node.a);
      if (node.b >= 0) copy.b = place.at(node.b);
    }
    place[k] = static_cast<int>(f.nodes.size());
    f.nodes.push_back(copy);
  }
  return f;
}

}  // namespace taut
