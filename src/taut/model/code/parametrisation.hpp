// A parametrisation q = φ(δ) of g = 0 as a graph: one that the model gives, or one that is made for
// constraints that follow each other like the rods of an open chain. What makes it one is confirmed in 128
// bits: g(φ(δ)) = 0 and G φ' = 0 at random points, the rank of φ', and φ(δ) = q at the start.
#pragma once

#include <taut/model/code/system.hpp>
#include <taut/model/model.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

struct Parametrisation {
  std::vector<std::string> names;  // those of δ
  Graph graph;                     // its inputs are δ
  std::vector<int> phi;            // one node for each coordinate
  Numbers start;                   // δ at the start of the model

  std::size_t parameters() const { return names.size(); }
  Numbers at(const Numbers& delta) const;
};

// Makes φ from formulas of its own coordinates and of the parameters of the model, one for each coordinate.
Parametrisation parametrisation_of(const Model& model, const std::vector<std::string>& names,
                                   const std::vector<Formula>& formulas);

// Makes φ for constraints of which each, in some order, is a rod or a plane for coordinates that no earlier
// one has: |r - A|² = L² gives r = A + L(sin θ, -cos θ) in two dimensions and two angles in three, and a
// constraint that is linear in one coordinate gives that coordinate. Coordinates that nothing gives are
// parameters themselves. If that does not work out, returns nothing, and `stuck` is a constraint that is
// left, from 0.
std::optional<Parametrisation> tree_of(const System& system, const Model& model, int& stuck);

// Finds δ with φ(δ) = q from `near` and from points about it, to rounding if there is one; puts it into
// `start` and returns max |φ(δ) - q|.
Float128 find_start(Parametrisation& map, const Numbers& q, const Numbers& near);

// Asks whether q satisfies the constraints, each in its own units, to that part.
bool is_met(const System& system, const Numbers& q, double part);

// The reason why φ is no parametrisation of g = 0.
struct ParametrisationFault {
  enum class Kind { misses, crosses, loses_rank, has_no_value } kind;
  int constraint = -1;     // the one that is missed or crossed
  double size = 0;         // |g|/(|G| length), |G φ'|/(|G| |φ'|), or the ratio of singular values
  std::string point = {};  // δ, in words
};
std::optional<ParametrisationFault> fault_of(const Parametrisation& map, const System& system);

}  // namespace taut
