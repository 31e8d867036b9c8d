// What the tables of potentials of a system of particles add to V and to the virial, for samples.
#pragma once

#include <taut/model/particles/particles.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taut {

class ParticlePotentials {
 public:
  explicit ParticlePotentials(std::shared_ptr<const ParticleModel> model) : model_(std::move(model)) {}

  struct Sample {
    std::vector<double> energy;    // one entry for each table
    std::array<double, 9> virial;  // over all tables: entry 3 a + b
  };
  std::vector<std::string> names() const;      // the tables: spring_1, spring_2, bend_1, …, pair_1
  Sample at(std::span<const double> q) const;  // particle by particle
  double volume() const { return model_->volume(); }

 private:
  std::shared_ptr<const ParticleModel> model_;
  // Made with the first sample, and keeps its list of pairs.
  mutable std::optional<ParticleProblem<double>> problem_;
};

}  // namespace taut
