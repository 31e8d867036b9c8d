// A model as mechanics: one graph with H or V, g and all first derivatives, the sparsity of G, and the mass.
// A hamiltonian that is ½ pᵀWp + V(q) with constant positive definite W is recognised here, from the graph,
// and becomes a natural system if its values confirm it (confirm.hpp).
#pragma once

#include <taut/model/code/graph.hpp>
#include <taut/model/code/mass_matrix.hpp>
#include <taut/model/model.hpp>

#include <optional>
#include <vector>

namespace taut {

// The inputs of the graph: q is 0 … n-1, p is n … 2n-1, a direction v is 2n … 3n-1; if the parameters are
// symbols, they follow.
struct System {
  enum class Kind { natural, split, hamiltonian };
  Kind kind = Kind::natural;
  int n = 0, m = 0;
  Graph graph;

  int V = -1, V_fast = -1;  // if natural or split
  std::vector<int> grad_V, grad_V_fast, grad_V_slow;
  int H = -1;  // if hamiltonian
  std::vector<int> H_q, H_p, H_pp_v;
  std::vector<int> g, G;           // G by rows: row i is entries begin[i] … begin[i+1]-1
  std::vector<int> begin, column;  // the places of the entries of G

  // If natural or split: the nodes of W = M⁻¹ or of M, whichever the model gives. They are n² row by row, or
  // the n of the diagonal if all others are 0.
  std::vector<int> W, M;
  // The values of both, in the same two forms, for the parameters of the model. A diagonal of values can
  // belong to a full matrix of nodes.
  Numbers inverse_mass, mass;
};

enum class Parameters { numbers, symbols };
System derive(const Model& model, Parameters parameters = Parameters::numbers);

// Returns the second parts of the constraints along v, g(q + v) = g(q) + G(q) v + bend(v), if every
// constraint is of second degree in q; otherwise nothing.
std::vector<int> derive_bend(System& system, const Model& model);

// The first derivative that is not finite at the start: of constraint `formula` (from 0), or of H
// if that is -1.
struct NotFinite {
  int formula;
  std::string name;
};
std::optional<NotFinite> derivative_not_finite(const System& system, const Model& model);

// The first constraint, from 0, the square of whose gradient is beyond the numbers at the start, too large or
// too small: G W Gᵀ has no value there. `size` is the largest entry of the gradient.
struct GradientBeyondNumbers {
  int constraint;
  double size;
};
std::optional<GradientBeyondNumbers> gradient_beyond_numbers(const System& system, const Model& model);

// Returns the constraints, from 0, whose gradients combine to zero at the start, if fewer than n of all are
// independent there; otherwise none. It is meant for models that have as many constraints as coordinates, or
// more.
std::vector<int> dependent_at_start(const System& system, const Model& model);

// Asks whether H_pp of a system that is not natural is singular at the start, along a direction in which H_p
// does not say how fast the system goes either.
bool singular_kinetic(const System& system, const Model& model);

}  // namespace taut
