// Builds the potentials of [[springs]], [[bends]], [[torsions]], [[field]], [[pairs]].
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace taut {

// Reads `potential`, a formula of one variable, or makes ½ stiffness (variable - rest)².
std::optional<int> ParticleReader::potential_of(const Table& t, Group& g, const Own& own, int variable,
                                                const std::string& rest, const Otherwise& otherwise) {
  if (const Entry* e = t.find("potential")) {
    for (const std::string& key : {std::string("stiffness"), rest})
      if (const Entry* other = t.find(key)) {
        fail_key(*other, ticked(key) + " beside a potential");
        return std::nullopt;
      }
    return term_formula(g, e->value, "the potential", own);
  }
  if (!needed(t, "stiffness", "or give a potential")) return std::nullopt;
  auto stiffness = term_numbers(t, g, "stiffness", "the stiffness", {});
  auto at_rest = term_numbers(t, g, rest, "the " + rest, otherwise);
  if (!stiffness || !at_rest) return std::nullopt;
  if (rest == "angle" ? !all_angles(t, *at_rest, g) : !none_negative(t, rest, *at_rest, g))
    return std::nullopt;
  const int k = number_input(g, std::move(*stiffness)), c = number_input(g, std::move(*at_rest));
  const TermGraph w = words(g);
  const int off = w.difference(variable, c);
  return w.product(w.product(g.graph.constant(Float128(1) / 2), k), w.product(off, off));
}

// Asks whether a term is slow, for methods with two time steps; the default is fast.
bool ParticleReader::is_slow(const Table& t) {
  static const std::vector<std::string> parts{"fast", "slow"};
  const Entry* e = t.find("part");
  if (!e) return false;
  const std::string word = e->value.kind == Value::Kind::text ? e->value.text : "";
  if (!contains(parts, word)) fail(e->value, "the part must be \"fast\" or \"slow\"");
  return word == parts.back();
}

void ParticleReader::read_springs(const Table& t) {
  if (!keys_known(t, {"between", "for", "from", "type", "stiffness", "length", "potential", "part"})) return;
  Group g = joined_group(t, "spring", 2);
  g.terms.slow = is_slow(t);
  if (!g.fine) return;
  add_bonds(g);
  const int r = words(g).length(words(g).between(0, 1));
  const auto f = potential_of(t, g, {{"r", [r](Graph&) { return r; }}}, r, "length",
                              [&](int k) { return start_distance(g, k); });
  if (f) add_potential(g, *f);
}

void ParticleReader::read_bends(const Table& t) {
  if (!keys_known(t, {"between", "for", "from", "type", "stiffness", "angle", "potential", "part"})) return;
  Group g = joined_group(t, "bend", 3);
  g.terms.slow = is_slow(t);
  if (!g.fine) return;
  const TermGraph w = words(g);
  const TermGraph::Vector u = w.between(0, 1), v = w.between(2, 1);
  const int c = g.graph.make(Op::divide, w.dot(u, v), w.product(w.length(u), w.length(v)));
  const int theta = g.graph.make(Op::acos, c);
  const auto f = potential_of(
      t, g, {{"theta", [theta](Graph&) { return theta; }}, {"costheta", [c](Graph&) { return c; }}}, theta,
      "angle", [&](int k) { return start_angle(g, k); });
  if (f) add_potential(g, *f);
}

// Reads torsions. φ is the angle between the planes 1-2-3 and 2-3-4; it is 0 if 1 and 4 are on the same side
// (IUPAC's sign).
void ParticleReader::read_torsions(const Table& t) {
  if (!keys_known(t, {"between", "for", "from", "type", "potential", "part"})) return;
  if (model_->dimension != 3) {
    fail_table(t, "torsions need three dimensions");
    return;
  }
  Group g = joined_group(t, "torsion", 4);
  g.terms.slow = is_slow(t);
  const Entry* e = needed(t, "potential", "a formula of phi, as in potential = \"1 + cos(3*phi)\"");
  if (!g.fine || !e) return;
  const TermGraph w = words(g);
  const TermGraph::Vector b1 = w.between(1, 0), b2 = w.between(2, 1), b3 = w.between(3, 2);
  const TermGraph::Vector n1 = w.cross(b1, b2), n2 = w.cross(b2, b3);
  const int phi = g.graph.make(Op::atan2, w.product(w.length(b2), w.dot(b1, n2)), w.dot(n1, n2));
  const auto f = term_formula(g, e->value, "the potential", {{"phi", [phi](Graph&) { return phi; }}});
  if (f) add_potential(g, *f);
}

void ParticleReader::read_field(const Table& t) {
  if (!keys_known(t, {"of", "for", "species", "potential", "part"})) return;
  Group g = single_group(t, "field on particle");
  g.terms.slow = is_slow(t);
  const Entry* e = needed(t, "potential", "a formula of the coordinates, as in potential = \"0.1*z\"");
  if (!g.fine || !e) return;
  if (const auto f = term_formula(g, e->value, "the potential", one_particle(g))) add_potential(g, *f);
}

void ParticleReader::read_pairs(const Table& t) {
  if (!keys_known(t, {"of", "for", "species", "between", "potential", "cutoff", "skin", "exclude_bonded",
                      "truncation", "part"}))
    return;
  auto sets = pair_sets(t);
  const bool slow = is_slow(t);
  const Entry* e = needed(t, "potential", "a formula of r, as in potential = \"4*((1/r)^12 - (1/r)^6)\"");
  const Entry* cutoff = needed(t, "cutoff", "pairs farther apart do not act on each other");
  if (!sets || !e || !cutoff) return;
  auto pairs = std::make_shared<PairGroup<Program>>();
  pairs->slow = slow;
  pairs->box = model_->box;
  pairs->cutoff = positive(cutoff->value, "the cutoff");
  pairs->skin = t.find("skin") ? positive(t.find("skin")->value, "the skin") : 0.2 * pairs->cutoff;
  check_reach(cutoff->value, *pairs, t.find("skin") != nullptr);
  pairs->sets = std::move(*sets);
  if (const Entry* how = t.find("truncation")) read_truncation(how->value, *pairs);
  pairs->apart.resize(static_cast<std::size_t>(model_->count));
  if (const Entry* exclude = t.find("exclude_bonded"))
    pairs->apart = within_bonds(exclude->value,
                                static_cast<int>(whole(exclude->value, "exclude_bonded", 0, 10).value_or(0)));
  Graph graph;
  const auto u =
      formula(graph, e->value, "the potential", {"r"}, [](Graph& x, std::string_view) { return x.input(0); });
  if (!u) return;
  pairs->value = std::make_shared<const Program>(linearise(graph, {*u}, TermGraph::numbers));
  pairs->slope =
      std::make_shared<const Program>(linearise(graph, graph.gradient(*u, {0}), TermGraph::numbers));
  model_->pairs.push_back(std::move(pairs));
  pair_tables_.push_back(place_of(t));
}

// Checks that twice the reach of a pair fits into the box.
void ParticleReader::check_reach(const Value& cutoff, const PairRule& pairs, bool skin_given) {
  double edge = 0;  // the shortest edge
  for (const double e : model_->box)
    if (e > 0 && (edge == 0 || e < edge)) edge = e;
  if (edge == 0 || edge >= 2 * (pairs.cutoff + pairs.skin)) return;
  const double most = skin_given ? edge / 2 - pairs.skin : edge / 2.4;
  std::string note = "a pair would meet itself twice; the skin alone is too thick";
  if (most > 0) {
    const double digits = std::pow(10, 3 - std::floor(std::log10(most)));  // four digits, rounded down
    note = "a pair would meet itself twice; with " +
           std::string(skin_given ? "this skin" : "a skin of a fifth") + " the largest cutoff is " +
           number_text(std::floor(most * digits) / digits);
  }
  fail(cutoff,
       "cutoff + skin = " + number_text(pairs.cutoff + pairs.skin) + " is more than half the edge " +
           number_text(edge) + " of the box",
       note);
}

void ParticleReader::read_truncation(const Value& v, PairGroup<Program>& pairs) {
  static const std::vector<std::string> words{"none", "shift", "force-shift"};
  const auto at = std::find(words.begin(), words.end(), v.kind == Value::Kind::text ? v.text : "");
  if (at == words.end())
    fail(v, "the truncation must be one of none, shift, force-shift");
  else
    pairs.truncation = static_cast<Truncation>(at - words.begin());
}

// Returns for each particle the larger ones that rods and springs reach in at most `most` bonds.
std::vector<std::vector<int>> ParticleReader::within_bonds(const Value& exclude, int most) {
  constexpr std::size_t most_excluded = 100'000'000;
  std::vector<std::vector<int>> near(model_->count), found(model_->count);
  for (const auto& [i, j] : bonds_) {
    near[i].push_back(j);
    near[j].push_back(i);
  }
  std::size_t total = 0;  // counts the particles met, from one end or the other
  for (int i = 0; i < model_->count && most > 0; ++i) {
    std::set<int> seen{i};
    std::vector<int> ring{i};
    for (int step = 0; step < most; ++step) {
      std::vector<int> next;
      for (const int a : ring)
        for (const int b : near[a])
          if (seen.insert(b).second) next.push_back(b);
      ring = std::move(next);
    }
    for (const int j : seen)
      if (j > i) found[i].push_back(j);
    total += seen.size();
    if (total <= 2 * most_excluded) continue;
    fail(exclude, "exclude_bonded leaves out more than " + std::to_string(most_excluded) + " pairs",
         "too many bonds meet in one particle for this number of bonds");
    return found;
  }
  return found;
}

}  // namespace taut
