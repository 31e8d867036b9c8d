// The velocities of a model as nodes of any graph that has its state.
#pragma once

#include <taut/model/code/graph.hpp>
#include <taut/model/model.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace taut {

// Returns H_p; `node_of` gives the nodes of coordinates, momenta and parameters, and momentum i is the input
// first_momentum + i of the graph.
std::vector<int> velocity_nodes(Graph& graph, const Model& model,
                                const std::function<int(std::string_view)>& node_of, int first_momentum);

// Returns the number of the coordinate whose velocity has this name; -1 if it is no velocity.
int velocity_number(const Model& model, std::string_view name);

// A formula as row·v + rest, if it is linear in the velocities; otherwise `fault` is the first coordinate
// whose velocity it is not linear in.
struct LinearInVelocities {
  std::vector<int> row;
  int rest = -1, fault = -1;
};

// Takes a node apart; velocity i, of n, is the input first_velocity + i of the graph.
LinearInVelocities linear_in_velocities(Graph& graph, int node, int first_velocity, int n);

}  // namespace taut
