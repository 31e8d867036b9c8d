// The step function σ of adaptive(M): a step has about the size ε σ(x). Labels: docs/theory/adaptive.md.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/mechanism/mechanism.hpp>

#include <memory>
#include <optional>
#include <span>

namespace taut {

struct Model;  // model/model.hpp

class StepFunction {
 public:
  virtual ~StepFunction() = default;
  virtual double sigma(std::span<const double> q, std::span<const double> p) = 0;
  // Returns -d(log σ)/dt along the motion. It changes its sign with p, which makes the steps reversible.
  virtual double rate(std::span<const double> q, std::span<const double> p) = 0;
  // Returns σ if it has the same value everywhere.
  virtual std::optional<double> constant() const { return std::nullopt; }
};

// Makes the step function of [run], a formula of the coordinates. Its derivatives are taken by calculus.
std::unique_ptr<StepFunction> formula_step_function(const Model& model);

// Makes a step function from the forces: their change is what limits a step, as a rule.
std::unique_ptr<StepFunction> automatic_step_function(const Mechanism& mechanism, const PlainState& start);

}  // namespace taut
