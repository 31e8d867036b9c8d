// Moves a phase point: one step of RATTLE on the target, checked by the step back, and the parts of it that
// kernels are made of. Labels: docs/theory/sampling.md.
#pragma once

#include <taut/sample/band_lu.hpp>
#include <taut/sample/target.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// How a proposal ended. A step that cannot be made, or whose way back leads elsewhere, is refused.
enum class Outcome { done, no_forward, no_backward, other_solution, divergence, refused };
constexpr std::array<std::string_view, 6> names_of(Outcome) {
  return {"done", "no_forward_solution", "no_backward_solution", "other_solution", "divergence", "refused"};
}

struct MoverOptions {
  bool check_reverse = true;  // tests switch it off to see what goes wrong
  std::string integrator = "rattle";
  std::vector<double> gamma = {1};  // steps with a force are made of these parts
};
// Reads rattle or a symmetric composition of it, such as yoshida4. Throws InputError.
void take_integrator(const std::string& name, MoverOptions& options);

class Mover {
 public:
  Mover(Target& target, const MoverOptions& options);

  // Moves x by one step of length h: RATTLE, or a symmetric composition of it, each part of which is checked
  // by its way back. Without `force` it is one step along a geodesic, and only `need` is evaluated at its
  // end. If the step is refused, x is anything.
  Outcome step(Phase& x, double h, bool force, Need need = Need::gradient);
  // Finds the point of g = 0 nearest to q in the sense of Gauss and Newton; false if there is none.
  bool land(std::vector<double>& q);

 private:
  Outcome part(Phase& x, double h, bool force, Need need);
  // Finds q with g(q) = 0 on q - W Gᵀμ, where q comes in as the end of a free flight from `from`. Returns
  // false if the iteration does not converge. μ is left in impulse_.
  bool solve(const Phase& from, std::vector<double>& q);
  // δ ← K⁻¹ g, with the matrix of the last point at which it was formed, or with the factor of `from`.
  bool correction(const Phase& from, bool form_anew);
  void shift(const Phase& from, std::vector<double>& q);
  void find_units(const Phase& from, const std::vector<double>& q);
  double residual() const;  // the largest |g| in units of rounding
  bool returns(const Phase& start, const Phase& x, double h, bool force);

  Target& target_;
  MoverOptions options_;
  BandLu newton_;
  bool full_newton_;
  Phase start_;
  std::vector<double> g_, impulse_, delta_, unit_, back_;
  bool formed_ = false;  // newton_ has been formed in this solve
  bool backward_found_ = true;
};

}  // namespace taut
