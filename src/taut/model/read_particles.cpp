#include <taut/model/nearest_name.hpp>
#include <taut/model/read_particles.hpp>
#include <taut/model/wording.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace taut {

namespace {

constexpr int most_particles = 100'000'000;
constexpr int block =
    most_term_coordinates;         // inputs of a term's graph: coordinates from 0, numbers from here on
constexpr double straight = 0.02;  // sin θ below this: a rigid angle loses its rank
const std::vector<std::string> axes{"x", "y", "z"};

// x, y, z, x1 … z8, and what groups call their variables: a parameter of that name would be hidden.
bool is_variable(const std::string& name) {
  static const std::vector<std::string> words{"i", "m", "r", "theta", "costheta", "phi"};
  if (contains(words, name)) return true;
  const bool axis = !name.empty() && name[0] >= 'x' && name[0] <= 'z';
  return axis && (name.size() == 1 || (name.size() == 2 && name[1] >= '1' && name[1] <= '8'));
}

struct Loop {
  std::string name;
  long from, to;
};

// The terms of a group: the values of its loop variables, term by term.
struct Terms {
  std::vector<Loop> loops;
  int count = 0;
  std::vector<std::vector<double>> value;  // one list for each loop
};

struct Table {
  const Value& v;
  const Entry* entry;  // its key in the file
  std::string name;    // "[[rods]]"
  const Entry* find(std::string_view key) const { return v.find(key); }
};

class ParticleReader {
 public:
  ParticleReader(const Value& root, const std::map<std::string, Float128>& parameters,
                 const std::set<std::string>& bad, std::vector<ModelError>& errors)
      : root_(root), parameters_(parameters), bad_(bad), errors_(errors) {}

  std::shared_ptr<const ParticleModel> read() {
    const std::size_t before = errors_.size();
    read_parameters();
    read_particles();
    if (errors_.size() > before) return nullptr;  // without particles no group means anything
    each("rods", [&](const Table& t) { read_rods(t); });
    each("angles", [&](const Table& t) { read_angles(t); });
    each("surface", [&](const Table& t) { read_surface(t); });
    each("constraint", [&](const Table& t) { read_constraint(t); });
    each("springs", [&](const Table& t) { read_springs(t); });
    each("bends", [&](const Table& t) { read_bends(t); });
    each("torsions", [&](const Table& t) { read_torsions(t); });
    each("field", [&](const Table& t) { read_field(t); });
    each("pairs", [&](const Table& t) { read_pairs(t); });
    if (errors_.size() > before) return nullptr;
    model_->make_rows();
    if (model_->rows->rows >= model_->coordinates())
      fail_key(*root_.find("particles"),
               std::to_string(model_->rows->rows) + " constraints on " +
                   std::to_string(model_->coordinates()) + " coordinates leave nothing that moves",
               "there must be fewer constraints than coordinates");
    check_start();
    return errors_.size() > before ? nullptr : model_;
  }

 private:
  using Names = std::function<int(Graph&, std::string_view)>;  // the node of a variable, or -1

  // Errors ----------------------------------------------------------------------------------------------------------

  void fail(const SourceText& source, Span at, std::string sentence, std::string note = {}) {
    errors_.push_back(source.error(at, std::move(sentence), std::move(note)));
  }
  void fail(const Value& v, std::string sentence, std::string note = {}) {
    fail(*v.source, v.kind == Value::Kind::text ? v.place({0, v.text.size()}) : v.span, std::move(sentence),
         std::move(note));
  }
  void fail_key(const Entry& e, std::string sentence, std::string note = {}) {
    fail(*e.source, e.span, std::move(sentence), std::move(note));
  }

  // Tables ----------------------------------------------------------------------------------------------------------

  template <class Read>
  void each(const std::string& name, Read&& read) {
    const Entry* e = root_.find(name);
    if (!e) return;
    if (e->value.kind == Value::Kind::table) {
      read(Table{e->value, e, "[" + name + "]"});
      return;
    }
    const bool tables = e->value.kind == Value::Kind::list &&
                        std::all_of(e->value.list.begin(), e->value.list.end(),
                                    [](const Value& v) { return v.kind == Value::Kind::table; });
    if (!tables) {
      fail_key(*e, ticked(name) + " must be tables, [[" + name + "]], not " + kind_name(e->value));
      return;
    }
    for (const Value& v : e->value.list) read(Table{v, e, "[[" + name + "]]"});
  }

  bool keys_known(const Table& t, const std::vector<std::string>& known) {
    bool fine = true;
    for (const Entry& e : t.v.table)
      if (!contains(known, e.key)) {
        fail_key(e, "unknown key " + ticked(e.key) + " in " + t.name,
                 known_names("known here:", e.key, known));
        fine = false;
      }
    return fine;
  }
  const Entry* needed(const Table& t, const std::string& key, const std::string& note) {
    const Entry* e = t.find(key);
    if (!e) fail_key(*t.entry, t.name + " has no " + key, note);
    return e;
  }

