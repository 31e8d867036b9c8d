// What each table of potentials of a system of particles adds to V and to the virial, for samples.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct ParticleModel;  // model/particles/particle_model.hpp

class ParticlePotentials {
 public:
  explicit ParticlePotentials(std::shared_ptr<const ParticleModel> model);
  ~ParticlePotentials();

  struct Sample {
    std::vector<double> energy;    // one for each table
    std::array<double, 9> virial;  // the sum over all tables: entry (a, b) stands at 3 a + b
  };
  std::vector<std::string> names() const;      // one for each table: spring_1, spring_2, bend_1, …, pair_1
  Sample at(std::span<const double> q) const;  // q lies particle by particle
  double volume() const;                       // the box has this volume

 private:
  struct Problem;  // the numerics, with a list of pairs
  std::shared_ptr<const ParticleModel> model_;
  mutable std::unique_ptr<Problem> problem_;  // made for the first sample
};

}  // namespace taut
