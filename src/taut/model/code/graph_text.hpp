// Writes a part of a graph as a formula of a model, for H that is made and not written.
#pragma once

#include <taut/model/code/graph.hpp>

#include <functional>
#include <string>

namespace taut {

// Returns the formula whose last part is `root`. `text` is what reports show of it; the names of the inputs
// stand behind that text, as those of definitions do.
Formula formula_of_graph(const Graph& graph, int root, const std::function<std::string(int)>& name_of_input,
                         std::string text);

}  // namespace taut
