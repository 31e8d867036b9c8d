// Reads mechanics as people write them: a Lagrangian, a kinetic energy or a mass matrix of formulas, of which
// H is made; starts in velocities; and the time t, which becomes a coordinate of its own.
#include <taut/model/code/confirm.hpp>
#include <taut/model/code/legendre.hpp>
#include <taut/model/code/momenta_of.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/equation.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_set>

namespace taut {

namespace {

// Calls f with each text of a value, and of the lists and tables in it.
template <class F>
void for_each_text(const Value& v, const F& f) {
  if (v.kind == Value::Kind::text) f(v.text);
  for (const Value& one : v.list) for_each_text(one, f);
  for (const Entry& e : v.table) for_each_text(e.value, f);
}

// Asks whether a formula uses one of these names.
bool uses_one(const std::string& text, const std::set<std::string>& names) {
  const Formula f = parse_equation(text, "", {.sizes = {}, .names_only = true}).formula;
  return std::any_of(f.nodes.begin(), f.nodes.end(), [&](const FormulaNode& node) {
    return node.op == Op::input && names.contains(std::string(f.part(node.span)));
  });
}

}  // namespace

// Calls f with the formula of each event that reflects: a wall belongs to the mechanics, and one that moves
// gives energy and takes it.
template <class F>
void ModelReader::for_each_wall(const F& f) const {
  const Entry* events = root_.find("events");
  if (!events) return;
  for (const Value& event : events->value.list) {
    const Entry *action = event.find("do"), *when = event.find("when");
    if (action && when && action->value.text == "reflect") f(when->value.text);
  }
}

// Asks whether the mechanics depend on t: itself, or through definitions. Forces always come with the time,
// because their work is counted there. A model that calls something of its own t has no time by that name.
bool ModelReader::uses_time() const {
  if (root_.find("forces") || root_.find("damping") || moves_at_rest()) return true;
  const auto has = [&](const char* name) {
    const Entry* e = root_.find(name);
    return e && e->value.find("t");
  };
  if (names_.contains("t") || has("parameters") || has("definitions")) return false;
  std::set<std::string> timed{"t"};
  if (const Entry* e = root_.find("definitions"))
    for (const Entry& one : e->value.table)
      for_each_text(one.value, [&](const std::string& text) {
        if (uses_one(text, timed)) timed.insert(one.key);
      });
  bool found = false;
  const auto look = [&](const std::string& text) { found = found || uses_one(text, timed); };
  const Entry* system = root_.find("system");
  for (const Entry& e : system->value.table)
    if (e.key != "coordinates") for_each_text(e.value, look);
  for_each_wall(look);
  return found;
}

// Asks whether a constraint on velocities is other than 0 at rest, as on a table that turns: v_x = -Omega*y.
// The time is a coordinate then, whose velocity is 1. Names are not known yet: those that no definition has
// get values at random.
bool ModelReader::moves_at_rest() const {
  const Entry* system = root_.find("system");
  const Entry* list = system ? system->value.find("velocity-constraints") : nullptr;
  if (!list) return false;
  const Entry* definitions = root_.find("definitions");
  std::map<std::string, Float128, std::less<>> known;
  const std::function<Float128(std::string_view)> value_of = [&](std::string_view name) -> Float128 {
    if (name.starts_with("v_") && coordinate_number_.contains(std::string(name.substr(2)))) return 0;
    const Entry* e = definitions ? definitions->value.find(name) : nullptr;
    const auto [at, is_new] = known.try_emplace(
        std::string(name),
        1 + scattered_number(0, static_cast<int>(std::hash<std::string_view>{}(name) & 0xFFFF)) / 2);
    if (e && is_new) {  // one that uses itself has a value at random there, and is refused later
      Float128 sum = e->value.number;  // if it is one
      bool fine = true;
      for_each_text(e->value, [&](const std::string& text) {
        const ParsedFormula parsed = parse_formula(text, "", {.sizes = {}, .names_only = true});
        fine = fine && !parsed.error;
        if (fine) sum += evaluate(parsed.formula, value_of).back();
      });
      if (fine) at->second = sum;
    }
    return at->second;
  };
  bool found = false;
  for_each_text(list->value, [&](const std::string& text) {
    const ParsedFormula parsed = parse_equation(text, "", {.sizes = {}, .names_only = true});
    if (parsed.error) return;
    const Float128 rest = evaluate(parsed.formula, value_of).back();
    found = found || (finite(rest) && magnitude(rest) > Float128(1e-25));
  });
  return found;
}

void ModelReader::add_time() {
  const std::string name = time_name;
  if (names_.contains(name) || names_.contains("p_" + name)) {
    fail_key(*root_.find("system"), "the mechanics depend on t, and a coordinate is called " + ticked(name),
             "the time is a coordinate of that name: choose another one");
    return;
  }
  if (const Entry* e = root_.find("parametrisation")) {
    fail_key(*e, "[parametrisation] in a model that depends on t or has forces",
             "coordinates of one's own are for models without either");
    return;
  }
  model_.dynamics.timed = true;
  names_[name] = What::coordinate;
  names_["p_" + name] = What::momentum;
  coordinate_number_[name] = static_cast<int>(model_.coordinates.size());
  model_.coordinates.push_back(name);
}

// A model that has something of its own by the name of a velocity keeps it, unless its mechanics are written
// in velocities.
void ModelReader::add_velocities() {
  std::unordered_set<std::string_view> taken;
  for (const char* table : {"definitions", "quantities"})
    if (const Entry* e = root_.find(table))
      for (const Entry& named : e->value.table) taken.insert(named.key);
  const Entry* system = root_.find("system");
  const Entry* free = root_.find("parametrisation");
  if (const Entry* list = free ? free->value.find("coordinates") : nullptr)
    for (const Value& coordinate : list->value.list) taken.insert(coordinate.text);
  for (std::size_t i = 0; i < model_.coordinates.size() - (model_.dynamics.timed ? 1 : 0); ++i) {
    const std::string name = "v_" + model_.coordinates[i];
    if (!names_.contains(name) && !taken.contains(name)) {
      names_[name] = What::velocity;
    } else if (system->value.find("lagrangian") || system->value.find("kinetic")) {
      fail_key(*system, "the velocity of " + ticked(model_.coordinates[i]) + " is called " + ticked(name) +
                            ", and the model has something else of that name");
    }
  }
}

void ModelReader::read_kinetic_form(const Entry& e) {
  const Value& t = root_.find("system")->value;
  const bool whole = e.key == "lagrangian";
  const Entry* v = t.find("potential");
  for (const char* key : {"mass", "potential_fast", "potential_slow", whole ? "potential" : "", "kinetic"})
    if (const Entry* other = t.find(key); other && other != &e)
      fail_key(*other, ticked(other->key) + " beside a " + (whole ? "lagrangian" : "kinetic energy"),
               whole ? "the lagrangian says all of it" : "give kinetic and potential");
  model_.form = Model::Form::hamiltonian;
  model_.dynamics.written_as = e.key;
  made_from_ = &e.value;
  system_formula(e, whole ? "the lagrangian" : "the kinetic energy", Use::lagrangian, kinetic_);
  model_.dynamics.written = kinetic_.text;
  model_.dynamics.kinetic = kinetic_;
  if (whole) return;
  if (v)
    system_formula(*v, "the potential", Use::position, model_.potential);
  else
    fail_key(e, "a kinetic energy without a potential", "as in potential = \"0\"");
}

bool ModelReader::mass_moves() const {
  const Entry* system = root_.find("system");
  const Entry* mass = system ? system->value.find("mass") : nullptr;
  bool moves = false;
  if (mass)
    for_each_text(mass->value, [&](const std::string& text) {
      const Formula f = parse_formula(text, "", {.sizes = {}, .names_only = true}).formula;
      for (const FormulaNode& node : f.nodes) {
        if (node.op != Op::input) continue;
        const std::string name(f.part(node.span));
        const auto at = names_.find(name);
        moves =
            moves || (at == names_.end() ? name == "t" && model_.dynamics.timed
                                         : at->second == What::coordinate || at->second == What::definition);
      }
    });
  return moves;
}

// Reads a mass matrix, or a list of masses, with formulas of coordinates in it.
void ModelReader::read_moving_mass(const Value& v) {
  if (model_.form == Model::Form::split) {
    fail(v, "masses that depend on coordinates beside a potential in two parts",
         "the methods that take the parts need a constant mass: give `potential`");
    return;
  }
  const std::size_t n = model_.coordinates.size() - (model_.dynamics.timed ? 1 : 0);
  const bool list = v.kind == Value::Kind::list;
  const bool matrix = list && !v.list.empty() && v.list.front().kind == Value::Kind::list;
  if (list && v.list.size() != n) {
    fail(v, "the mass has " + counted(v.list.size(), "row") + " for " + counted(n, "coordinate"));
    return;
  }
  const auto one = [&](const Value& entry, const std::string& what) {
    model_.mass.emplace_back();
    formula(entry, what, Use::position, model_.mass.back());
  };
  if (!list) one(v, "the mass");
  for (std::size_t i = 0; i < v.list.size(); ++i) {
    const Value& row = v.list[i];
    const std::string what = "mass " + std::to_string(i + 1);
    if (!matrix) {
      one(row, what);
    } else if (row.kind != Value::Kind::list || row.list.size() != n) {
      fail(row, "row " + std::to_string(i + 1) + " of the mass must have " + counted(n, "number"));
      return;
    } else {
      for (std::size_t j = 0; j < n; ++j) one(row.list[j], what + "," + std::to_string(j + 1));
    }
  }
  if (!errors_.empty()) return;
  // Both triangles are given: they must say the same.
  const Confirmation confirmation(model_);
  for (std::size_t i = 0; matrix && i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!confirmation.is_multiple(model_.mass[i * n + j], model_.mass[j * n + i], 1)) {
        fail(v, "the mass matrix is not symmetric",
             "entry " + std::to_string(i + 1) + "," + std::to_string(j + 1) + " differs from entry " +
                 std::to_string(j + 1) + "," + std::to_string(i + 1));
        return;
      }
  model_.dynamics.written_as = "mass";
  made_from_ = &v;
}

Numbers ModelReader::start_of(const std::vector<NamedFormula>& list) const {
  Numbers values;
  for (const NamedFormula& x : list) values.push_back(x.value);
  return values;
}

// What is left out is 0. If the constraints do not allow that, it is the least that goes with what is given.
void ModelReader::complete_velocities() {
  if (velocities_.empty() || !errors_.empty()) return;
  Numbers v = start_of(velocities_);
  if (!taut::complete_velocities(model_, velocity_given_, v)) return;
  for (std::size_t i = 0; i < v.size(); ++i) velocities_[i].value = v[i];
}

void ModelReader::make_hamiltonian() {
  if (!errors_.empty()) return;
  const bool given = model_.form == Model::Form::hamiltonian && made_from_ == nullptr;
  if (given) {
    if (model_.dynamics.timed) add_momentum_of_time(model_.hamiltonian);  // (TF1)
    return;
  }
  if (made_from_ == nullptr && !model_.dynamics.timed) return;
  if (model_.form == Model::Form::split) {
    fail_key(*root_.find("system")->value.find("potential_fast"),
             "a potential in two parts, in a model that depends on t or has forces",
             "the methods that take the parts need neither: give `potential`");
    return;
  }
  Legendre legendre(model_);
  if (!model_.mass.empty()) {
    legendre.take_mass(model_.mass);
  } else if (const auto fault = legendre.take_lagrangian(kinetic_)) {
    const std::string what =
        model_.dynamics.written_as == "lagrangian" ? "the lagrangian" : "the kinetic energy";
    fail(*made_from_->source, made_from_->place({0, made_from_->text.size()}),
         what + " is not of second degree in the velocities: look at " +
             ticked("v_" + model_.coordinates[static_cast<std::size_t>(fault->coordinate)]),
         "others are written as a hamiltonian, in momenta");
    return;
  }
  if (model_.dynamics.written_as != "lagrangian") legendre.subtract_potential(model_.potential);
  const Numbers q = start_of(model_.q);
  if (const auto bad = legendre.not_positive_at(q); bad && made_from_) {
    fail(*made_from_,
         "the kinetic energy is not positive definite at the start: look at the velocity of " +
             ticked(model_.coordinates[static_cast<std::size_t>(*bad)]),
         "every coordinate needs a mass, and velocities must determine momenta");
    return;
  }
  if (!velocities_.empty()) {
    const Numbers p = legendre.momenta(q, start_of(velocities_));
    for (std::size_t i = 0; i < p.size(); ++i) model_.p[i].value = p[i];
  }
  model_.form = Model::Form::hamiltonian;
  model_.hamiltonian = legendre.hamiltonian();
  if (model_.dynamics.written_as.empty()) model_.dynamics.written_as = "mass";
}

// Turns velocities of the start into momenta; make_hamiltonian has done it if it made H.
void ModelReader::start_from_velocities() {
  if (velocities_.empty() || !errors_.empty()) return;
  const Numbers v = start_of(velocities_);
  if (model_.form != Model::Form::hamiltonian) {
    const std::size_t n = v.size();
    const bool full = n > 1 && model_.mass_values.size() == n * n;
    for (std::size_t i = 0; i < n; ++i) {
      model_.p[i].value =
          full ? Float128(0) : model_.mass_values[model_.mass_values.size() == 1 ? 0 : i] * v[i];
      for (std::size_t j = 0; full && j < n; ++j)
        model_.p[i].value += model_.mass_values[std::max(i, j) * n + std::min(i, j)] * v[j];
    }
  } else if (made_from_ == nullptr && !model_.hamiltonian.nodes.empty() && model_.mass.empty()) {
    const auto p = momenta_of(model_, v);
    if (!p) {
      fail_key(*root_.find("initial"), "no momenta were found that have these velocities at the start",
               "Newton's iteration on H_p(q, p) = v from p = 0 did not end; give momenta");
      return;
    }
    for (std::size_t i = 0; i < v.size(); ++i) model_.p[i].value = (*p)[i];
  }
}

}  // namespace taut
