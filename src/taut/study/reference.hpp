// The runs of a study are compared with this: the state of a reference at the times of a run, and a run's
// momenta projected to the manifold.
#pragma once

#include <taut/study/formula.hpp>

namespace taut {

class ReferenceState {
 public:
  // `along` is the run of the reference, null if it has none.
  ReferenceState(const Study& study, const StudyReference& reference, const History* along,
                 const StudyConstants& constants, const History& history);

  // Writes the state at t; times must not fall. `spacing` is the step of the run that asks.
  void at(double t, double spacing, std::vector<double>& state);
  double energy(double t, double spacing) const { return along_->energy[sample(t, spacing)]; }

 private:
  void follow(const std::string& name);
  std::size_t sample(double t, double spacing) const;

  const Study& study_;
  const StudyReference& reference_;
  const History* along_;
  mutable std::size_t hint_ = 0;
  std::vector<double> constants_, values_;
  std::vector<StudyFormula> formulas_;  // one for each name of the run that asks
  std::vector<std::size_t> direct_;     // or its place in the run of the reference
};

// Returns p less its part along Gᵀ in the metric of the mass: (I - Gᵀ(GWGᵀ)⁻¹GW) p, W = H_pp.
class MomentumProjection {
 public:
  explicit MomentumProjection(const Model& model);
  std::vector<double> operator()(std::span<const double> q, std::span<const double> p) const;

 private:
  std::shared_ptr<const struct FormulaSystem> system_;
};

}  // namespace taut
