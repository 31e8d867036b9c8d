// The whole system at its start: everything finite.
#include <taut/model/particle_reader.hpp>

#include <cmath>

namespace taut {

namespace {

// What is not finite, as a sentence; empty where all is.
std::string not_finite(const std::shared_ptr<const ParticleModel>& model) {
  const ParticleProblem<double> s(model);
  const auto x = s.start();
  Vector<double, dynamic> slope = zero_vector(s), g = zero_multiplier(s);
  auto G = s.make_jacobian();
  if (!std::isfinite(s.V(x.q))) return "the potential is not finite at the start";
  s.grad_V(x.q, slope);
  for (int j = 0; j < slope.size(); ++j)
    if (!std::isfinite(slope[j]))
      return "the force on particle " + std::to_string(j % model->count) + " is not finite at the start";
  s.g(x.q, g);
  for (int k = 0; k < g.size(); ++k)
    if (!std::isfinite(g[k])) return s.constraint_name(k) + " is not finite at the start";
  s.G(x.q, G);
  int bad = -1;
  G.for_each([&](int row, int, double entry) {
    if (!std::isfinite(entry) && bad < 0) bad = row;
  });
  return bad < 0 ? "" : "the derivative of " + s.constraint_name(bad) + " is not finite at the start";
}

}  // namespace

void ParticleReader::check_start() {
  const std::string whole_system = not_finite(model_);
  if (whole_system.empty()) return;
  // Which table it is: the first that has it alone.
  const auto alone = [&](const auto& groups, auto list, const std::vector<Place>& tables) {
    for (std::size_t k = 0; k < groups.size(); ++k) {
      auto part = std::make_shared<ParticleModel>(*model_);
      part->constraints.clear();
      part->potentials.clear();
      part->pairs.clear();
      ((*part).*list).push_back(groups[k]);
      part->make_rows();
      const std::string sentence = not_finite(part);
      if (sentence.empty()) continue;
      fail(*tables[k].source, tables[k].header, sentence);
      return true;
    }
    return false;
  };
  if (alone(model_->potentials, &ParticleModel::potentials, potential_tables_)) return;
  if (alone(model_->pairs, &ParticleModel::pairs, pair_tables_)) return;
  if (alone(model_->constraints, &ParticleModel::constraints, constraint_tables_)) return;
  fail_key(*root_.find("particles"), whole_system);
}

}  // namespace taut
