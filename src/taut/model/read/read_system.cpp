// Reads [parameters], [system] and [initial], which define the mechanics.
#include <taut/model/code/confirm.hpp>
#include <taut/model/code/graph.hpp>
#include <taut/model/code/mass_matrix.hpp>
#include <taut/model/code/velocity_nodes.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/functions.hpp>
#include <taut/model/text/letters.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

constexpr std::size_t longest_name = 64;

const std::vector<std::string> system_keys{
    "coordinates", "hamiltonian", "lagrangian",     "kinetic",        "constraints",
    "mass",        "potential",   "potential_fast", "potential_slow", "velocity-constraints"};

}  // namespace

bool ModelReader::usable_name(const std::string& name, const SourceText& source, Span at,
                              const std::string& what) {
  const auto letters = static_cast<std::size_t>(
      std::count_if(name.begin(), name.end(), [](char c) { return !continues_character(c); }));
  if (letters > longest_name)
    fail(source, at, "the name " + ticked(name) + " has " + std::to_string(letters) + " letters",
         "at most " + std::to_string(longest_name));
  else if (const std::string twin = look_alike(name); !twin.empty() || !is_name(name))
    fail(source, at, ticked(name) + " cannot be the name of a " + what,
         twin.empty() ? std::string(what_names_are) : twin);
  else if (is_reserved(name))
    fail(source, at, ticked(name) + " cannot be the name of a " + what,
         name == "pi" || name == "π" ? "it is the number 3.14159…" : "it is a function");
  else
    return true;
  return false;
}

void ModelReader::read_coordinates() {
  const Entry* system = root_.find("system");
  if (!system) {
    if (!std::any_of(root_.table.begin(), root_.table.end(),
                     [](const Entry& e) { return is_particle_section(e.key); }))
      fail(file(), {0, 0}, "the table [system] is missing",
           "it gives coordinates, a hamiltonian or a potential with its mass, and constraints");
    return;
  }
  const Value& t = table("system", &system_keys);
  if (t.kind != Value::Kind::table || t.source == nullptr) return;
  const Entry* e = t.find("coordinates");
  if (!e) {
    fail_key(*system, "[system] has no coordinates", "as in coordinates = [\"x\", \"y\"]");
    return;
  }
  if (e->value.kind != Value::Kind::list || e->value.list.empty()) {
    fail(e->value,
         "coordinates must be a list of names" + (e->value.kind == Value::Kind::list
                                                      ? std::string(", and there are none")
                                                      : ", not " + kind_name(e->value)),
         "as in coordinates = [\"x\", \"y\"]");
    return;
  }
  names_.reserve(2 * e->value.list.size());
  coordinate_number_.reserve(e->value.list.size());
  model_.coordinates.reserve(e->value.list.size());
  for (const Value& v : e->value.list) {
    if (v.kind != Value::Kind::text) {
      fail(v, "a coordinate must be a name in quotes, not " + kind_name(v));
      continue;
    }
    if (!usable_name(v.text, *v.source, v.place({0, v.text.size()}), "coordinate")) continue;
    const auto taken = names_.find(v.text);
    if (taken != names_.end() && taken->second == What::coordinate)
      fail(*v.source, v.place({0, v.text.size()}), "the coordinate " + ticked(v.text) + " is listed twice");
    else if (taken != names_.end())
      fail(*v.source, v.place({0, v.text.size()}),
           "the coordinate " + ticked(v.text) + " has the name of a momentum",
           "the momentum of `" + shown(v.text.substr(2)) + "` is called " + ticked(v.text));
    else if (names_.contains("p_" + v.text))
      fail(*v.source, v.place({0, v.text.size()}),
           "the momentum of " + ticked(v.text) + " would be called " + ticked("p_" + v.text) +
               ", and that is a coordinate");
    else {
      names_[v.text] = What::coordinate;
      names_["p_" + v.text] = What::momentum;
      coordinate_number_[v.text] = static_cast<int>(model_.coordinates.size());
      model_.coordinates.push_back(v.text);
    }
  }
  all_coordinates_ = model_.coordinates.size() == e->value.list.size();
  if (all_coordinates_ && uses_time()) add_time();
}

