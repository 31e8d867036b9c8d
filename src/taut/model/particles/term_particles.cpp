// Finds the particles of the terms of a table.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

ParticleReader::Group ParticleReader::joined_group(const Table& t, const std::string& what, int places) {
  Group g;
  g.terms.what = what;
  const Entry *between = t.find("between"), *from = t.find("from");
  if (from) return of_file(t, *from, std::move(g), places);
  if (const Entry* type = t.find("type")) {
    fail_key(*type, "`type` without `from`", "it chooses among the bonds or angles of a file");
    return g;
  }
  if (!between) {
    fail_table(t, t.name + " has no between", "as in between = [\"i\", \"i+1\"] with for = \"i in 0..N-2\"");
    return g;
  }
  const Value& v = between->value;
  const bool list = v.kind == Value::Kind::list && !v.list.empty();
  if (list && v.list.front().kind == Value::Kind::list) return listed(t, v, std::move(g), places);
  std::vector<const Value*> index;
  if (list)
    for (const Value& x : v.list) index.push_back(&x);
  if (!right_number(v, index.size(), places)) return g;
  return in_ranges(t, index, std::move(g));
}

ParticleReader::Group ParticleReader::single_group(const Table& t, const std::string& what) {
  Group g;
  g.terms.what = what;
  if (const Entry* species = t.find("species")) return of_species(t, *species, std::move(g));
  const Entry* of = t.find("of");
  if (!of) return everyone(t, std::move(g));
  if (of->value.kind == Value::Kind::list) return of_numbers(t, of->value, std::move(g));
  return in_ranges(t, {&of->value}, std::move(g));
}

std::optional<std::vector<std::vector<int>>> ParticleReader::pair_sets(const Table& t) {
  std::vector<std::vector<int>> sets;
  const auto add = [&](const Table& from) {
    Group g = single_group(from, "pair");
    if (!g.fine) return false;
    std::vector<int>& set = sets.emplace_back(std::move(g.particle[0]));
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return true;
  };
  const Entry* between = t.find("between");
  if (!between) return add(t) ? std::optional(std::move(sets)) : std::nullopt;
  for (const char* other : {"of", "for", "species"})
    if (const Entry* e = t.find(other)) {
      fail_key(*e, ticked(other) + " beside `between`");
      return std::nullopt;
    }
  const Value& v = between->value;
  const auto is_table = [](const Value& x) { return x.kind == Value::Kind::table; };
  if (v.kind != Value::Kind::list || v.list.size() != 2 ||
      !std::all_of(v.list.begin(), v.list.end(), is_table)) {
    fail(v, "`between` of " + t.name + " must be two sets of particles",
         "as in between = [{ of = \"i\", for = \"i in 0..9\" }, { species = \"O\" }]");
    return std::nullopt;
  }
  for (const Value& x : v.list) {
    const Table set{x, between, "a set of " + t.name};
    if (!keys_known(set, {"of", "for", "species"}) || !add(set)) return std::nullopt;
  }
  return sets;
}

ParticleReader::Group ParticleReader::of_numbers(const Table& t, const Value& v, Group g) {
  if (const Entry* loops = t.find("for")) {
    fail_key(*loops, "`for` beside a list of particles");
    return g;
  }
  g.loops.loops = {{"i", 0, 0}};
  g.loops.value.resize(1);
  g.particle.resize(1);
  for (const Value& x : v.list) {
    const auto i = number(x, "an index");
    if (!i || !is_particle(x, *i)) return g;
    g.particle[0].push_back(static_cast<int>(*i));
    g.loops.value[0].push_back(*i);
  }
  g.loops.count = static_cast<int>(v.list.size());
  return finished(t, std::move(g));
}

ParticleReader::Group ParticleReader::in_ranges(const Table& t, const std::vector<const Value*>& index,
                                                Group g) {
  if (const Entry* loops = t.find("for")) {
    auto found = loops_of(loops->value);
    if (!found) return g;
    g.loops = std::move(*found);
  } else {
    g.loops.count = 1;
  }
  const std::string hint = t.find("for") ? "" : " An index runs with `for`, as in for = \"i in 0..N-1\"";
  for (const Value* x : index) {
    const auto values = over_terms(*x, "an index", g.loops, hint);
    if (!values || !add_place(g, *x, *values)) return g;
  }
  return finished(t, std::move(g));
}

