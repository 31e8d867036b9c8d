// The tables of a particle system: [particles] and the groups over them.
#pragma once

#include <taut/model/particles.hpp>
#include <taut/model/tree.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace taut {

const std::vector<std::string>& particle_tables();  // their names, `particles` first

// What is wrong is added to `errors`; the result is then not to be used. `parameters` have their values; `bad` are those that have none,
// because an error was reported.
std::shared_ptr<const ParticleModel> read_particles(const Value& root,
                                                    const std::map<std::string, Float128>& parameters,
                                                    const std::set<std::string>& bad,
                                                    std::vector<ModelError>& errors);

}  // namespace taut