  void read_parameters() {
    if (const Entry* e = root_.find("parameters"))
      for (const Entry& p : e->value.table)
        if (is_variable(p.key))
          fail_key(p, "the parameter " + ticked(p.key) + " has the name of a variable of particle formulas",
                   "i, m, r, theta, costheta, phi, and coordinates such as x or x1 are taken");
  }

  // Formulas --------------------------------------------------------------------------------------------------------

  // The node of a formula in `graph`, or nothing where an error was reported. `variables` are the names it may use beside parameters.
  std::optional<int> formula(Graph& graph, const Value& v, const std::string& what,
                             const std::vector<std::string>& variables, const Names& node_of) {
    if (v.kind == Value::Kind::number) return graph.constant(v.number);
    if (v.kind != Value::Kind::text) {
      fail(v, what + " must be a number or a formula in quotes, not " + kind_name(v));
      return std::nullopt;
    }
    return formula(graph, v, v.text, 0, what, variables, node_of);
  }
  // `text` stands at `offset` in the text of v.
  std::optional<int> formula(Graph& graph, const Value& v, const std::string& text, std::size_t offset,
                             const std::string& what, const std::vector<std::string>& variables,
                             const Names& node_of) {
    const ParsedFormula parsed = parse_formula(text, what);
    const auto place = [&](Span s) { return v.place({s.begin + offset, s.end + offset}); };
    if (parsed.error) {
      fail(*v.source, place(parsed.error->span), parsed.error->sentence, parsed.error->note);
      return std::nullopt;
    }
    bool fine = true;
    for (const FormulaNode& node : parsed.formula.nodes) {
      if (node.op != Op::input) continue;
      const std::string name(parsed.formula.part(node.span));
      if (contains(variables, name) || parameters_.contains(name)) {
        fine = fine && !bad_.contains(name);
        continue;
      }
      std::vector<std::string> known = variables;
      for (const auto& [parameter, value] : parameters_) known.push_back(parameter);
      fail(*v.source, place(node.span), "unknown name " + ticked(name) + " in " + what,
           known_names("known here:", name, known));
      fine = false;
    }
    if (!fine) return std::nullopt;
    return graph.add(parsed.formula, [&](std::string_view name) {
      if (contains(variables, name)) return node_of(graph, name);
      return graph.constant(parameters_.at(std::string(name)));
    });
  }

  std::optional<double> number(const Value& v, const std::string& what) {
    Graph graph;
    const auto node = formula(graph, v, what, {}, {});
    return node ? finite_value(graph, *node, v, what) : std::nullopt;
  }
  std::optional<double> finite_value(const Graph& graph, int node, const Value& v, const std::string& what) {
    const double x = graph.is_constant(node) ? static_cast<double>(graph.value(node)) : std::nan("");
    if (std::isfinite(x)) return x;
    fail(v, what + " is not a finite number");
    return std::nullopt;
  }
  std::optional<long> whole(const Value& v, const std::string& what, double least, double most) {
    const auto x = number(v, what);
    if (!x) return std::nullopt;
    if (*x == std::floor(*x) && *x >= least && *x <= most) return static_cast<long>(*x);
    fail(v, what + " must be a whole number from " + std::to_string(static_cast<long>(least)) + " to " +
                std::to_string(static_cast<long>(most)));
    return std::nullopt;
  }

