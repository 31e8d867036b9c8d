// Builds the constraints of [[rods]], [[angles]], [[surface]], [[constraint]].
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

#include <cmath>

namespace taut {

namespace {

constexpr double straight = 0.02;  // if sin θ is below this, a rigid angle loses its rank

}  // namespace

void ParticleReader::read_rods(const Table& t) {
  if (!keys_known(t, {"between", "for", "from", "type", "length"})) return;
  Group g = joined_group(t, "rod", 2);
  if (!g.fine) return;
  auto length = term_numbers(t, g, "length", "the length", [&](int k) { return start_distance(g, k); });
  if (!length || !all_positive(t, "length", *length, g)) return;
  add_bonds(g);
  g.terms.rods = true;
  g.terms.add_number(std::move(*length));
  add_constraints(g);
}

// Reads the constraints u·v - cos θ |u||v| = 0 for the bonds u, v at the middle particle.
void ParticleReader::read_angles(const Table& t) {
  if (!keys_known(t, {"between", "for", "from", "type", "angle"})) return;
  Group g = joined_group(t, "angle", 3);
  if (!g.fine) return;
  auto angle = term_numbers(t, g, "angle", "the angle", [&](int k) { return start_angle(g, k); });
  if (!angle || !all_angles(t, *angle, g)) return;
  for (int k = 0; k < g.loops.count; ++k) {
    if (std::abs(std::sin((*angle)[k])) < straight) {
      const Entry* e = t.find("angle");
      fail_at(t, e,
              "a rigid angle of " + number_text((*angle)[k] * 180 / 3.14159265358979323846) + " degrees" +
                  term_text(g, k),
              "a straight angle cannot be held by one constraint, its gradient vanishes there: use "
              "[[bends]], or two "
              "[[constraint]] formulas that keep the middle on the line");
      return;
    }
    (*angle)[k] = std::cos((*angle)[k]);
  }
  const TermGraph w = words(g);
  const TermGraph::Vector u = w.between(0, 1), v = w.between(2, 1);
  const int c = number_input(g, std::move(*angle));
  compile(g, w.difference(w.dot(u, v), w.product(c, w.product(w.length(u), w.length(v)))));
  add_constraints(g);
}

void ParticleReader::read_surface(const Table& t) {
  if (!keys_known(t, {"of", "for", "species", "formula"})) return;
  Group g = single_group(t, "surface of particle");
  const Entry* e = needed(t, "formula", "as in formula = \"x^2 + y^2 + z^2 - 1\", zero on the surface");
  if (!g.fine || !e) return;
  const auto f = term_formula(g, e->value, "the surface", one_particle(g));
  if (f) add_formula_constraint(g, *f, e->value);
}

void ParticleReader::read_constraint(const Table& t) {
  if (!keys_known(t, {"between", "for", "formula"})) return;
  Group g = joined_group(t, "constraint on", 0);
  const Entry* e = needed(t, "formula", "as in formula = \"x1 - x2\", zero where it holds");
  if (!g.fine || !e) return;
  Own own;
  const int d = model_->dimension;
  for (int place = 0; place < g.terms.places(); ++place)
    for (int a = 0; a < d; ++a)
      own["xyz"[a] + std::to_string(place + 1)] = [=](Graph& graph) {
        return TermGraph{graph, d}.coordinate(place, a);
      };
  const auto f = term_formula(g, e->value, "the constraint", own);
  if (f) add_formula_constraint(g, *f, e->value);
}

void ParticleReader::add_formula_constraint(Group& g, int f, const Value& v) {
  bool moves = false;
  for (const int input : g.graph.inputs_of(f)) moves = moves || input < TermGraph::numbers;
  if (!moves) {
    fail(v, "the formula does not depend on any coordinate");
    return;
  }
  compile(g, f);
  add_constraints(g);
}

}  // namespace taut