bool ModelReader::is_free(const Entry& e, const std::string& kind) {
  if (!usable_name(e.key, *e.source, e.span, kind)) return false;
  const auto taken = names_.find(e.key);
  if (taken == names_.end()) return true;
  fail_key(e, "the " + kind + " " + ticked(e.key) + " has the name of a " + word_of(taken->second));
  return false;
}

void ModelReader::read_parameters() {
  const Value& t = table("parameters", nullptr);
  for (const Entry& e : t.table)
    if (is_free(e, "parameter")) later_parameters_.insert(e.key);
  for (const Entry& e : t.table) {
    if (!later_parameters_.erase(e.key)) continue;
    NamedFormula parameter{e.key, {}, 0};
    const bool fine = number(e.value, "the parameter " + ticked(e.key), parameter.formula, parameter.value);
    if (!fine) bad_parameters_.insert(e.key);
    names_[e.key] = What::parameter;
    values_[e.key] = parameter.value;
    model_.parameters.push_back(std::move(parameter));
  }
  add_velocities();
}

void ModelReader::read_definitions() {
  const Value& t = table("definitions", nullptr);
  for (const Entry& e : t.table)
    if (is_free(e, "definition")) later_parameters_.insert(e.key);
  for (const Entry& e : t.table) {
    if (!later_parameters_.erase(e.key)) continue;
    if (e.value.kind == Value::Kind::list)
      read_listed_vector(e);
    else
      read_definition(e);
  }
}

// A definition that is a vector has one for each of its components.
void ModelReader::read_definition(const Entry& e) {
  const std::string what = "the definition " + ticked(e.key);
  Formula made;
  if (e.value.kind != Value::Kind::text) {
    if (formula_as_written(e.value, what, Use::definition, made))
      add_definition(e.key, std::move(made));
    else
      bad_parameters_.insert(e.key);
    return;
  }
  ParsedFormula parsed = parse_formula(e.value.text, what, vectors_, true);
  const BlockSize size = parsed.size;
  const std::vector<int> entries = parsed.entries;
  if (!names_are_known(e.value, what, Use::definition, parsed, made)) {
    bad_parameters_.insert(e.key);
    return;
  }
  if (size.rows == 0) {
    add_definition(e.key, std::move(made));
    return;
  }
  const std::vector<std::string> names = component_names(e.key, size);
  for (std::size_t k = 0; k < names.size(); ++k) {
    add_definition(names[k], part_of(made, entries[k]));
  }
  names_[e.key] = What::definition;
  vectors_.sizes[e.key] = size;
  model_.definitions.push_back({e.key, std::move(made), 0});
}

// r = ["x", "y", "z"], or rows of such lists.
void ModelReader::read_listed_vector(const Entry& e) {
  const std::string what = "the definition " + ticked(e.key);
  const std::vector<Value>& rows = e.value.list;
  const bool matrix = !rows.empty() && rows.front().kind == Value::Kind::list;
  BlockSize size{static_cast<int>(rows.size()), matrix ? static_cast<int>(rows.front().list.size()) : 1};
  std::vector<const Value*> entries;
  for (const Value& row : rows) {
    if (matrix && (row.kind != Value::Kind::list || static_cast<int>(row.list.size()) != size.columns)) {
      fail(row, "the rows of " + what + " differ in their lengths");
      bad_parameters_.insert(e.key);
      return;
    }
    if (!matrix) entries.push_back(&row);
    for (const Value& entry : row.list) entries.push_back(&entry);
  }
  if (size.rows < 2 || (matrix && size.columns < 2)) {
    fail(e.value, what + " has too few components", "a vector has at least two, as in [\"x\", \"y\"]");
    bad_parameters_.insert(e.key);
    return;
  }
  const std::vector<std::string> names = component_names(e.key, size);
  std::string written;
  for (std::size_t k = 0; k < names.size(); ++k) {
    Formula one;
    if (!formula_as_written(*entries[k], what, Use::definition, one)) {
      bad_parameters_.insert(e.key);
      return;
    }
    written += (k == 0 ? "[" : ", ") + one.text;
    add_definition(names[k], std::move(one));
  }
  names_[e.key] = What::definition;
  vectors_.sizes[e.key] = size;
  model_.definitions.push_back({e.key, {written + "]", {}, {}}, 0});
}

