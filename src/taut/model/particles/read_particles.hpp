// The tables of a particle system: [particles] and the groups over them.
#pragma once

#include <taut/model/model.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/model/text/tree.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace taut {

const std::vector<std::string>& particle_tables();  // their names, `particles` first

// `parameters` have their values; `bad` are those that have none, because an error was reported. Files that
// are read are added to `files`.
struct ParticleTables {
  const Value& root;
  const std::map<std::string, Float128>& parameters;
  const std::set<std::string>& bad;
  const Surroundings& around;
  std::map<std::string, std::shared_ptr<const SourceText>>& files;
  std::vector<ModelError>& errors;
};

// Reads the tables. Adds what is wrong to the errors; the result must then not be used.
std::shared_ptr<const ParticleModel> read_particles(const ParticleTables& tables);

}  // namespace taut
