#include <taut/measure/virial.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/run/particle_potentials.hpp>

#include <map>

namespace taut {

struct ParticlePotentials::Problem : ParticleProblem<double> {
  using ParticleProblem<double>::Particles;
};

ParticlePotentials::ParticlePotentials(std::shared_ptr<const ParticleModel> model)
    : model_(std::move(model)) {}
ParticlePotentials::~ParticlePotentials() = default;

double ParticlePotentials::volume() const { return model_->volume(); }

std::vector<std::string> ParticlePotentials::names() const {
  std::vector<std::string> names;
  std::map<std::string, int> met;
  const auto add = [&](const std::string& what) {
    names.push_back(what + "_" + std::to_string(++met[what]));
  };
  for (const auto& group : model_->potentials) add(group->what.substr(0, group->what.find(' ')));
  for (std::size_t k = 0; k < model_->pairs.size(); ++k) add("pair");
  return names;
}

ParticlePotentials::Sample ParticlePotentials::at(std::span<const double> q) const {
  if (!problem_) problem_ = std::make_unique<Problem>(model_);
  const ParticleProblem<double>& s = *problem_;
  const int d = model_->dimension, n = model_->count;
  ParticleProblem<double>::Vec inside(d * n);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < d; ++a) inside[a * n + i] = q[static_cast<std::size_t>(i) * d + a];
  Sample sample{{}, {}};
  for (const PotentialPart<double>& part : parts_of_V(s, inside)) {
    sample.energy.push_back(part.energy);
    for (std::size_t k = 0; k < part.virial.size(); ++k) sample.virial[k] += part.virial[k];
  }
  return sample;
}

}  // namespace taut