void ModelReader::add_definition(const std::string& name, Formula formula) {
  Definition made{std::move(formula)};
  for (const FormulaNode& node : made.formula.nodes) {
    if (node.op != Op::input) continue;
    const std::string used_name(made.formula.part(node.span));
    const auto at = names_.find(used_name);
    if (at == names_.end()) {
      made.time = true;
      continue;
    }
    const What used = at->second;
    if (used == What::momentum) made.momentum = used_name;
    if (used == What::velocity) made.velocity = used_name;
    if (used != What::definition) continue;
    const Definition& other = definitions_[static_cast<std::size_t>(definition_number_.at(used_name))];
    if (made.momentum.empty()) made.momentum = other.momentum;
    if (made.velocity.empty()) made.velocity = other.velocity;
    made.time = made.time || other.time;
  }
  names_[name] = What::definition;
  definition_number_[name] = static_cast<int>(definitions_.size());
  if (is_name(name)) model_.definitions.push_back({name, made.formula, 0});
  definitions_.push_back(std::move(made));
}

void ModelReader::read_system() {
  const Entry* system = root_.find("system");
  if (!system || system->value.kind != Value::Kind::table) return;
  const Value& t = system->value;
  const Entry *h = t.find("hamiltonian"), *v = t.find("potential"), *fast = t.find("potential_fast"),
              *slow = t.find("potential_slow");
  const Entry *mass = t.find("mass"), *lagrangian = t.find("lagrangian"), *kinetic = t.find("kinetic");
  if (h) {
    for (const Entry* other : {v, fast, slow, mass, lagrangian, kinetic})
      if (other)
        fail_key(*other, ticked(other->key) + " beside a hamiltonian",
                 "give either hamiltonian, or mass and potential");
    model_.form = Model::Form::hamiltonian;
    system_formula(*h, "the hamiltonian", Use::state, model_.hamiltonian);
  } else if (lagrangian || kinetic) {
    read_kinetic_form(lagrangian ? *lagrangian : *kinetic);
  } else if (fast || slow) {
    if (v)
      fail_key(*v, "`potential` beside `potential_fast` or `potential_slow`",
               "the two parts make up the whole");
    if (!fast) fail_key(*slow, "`potential_slow` without `potential_fast`");
    if (!slow) fail_key(*fast, "`potential_fast` without `potential_slow`");
    model_.form = Model::Form::split;
    if (fast) system_formula(*fast, "the fast potential", Use::position, model_.potential_fast);
    if (slow) system_formula(*slow, "the slow potential", Use::position, model_.potential_slow);
  } else if (v) {
    model_.form = Model::Form::natural;
    system_formula(*v, "the potential", Use::position, model_.potential);
  } else {
    fail_key(*system, "[system] has neither a hamiltonian nor a potential",
             "give hamiltonian = \"...\", or mass = [...] and potential = \"...\", or lagrangian = \"...\"");
  }
  if (!h && !lagrangian && !kinetic && !mass && (v || fast || slow))
    fail_key(*system, "[system] has a potential but no mass",
             "as in mass = [1.0, 1.0]: one for each coordinate, or a full matrix");
  read_constraints(t);
}

bool ModelReader::system_formula(const Entry& e, const std::string& what, Use use, Formula& out) {
  watched_.push_back({&e.value, what, &out});
  return formula(e.value, what, use, out);
}

// Returns the formulas of that key; none if it is not there, or if it is no list, which is reported.
const std::vector<Value>& ModelReader::constraint_list(const Value& t, const char* key, const char* example) {
  static const std::vector<Value> nothing;
  const Entry* e = t.find(key);
  if (!e) return nothing;
  if (e->value.kind == Value::Kind::list) return e->value.list;
  fail(e->value, std::string(key) + " must be a list of formulas, not " + kind_name(e->value),
       "as in " + std::string(key) + " = [\"" + example + "\"]");
  return nothing;
}

// Asks whether [run] wants constraints that follow from others to be solved.
bool ModelReader::solves_redundant() const {
  const Entry* run = root_.find("run");
  const Entry* e = run ? run->value.find("redundant") : nullptr;
  return e && e->value.text == "least-squares";
}

