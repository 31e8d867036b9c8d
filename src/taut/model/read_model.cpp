#include <taut/model/functions.hpp>
#include <taut/model/mass_matrix.hpp>
#include <taut/model/model.hpp>
#include <taut/model/system.hpp>
#include <taut/model/tree.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace taut {

namespace {

constexpr std::size_t largest_file = 4U << 20U;  // bytes; the formulas of a page take a thousandth of it
constexpr std::size_t longest_name = 64;
constexpr double most_steps = 9e15;  // beyond, counting steps in a double would lose some

std::string ticked(std::string_view word) { return "`" + shown(word) + "`"; }

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::string number_text(Float128 x) {
  // Six digits are enough to recognise a number one has written.
  const double d = static_cast<double>(x);
  if (d != d) return "not a number";
  if (std::isinf(d)) return d > 0 ? "infinite" : "minus infinite";
  if (d == std::floor(d) && std::abs(d) < 1e15) return std::to_string(static_cast<std::int64_t>(d));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(d))));
  const bool scientific = exponent < -4 || exponent > 5;
  std::string text =
      std::to_string(static_cast<std::int64_t>(std::llround(std::abs(d) * std::pow(10.0, 5 - exponent))));
  int point = exponent;
  if (text.size() > 6) ++point;  // rounded up to the next power of ten
  while (text.size() > 1 && text.back() == '0') text.pop_back();
  if (scientific) {
    if (text.size() > 1) text.insert(1, ".");
    text += "e" + std::to_string(point);
  } else if (point < 0) {
    text = "0." + std::string(static_cast<std::size_t>(-point - 1), '0') + text;
  } else {
    const auto whole = static_cast<std::size_t>(point) + 1;
    if (text.size() < whole) text += std::string(whole - text.size(), '0');
    if (text.size() > whole) text.insert(whole, ".");
  }
  return (d < 0 ? "-" : "") + text;
}

const std::vector<std::string> top_keys{"title", "parameters", "system", "initial", "run", "output"};
const std::vector<std::string> particle_keys{"particles", "rods",     "angles", "springs",
                                             "bends",     "torsions", "field",  "pairs"};
const std::vector<std::string> system_keys{"coordinates", "hamiltonian",    "constraints",   "mass",
                                           "potential",   "potential_fast", "potential_slow"};
const std::vector<std::string> run_keys{"method", "formulation", "projection", "step",
                                        "steps",  "until",       "every"};
const std::vector<std::string> output_keys{"directory"};
const std::vector<std::string> formulations{
    "underlying", "dirac", "dirac-simplified", "dirac-weak", "hamilton-dirac", "state-space", "linear"};
