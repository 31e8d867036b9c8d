#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Returns the place of the header of a table, if the text has one. A header is short, and the text of a
// table without one may be long.
Span header_of(const Value& table) {
  constexpr std::size_t longest_header = 200;
  const std::string& text = table.source->text();
  Span at = table.span;
  while (at.begin < text.size() && text[at.begin] == '[') ++at.begin;
  const std::string_view rest = std::string_view(text).substr(at.begin, longest_header);
  at.end = at.begin + std::min(rest.find(']'), rest.size());
  return at;
}

}  // namespace

// Asks whether the name is x, y, z, x1 … z8 or a variable of a group: it would hide a parameter of that name.
bool is_particle_variable(const std::string& name) {
  static const std::vector<std::string> words{"i", "m", "r", "theta", "costheta", "phi"};
  if (contains(words, name)) return true;
  const bool axis = !name.empty() && name[0] >= 'x' && name[0] <= 'z';
  return axis && (name.size() == 1 || (name.size() == 2 && name[1] >= '1' && name[1] <= '8'));
}

// Says what is wrong with a mass; the equations of motion have 1/mass.
std::string wrong_mass(double mass) {
  if (!(mass > 0)) return " is not positive";
  return std::isfinite(1 / mass) ? "" : " is so small that 1/mass is infinite";
}

std::shared_ptr<const ParticleModel> ParticleReader::read() {
  const std::size_t before = errors_.size();
  read_parameters();
  read_particles();
  if (errors_.size() > before) return nullptr;  // without particles no group means anything
  each("rods", &ParticleReader::read_rods);
  each("angles", &ParticleReader::read_angles);
  each("surface", &ParticleReader::read_surface);
  each("constraint", &ParticleReader::read_constraint);
  each("springs", &ParticleReader::read_springs);
  each("bends", &ParticleReader::read_bends);
  each("torsions", &ParticleReader::read_torsions);
  each("field", &ParticleReader::read_field);
  each("pairs", &ParticleReader::read_pairs);
  each("thermostat", &ParticleReader::read_thermostat);
  each("forces", &ParticleReader::read_forces);
  each("damping", &ParticleReader::read_damping);
  check_driving();
  if (errors_.size() > before) return nullptr;
  model_->make_rows();
  if (model_->rows->rows >= model_->coordinates()) refuse_surplus();
  check_start();
  return errors_.size() > before ? nullptr : model_;
}

void ParticleReader::fail(const SourceText& source, Span at, std::string sentence, std::string note) {
  errors_.push_back(source.error(at, std::move(sentence), std::move(note)));
}

void ParticleReader::fail(const Value& v, std::string sentence, std::string note) {
  fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span, std::move(sentence),
       std::move(note));
}

void ParticleReader::fail_key(const Entry& e, std::string sentence, std::string note) {
  fail(*e.source, e.span, std::move(sentence), std::move(note));
}

void ParticleReader::fail_table(const Table& t, std::string sentence, std::string note) {
  const Place at = place_of(t);
  fail(*at.source, at.header, std::move(sentence), std::move(note));
}

ParticleReader::Place ParticleReader::place_of(const Table& t) {
  if (t.entry->value.kind != Value::Kind::list) return {t.entry->source, t.entry->span, t.name};
  return {t.v.source, header_of(t.v), t.name};
}

void ParticleReader::fail_at(const Table& t, const Entry* key, std::string sentence, std::string note) {
  if (key) return fail(key->value, std::move(sentence), std::move(note));
  fail_table(t, std::move(sentence), std::move(note));
}

void ParticleReader::each(const std::string& name, void (ParticleReader::*take)(const Table&)) {
  const Entry* e = root_.find(name);
  if (!e) return;
  if (e->value.kind == Value::Kind::table) {
    (this->*take)(Table{e->value, e, "[" + name + "]"});
    return;
  }
  const bool tables = e->value.kind == Value::Kind::list &&
                      std::all_of(e->value.list.begin(), e->value.list.end(),
                                  [](const Value& v) { return v.kind == Value::Kind::table; });
  if (!tables) {
    fail_key(*e, ticked(name) + " must be tables, [[" + name + "]], not " + kind_name(e->value));
    return;
  }
  for (const Value& v : e->value.list) (this->*take)(Table{v, e, "[[" + name + "]]"});
}

