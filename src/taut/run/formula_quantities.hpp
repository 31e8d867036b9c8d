// The quantities that a model gives as formulas of the state, the multipliers and the time.
#pragma once

#include <taut/contract/wide.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct Model;  // model/model.hpp

class FormulaQuantities {
 public:
  explicit FormulaQuantities(const Model& model);
  ~FormulaQuantities();

  const std::vector<std::string>& names() const { return names_; }
  bool use_multipliers() const { return use_multipliers_; }
  // Returns the value of each formula with all digits.
  std::vector<Wide> at(const WideState& x) const;
  // Adds the value of each formula. `lambda` is not read if no formula uses it.
  void add(std::span<const double> q, std::span<const double> p, std::span<const double> lambda, double time,
           std::vector<double>& to) const;

 private:
  struct Compiled;  // the program of the formulas
  std::vector<std::string> names_;
  bool use_multipliers_ = false;
  std::size_t multipliers_ = 0;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace taut