const std::vector<std::string> projections{"none", "position", "momentum", "both"};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
 public:
  Reader(std::string text, std::string name) {
    model_.name = name;
    keep(std::make_shared<SourceText>(std::move(name), std::move(text)));
  }

  ReadModel read(const std::vector<std::string>& set) {
    if (file().text().size() > largest_file) {
      fail(file(), {0, 1}, "the file has " + std::to_string(file().text().size()) + " bytes",
           "a model has at most " + std::to_string(largest_file));
      return finish();
    }
    root_ = read_tree(file(), errors_);
    if (!errors_.empty()) return finish();
    apply(set);
    read_top();
    read_coordinates();
    read_parameters();
    read_system();
    read_initial();
    read_mass();
    read_run();
    read_output();
    if (errors_.empty()) check_start();
    return finish();
  }

 private:
  const SourceText& file() const { return *model_.sources.front(); }
  const SourceText& keep(std::shared_ptr<const SourceText> source) {
    model_.sources.push_back(std::move(source));
    return *model_.sources.back();
  }

  void fail(const SourceText& source, Span at, std::string sentence, std::string note = {}) {
    errors_.push_back(source.error(at, std::move(sentence), std::move(note)));
  }
  void fail(const Value& v, std::string sentence, std::string note = {}) {
    fail(*v.source, v.span, std::move(sentence), std::move(note));
  }
  void fail_key(const Entry& e, std::string sentence, std::string note = {}) {
    fail(*e.source, e.span, std::move(sentence), std::move(note));
  }

  ReadModel finish() {
    ReadModel out;
    if (errors_.empty()) {
      out.model = std::move(model_);
      return out;
    }
    std::stable_sort(errors_.begin(), errors_.end(), [](const ModelError& a, const ModelError& b) {
      if (a.line == 0 || b.line == 0) return a.line > b.line;  // the file first, then --set
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    out.errors = std::move(errors_);
    return out;
  }

  // --set ------------------------------------------------------------------------------------------------------------

  void apply(const std::vector<std::string>& set) {
    struct Setting {
      const SourceText* source;
      std::string name;
    };
    std::vector<Setting> plain;
    bool steps = false, until = false;
    for (const std::string& text : set) {
      const SourceText& source = keep(std::make_shared<SourceText>("--set", text, false));
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail(source, {0, text.size()}, "this is not of the form NAME=VALUE");
        continue;
      }
      const std::string name = text.substr(0, equals);
      steps = steps || name == "run.steps";
      until = until || name == "run.until";
      if (name.find('.') == std::string::npos && name != "title")
        plain.push_back({&source, name});
      else
        put(source, name, read_setting(source, equals + 1));
    }
    if (steps != until) {  // the one that was set replaces the other
      if (Entry* run = root_.find("run"))
        std::erase_if(run->value.table, [&](const Entry& e) { return e.key == (steps ? "until" : "steps"); });
    }
    std::vector<std::string> parameters, start;
    if (const Entry* e = root_.find("parameters"))
      for (const Entry& parameter : e->value.table) parameters.push_back(parameter.key);
    if (const Entry* e = root_.find("system"))
      if (const Entry* names = e->value.find("coordinates"))
        for (const Value& v : names->value.list)
          if (v.kind == Value::Kind::text) {
            start.push_back(v.text);
            start.push_back("p_" + v.text);
          }
    for (const Setting& s : plain) {
      const Value value = read_setting(*s.source, s.name.size() + 1);
      if (contains(parameters, s.name)) {
        put(*s.source, "parameters." + s.name, value);
      } else if (contains(start, s.name)) {
        put(*s.source, "initial." + s.name, value);
      } else {
        std::vector<std::string> known = parameters;
        known.insert(known.end(), start.begin(), start.end());
        fail(*s.source, {0, s.name.size()}, "the model has nothing called " + ticked(s.name) + " to set",
             known_names("known:", s.name, known) +
                 " Other keys are written with their table, as in run.step");
      }
    }
  }

  // Sets table.key, or table.key.key, or a key at the top.
  void put(const SourceText& source, const std::string& path, const Value& value) {
    if (std::count(path.begin(), path.end(), '.') > 2) {  // the deepest key is run.projection.kind
      fail(source, {0, path.size()}, "the model has no key " + ticked(path) + " to set");
      return;
    }
    Value* at = &root_;
    std::size_t begin = 0;
    while (true) {
      const std::size_t dot = path.find('.', begin);
      const std::string key = path.substr(begin, dot == std::string::npos ? dot : dot - begin);
      if (at->kind != Value::Kind::table) {
        fail(source, {0, path.size()}, "the model has no key " + ticked(path) + " to set");
        return;
      }
      Entry* entry = at->find(key);
      if (!entry) {
        at->table.push_back({key, &source, {0, source.text().find('=')}, {}});
        entry = &at->table.back();
        entry->value.source = &source;
        entry->value.span = entry->span;
      }
      if (dot == std::string::npos) {
        entry->value = value;
        return;
      }
      at = &entry->value;
      begin = dot + 1;
    }
  }

  // Tables and types -------------------------------------------------------------------------------------------------

  void read_top() {
    for (const Entry& e : root_.table) {
      note_place(e.key, e);
      if (contains(particle_keys, e.key))
        fail_key(e, "a system of particles, " + ticked(e.key) + ", cannot be read here",
                 "give coordinates and formulas in [system]");
      else if (!contains(top_keys, e.key))
        fail_key(e,
                 std::string("unknown ") + (e.value.kind == Value::Kind::table ? "table " : "key ") +
                     ticked(e.key),
                 known_names("known here:", e.key, top_keys));
    }
    model_.title = model_.name;
    if (const Entry* e = root_.find("title")) {
      if (const auto text = text_of_entry(*e, "title")) model_.title = *text;
    }
  }

  // The table of that name, its keys checked; an empty one where the file has none.
  const Value& table(const std::string& name, const std::vector<std::string>* known) {
    static const Value empty;
    const Entry* e = root_.find(name);
    if (!e) return empty;
    if (e->value.kind != Value::Kind::table) {
      fail_key(*e, ticked(name) + " must be a table, [" + name + "], not " + kind_name(e->value));
      return empty;
    }
    for (const Entry& child : e->value.table) {
      note_place(name + "." + child.key, child);
      if (known && !contains(*known, child.key))
        fail_key(child, "unknown key " + ticked(child.key) + " in [" + name + "]",
                 known_names("known here:", child.key, *known));
    }
    return e->value;
  }

  void note_place(const std::string& key, const Entry& e) {
    const bool whole_table = e.value.kind == Value::Kind::table;
    model_.places[key] = {whole_table ? e.source : e.value.source, whole_table ? e.span : e.value.span};
  }

  std::optional<std::string> text_of_entry(const Entry& e, const std::string& what) {
    if (e.value.kind == Value::Kind::text) return e.value.text;
    fail(e.value, what + " must be a text in quotes, not " + kind_name(e.value));
    return std::nullopt;
  }

  // Names ------------------------------------------------------------------------------------------------------------

  bool usable_name(const std::string& name, const SourceText& source, Span at, const std::string& what) {
    if (name.size() > longest_name)
      fail(source, at, "the name " + ticked(name) + " has " + std::to_string(name.size()) + " letters",
           "at most " + std::to_string(longest_name));
    else if (!is_name(name))
      fail(source, at, ticked(name) + " cannot be the name of a " + what,
           "names are letters, digits and _, not starting with a digit");
    else if (is_reserved(name))
      fail(source, at, ticked(name) + " cannot be the name of a " + what,
           name == "pi" ? "it is the number 3.14159…" : "it is a function");
    else
      return true;
    return false;
  }

  void read_coordinates() {
    const Entry* system = root_.find("system");
    if (!system) {
      if (!std::any_of(root_.table.begin(), root_.table.end(),
                       [](const Entry& e) { return contains(particle_keys, e.key); }))
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
        model_.coordinates.push_back(v.text);
      }
    }
    all_coordinates_ = model_.coordinates.size() == e->value.list.size();
  }

  void read_parameters() {
    const Value& t = table("parameters", nullptr);
    for (const Entry& e : t.table) {
      if (!usable_name(e.key, *e.source, e.span, "parameter")) continue;
      const auto taken = names_.find(e.key);
      if (taken != names_.end()) {
        fail_key(e, "the parameter " + ticked(e.key) + " has the name of a " +
                        (taken->second == What::coordinate ? "coordinate" : "momentum"));
        continue;
      }
      later_parameters_.insert(e.key);
    }
    for (const Entry& e : t.table) {
      if (!later_parameters_.erase(e.key)) continue;
      NamedFormula parameter{e.key, {}, 0};
      const bool fine = number(e.value, "the parameter " + ticked(e.key), parameter.formula, parameter.value);
      if (!fine) bad_parameters_.insert(e.key);
      names_[e.key] = What::parameter;
      values_[e.key] = parameter.value;
      model_.parameters.push_back(std::move(parameter));
    }
  }

  // Formulas ---------------------------------------------------------------------------------------------------------

  enum class What { coordinate, momentum, parameter };
  enum class Use { parameters, position, state };  // which names a formula may use

  std::vector<std::string> known_for(Use use) const {
    std::vector<std::string> known;
    if (use != Use::parameters) known = model_.coordinates;
    if (use == Use::state)
      for (const std::string& x : model_.coordinates) known.push_back("p_" + x);
    for (const NamedFormula& a : model_.parameters) known.push_back(a.name);
    return known;
  }

  // A number or a formula in quotes; false where an error was reported, or follows from one that was.
  bool formula(const Value& v, const std::string& what, Use use, Formula& out) {
    if (v.kind == Value::Kind::number) {
      out.text =
          std::string(std::string_view(v.source->text()).substr(v.span.begin, v.span.end - v.span.begin));
      out.nodes = {{Op::constant, -1, -1, v.number, {0, out.text.size()}}};
      return true;
    }
    if (v.kind != Value::Kind::text) {
      fail(v, what + " must be a number or a formula in quotes, not " + kind_name(v));
      return false;
    }
    ParsedFormula parsed = parse_formula(v.text, what);
    bool fine = !parsed.error;
    if (parsed.error)
      fail(*v.source, v.text.empty() ? v.span : v.place(parsed.error->span), parsed.error->sentence,
           parsed.error->note);
    out = std::move(
        parsed.formula);  // after an error the part before it, whose names are looked at all the same
    std::set<std::string> told;
    for (const FormulaNode& node : out.nodes) {
      if (node.op != Op::input) continue;
      const std::string name(out.part(node.span));
      if (bad_parameters_.contains(name)) {
        fine = false;
        continue;
      }
      const auto found = names_.find(name);
      const bool known =
          found != names_.end() && (found->second == What::parameter || use == Use::state ||
                                    (use == Use::position && found->second == What::coordinate));
      if (known || !told.insert(name).second) continue;
      fine = false;
      if (!all_coordinates_ && use != Use::parameters)
        continue;  // it may be one of the coordinates that were refused
      const Span at = v.place(node.span);
      if (found != names_.end() && use == Use::position)
        fail(*v.source, at, what + " uses the momentum " + ticked(name),
             "here coordinates and parameters are allowed");
      else if (found != names_.end())
        fail(*v.source, at,
             what + " uses the " + (found->second == What::coordinate ? "coordinate " : "momentum ") +
                 ticked(name),
             "here only parameters are allowed");
      else if (later_parameters_.contains(name))
        fail(*v.source, at, what + " uses " + ticked(name) + ", which comes later",
             "parameters are evaluated in the order of the file");
      else
        fail(*v.source, at, "unknown name " + ticked(name) + " in " + what,
             known_names("known here:", name, known_for(use)));
    }
    return fine;
  }

  // A number, or a formula of parameters, with its value.
  bool number(const Value& v, const std::string& what, Formula& out, Float128& value) {
    if (!formula(v, what, Use::parameters, out)) return false;
    const auto values = evaluate(out, [&](std::string_view name) { return values_.at(std::string(name)); });
    value = values.back();
    if (finite(static_cast<double>(value))) return true;
    report_not_finite(v, out, values, what, "");
    return false;
  }

  // Points at the smallest part that is not finite.
  void report_not_finite(const Value& v, const Formula& f, const std::vector<Float128>& values,
                         const std::string& what, const std::string& where) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (finite(static_cast<double>(values[k]))) continue;
      const Span part = f.nodes[k].span;
      const bool whole = k + 1 == values.size() || v.kind != Value::Kind::text;
      std::string sentence = whole ? what : ticked(f.part(part)) + " in " + what;
      sentence.append(" is ").append(number_text(values[k])).append(where);
      fail(*v.source, v.kind == Value::Kind::text ? v.place(part) : v.span, std::move(sentence));
      return;
    }
  }

  void read_system() {
    const Entry* system = root_.find("system");
    if (!system || system->value.kind != Value::Kind::table) return;
    const Value& t = system->value;
    const Entry *h = t.find("hamiltonian"), *v = t.find("potential"), *fast = t.find("potential_fast"),
                *slow = t.find("potential_slow");
    const Entry* mass = t.find("mass");
    if (h) {
      for (const Entry* other : {v, fast, slow, mass})
        if (other)
          fail_key(*other, ticked(other->key) + " beside a hamiltonian",
                   "give either hamiltonian, or mass and potential");
      model_.form = Model::Form::hamiltonian;
      system_formula(*h, "the hamiltonian", Use::state, model_.hamiltonian);
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
               "give hamiltonian = \"...\", or mass = [...] and potential = \"...\"");
    }
    if (!h && !mass && (v || fast || slow))
      fail_key(*system, "[system] has a potential but no mass",
               "as in mass = [1.0, 1.0]: one for each coordinate, or a full matrix");
    read_constraints(t);
  }

  bool system_formula(const Entry& e, const std::string& what, Use use, Formula& out) {
    watched_.push_back({&e.value, what, &out});
    return formula(e.value, what, use, out);
  }

  void read_constraints(const Value& t) {
    const Entry* e = t.find("constraints");
    if (!e) return;  // a free system
    if (e->value.kind != Value::Kind::list) {
      fail(e->value, "constraints must be a list of formulas, not " + kind_name(e->value),
           "as in constraints = [\"x^2 + y^2 - 1\"]");
      return;
    }
    const std::size_t m = e->value.list.size();
    model_.constraints.resize(m);
    Graph graph;
    std::map<int, std::size_t> seen;
    for (std::size_t k = 0; k < m; ++k) {
      const Value& v = e->value.list[k];
      const std::string what = "constraint " + std::to_string(k + 1);
      model_.places["system.constraints." + std::to_string(k)] = {v.source, v.span};
      watched_.push_back({&v, what, &model_.constraints[k]});
      if (v.kind != Value::Kind::text) {
        fail(v, what + " must be a formula in quotes, not " + kind_name(v));
        continue;
      }
      if (!formula(v, what, Use::position, model_.constraints[k])) continue;
      const int node = graph.add(model_.constraints[k], [&](std::string_view name) {
        if (names_.at(std::string(name)) == What::parameter)
          return graph.constant(values_.at(std::string(name)));
        const auto at = std::find(model_.coordinates.begin(), model_.coordinates.end(), name);
        return graph.input(static_cast<int>(at - model_.coordinates.begin()));
      });
      const Span at = v.place({0, v.text.size()});
      if (graph.inputs_of(node).empty())
        fail(*v.source, at, what + " does not depend on any coordinate");
      else if (seen.contains(node) || seen.contains(graph.make(Op::negate, node)))
        fail(*v.source, at,
             what + " says the same as constraint " +
                 std::to_string((seen.contains(node) ? seen[node] : seen[graph.make(Op::negate, node)]) + 1),
             "each constraint must take away one degree of freedom");
      else
        seen[node] = k;
    }
    if (all_coordinates_ && m >= model_.coordinates.size())
      fail(e->value,
           counted(m, "constraint") + " on " + counted(model_.coordinates.size(), "coordinate") +
               " leave nothing that moves",
           "there must be fewer constraints than coordinates");
  }

  void read_initial() {
    const Value& t = table("initial", nullptr);
    std::vector<std::string> known = model_.coordinates;
    for (const std::string& x : model_.coordinates) known.push_back("p_" + x);
    for (const Entry& e : t.table)
      if (!contains(known, e.key) && all_coordinates_)
        fail_key(
            e,
            "[initial] gives a value to " + ticked(e.key) + ", which is neither a coordinate nor a momentum",
            known_names("known here:", e.key, known));
    const auto read_one = [&](const std::string& name) {
      NamedFormula value{name, {"0", {{Op::constant, -1, -1, 0, {0, 1}}}}, 0};
      if (const Entry* e = t.find(name))
        number(e->value, "the initial value of " + ticked(name), value.formula, value.value);
      return value;
    };
    for (const std::string& x : model_.coordinates) {
      model_.q.push_back(read_one(x));
      model_.p.push_back(read_one("p_" + x));
    }
  }

  void read_mass() {
    const Entry* system = root_.find("system");
    const Entry* e = system ? system->value.find("mass") : nullptr;
    if (!e || model_.form == Model::Form::hamiltonian) return;
    const std::size_t n = model_.coordinates.size();
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
    if (const auto pair = not_symmetric(model_.mass_values, static_cast<int>(n)))
      fail(e->value, "the mass matrix is not symmetric",
           "entry " + std::to_string(pair->first + 1) + "," + std::to_string(pair->second + 1) +
               " differs from entry " + std::to_string(pair->second + 1) + "," +
               std::to_string(pair->first + 1));
    else if (!inverse_of_positive(model_.mass_values, static_cast<int>(n)))
      fail(e->value, "the mass matrix is not positive definite",
           "the kinetic energy must be positive for every velocity");
  }

  // [run] and [output] -----------------------------------------------------------------------------------------------

  std::optional<double> run_number(const Value& t, const std::string& key, const std::string& what) {
    const Entry* e = t.find(key);
    Formula f;
    Float128 value = 0;
    if (!e || !number(e->value, what, f, value)) return std::nullopt;
    return static_cast<double>(value);
  }
  std::optional<std::int64_t> run_count(const Value& t, const std::string& key, const std::string& what,
                                        std::int64_t least) {
    const Entry* e = t.find(key);
    const auto x = run_number(t, key, what);
    if (!x) return std::nullopt;
    if (*x != std::floor(*x) || *x < static_cast<double>(least) || *x > most_steps) {
      fail(e->value, what + " is " + number_text(*x),
           "it must be a whole number, " + std::to_string(least) + " or more" +
               (*x > most_steps ? ", and at most 9e15" : ""));
      return std::nullopt;
    }
    return static_cast<std::int64_t>(*x);
  }

  void read_run() {
    const Value& t = table("run", &run_keys);
    RunSettings& run = model_.run;
    if (const Entry* e = t.find("method")) run.method = text_of_entry(*e, "the method");
    if (const Entry* e = t.find("formulation")) {
      run.formulation = text_of_entry(*e, "the formulation");
      if (run.formulation && !contains(formulations, *run.formulation))
        fail(e->value, "unknown formulation " + ticked(*run.formulation),
             known_names("known here:", *run.formulation, formulations));
    }
    if (const Entry* e = t.find("projection")) read_projection(e->value);
    run.step = run_number(t, "step", "the step");
    if (run.step && *run.step == 0)
      fail(t.find("step")->value, "the step is 0, and time would stand still",
           "a negative step runs backwards");
    run.steps = run_count(t, "steps", "the number of steps", 0);
    run.until = run_number(t, "until", "the end time");
    run.every = run_count(t, "every", "the number of steps between samples", 1);
    if (t.find("steps") && t.find("until"))
      fail_key(*t.find("until"), "`steps` and `until` together",
               "one of them says how long the run is; leave the other out");
    else if (run.step && run.until && *run.step != 0) {
      if (*run.step * *run.until < 0)
        fail(t.find("until")->value,
             "a step of " + number_text(*run.step) + " never reaches t = " + number_text(*run.until),
             "step and end time need the same sign");
      else if (*run.until / *run.step > most_steps)
        fail(t.find("until")->value,
             "a step of " + number_text(*run.step) + " takes " + number_text(*run.until / *run.step) +
                 " steps to t = " + number_text(*run.until),
             "at most 9e15");
    }
  }

  void read_projection(const Value& v) {
    static const std::vector<std::string> keys{"kind", "tolerance"};
    if (v.kind != Value::Kind::table) {
      fail(v, "the projection must be a table, not " + kind_name(v),
           "as in projection = { kind = \"both\", tolerance = 1e-6 }");
      return;
    }
    RunSettings::Projection projection;
    for (const Entry& e : v.table) {
      note_place("run.projection." + e.key, e);
      if (!contains(keys, e.key))
        fail_key(e, "unknown key " + ticked(e.key) + " in the projection",
                 known_names("known here:", e.key, keys));
    }
    if (const Entry* e = v.find("kind")) {
      if (const auto kind = text_of_entry(*e, "the kind of projection")) {
        projection.kind = *kind;
        if (!contains(projections, *kind))
          fail(e->value, "unknown projection " + ticked(*kind),
               known_names("known here:", *kind, projections));
      }
    } else {
      fail(v, "the projection has no kind", "one of none, position, momentum, both");
    }
    if (const auto tolerance = run_number(v, "tolerance", "the tolerance")) {
      projection.tolerance = *tolerance;
      if (*tolerance < 0)
        fail(v.find("tolerance")->value, "the tolerance is " + number_text(*tolerance),
             "it cannot be negative; 0 projects at every step");
    }
    model_.run.projection = projection;
  }

  void read_output() {
    const Value& t = table("output", &output_keys);
    if (const Entry* e = t.find("directory")) {
      model_.output_directory = text_of_entry(*e, "the directory");
      if (model_.output_directory &&
          (model_.output_directory->empty() || model_.output_directory->find('\0') != std::string::npos))
        fail(e->value, "the directory has no usable name");
    }
  }

  // The start --------------------------------------------------------------------------------------------------------

  void check_start() {
    const auto value = [&](std::string_view name) -> Float128 {
      if (const auto at = values_.find(std::string(name)); at != values_.end()) return at->second;
      for (const auto* side : {&model_.q, &model_.p})
        for (const NamedFormula& x : *side)
          if (x.name == name) return x.value;
      return 0;
    };
    std::map<std::string, Float128, std::less<>> start;
    for (const auto* side : {&model_.q, &model_.p})
      for (const NamedFormula& x : *side) start[x.name] = x.value;
    for (const auto& [v, what, f] : watched_) {
      const auto values = evaluate(*f, [&](std::string_view name) {
        const auto at = start.find(name);
        return at == start.end() ? value(name) : at->second;
      });
      if (!finite(static_cast<double>(values.back())))
        report_not_finite(*v, *f, values, what, " at the start");
    }
    if (!errors_.empty()) return;
    check_derivatives();
  }

  void check_derivatives() {
    const System system = derive(model_);
    const auto bad = derivative_not_finite(system, model_);
    if (bad) {
      const Value& v = *watched_[bad->formula < 0 ? 0
                                                  : watched_.size() - model_.constraints.size() +
                                                        static_cast<std::size_t>(bad->formula)]
                            .v;
      fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span,
           "the derivative of " +
               (bad->formula < 0 ? std::string(model_.form == Model::Form::hamiltonian ? "the hamiltonian"
                                                                                       : "the potential")
                                 : "constraint " + std::to_string(bad->formula + 1)) +
               " with respect to " + ticked(bad->name) + " is not finite at the start");
    } else if (singular_kinetic(system, model_)) {
      const Value& v = *watched_.front().v;
      fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span,
           "H_pp, the second derivative of the hamiltonian by the momenta, is singular at the start",
           "velocities must determine momenta");
    }
  }

  struct Watched {
    const Value* v;
    std::string what;
    const Formula* f;
  };

  Model model_;
  Value root_;
  std::vector<ModelError> errors_;
  std::map<std::string, What> names_;
  std::map<std::string, Float128> values_;  // of parameters
  std::set<std::string> later_parameters_, bad_parameters_;
  std::vector<Watched> watched_;  // H or its potentials first, then the constraints
  bool all_coordinates_ = false;
};

}  // namespace

ModelError Model::error_at(const std::string& key, std::string sentence, std::string note) const {
  auto at = places.find(key);
  if (at == places.end()) at = places.find(key.substr(0, key.find('.')));
  if (at == places.end()) return sources.front()->error({0, 0}, std::move(sentence), std::move(note));
  return at->second.first->error(at->second.second, std::move(sentence), std::move(note));
}

ReadModel read_model(std::string text, std::string name, const std::vector<std::string>& set) {
  return Reader(std::move(text), std::move(name)).read(set);
}

}  // namespace taut
