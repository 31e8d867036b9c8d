// Makes H(q, p) from a Lagrangian, from a kinetic energy or from a mass matrix of formulas. Each is
// L = c + b·v + ½ vᵀMv with c, b and M of q and t, and H = ½ (p - b)ᵀM⁻¹(p - b) - c. M is eliminated as
// symbols, M = U D Uᵀ without exchanges, so that derivatives of H are exact: a matrix that is positive
// definite needs none. Labels: docs/theory/lagrangian.md.
#pragma once

#include <taut/model/code/graph.hpp>
#include <taut/model/code/mass_matrix.hpp>
#include <taut/model/model.hpp>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace taut {

// Why there is no H: L is not of second degree in this velocity (the number of its coordinate).
struct NotQuadratic {
  int coordinate = 0;
};

class Legendre {
 public:
  // The model has its coordinates, its parameters with their values, and says whether it has a time.
  explicit Legendre(const Model& model);

  // Takes L, or a kinetic energy, and says why not if it is not of second degree in the velocities.
  std::optional<NotQuadratic> take_lagrangian(const Formula& L);
  // Takes M row by row (n² formulas), its diagonal (n), or one mass for all.
  void take_mass(const std::vector<Formula>& M);
  void subtract_potential(const Formula& V);

  // Returns H(q, p) as a formula of the model, with + p_time if the model has a time. Call it once.
  Formula hamiltonian();

  // Returns the coordinate at which M(q) turns out not to be positive definite; nothing if it is.
  std::optional<int> not_positive_at(const Numbers& q) const;
  // Returns p = M(q) v + b(q); what belongs to the time is 0.
  Numbers momenta(const Numbers& q, const Numbers& v) const;
  // Asks whether an entry of M depends on a coordinate or on the time.
  bool depends_on_state() const;

 private:
  int node(const Formula& f);
  // Returns where an entry of M stands in M_.
  std::size_t place(int i, int j) const {
    return is_diagonal_ ? static_cast<std::size_t>(i)
                        : static_cast<std::size_t>(i) * b_.size() + static_cast<std::size_t>(j);
  }
  int q(int i) { return graph_.input(i); }
  int p(int i) { return graph_.input(n_ + i); }
  int v(int i) { return graph_.input(2 * n_ + i); }
  bool is_velocity(int input) const { return input >= 2 * n_ && input < 3 * n_; }
  bool depends_on_velocity(int f) const;
  bool has_sign_of_velocity(int f) const;
  bool is_confirmed(const Formula& L) const;
  Numbers at(const std::vector<int>& nodes, const Numbers& q) const;
  Formula formula_of(int root) const;
  std::string name_of(int input) const;

  const Model& model_;
  int n_, moving_;  // coordinates; those of them that are not the time
  Graph graph_;
  std::unordered_map<std::string, int> nodes_;
  int c_ = -1;              // L at rest
  std::vector<int> b_, M_;  // L_v at rest; L_vv row by row, or its diagonal
  bool is_diagonal_ = false;
};

}  // namespace taut
