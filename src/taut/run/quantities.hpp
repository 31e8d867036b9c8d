// What a sample holds beside the state, its energy and its residuals: `quantities` in [output]. All of it
// follows from the state and the tally, so that a resumed run writes the same.
#pragma once

#include <taut/mechanism/machine.hpp>
#include <taut/run/formula_quantities.hpp>
#include <taut/run/particle_potentials.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taut {

class Quantities {
 public:
  Quantities() = default;
  // Takes `names` from output_quantity_names(). `dimension` and `potentials` belong to a system of particles;
  // otherwise they are 0 and none.
  Quantities(std::vector<std::string> names, int dimension, int constraints,
             std::shared_ptr<const ParticlePotentials> potentials)
      : names_(std::move(names)),
        dimension_(dimension),
        constraints_(constraints),
        potentials_(std::move(potentials)) {}

  std::vector<std::string> columns(const std::vector<std::string>& coordinates) const;
  // Returns one number for each column, and the multipliers at the end if they are watched.
  std::vector<double> measure(Machine& machine, const Tally& tally, double time) const;
  // Adds the formulas of a model; their columns follow those of `names`.
  void set_formulas(std::shared_ptr<const FormulaQuantities> formulas) { formulas_ = std::move(formulas); }
  // Returns the formulas with their values now.
  std::vector<std::pair<std::string, double>> formulas_at(const Machine& machine, double time) const;
  // Returns the mesh point and the formulas with all their digits, if a double has not all of them.
  std::optional<WideState> wide(const Machine& machine, std::int64_t steps) const;
  void show_local_error() { local_error_ = true; }
  void show_step_size() { step_size_ = true; }
  // Adds the multipliers for those who watch the run: what it keeps has them only if [output] says so.
  Quantities watching_multipliers() const;
  // Returns the columns, and the multipliers at the end if they are watched.
  std::vector<std::string> watched(const std::vector<std::string>& coordinates) const;
  bool has(std::string_view name) const;

 private:
  std::vector<double> constraint_force(const Machine& machine) const;
  void add_forces(const Machine& machine, std::vector<double>& to) const;
  void add_virial(std::span<const double> q, std::span<const double> force, std::vector<double>& to) const;
  void add_multipliers(const Machine& machine, std::vector<double>& to) const;
  void add_multiplier_names(std::vector<std::string>& to) const;
  void add_formulas(const Machine& machine, double time, std::vector<double>& to) const;
  void add_potentials(const Machine& machine, std::vector<double>& to) const;
  void add_tensor_names(const std::string& name, std::vector<std::string>& to) const;

  std::vector<std::string> names_;
  int dimension_ = 0, constraints_ = 0;
  bool watch_multipliers_ = false, local_error_ = false, step_size_ = false;
  std::shared_ptr<const ParticlePotentials> potentials_;
  std::shared_ptr<const FormulaQuantities> formulas_;
};

}  // namespace taut
