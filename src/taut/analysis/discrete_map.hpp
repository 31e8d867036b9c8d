// The map of some steps of a run's method, as a function of the state, and its derivative on the tangent
// space of T*M. Labels: docs/theory/exponents.md.
#pragma once

#include <taut/analysis/corners.hpp>
#include <taut/analysis/keeping.hpp>
#include <taut/contract/plain_state.hpp>
#include <taut/contract/request.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/pole_guard.hpp>
#include <taut/run/telling.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace taut {

// A step failed inside an analysis, or an analysis did not come to its end: a sentence.
struct AnalysisError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Coordinates = std::vector<double>;  // numbers in a frame; on T*M: a₁ … a_d, b_d … b₁

// A basis of the tangent space of T*M at a state in which dq ∧ dp is Σ da ∧ db. If there are constraints on
// velocities, the states fill no T*M, and the basis is an orthonormal one.
struct Frame {
  std::vector<std::vector<double>> N, phi, psi;  // e_i = (N_i, ψ_i), f_i = (0, φ_i)
  std::vector<PlainState> orthonormal = {};      // instead of φ and ψ

  std::size_t size() const { return symplectic() ? 2 * N.size() : orthonormal.size(); }
  bool symplectic() const { return orthonormal.empty(); }
  PlainState vector(const Coordinates& c) const;
  Coordinates of(const PlainState& tangent) const;
};

class DiscreteMap {
 public:
  explicit DiscreteMap(const ModelRun& run, Telling telling = {});

  const PlainState& start() const { return start_; }
  double step() const { return step_; }
  std::int64_t steps() const { return steps_; }
  // Returns the state after so many steps of length h. Throws AnalysisError if one fails.
  PlainState go(const PlainState& x, double h, std::int64_t steps) const;
  // Makes so many steps more with a machine of this map.
  void advance(Machine& machine, double h, std::int64_t steps, Tally& tally) const;
  Frame frame(const PlainState& x) const;
  // Returns the derivative of go along a vector of the frame at x, by differences of fourth order on M.
  PlainState image(const PlainState& x, const Frame& frame, const Coordinates& along, double h,
                   std::int64_t steps) const;
  // The same along a tangent vector at x, by differences that `reach` widens.
  PlainState image(const PlainState& x, const PlainState& along, double h, std::int64_t steps,
                   double reach = 1) const;
  // Moves x along a vector, and back onto M.
  PlainState moved(const PlainState& x, const PlainState& along, double by) const;
  double energy(const PlainState& x) const;
  // Says that the start is far from the origin, and that its rounding limits the results; mostly empty.
  const std::string& rounding_of_start() const { return rounding_; }
  // Is dq ∧ dp on the states the form of a T*M? It is not if there are constraints on velocities.
  bool symplectic() const { return mechanism_.velocity_constraints() == 0; }
  std::unique_ptr<Machine> machine(const PlainState& x) const;

 private:
  friend class WatchedMotion;
  // Says why the step after those of the tally failed, and what to try.
  std::string why(const Tally& tally, const Machine& machine, double h, const std::string& pole) const;
  std::vector<double> evaluated(Evaluated what, const PlainState& x, std::size_t size) const;
  std::vector<double> response(const PlainState& x, const std::vector<double>& u) const;
  Frame orthonormal(const PlainState& x, Frame frame, const std::vector<std::vector<double>>& row) const;

  const Mechanism& mechanism_;
  bool redundant_;
  Telling telling_;
  MethodChoice choice_;
  RunRequest request_;
  SolveOptions options_;
  bool plain_updates_;
  PlainState start_;
  std::string rounding_;
  // The sizes that a difference is small beside: those of the moving coordinates at the start, for an angle
  // winds and the time goes on while the motion stays what it is. The momenta have theirs at each state.
  std::size_t moving_ = 0;
  double size_q_ = 1;
  double step_ = 0;
  std::int64_t steps_ = 0;
};

// The motion that an analysis follows, watched as a run watches it: a step that fails, an energy that jumps
// and a pole that is crossed end it.
class WatchedMotion {
 public:
  // From x, in so many steps of length h. The map and the run outlive this.
  WatchedMotion(const DiscreteMap& map, const ModelRun& run, const PlainState& x, double h,
                std::int64_t steps);

  std::int64_t steps() const { return tally_.steps; }  // done
  // Makes so many steps more. Throws AnalysisError if one fails.
  void advance(std::int64_t steps);
  PlainState state() const;
  // Says why the motion is not that of the model, or why its derivative is not, if that was seen.
  std::vector<std::string> doubts();
  // Writes the motion to bytes, or goes on where they were written.
  void carry(Carry& c);

 private:
  std::vector<std::string> doubts_of_energy();

  const DiscreteMap& map_;
  double h_;
  std::unique_ptr<Machine> machine_;
  Tally tally_;
  PoleWatch poles_;
  Corners corners_;
  std::optional<PoleGuard> guard_;  // none if nothing is divided by in the model
};

}  // namespace taut