void ModelReader::read_constraints(const Value& t) {
  const std::vector<Value>& list = constraint_list(t, "constraints", "x^2 + y^2 - 1");
  const std::vector<Value>& rolling = constraint_list(t, "velocity-constraints", "v_x = R*v_phi");
  const std::size_t m = list.size();
  model_.constraints.resize(m + rolling.size());  // `watched_` points into it
  model_.dynamics.velocity_constraints = static_cast<int>(rolling.size());
  Graph graph;
  const Confirmation confirmation(model_);
  std::map<int, std::size_t> seen;
  const int time = static_cast<int>(model_.coordinates.size()) - 1;  // if the model has it
  bool driven = false;
  for (std::size_t k = 0; k < m; ++k) {
    const Value& v = list[k];
    const std::string what = "constraint " + std::to_string(k + 1);
    model_.places["system.constraints." + std::to_string(k)] = {v.source, v.span};
    watched_.push_back({&v, what, &model_.constraints[k]});
    if (v.kind != Value::Kind::text) {
      fail(v, what + " must be a formula in quotes, not " + kind_name(v));
      continue;
    }
    if (!formula(v, what, Use::constraint, model_.constraints[k])) continue;
    const int node = graph.add(model_.constraints[k], [&](std::string_view name) {
      if (names_.at(std::string(name)) == What::parameter)
        return graph.constant(values_.at(std::string(name)));
      return graph.input(coordinate_number_.at(std::string(name)));
    });
    const auto inputs = graph.inputs_of(node);
    driven = driven || (model_.dynamics.timed &&
                        std::any_of(inputs.begin(), inputs.end(), [&](int input) { return input == time; }));
    check_constraint(confirmation, v, what, model_.constraints[k], inputs.empty(),
                     [&]() -> std::optional<std::pair<std::size_t, int>> {
                       if (const auto at = seen.find(node); at != seen.end()) return std::pair{at->second, 1};
                       const auto at = seen.find(graph.make(Op::negate, node));
                       if (at != seen.end()) return std::pair{at->second, -1};
                       return std::nullopt;
                     }());
    seen.try_emplace(node, k);
  }
  for (std::size_t k = 0; k < rolling.size(); ++k) {
    const Value& v = rolling[k];
    const std::string what = "velocity constraint " + std::to_string(k + 1);
    Formula& f = model_.constraints[m + k];
    model_.places["system.velocity-constraints." + std::to_string(k)] = {v.source, v.span};
    watched_.push_back({&v, what, &f});
    if (v.kind != Value::Kind::text)
      fail(v, what + " must be a formula in quotes, not " + kind_name(v));
    else if (formula(v, what, Use::rolling, f))
      read_velocity_constraint(v, what, f);
  }
  // A mechanism that is driven in all its coordinates moves still: with the time.
  const std::size_t n = model_.coordinates.size() - (model_.dynamics.timed ? 1 : 0), all = m + rolling.size();
  if (all > 0 && all_coordinates_ && !solves_redundant() && (driven ? all > n : all >= n)) {
    surplus_ = &t.find(m > 0 ? "constraints" : "velocity-constraints")->value;
    surplus_sentence_ = counted(all, "constraint") + " on " + counted(n, "coordinate") +
                        (all == 1 ? " leaves" : " leave") + " nothing that moves";
    surplus_note_ = driven ? "there must not be more constraints than coordinates"
                           : "there must be fewer constraints than coordinates";
  }
}

