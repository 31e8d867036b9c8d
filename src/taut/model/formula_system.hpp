// A model as programs: what all copies and casts of a FormulaProblem share.
#pragma once

#include <taut/model/code/program.hpp>
#include <taut/model/code/system.hpp>
#include <taut/model/model.hpp>
#include <taut/solve/matrix/envelope_plan.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace taut {

// A program is null if a system of this kind does not have it.
struct FormulaSystem {
  using Code = std::shared_ptr<const Program>;
  System::Kind kind = System::Kind::natural;
  int n = 0, m = 0;
  bool least_squares = false;  // constraints that follow from others are solved, not refused
  int holonomic = 0;           // so many constraints are on positions; the others, behind them, on velocities
  Code V, grad_V, V_fast, grad_V_fast, grad_V_slow, H, H_q, H_p, H_pp_v, g, G;
  Code whole_G;  // G with its zeros, row by row, for problems of a known size: sized_formula_problem.hpp
  static constexpr auto codes() {
    return std::array{&FormulaSystem::V,           &FormulaSystem::grad_V,      &FormulaSystem::V_fast,
                      &FormulaSystem::grad_V_fast, &FormulaSystem::grad_V_slow, &FormulaSystem::H,
                      &FormulaSystem::H_q,         &FormulaSystem::H_p,         &FormulaSystem::H_pp_v,
                      &FormulaSystem::g,           &FormulaSystem::G,           &FormulaSystem::whole_G};
  }
  Code phi;       // the parametrisation, if the model gives one: a program of δ
  Numbers delta;  // δ at the start
  std::vector<int> begin, column;
  std::shared_ptr<const EnvelopePlan> elimination;  // plans G W Gᵀ; null unless the mass is diagonal
  bool diagonal_mass = true;
  Numbers inverse_mass, mass;  // the n of the diagonal, or n² row by row
  // The order in which a mass matrix with few entries is factored; empty if it is diagonal or taken as full.
  std::vector<int> mass_order;
  Numbers q, p;  // the start
  // The last coordinate is the time, and H_q may have forces in it that are no gradient: see dynamics.hpp.
  bool timed = false, forced = false;
  std::vector<std::string> constraint_names;
  // If there is [damping]: the rate of each momentum, and the same system without it.
  Numbers damping;
  std::shared_ptr<const FormulaSystem> undamped;
};

// Returns what damping adds to a momentum of 1 in a time: e^{-rate time} - 1.
Float128 lost_by_damping(Float128 rate, Float128 time);

std::shared_ptr<const FormulaSystem> compile(const Model& model);

// Plans the elimination anew, because the pattern of G or the mass has changed.
void plan_elimination(FormulaSystem& system);

// Returns the place of entry (i, j) of a mass matrix that is not diagonal.
inline std::size_t mass_entry(const FormulaSystem& s, int i, int j) {
  return static_cast<std::size_t>(i) * static_cast<std::size_t>(s.n) + static_cast<std::size_t>(j);
}

}  // namespace taut
