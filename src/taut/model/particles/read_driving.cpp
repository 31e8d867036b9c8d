// Reads [[forces]] and [damping] of a system of particles.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

#include <cmath>

namespace taut {

namespace {

// The inputs of a force are the place of its particle, its velocity and the time.
int velocity_input(Graph& graph, int dimension, int a) { return graph.input(dimension + a); }
int time_input(Graph& graph, int dimension) { return graph.input(2 * dimension); }

}  // namespace

Driving& ParticleReader::driving(const Table& t) {
  if (!model_->driving) {
    model_->driving.emplace().rate.assign(static_cast<std::size_t>(model_->count), 0.0);
    if (model_->thermostat)
      fail_table(t, t.name + " beside [thermostat]",
                 "a thermostat has a friction of its own, and its steps take no other forces");
  }
  return *model_->driving;
}

// Reads `force`, a formula for each component, or `potential`, whose negative gradient it is.
bool ParticleReader::force_formulas(const Table& t, Group& g, const Own& own, std::vector<int>& components) {
  const Entry *force = t.find("force"), *potential = t.find("potential");
  if ((force != nullptr) == (potential != nullptr)) {
    fail_table(t, force ? t.name + " has `force` and `potential`" : t.name + " has no force",
               "give force = [\"cos(t)\", \"0\", \"0\"], or potential = \"-x*cos(t)\"");
    return false;
  }
  const auto d = static_cast<std::size_t>(model_->dimension);
  if (potential) {
    const auto V = term_formula(g, potential->value, "the potential", own);
    if (!V) return false;
    for (const int input : g.graph.inputs_of(*V))
      if (input >= model_->dimension && input < 2 * model_->dimension) {
        fail(potential->value, "the potential has a velocity in it", "write the force itself: force = […]");
        return false;
      }
    std::vector<int> places;
    for (int a = 0; a < model_->dimension; ++a) places.push_back(a);
    for (const int slope : g.graph.gradient(*V, places))
      components.push_back(g.graph.make(Op::subtract, g.graph.constant(0), slope));
    return true;
  }
  if (force->value.kind != Value::Kind::list || force->value.list.size() != d) {
    fail(force->value, "the force must be a list of " + std::to_string(d) + " formulas",
         "one for each component");
    return false;
  }
  for (const Value& v : force->value.list) {
    const auto f = term_formula(g, v, "the force", own);
    if (!f) return false;
    components.push_back(*f);
  }
  return true;
}

void ParticleReader::read_forces(const Table& t) {
  if (!keys_known(t, {"of", "for", "species", "force", "potential"})) return;
  for (const char* name : {"t", "v_x", "v_y", "v_z"})
    if (parameters_.contains(name))
      return fail_table(t, "the parameter " + ticked(name) + " has the name of a variable of [[forces]]",
                        "t is the time there, and v_x, v_y, v_z are velocities");
  Group g = single_group(t, "force on particle");
  if (!g.fine) return;
  Driving& all = driving(t);
  const int d = model_->dimension;
  bool timed = false;
  Own own = one_particle(g);
  own["t"] = [&timed, d](Graph& graph) {
    timed = true;
    return time_input(graph, d);
  };
  for (int a = 0; a < d; ++a)
    own[std::string("v_") + "xyz"[a]] = [d, a](Graph& graph) { return velocity_input(graph, d, a); };
  std::vector<int> components;
  if (!force_formulas(t, g, own, components) || g.loops.count == 0) return;
  all.timed = all.timed || timed;
  all.forces.push_back(
      {.particle = g.particle[0],
       .number = g.terms.number,
       .force = std::make_shared<const Program>(linearise(g.graph, components, TermGraph::numbers))});
}

void ParticleReader::read_damping(const Table& t) {
  if (!keys_known(t, {"of", "for", "species", "rate"})) return;
  Group g = single_group(t, "damping of particle");
  const Entry* e = needed(t, "rate", "as in rate = 0.1: momenta lose this part of them in a unit of time");
  if (!g.fine || !e) return;
  Terms terms = g.loops;
  const auto rates = over_terms(e->value, "the rate", terms);
  if (!rates) return;
  Driving& all = driving(t);
  for (int k = 0; k < g.loops.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (!((*rates)[at] >= 0)) {
      fail(e->value, "the rate is " + number_text((*rates)[at]) + term_text(g, k),
           "momenta fade at this rate: it is not negative");
      return;
    }
    all.rate[static_cast<std::size_t>(g.particle[0][at])] += (*rates)[at];
  }
}

// If particles are joined, the projection of their momenta and the damping change places only if they are
// damped alike. Otherwise halves of it around a step would make no symmetric step.
void ParticleReader::check_driving() {
  if (!model_->driving) return;
  const std::vector<double>& rate = model_->driving->rate;
  for (const auto& group : model_->constraints)
    for (int k = 0; k < group->size(); ++k)
      for (std::size_t place = 1; place < group->particle.size(); ++place) {
        const int one = group->particle[0][k], other = group->particle[place][k];
        const double a = rate[static_cast<std::size_t>(one)], b = rate[static_cast<std::size_t>(other)];
        if (a == b) continue;
        fail_key(*root_.find("damping"),
                 group->what + " " + group->particles_of(k) + " joins particles with the rates " +
                     number_text(a) + " and " + number_text(b),
                 "what constraints join has one rate");
        return;
      }
}

}  // namespace taut