bool ParticleReader::keys_known(const Table& t, const std::vector<std::string>& known) {
  bool fine = true;
  for (const Entry& e : t.v.table)
    if (!contains(known, e.key)) {
      fail_key(e, "unknown key " + ticked(e.key) + " in " + t.name, known_names("known here:", e.key, known));
      fine = false;
    }
  return fine;
}

const Entry* ParticleReader::needed(const Table& t, const std::string& key, const std::string& note) {
  const Entry* e = t.find(key);
  if (!e) fail_table(t, t.name + " has no " + key, note);
  return e;
}

void ParticleReader::read_parameters() {
  if (const Entry* e = root_.find("parameters"))
    for (const Entry& p : e->value.table)
      if (is_particle_variable(p.key))
        fail_key(p, "the parameter " + ticked(p.key) + " has the name of a variable of particle formulas",
                 std::string(taken_names));
}

void ParticleReader::read_particles() {
  const Entry* e = root_.find("particles");
  const Table t{e->value, e, "[particles]"};
  if (e->value.kind != Value::Kind::table) {
    fail_key(*e, "`particles` must be a table, [particles], not " + kind_name(e->value));
    return;
  }
  if (!keys_known(t, {"dimension", "count", "for", "mass", "position", "velocity", "box", "file", "format",
                      "frame", "style"}))
    return;
  if (const Entry* d = t.find("dimension")) {
    const auto dimension = whole(d->value, "the dimension", 1, 3);
    if (!dimension) return;
    model_->dimension = static_cast<int>(*dimension);
  }
  Terms terms;
  if (t.find("file") ? !read_file(t, terms) : !read_count(t, terms)) return;
  model_->count = terms.count;
  model_->q.resize(model_->coordinates());
  model_->p.assign(model_->coordinates(), 0);
  if (file_) {
    if (!take_file(t.find("file")->value)) return;
  } else if (const Entry* position = needed(t, "position", "as in position = [\"i\", \"0\", \"0\"]")) {
    read_vectors(position->value, "the position", terms, model_->q);
  }
  read_masses(t, terms);
  if (const Entry* velocity = t.find("velocity"))
    if (!read_vectors(velocity->value, "the velocity", with_positions(terms), model_->p)) return;
  if (model_->mass.empty()) return;
  for (int j = 0; j < model_->coordinates(); ++j) model_->p[j] *= model_->mass[j % model_->count];
  read_box(t);
}

// Adds x, y, z to the indices, because velocities may depend on where a particle is.
ParticleReader::Terms ParticleReader::with_positions(Terms terms) const {
  for (int a = 0; a < model_->dimension; ++a) {
    terms.loops.push_back({std::string(1, "xyz"[a]), 0, -1});
    const auto from = model_->q.begin() + a * model_->count;
    terms.value.emplace_back(from, from + model_->count);
  }
  return terms;
}

bool ParticleReader::read_count(const Table& t, Terms& terms) {
  for (const char* key : {"format", "frame", "style"})
    if (const Entry* e = t.find(key)) {
      fail_key(*e, ticked(key) + " without `file`");
      return false;
    }
  const Entry *count = t.find("count"), *loops = t.find("for");
  if ((count != nullptr) == (loops != nullptr)) {
    fail_table(t, count ? "[particles] has `count` and `for`" : "[particles] has no count",
               "give count = 100, or for = \"row in 0..9, column in 0..9\"");
    return false;
  }
  if (count) {
    const auto n = whole(count->value, "the number of particles", 1, around_.most_particles);
    if (!n) return false;
    terms.loops = {{"i", 0, *n - 1}};
    expand(terms, static_cast<int>(*n));
    return true;
  }
  const auto found = loops_of(loops->value);
  if (!found) return false;
  if (found->count == 0) {
    fail(loops->value, "there are no particles");
    return false;
  }
  terms = *found;
  for (const Loop& loop : terms.loops)
    if (loop.name == "i") return true;  // the author's own
  terms.loops.push_back({"i", 0, terms.count - 1});
  terms.value.emplace_back(terms.count);
  for (int k = 0; k < terms.count; ++k) terms.value.back()[k] = k;
  return true;
}

