// What a sample holds beside the state, its energy and its residuals: `quantities` in [output]. All of it
// follows from the state and the tally, so that a resumed run writes the same.
#pragma once

#include <taut/mechanism/machine.hpp>
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
  std::vector<double> measure(const Machine& machine, const Tally& tally) const;  // one for each column
  bool has(std::string_view name) const;

 private:
  std::vector<double> constraint_force(const Machine& machine) const;
  void add_forces(const Machine& machine, std::vector<double>& to) const;
  void add_virial(std::span<const double> q, std::span<const double> force, std::vector<double>& to) const;
  void add_potentials(const Machine& machine, std::vector<double>& to) const;
  void add_tensor_names(const std::string& name, std::vector<std::string>& to) const;

  std::vector<std::string> names_;
  int dimension_ = 0, constraints_ = 0;
  std::shared_ptr<const ParticlePotentials> potentials_;
};

}  // namespace taut