ParticleReader::Group ParticleReader::everyone(const Table& t, Group g) {
  if (const Entry* loops = t.find("for")) {
    fail_key(*loops, "`for` without `of`", "as in of = \"3*i\" with for = \"i in 0..N-1\"");
    return g;
  }
  g.loops.loops = {{"i", 0, model_->count - 1}};
  expand(g.loops, model_->count);
  g.particle.emplace_back(model_->count);
  for (int i = 0; i < model_->count; ++i) g.particle[0][i] = i;
  return finished(t, std::move(g));
}

// Finds the particles of that name, or of one of several, in the file. A number stands for a type of LAMMPS.
ParticleReader::Group ParticleReader::of_species(const Table& t, const Entry& species, Group g) {
  for (const char* other : {"of", "for"})
    if (const Entry* e = t.find(other)) {
      fail_key(*e, ticked(other) + " beside `species`");
      return g;
    }
  if (!file_) {
    fail_key(species, "`species` in a model whose particles do not come from a file");
    return g;
  }
  const std::set<std::string> known(model_->species.begin(), model_->species.end());
  std::set<std::string> wanted;
  const std::vector<Value> one{species.value};
  for (const Value& v : species.value.kind == Value::Kind::list ? species.value.list : one) {
    if (v.kind != Value::Kind::number && v.kind != Value::Kind::text) {
      fail(v, "a species must be a name in quotes or a number, not " + kind_name(v));
      return g;
    }
    const std::string name = v.kind == Value::Kind::number ? number_text(v.number) : v.text;
    if (!known.contains(name)) {
      fail(v, "the file has no particle " + ticked(name),
           known_names("known here:", name, {known.begin(), known.end()}));
      return g;
    }
    wanted.insert(name);
  }
  g.loops.loops = {{"i", 0, 0}};
  g.loops.value.resize(1);
  g.particle.resize(1);
  for (int i = 0; i < model_->count; ++i)
    if (wanted.contains(model_->species[i])) {
      g.particle[0].push_back(i);
      g.loops.value[0].push_back(i);
    }
  g.loops.count = static_cast<int>(g.particle[0].size());
  return finished(t, std::move(g));
}

ParticleReader::Group ParticleReader::listed(const Table& t, const Value& v, Group g, int places) {
  if (const Entry* loops = t.find("for")) {
    fail_key(*loops, "`for` beside a list of terms");
    return g;
  }
  const std::size_t size = v.list.front().list.size();
  if (!right_number(v.list.front(), size, places)) return g;
  g.particle.resize(size);
  for (const Value& row : v.list) {
    if (row.kind != Value::Kind::list || row.list.size() != size) {
      fail(row, "each term must have " + std::to_string(size) + " indices");
      return g;
    }
    for (std::size_t j = 0; j < size; ++j) {
      const auto i = number(row.list[j], "an index");
      if (!i || !is_particle(row.list[j], *i)) return g;
      g.particle[j].push_back(static_cast<int>(*i));
    }
  }
  g.loops.count = static_cast<int>(v.list.size());
  return finished(t, std::move(g));
}

// Reads from = "bonds", "angles" or "dihedrals". If an angle has two places, these are its ends.
ParticleReader::Group ParticleReader::of_file(const Table& t, const Entry& from, Group g, int places) {
  for (const char* other : {"between", "for"})
    if (const Entry* e = t.find(other)) {
      fail_key(*e, ticked(other) + " beside `from`");
      return g;
    }
  const std::vector<FileTerm>* terms = file_terms(from.value, places);
  const auto types = terms ? wanted_types(t) : std::nullopt;
  if (!types) return g;
  const bool ends_of_angle = places == 2 && terms == &file_->angles;
  g.particle.resize(static_cast<std::size_t>(places));
  for (FileTerm term : *terms) {
    if (!types->empty() && !std::binary_search(types->begin(), types->end(), term.type)) continue;
    if (ends_of_angle) term.particle[1] = term.particle[2];
    for (std::size_t j = 0; j < g.particle.size(); ++j) g.particle[j].push_back(term.particle[j]);
  }
  g.loops.count = static_cast<int>(g.particle[0].size());
  if (g.loops.count == 0) {
    fail_key(from, "the file has no " + from.value.text + (types->empty() ? "" : " of this type"));
    return g;
  }
  return finished(t, std::move(g));
}