// Reads a formula for each component, or a list of vectors. `out` has component after component.
bool ParticleReader::read_vectors(const Value& v, const std::string& what, const Terms& terms,
                                  std::vector<double>& out) {
  const std::size_t d = model_->dimension, n = model_->count;
  const bool one_by_one =
      v.kind == Value::Kind::list && !v.list.empty() && v.list.front().kind == Value::Kind::list;
  if (v.kind != Value::Kind::list || v.list.size() != (one_by_one ? n : d)) {
    fail(v,
         what + " must be a list of " +
             (one_by_one ? std::to_string(n) + " vectors" : std::to_string(d) + " formulas"),
         "one for each " + std::string(one_by_one ? "particle" : "component"));
    return false;
  }
  if (!one_by_one) {
    for (std::size_t a = 0; a < d; ++a) {
      const auto values = over_terms(v.list[a], what, terms);
      if (!values) return false;
      std::copy(values->begin(), values->end(), &out[a * n]);
    }
    return true;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Value& row = v.list[i];
    if (row.kind != Value::Kind::list || row.list.size() != d) {
      fail(row, what + " of particle " + std::to_string(i) + " must have " + std::to_string(d) + " numbers");
      return false;
    }
    for (std::size_t a = 0; a < d; ++a) {
      const auto x = number(row.list[a], what);
      if (!x) return false;
      out[a * n + i] = *x;
    }
  }
  return true;
}

void ParticleReader::read_masses(const Table& t, const Terms& terms) {
  const Entry* e = t.find("mass");
  if (!e) {
    if (file_)
      take_masses(t.find("file")->value);
    else
      model_->mass.assign(model_->count, 1);
    return;
  }
  if (e->value.kind == Value::Kind::list) {
    if (static_cast<int>(e->value.list.size()) != model_->count) {
      fail(e->value, "the mass has " + std::to_string(e->value.list.size()) + " entries for " +
                         std::to_string(model_->count) + " particles");
      return;
    }
    std::vector<double> mass;
    for (const Value& v : e->value.list) mass.push_back(number(v, "a mass").value_or(1));
    model_->mass = std::move(mass);
  } else if (auto values = over_terms(e->value, "the mass", terms)) {
    model_->mass = std::move(*values);
  }
  const bool listed_masses = e->value.kind == Value::Kind::list;
  for (int i = 0; i < static_cast<int>(model_->mass.size()); ++i)
    if (const std::string wrong = wrong_mass(model_->mass[i]); !wrong.empty()) {
      fail(listed_masses ? e->value.list[i] : e->value, "the mass of particle " + std::to_string(i) + wrong);
      return;
    }
}

void ParticleReader::read_box(const Table& t) {
  const Entry* e = t.find("box");
  if (!e) return;
  if (e->value.kind != Value::Kind::list || static_cast<int>(e->value.list.size()) != model_->dimension) {
    fail(e->value, "the box must be a list of " + std::to_string(model_->dimension) + " edges",
         "0 where space is not periodic");
    return;
  }
  for (std::size_t a = 0; a < e->value.list.size(); ++a) {
    model_->box[a] = number(e->value.list[a], "an edge of the box").value_or(0);
    if (model_->box[a] < 0) fail(e->value.list[a], "an edge of the box is negative");
  }
}

const std::vector<std::string>& particle_tables() {
  static const std::vector<std::string> names{"particles",  "rods",   "angles",   "surface", "constraint",
                                              "springs",    "bends",  "torsions", "field",   "pairs",
                                              "thermostat", "forces", "damping"};
  return names;
}

std::shared_ptr<const ParticleModel> read_particles(const ParticleTables& tables) {
  return ParticleReader(tables).read();
}

}  // namespace taut
