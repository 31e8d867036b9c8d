// The formulas of a model's events, compiled: their values, their rates along the motion, their gradients.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace taut {

struct Model;  // model/model.hpp

class EventFormulas {
 public:
  explicit EventFormulas(const Model& model);
  ~EventFormulas();

  std::size_t count() const { return count_; }
  // Writes the value of each formula.
  void values(const double* q, const double* p, double time, double* out) const;
  // Returns ds/dt = s_q·H_p + s_t of a formula; NaN if it has momenta in it, whose rates have multipliers.
  double rate(std::size_t k, const double* q, const double* p, double time) const;
  // Returns ∂s/∂q, for a formula of coordinates and t.
  std::vector<double> gradient(std::size_t k, const double* q, const double* p, double time) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::size_t count_ = 0, coordinates_ = 0;
};

}  // namespace taut