// A constraint on velocities is linear in them, by calculus and by its values. A part without them is a rate
// that is prescribed, and belongs to the time.
void ModelReader::read_velocity_constraint(const Value& v, const std::string& what, const Formula& f) {
  if (!all_coordinates_ || !errors_.empty()) return;
  const int n = static_cast<int>(model_.coordinates.size());
  Graph graph;
  const int root = graph.add(f, [&](std::string_view text) {
    const std::string name(text);
    const What kind = names_.at(name);
    if (kind == What::parameter) return graph.constant(values_.at(name));
    if (kind == What::velocity) return graph.input(n + coordinate_number_.at(name.substr(2)));
    return graph.input(coordinate_number_.at(name));
  });
  const LinearInVelocities found = linear_in_velocities(graph, root, n, n);
  const Span at = v.place({0, v.text.size()});
  const bool moving = std::any_of(found.row.begin(), found.row.end(),
                                  [&](int entry) { return !graph.is_constant(entry, 0); });
  if (found.fault >= 0 || !is_additive_in_velocities(f))
    fail(*v.source, at,
         what + " is not linear in the velocities" +
             (found.fault < 0
                  ? ""
                  : ": look at " + ticked("v_" + model_.coordinates[static_cast<std::size_t>(found.fault)])),
         "as in v_x*sin(a) - v_y*cos(a), which is zero");
  else if (!moving)
    fail(*v.source, at, what + " has no velocity in it",
         "a condition on coordinates is one of `constraints`; velocities are v_x, v_y, …");
  else if (!model_.dynamics.timed && !graph.is_constant(found.rest, 0))
    fail(*v.source, at, what + " has a part without velocities, which asks for a motion at rest",
         "a rate that is prescribed is a formula of t");
}

// Asks at random points, in 128 bits, whether f(v) + f(w) = f(v + w) + f(0).
bool ModelReader::is_additive_in_velocities(const Formula& f) const {
  constexpr int enough = 3, most = 12;
  int tried = 0;
  for (int k = 0; k < most && tried < enough; ++k) {
    Float128 size = 0;
    const auto value = [&](int with_v, int with_w) {
      const auto values = evaluate(f, [&](std::string_view text) -> Float128 {
        const std::string name(text);
        const What kind = names_.at(name);
        if (kind == What::parameter) return values_.at(name);
        const int n = static_cast<int>(model_.coordinates.size());
        // Coordinates far from 0, near 1 and near 0, so that a narrow domain is met too.
        if (kind != What::velocity)
          return (k % 3 == 1 ? 1 : 0) + scattered_number(k, coordinate_number_.at(name)) / (1 + k);
        const int i = coordinate_number_.at(name.substr(2));
        return with_v * scattered_number(k, n + i) + with_w * scattered_number(k, 2 * n + i);
      });
      for (const Float128 part : values) size += magnitude(part);
      return values.back();
    };
    const Float128 off = (value(1, 0) + value(0, 1)) - (value(1, 1) + value(0, 0));
    if (!finite(size)) continue;
    if (!(magnitude(off) <= Float128(1e-28) * size)) return false;
    ++tried;
  }
  return tried > 0;
}

// Refuses a constraint that constrains nothing, or nothing new, if its values confirm what its graph says.
// `same` is an earlier constraint that it equals, or equals with the other sign.
void ModelReader::check_constraint(const Confirmation& confirmation, const Value& v, const std::string& what,
                                   const Formula& f, bool fixed,
                                   const std::optional<std::pair<std::size_t, int>>& same) {
  const Span at = v.place({0, v.text.size()});
  if (fixed && confirmation.depends_only_on(f, {}))
    fail(*v.source, at, what + " does not depend on any coordinate");
  else if (same && !solves_redundant() &&
           confirmation.is_multiple(f, model_.constraints[same->first], same->second))
    fail(*v.source, at, what + " says the same as constraint " + std::to_string(same->first + 1),
         "each constraint must take away one degree of freedom");
}

void ModelReader::read_initial() {
  const Value& t = table("initial", nullptr);
  std::unordered_map<std::string_view, const Entry*> given;
  for (const Entry& e : t.table) {
    given.emplace(e.key, &e);
    const auto at = names_.find(e.key);
    const bool moves = at != names_.end() && at->second != What::parameter && at->second != What::definition;
    if (!moves && all_coordinates_) refuse_initial(e);
    if (at != names_.end() && at->second == What::coordinate) gives_coordinates_ = true;
  }
  const auto read_one = [&](const std::string& name) {
    NamedFormula value{name, {"0", {{Op::constant, -1, -1, 0, {0, 1}}}}, 0};
    if (const auto e = given.find(name); e != given.end())
      number(e->second->value, "the initial value of " + ticked(name), value.formula, value.value);
    return value;
  };
  model_.q.reserve(model_.coordinates.size());
  model_.p.reserve(model_.coordinates.size());
  for (const std::string& x : model_.coordinates) {
    model_.q.push_back(read_one(x));
    model_.p.push_back(read_one("p_" + x));
  }
  const auto says = [&](const std::string& prefix) {
    return std::find_if(model_.coordinates.begin(), model_.coordinates.end(), [&](const std::string& x) {
      const auto at = names_.find(prefix + x);
      return at != names_.end() && at->second != What::parameter && at->second != What::coordinate &&
             given.contains(prefix + x);
    });
  };
  if (const auto x = says("v_"); x != model_.coordinates.end()) {
    if (const auto other = says("p_"); other != model_.coordinates.end())
      fail_key(*given.at("p_" + *other), "[initial] gives momenta beside velocities",
               "give one or the other");
    for (const std::string& one : model_.coordinates) {
      velocity_given_.push_back(given.contains("v_" + one) || one == time_name);
      velocities_.push_back(read_one("v_" + one));
    }
  }
  if (std::none_of(model_.free_coordinates.begin(), model_.free_coordinates.end(),
                   [&](const std::string& x) { return given.contains(x); }))
    return;
  for (const std::string& x : model_.free_coordinates) model_.delta.push_back(read_one(x));
}

