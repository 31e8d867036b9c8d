// The tools with which the groups of all tables are built.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

// Makes a number of each term an input of its graph.
int ParticleReader::number_input(Group& g, std::vector<double> values) {
  g.terms.add_number(std::move(values));
  return g.graph.input(TermGraph::numbers + static_cast<int>(g.terms.number.size()) - 1);
}

std::optional<std::vector<double>> ParticleReader::term_numbers(const Table& t, Group& g,
                                                                const std::string& key,
                                                                const std::string& what,
                                                                const Otherwise& otherwise) {
  if (const Entry* e = t.find(key)) return over_terms(e->value, what, g.loops);
  std::vector<double> values(g.loops.count);
  for (int k = 0; k < g.loops.count; ++k) values[k] = otherwise(k);
  return values;
}

bool ParticleReader::none_negative(const Table& t, const std::string& key, const std::vector<double>& values,
                                   const Group& g) {
  for (int k = 0; k < static_cast<int>(values.size()); ++k)
    if (values[k] < 0) {
      fail_at(t, t.find(key), "a " + key + " of " + t.name + " is negative" + term_text(g, k));
      return false;
    }
  return true;
}

bool ParticleReader::all_angles(const Table& t, const std::vector<double>& values, const Group& g) {
  constexpr double pi = 3.14159265358979323846;
  for (int k = 0; k < static_cast<int>(values.size()); ++k)
    if (!(values[k] >= 0 && values[k] <= pi)) {
      fail_at(t, t.find("angle"), "an angle of " + t.name + " is " + number_text(values[k]) + term_text(g, k),
              "angles are in radians, from 0 to pi");
      return false;
    }
  return true;
}

// Differentiates f and compiles both.
void ParticleReader::compile(Group& g, int f) const {
  std::vector<int> inputs;
  for (int j = 0; j < g.terms.places() * model_->dimension; ++j) inputs.push_back(j);
  g.terms.value = std::make_shared<const Program>(linearise(g.graph, {f}, TermGraph::numbers));
  g.terms.gradient =
      std::make_shared<const Program>(linearise(g.graph, g.graph.gradient(f, inputs), TermGraph::numbers));
}

void ParticleReader::add_bonds(const Group& g) {
  for (int k = 0; k < g.loops.count; ++k) bonds_.emplace_back(g.particle[0][k], g.particle[1][k]);
}

void ParticleReader::add_constraints(Group& g) {
  if (g.loops.count == 0) return;
  model_->constraints.push_back(std::make_shared<const TermGroup<Program>>(std::move(g.terms)));
  constraint_tables_.push_back(g.table);
}

void ParticleReader::add_potential(Group& g, int f) {
  if (g.loops.count == 0) return;
  compile(g, f);
  model_->potentials.push_back(std::make_shared<const TermGroup<Program>>(std::move(g.terms)));
  potential_tables_.push_back(g.table);
}

// Reads a formula of the group's own variables, of its loop indices (each a number of the term) and
// of parameters.
std::optional<int> ParticleReader::term_formula(Group& g, const Value& v, const std::string& what,
                                                const Own& own) {
  std::vector<std::string> names;
  for (const auto& [name, make] : own) names.push_back(name);
  for (const Loop& loop : g.loops.loops) names.push_back(loop.name);
  std::map<std::string, int> used;
  return formula(g.graph, v, what, names, [&](Graph& graph, std::string_view name) {
    const std::string key(name);
    if (const auto at = own.find(key); at != own.end()) return at->second(graph);
    if (const auto at = used.find(key); at != used.end()) return at->second;
    for (std::size_t j = 0; j < g.loops.loops.size(); ++j)
      if (g.loops.loops[j].name == key) return used[key] = number_input(g, g.loops.value[j]);
    return -1;
  });
}

double ParticleReader::start_distance(const Group& g, int k, int i, int j) const {
  double sum = 0;
  for (int a = 0; a < model_->dimension; ++a) {
    const double r = start(g.particle[i][k], a) - start(g.particle[j][k], a);
    sum += r * r;
  }
  return std::sqrt(sum);
}

double ParticleReader::start_angle(const Group& g, int k) const {
  double dot = 0;
  for (int a = 0; a < model_->dimension; ++a)
    dot += (start(g.particle[0][k], a) - start(g.particle[1][k], a)) *
           (start(g.particle[2][k], a) - start(g.particle[1][k], a));
  return std::acos(std::clamp(dot / (start_distance(g, k, 0, 1) * start_distance(g, k, 2, 1)), -1.0, 1.0));
}

bool ParticleReader::all_positive(const Table& t, const std::string& key, const std::vector<double>& values,
                                  const Group& g) {
  for (int k = 0; k < static_cast<int>(values.size()); ++k)
    if (!(values[k] > 0)) {
      const Entry* e = t.find(key);
      fail_at(t, e, "a " + key + " of " + t.name + " is not positive" + term_text(g, k));
      return false;
    }
  return true;
}

// Returns x, y, z and m of the one particle of a term.
ParticleReader::Own ParticleReader::one_particle(Group& g) {
  Own own;
  const int d = model_->dimension;
  for (int a = 0; a < d; ++a)
    own[std::string(1, "xyz"[a])] = [=](Graph& graph) { return TermGraph{graph, d}.coordinate(0, a); };
  own["m"] = [this, &g, node = -1](Graph&) mutable {
    if (node >= 0) return node;
    std::vector<double> mass;
    for (const int i : g.particle[0]) mass.push_back(model_->mass[i]);
    return node = number_input(g, std::move(mass));
  };
  return own;
}

}  // namespace taut