  // The value of a formula for every term, to the digits of a long double, so that large indices cost none of a double's.
  std::optional<std::vector<double>> over_terms(const Value& v, const std::string& what, const Terms& terms) {
    Graph graph;
    std::vector<std::string> names;
    for (const Loop& loop : terms.loops) names.push_back(loop.name);
    const auto node = formula(graph, v, what, names, [&](Graph& g, std::string_view name) {
      return g.input(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
    });
    if (!node) return std::nullopt;
    const Evaluator<long double> evaluate(std::make_shared<const Program>(linearise(graph, {*node}, block)));
    std::vector<double> values(terms.count);
    std::vector<long double> in(names.size());
    for (int k = 0; k < terms.count; ++k) {
      for (std::size_t j = 0; j < in.size(); ++j) in[j] = terms.value[j][k];
      long double x = 0;
      evaluate(in.data(), nullptr, nullptr, &x);
      values[k] = static_cast<double>(x);
      if (std::isfinite(values[k])) continue;
      fail(v, what + " is not finite" + term_text(terms, k));
      return std::nullopt;
    }
    return values;
  }
  static std::string term_text(const Terms& terms, int k) {
    std::string text;
    for (std::size_t j = 0; j < terms.loops.size(); ++j)
      text += (j == 0 ? " for " : ", ") + terms.loops[j].name + " = " +
              std::to_string(static_cast<long>(terms.value[j][k]));
    return text;
  }

  // Loops: "i in 0..N-2", several with commas ------------------------------------------------------------------------

  std::optional<Terms> loops_of(const Value& v) {
    if (v.kind != Value::Kind::text) {
      fail(v, "`for` must be a range in quotes, not " + kind_name(v), "as in for = \"i in 0..N-2\"");
      return std::nullopt;
    }
    Terms terms;
    double count = 1;
    for (std::size_t from = 0; from <= v.text.size();) {
      const std::size_t to = std::min(v.text.find(',', from), v.text.size());
      const auto loop = loop_of(v, from, to);
      if (!loop) return std::nullopt;
      for (const Loop& other : terms.loops)
        if (other.name == loop->name) {
          fail(v, "the index " + ticked(loop->name) + " runs twice");
          return std::nullopt;
        }
      terms.loops.push_back(*loop);
      count *= static_cast<double>(std::max(0L, loop->to - loop->from + 1));
      from = to + 1;
    }
    if (count > most_particles) {
      fail(v, "the ranges have " + std::to_string(static_cast<long>(count)) + " members",
           "at most " + std::to_string(most_particles));
      return std::nullopt;
    }
    expand(terms, static_cast<int>(count));
    return terms;
  }
  static void expand(Terms& terms, int count) {
    terms.count = count;
    terms.value.assign(terms.loops.size(), std::vector<double>(count));
    int repeat = 1;  // of each value of the loop: the last one runs fastest
    for (std::size_t j = terms.loops.size(); j-- > 0;) {
      const Loop& loop = terms.loops[j];
      const int length = static_cast<int>(loop.to - loop.from + 1);
      for (int k = 0; k < count; ++k)
        terms.value[j][k] = static_cast<double>(loop.from + k / repeat % length);
      repeat *= std::max(length, 1);
    }
  }
  std::optional<Loop> loop_of(const Value& v, std::size_t from, std::size_t to) {
    const std::string note = "as in for = \"i in 0..N-2\", both ends included";
    const std::string_view text = std::string_view(v.text).substr(from, to - from);
    const std::size_t in = text.find(" in "), dots = text.find("..");
    if (in == std::string_view::npos || dots == std::string_view::npos || dots < in) {
      fail(*v.source, v.place({from, to}), "this is not a range", note);
      return std::nullopt;
    }
    const std::size_t begin = std::min(text.find_first_not_of(' '), in);
    const std::string name(text.substr(begin, in - begin));
    if (!is_name(name) || is_reserved(name) || parameters_.contains(name) ||
        (name != "i" && is_variable(name))) {
      fail(*v.source, v.place({from + begin, from + in}), ticked(name) + " cannot be the name of an index",
           parameters_.contains(name) ? "it is a parameter"
                                      : "names are letters, digits and _, not starting with a digit");
      return std::nullopt;
    }
    const auto first = bound(v, from + in + 4, from + dots), last = bound(v, from + dots + 2, to);
    if (!first || !last) return std::nullopt;
    return Loop{name, *first, *last};
  }
  std::optional<long> bound(const Value& v, std::size_t from, std::size_t to) {
    Graph graph;
    const std::string what = "the end of the range";
    const auto node = formula(graph, v, v.text.substr(from, to - from), from, what, {}, {});
    if (!node) return std::nullopt;
    const double x = graph.is_constant(*node) ? static_cast<double>(graph.value(*node)) : std::nan("");
    if (x == std::floor(x) && std::abs(x) < 1e15) return static_cast<long>(x);
    fail(*v.source, v.place({from, to}), what + " is not a whole number");
    return std::nullopt;
  }

  // [particles] -----------------------------------------------------------------------------------------------------

  void read_particles() {
    const Entry* e = root_.find("particles");
    const Table t{e->value, e, "[particles]"};
    if (e->value.kind != Value::Kind::table) {
      fail_key(*e, "`particles` must be a table, [particles], not " + kind_name(e->value));
      return;
    }
    if (!keys_known(t, {"dimension", "count", "for", "mass", "position", "velocity", "box"})) return;
    if (const Entry* d = t.find("dimension")) {
      const auto dimension = whole(d->value, "the dimension", 1, 3);
      if (!dimension) return;
      model_->dimension = static_cast<int>(*dimension);
    }
    Terms terms;
    if (!read_count(t, terms)) return;
    model_->count = terms.count;
    model_->q.resize(model_->coordinates());
    model_->p.assign(model_->coordinates(), 0);
    if (const Entry* position = needed(t, "position", "as in position = [\"i\", \"0\", \"0\"]"))
      read_vectors(position->value, "the position", terms, model_->q);
    read_masses(t, terms);
    if (const Entry* velocity = t.find("velocity")) {
      if (!read_vectors(velocity->value, "the velocity", terms, model_->p) || model_->mass.empty()) return;
      for (int j = 0; j < model_->coordinates(); ++j) model_->p[j] *= model_->mass[j % model_->count];
    }
    read_box(t);
  }

  bool read_count(const Table& t, Terms& terms) {
    const Entry *count = t.find("count"), *loops = t.find("for");
    if ((count != nullptr) == (loops != nullptr)) {
      fail_key(*t.entry, count ? "[particles] has `count` and `for`" : "[particles] has no count",
               "give count = 100, or for = \"row in 0..9, column in 0..9\"");
      return false;
    }
    if (count) {
      const auto n = whole(count->value, "the number of particles", 1, most_particles);
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

  // A formula for each component, or a list of vectors. `out` has component after component.
  bool read_vectors(const Value& v, const std::string& what, const Terms& terms, std::vector<double>& out) {
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
        std::copy(values->begin(), values->end(), out.begin() + static_cast<std::ptrdiff_t>(a * n));
      }
      return true;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Value& row = v.list[i];
      if (row.kind != Value::Kind::list || row.list.size() != d) {
        fail(row,
             what + " of particle " + std::to_string(i) + " must have " + std::to_string(d) + " numbers");
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

  void read_masses(const Table& t, const Terms& terms) {
    const Entry* e = t.find("mass");
    if (!e) {
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
    for (int i = 0; i < static_cast<int>(model_->mass.size()); ++i)
      if (!(model_->mass[i] > 0)) {
        fail(e->value, "the mass of particle " + std::to_string(i) + " is not positive");
        return;
      }
  }

  void read_box(const Table& t) {
    const Entry* e = t.find("box");
    if (!e) return;
    if (e->value.kind != Value::Kind::list || static_cast<int>(e->value.list.size()) != model_->dimension) {
      fail(e->value, "the box must be a list of " + std::to_string(model_->dimension) + " edges",
           "0 where space is not periodic");
      return;
    }
    for (std::size_t a = 0; a < e->value.list.size(); ++a) {
      box_[a] = number(e->value.list[a], "an edge of the box").value_or(0);
      if (box_[a] < 0) fail(e->value.list[a], "an edge of the box is negative");
    }
  }

  // Groups ----------------------------------------------------------------------------------------------------------

  struct Group {
    TermGroup<Program> terms;
    Terms loops;
    Graph graph;
    std::vector<std::vector<int>> particle;
    bool fine = false;
  };

  // The particles of each term, from `between` (of `places` particles; 0: any number) or `of`.
  Group group_of(const Table& t, const std::string& what, int places, const std::string& key) {
    Group g;
    g.terms.what = what;
    const Entry* e = t.find(key);
    if (!e && key == "of") return everyone(t, std::move(g));
    if (!e) {
      fail_key(*t.entry, t.name + " has no between",
               "as in between = [\"i\", \"i+1\"] with for = \"i in 0..N-2\"");
      return g;
    }
    const Value& v = e->value;
    if (key == "between" && v.kind == Value::Kind::list && !v.list.empty() &&
        v.list.front().kind == Value::Kind::list)
      return listed(t, v, std::move(g), places);
    std::vector<const Value*> index;
    if (key == "of") {
      index.push_back(&v);
    } else if (v.kind == Value::Kind::list && !v.list.empty()) {
      for (const Value& x : v.list) index.push_back(&x);
    }
    if (!right_number(v, index.size(), places)) return g;
    if (const Entry* loops = t.find("for")) {
      auto found = loops_of(loops->value);
      if (!found) return g;
      g.loops = std::move(*found);
    } else {
      g.loops.count = 1;
    }
    for (const Value* x : index) {
      const auto values = over_terms(*x, "an index", g.loops);
      if (!values || !add_place(g, *x, *values)) return g;
    }
    return finished(t, std::move(g));
  }
  bool right_number(const Value& v, std::size_t has, int places) {
    if (has >= 1 && has <= 8 && (places == 0 || has == static_cast<std::size_t>(places))) return true;
    fail(v, "there must be " + (places == 0 ? std::string("one to eight") : std::to_string(places)) +
                " indices here");
    return false;
  }
  Group everyone(const Table& t, Group g) {
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
  Group listed(const Table& t, const Value& v, Group g, int places) {
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
        const auto i = whole(row.list[j], "an index", 0, model_->count - 1);
        if (!i) return g;
        g.particle[j].push_back(static_cast<int>(*i));
      }
    }
    g.loops.count = static_cast<int>(v.list.size());
    return finished(t, std::move(g));
  }
  bool add_place(Group& g, const Value& v, const std::vector<double>& values) {
    std::vector<int> list;
    for (int k = 0; k < static_cast<int>(values.size()); ++k) {
      const double x = values[k];
      if (x != std::floor(x) || x < 0 || x >= model_->count) {
        fail(v,
             "there is no particle " +
                 (x == std::floor(x) ? std::to_string(static_cast<long>(x)) : std::to_string(x)) +
                 term_text(g.loops, k),
             "particles are numbered from 0 to " + std::to_string(model_->count - 1));
        return false;
      }
      list.push_back(static_cast<int>(x));
    }
    g.particle.push_back(std::move(list));
    return true;
  }
  Group finished(const Table& t, Group g) {
    for (int k = 0; k < g.loops.count; ++k)
      for (std::size_t a = 0; a < g.particle.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (g.particle[a][k] == g.particle[b][k]) {
            fail_key(*t.entry, "a term of " + t.name + " has particle " + std::to_string(g.particle[a][k]) +
                                   " twice" + term_text(g.loops, k));
            return g;
          }
    for (const std::vector<int>& list : g.particle) g.terms.particle.emplace_back(list);
    g.fine = true;
    return g;
  }

  // A number of each term as an input of its graph: from the file, or `otherwise(k)` where it says nothing.
  int number_input(Group& g, std::vector<double> values) {
    g.terms.add_number(std::move(values));
    return g.graph.input(block + static_cast<int>(g.terms.number.size()) - 1);
  }
  std::optional<std::vector<double>> term_numbers(const Table& t, Group& g, const std::string& key,
                                                  const std::string& what,
                                                  const std::function<double(int)>& otherwise) {
    if (const Entry* e = t.find(key)) return over_terms(e->value, what, g.loops);
    std::vector<double> values(g.loops.count);
    for (int k = 0; k < g.loops.count; ++k) values[k] = otherwise(k);
    return values;
  }

  // The graph's own words.
  static int coordinate(Graph& g, int place, int a, int d) { return g.input(place * d + a); }
  int difference(Graph& g, int i, int j, int a) const {
    return g.make(Op::subtract, coordinate(g, i, a, model_->dimension),
                  coordinate(g, j, a, model_->dimension));
  }
  using Vector3 = std::vector<int>;
  Vector3 vector_between(Graph& g, int i, int j) const {  // x_i - x_j
    Vector3 v;
    for (int a = 0; a < model_->dimension; ++a) v.push_back(difference(g, i, j, a));
    return v;
  }
  static int dot(Graph& g, const Vector3& u, const Vector3& v) {
    int sum = g.constant(0);
    for (std::size_t a = 0; a < u.size(); ++a) sum = g.make(Op::add, sum, g.make(Op::multiply, u[a], v[a]));
    return sum;
  }
  static int length(Graph& g, const Vector3& v) { return g.make(Op::sqrt, dot(g, v, v)); }
  static Vector3 cross(Graph& g, const Vector3& u, const Vector3& v) {
    Vector3 w;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      w.push_back(g.make(Op::subtract, g.make(Op::multiply, u[b], v[c]), g.make(Op::multiply, u[c], v[b])));
    }
    return w;
  }

  // Differentiates f and compiles both.
  void compile(Group& g, int f) const {
    std::vector<int> inputs;
    for (int j = 0; j < g.terms.places() * model_->dimension; ++j) inputs.push_back(j);
    g.terms.value = std::make_shared<const Program>(linearise(g.graph, {f}, block));
    g.terms.gradient =
        std::make_shared<const Program>(linearise(g.graph, g.graph.gradient(f, inputs), block));
  }
  void add_constraints(Group& g) {
    if (g.loops.count > 0)
      model_->constraints.push_back(std::make_shared<const TermGroup<Program>>(std::move(g.terms)));
  }
  void add_potential(Group& g, int f) {
    if (g.loops.count == 0) return;
    compile(g, f);
    model_->potentials.push_back(std::make_shared<const TermGroup<Program>>(std::move(g.terms)));
  }

  // A formula of the group's own variables, of its loop indices (each a number of the term) and of parameters.
  std::optional<int> term_formula(Group& g, const Value& v, const std::string& what,
                                  const std::map<std::string, std::function<int(Graph&)>>& own) {
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

  double start(int i, int a) const { return model_->q[a * model_->count + i]; }
  double start_distance(const Group& g, int k, int i = 0, int j = 1) const {
    double sum = 0;
    for (int a = 0; a < model_->dimension; ++a) {
      const double r = start(g.particle[i][k], a) - start(g.particle[j][k], a);
      sum += r * r;
    }
    return std::sqrt(sum);
  }
  double start_angle(const Group& g, int k) const {
    double dot = 0;
    for (int a = 0; a < model_->dimension; ++a)
      dot += (start(g.particle[0][k], a) - start(g.particle[1][k], a)) *
             (start(g.particle[2][k], a) - start(g.particle[1][k], a));
    return std::acos(std::clamp(dot / (start_distance(g, k, 0, 1) * start_distance(g, k, 2, 1)), -1.0, 1.0));
  }
  bool all_positive(const Table& t, const std::string& key, const std::vector<double>& values,
                    const Group& g) {
    for (int k = 0; k < static_cast<int>(values.size()); ++k)
      if (!(values[k] > 0)) {
        const Entry* e = t.find(key);
        fail_key(e ? *e : *t.entry,
                 "a " + key + " of " + t.name + " is not positive" + term_text(g.loops, k));
        return false;
      }
    return true;
  }

  // Constraints -----------------------------------------------------------------------------------------------------

  void read_rods(const Table& t) {
    if (!keys_known(t, {"between", "for", "length"})) return;
    Group g = group_of(t, "rod", 2, "between");
    if (!g.fine) return;
    auto length = term_numbers(t, g, "length", "the length", [&](int k) { return start_distance(g, k); });
    if (!length || !all_positive(t, "length", *length, g)) return;
    for (int k = 0; k < g.loops.count; ++k) bonds_.emplace_back(g.particle[0][k], g.particle[1][k]);
    g.terms.rods = true;
    g.terms.add_number(std::move(*length));
    add_constraints(g);
  }

  // u·v - cos θ |u||v| = 0 for the bonds u, v at the middle particle.
  void read_angles(const Table& t) {
    if (!keys_known(t, {"between", "for", "angle"})) return;
    Group g = group_of(t, "angle", 3, "between");
    if (!g.fine) return;
    auto angle = term_numbers(t, g, "angle", "the angle", [&](int k) { return start_angle(g, k); });
    if (!angle) return;
    for (int k = 0; k < g.loops.count; ++k) {
      if (std::abs(std::sin((*angle)[k])) < straight) {
        const Entry* e = t.find("angle");
        fail_key(e ? *e : *t.entry,
                 "a rigid angle of " + std::to_string((*angle)[k] * 180 / 3.14159265358979323846) +
                     " degrees" + term_text(g.loops, k),
                 "a straight angle cannot be held by one constraint, its gradient vanishes there: use "
                 "[[bends]], or two "
                 "[[constraint]] formulas that keep the middle on the line");
        return;
      }
      (*angle)[k] = std::cos((*angle)[k]);
    }
    const Vector3 u = vector_between(g.graph, 0, 1), v = vector_between(g.graph, 2, 1);
    const int c = number_input(g, std::move(*angle));
    const int product = g.graph.make(Op::multiply, length(g.graph, u), length(g.graph, v));
    compile(g, g.graph.make(Op::subtract, dot(g.graph, u, v), g.graph.make(Op::multiply, c, product)));
    add_constraints(g);
  }

  void read_surface(const Table& t) {
    if (!keys_known(t, {"of", "for", "formula"})) return;
    Group g = group_of(t, "surface of particle", 1, "of");
    const Entry* e = needed(t, "formula", "as in formula = \"x^2 + y^2 + z^2 - 1\", zero on the surface");
    if (!g.fine || !e) return;
    const auto f = term_formula(g, e->value, "the surface", one_particle(g));
    if (f) add_formula_constraint(g, *f, e->value);
  }

  void read_constraint(const Table& t) {
    if (!keys_known(t, {"between", "for", "formula"})) return;
    Group g = group_of(t, "constraint on", 0, "between");
    const Entry* e = needed(t, "formula", "as in formula = \"x1 - x2\", zero where it holds");
    if (!g.fine || !e) return;
    std::map<std::string, std::function<int(Graph&)>> own;
    const int d = model_->dimension;
    for (int place = 0; place < g.terms.places(); ++place)
      for (int a = 0; a < d; ++a)
        own[axes[a] + std::to_string(place + 1)] = [=](Graph& graph) {
          return coordinate(graph, place, a, d);
        };
    const auto f = term_formula(g, e->value, "the constraint", own);
    if (f) add_formula_constraint(g, *f, e->value);
  }

  void add_formula_constraint(Group& g, int f, const Value& v) {
    bool moves = false;
    for (const int input : g.graph.inputs_of(f)) moves = moves || input < block;
    if (!moves) {
      fail(v, "the formula does not depend on any coordinate");
      return;
    }
    compile(g, f);
    add_constraints(g);
  }

  // x, y, z and m of the one particle of a term.
  std::map<std::string, std::function<int(Graph&)>> one_particle(Group& g) {
    std::map<std::string, std::function<int(Graph&)>> own;
    const int d = model_->dimension;
    for (int a = 0; a < d; ++a) own[axes[a]] = [=](Graph& graph) { return coordinate(graph, 0, a, d); };
    own["m"] = [this, &g, node = -1](Graph&) mutable {
      if (node >= 0) return node;
      std::vector<double> mass;
      for (const int i : g.particle[0]) mass.push_back(model_->mass[i]);
      return node = number_input(g, std::move(mass));
    };
    return own;
  }

  // Potentials ------------------------------------------------------------------------------------------------------

  // `potential`, a formula of one variable, or ½ stiffness (variable - rest)².
  std::optional<int> potential_of(const Table& t, Group& g,
                                  const std::map<std::string, std::function<int(Graph&)>>& own, int variable,
                                  const std::string& rest, const std::function<double(int)>& otherwise) {
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
    const int k = number_input(g, std::move(*stiffness)), c = number_input(g, std::move(*at_rest));
    const int off = g.graph.make(Op::subtract, variable, c);
    const int half = g.graph.make(Op::multiply, g.graph.constant(Float128(1) / 2), k);
    return g.graph.make(Op::multiply, half, g.graph.make(Op::multiply, off, off));
  }

  void read_springs(const Table& t) {
    if (!keys_known(t, {"between", "for", "stiffness", "length", "potential"})) return;
    Group g = group_of(t, "spring", 2, "between");
    if (!g.fine) return;
    for (int k = 0; k < g.loops.count; ++k) bonds_.emplace_back(g.particle[0][k], g.particle[1][k]);
    const int r = length(g.graph, vector_between(g.graph, 0, 1));
    const auto f = potential_of(t, g, {{"r", [r](Graph&) { return r; }}}, r, "length",
                                [&](int k) { return start_distance(g, k); });
    if (f) add_potential(g, *f);
  }

  void read_bends(const Table& t) {
    if (!keys_known(t, {"between", "for", "stiffness", "angle", "potential"})) return;
    Group g = group_of(t, "bend", 3, "between");
    if (!g.fine) return;
    const Vector3 u = vector_between(g.graph, 0, 1), v = vector_between(g.graph, 2, 1);
    const int product = g.graph.make(Op::multiply, length(g.graph, u), length(g.graph, v));
    const int c = g.graph.make(Op::divide, dot(g.graph, u, v), product), theta = g.graph.make(Op::acos, c);
    const auto f = potential_of(
        t, g, {{"theta", [theta](Graph&) { return theta; }}, {"costheta", [c](Graph&) { return c; }}}, theta,
        "angle", [&](int k) { return start_angle(g, k); });
    if (f) add_potential(g, *f);
  }

  // φ is the angle between the planes 1-2-3 and 2-3-4, 0 where 1 and 4 are on the same side (IUPAC's sign).
  void read_torsions(const Table& t) {
    if (!keys_known(t, {"between", "for", "potential"})) return;
    if (model_->dimension != 3) {
      fail_key(*t.entry, "torsions need three dimensions");
      return;
    }
    Group g = group_of(t, "torsion", 4, "between");
    const Entry* e = needed(t, "potential", "a formula of phi, as in potential = \"1 + cos(3*phi)\"");
    if (!g.fine || !e) return;
    const Vector3 b1 = vector_between(g.graph, 1, 0), b2 = vector_between(g.graph, 2, 1),
                  b3 = vector_between(g.graph, 3, 2);
    const Vector3 n1 = cross(g.graph, b1, b2), n2 = cross(g.graph, b2, b3);
    const int side = g.graph.make(Op::multiply, length(g.graph, b2), dot(g.graph, b1, n2));
    const int phi = g.graph.make(Op::atan2, side, dot(g.graph, n1, n2));
    const auto f = term_formula(g, e->value, "the potential", {{"phi", [phi](Graph&) { return phi; }}});
    if (f) add_potential(g, *f);
  }

  void read_field(const Table& t) {
    if (!keys_known(t, {"of", "for", "potential"})) return;
    Group g = group_of(t, "field on particle", 1, "of");
    const Entry* e = needed(t, "potential", "a formula of the coordinates, as in potential = \"0.1*z\"");
    if (!g.fine || !e) return;
    if (const auto f = term_formula(g, e->value, "the potential", one_particle(g))) add_potential(g, *f);
  }

  void read_pairs(const Table& t) {
    if (!keys_known(t, {"of", "for", "potential", "cutoff", "skin", "exclude_bonded", "truncation"})) return;
    Group g = group_of(t, "pair", 1, "of");
    const Entry* e = needed(t, "potential", "a formula of r, as in potential = \"4*((1/r)^12 - (1/r)^6)\"");
    const Entry* cutoff = needed(t, "cutoff", "pairs farther apart do not act on each other");
    if (!g.fine || !e || !cutoff) return;
    auto pairs = std::make_shared<PairGroup<Program>>();
    pairs->box = box_;
    pairs->cutoff = positive(cutoff->value, "the cutoff");
    pairs->skin = t.find("skin") ? positive(t.find("skin")->value, "the skin") : 0.2 * pairs->cutoff;
    for (int a = 0; a < model_->dimension; ++a)
      if (box_[a] > 0 && box_[a] < 2 * (pairs->cutoff + pairs->skin))
        fail(cutoff->value, "cutoff and skin are more than half an edge of the box",
             "a pair would meet itself twice");
    pairs->among = g.particle[0];
    std::sort(pairs->among.begin(), pairs->among.end());
    if (const Entry* how = t.find("truncation")) read_truncation(how->value, *pairs);
    int bonds = 0;
    if (const Entry* exclude = t.find("exclude_bonded"))
      bonds = static_cast<int>(whole(exclude->value, "exclude_bonded", 0, 10).value_or(0));
    pairs->apart = within_bonds(bonds);
    Graph graph;
    const auto u = formula(graph, e->value, "the potential", {"r"},
                           [](Graph& x, std::string_view) { return x.input(0); });
    if (!u) return;
    pairs->value = std::make_shared<const Program>(linearise(graph, {*u}, block));
    pairs->slope = std::make_shared<const Program>(linearise(graph, graph.gradient(*u, {0}), block));
    model_->pairs.push_back(std::move(pairs));
  }
  double positive(const Value& v, const std::string& what) {
    const auto x = number(v, what);
    if (x && !(*x > 0)) fail(v, what + " must be positive");
    return x.value_or(1);
  }
  void read_truncation(const Value& v, PairGroup<Program>& pairs) {
    static const std::vector<std::string> words{"none", "shift", "force-shift"};
    const auto at = std::find(words.begin(), words.end(), v.kind == Value::Kind::text ? v.text : "");
    if (at == words.end())
      fail(v, "the truncation must be one of none, shift, force-shift");
    else
      pairs.truncation = static_cast<Truncation>(at - words.begin());
  }
  // For each particle the larger ones that rods and springs reach in at most `most` bonds.
  std::vector<std::vector<int>> within_bonds(int most) const {
    std::vector<std::vector<int>> near(model_->count), found(model_->count);
    for (const auto& [i, j] : bonds_) {
      near[i].push_back(j);
      near[j].push_back(i);
    }
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
    }
    return found;
  }

  // The start -------------------------------------------------------------------------------------------------------

  void check_start() {
    const ParticleProblem<double> s(model_);
    const auto x = s.start();
    Vector<double, dynamic> force = zero_vector(s), g = zero_multiplier(s);
    auto G = s.make_jacobian();
    s.grad_V(x.q, force);
    s.g(x.q, g);
    s.G(x.q, G);
    const Entry& e = *root_.find("particles");
    if (!std::isfinite(s.V(x.q))) fail_key(e, "the potential is not finite at the start");
    for (int j = 0; j < force.size(); ++j)
      if (!std::isfinite(force[j])) {
        fail_key(
            e, "the force on particle " + std::to_string(j % model_->count) + " is not finite at the start");
        return;
      }
    for (int k = 0; k < g.size(); ++k)
      if (!std::isfinite(g[k])) {
        fail_key(e, s.constraint_name(k) + " is not finite at the start");
        return;
      }
    int bad = -1;
    G.for_each([&](int row, int, double entry) {
      if (!std::isfinite(entry) && bad < 0) bad = row;
    });
    if (bad >= 0) fail_key(e, "the derivative of " + s.constraint_name(bad) + " is not finite at the start");
  }

  const Value& root_;
  const std::map<std::string, Float128>& parameters_;
  const std::set<std::string>& bad_;
  std::vector<ModelError>& errors_;
  std::shared_ptr<ParticleModel> model_ = std::make_shared<ParticleModel>();
  std::array<double, 3> box_{};
  std::vector<std::pair<int, int>> bonds_;
};

}  // namespace

const std::vector<std::string>& particle_tables() {
  static const std::vector<std::string> names{"particles", "rods",  "angles",   "surface", "constraint",
                                              "springs",   "bends", "torsions", "field",   "pairs"};
  return names;
}

std::shared_ptr<const ParticleModel> read_particles(const Value& root,
                                                    const std::map<std::string, Float128>& parameters,
                                                    const std::set<std::string>& bad,
                                                    std::vector<ModelError>& errors) {
  return ParticleReader(root, parameters, bad, errors).read();
}

}  // namespace taut