const std::vector<FileTerm>* ParticleReader::file_terms(const Value& from, int places) {
  std::vector<std::string> known;
  if (places == 2) known = {"bonds", "angles"};
  if (places == 3) known = {"angles"};
  if (places == 4) known = {"dihedrals"};
  if (from.kind != Value::Kind::text || !contains(known, from.text)) {
    fail(from, "this table takes its terms from " + joined(known) + " of the file");
    return nullptr;
  }
  if (!file_) {
    fail(from, "the particles of this model do not come from a file",
         "as in file = \"water.data\" in [particles]");
    return nullptr;
  }
  return from.text == "bonds" ? &file_->bonds : from.text == "angles" ? &file_->angles : &file_->dihedrals;
}

std::optional<std::vector<int>> ParticleReader::wanted_types(const Table& t) {
  std::vector<int> types;
  const Entry* e = t.find("type");
  if (!e) return types;
  const std::vector<Value> one{e->value};
  for (const Value& v : e->value.kind == Value::Kind::list ? e->value.list : one) {
    const auto type = whole(v, "a type", 1, 1e6);
    if (!type) return std::nullopt;
    types.push_back(static_cast<int>(*type));
  }
  std::sort(types.begin(), types.end());
  return types;
}

// Checks that particles lie in one image. Rods and springs act between particles at their positions, not
// between images: a molecule that a periodic box has cut is not a molecule here.
bool ParticleReader::lie_in_one_image(const Table& t, const Group& g) {
  const Entry* from = t.find("from");
  for (int k = 0; k < g.loops.count; ++k)
    for (std::size_t j = 1; j < g.particle.size(); ++j)
      for (int a = 0; a < model_->dimension; ++a) {
        const int one = g.particle[j - 1][k], other = g.particle[j][k];
        if (model_->box[a] == 0 || std::abs(start(other, a) - start(one, a)) <= model_->box[a] / 2) continue;
        fail_key(from ? *from : *t.find("between"),
                 "particles " + std::to_string(one) + " and " + std::to_string(other) +
                     " of one term are more than half the box apart",
                 std::string("the molecule is cut by the box: unwrap it") +
                     (from ? ", or give the image flags of LAMMPS" : ""));
        return false;
      }
  return true;
}

bool ParticleReader::right_number(const Value& v, std::size_t has, int places) {
  if (has >= 1 && has <= 8 && (places == 0 || has == static_cast<std::size_t>(places))) return true;
  fail(v, "there must be " + (places == 0 ? std::string("one to eight") : std::to_string(places)) +
              " indices here");
  return false;
}

bool ParticleReader::is_particle(const Value& v, double x, const std::string& where) {
  if (x == std::floor(x) && x >= 0 && x < model_->count) return true;
  fail(v, "there is no particle " + number_text(x) + where,
       "particles are numbered from 0 to " + std::to_string(model_->count - 1));
  return false;
}

bool ParticleReader::add_place(Group& g, const Value& v, const std::vector<double>& values) {
  std::vector<int> list;
  for (int k = 0; k < static_cast<int>(values.size()); ++k) {
    if (!is_particle(v, values[k], term_text(g.loops, k))) return false;
    list.push_back(static_cast<int>(values[k]));
  }
  g.particle.push_back(std::move(list));
  return true;
}

ParticleReader::Group ParticleReader::finished(const Table& t, Group g) {
  for (int k = 0; k < g.loops.count; ++k)
    for (std::size_t a = 0; a < g.particle.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (g.particle[a][k] == g.particle[b][k]) {
          fail_table(t, "a term of " + t.name + " has particle " + std::to_string(g.particle[a][k]) +
                            " twice" + term_text(g.loops, k));
          return g;
        }
  // A formula of coordinates may well mean distant particles.
  if (g.terms.what != "constraint on" && !lie_in_one_image(t, g)) return g;
  for (const std::vector<int>& list : g.particle) g.terms.particle.emplace_back(list);
  g.table = place_of(t);
  g.fine = true;
  return g;
}

}  // namespace taut