void ModelReader::refuse_initial(const Entry& e) {
  std::string note;
  if (errors_.size() < most_errors_shown) {  // the search for a near name goes through all names
    std::vector<std::string> known = model_.coordinates;
    for (const std::string& x : model_.coordinates) known.push_back("p_" + x);
    for (const std::string& x : model_.coordinates)
      if (const auto at = names_.find("v_" + x); at != names_.end() && at->second == What::velocity)
        known.push_back("v_" + x);
    known.insert(known.end(), model_.free_coordinates.begin(), model_.free_coordinates.end());
    note = known_names("known here:", e.key, known);
  }
  fail_key(e,
           "[initial] gives a value to " + ticked(e.key) + ", which is neither a coordinate nor a momentum",
           note);
}

void ModelReader::read_mass() {
  const Entry* system = root_.find("system");
  const Entry* e = system ? system->value.find("mass") : nullptr;
  if (!e || model_.form == Model::Form::hamiltonian) return;
  if (mass_moves()) {
    read_moving_mass(e->value);
    return;
  }
  const std::size_t n = model_.coordinates.size() - (model_.dynamics.timed ? 1 : 0);
  const auto one = [&](const Value& v, const std::string& what) {
    model_.mass.emplace_back();
    model_.mass_values.push_back(1);
    return number(v, what, model_.mass.back(), model_.mass_values.back());
  };
  const auto positive = [&](const Value& v, const std::string& what) {
    if (one(v, what) && !(model_.mass_values.back() > 0))
      fail(v, what + " is " + number_text(model_.mass_values.back()), "a mass must be positive");
  };
  if (e->value.kind != Value::Kind::list) {
    positive(e->value, "the mass");
    return;
  }
  const bool matrix = !e->value.list.empty() && e->value.list.front().kind == Value::Kind::list;
  const std::size_t rows = e->value.list.size();
  if (all_coordinates_ && rows != n) {
    const std::string has =
        matrix ? counted(rows, "row") : std::to_string(rows) + (rows == 1 ? " entry" : " entries");
    fail(e->value, "the mass has " + has + " for " + counted(n, "coordinate"));
    return;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Value& row = e->value.list[i];
    const std::string what = "mass " + std::to_string(i + 1);
    if (!matrix) {
      positive(row, what);
      continue;
    }
    if (row.kind != Value::Kind::list || row.list.size() != n) {
      fail(row, "row " + std::to_string(i + 1) + " of the mass must have " + counted(n, "number"));
      return;
    }
    for (std::size_t j = 0; j < n; ++j) one(row.list[j], what + "," + std::to_string(j + 1));
  }
  if (!matrix || !errors_.empty()) return;
  if (const auto pair = not_symmetric(model_.mass_values, n))
    fail(e->value, "the mass matrix is not symmetric",
         "entry " + std::to_string(pair->first + 1) + "," + std::to_string(pair->second + 1) +
             " differs from entry " + std::to_string(pair->second + 1) + "," +
             std::to_string(pair->first + 1));
  else if (!inverse_of_positive(model_.mass_values, n))
    fail(e->value, "the mass matrix is not positive definite",
         "the kinetic energy must be positive for every velocity");
}

}  // namespace taut
