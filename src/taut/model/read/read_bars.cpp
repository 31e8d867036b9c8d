// Reads [[bars]]: uniform bars between two points. What they mean is written into `mass` or `kinetic`, the
// potential, the constraints and [draw], as if the author had.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// A component of an end: a coordinate, or a number.
struct Component {
  int coordinate = -1;
  std::string text;
};

struct Bar {
  std::vector<Component> end[2];
  std::string mass, length;          // length: empty if no constraint keeps it
  std::vector<std::string> gravity;  // empty: none
};

namespace {

const std::vector<std::string> bar_keys{"between", "mass", "length", "gravity"};

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

void add(std::string& sum, const std::string& term) { sum += (sum.empty() ? "" : " + ") + term; }

std::string text_of(const Value& v) {
  if (v.kind == Value::Kind::text) return v.text;
  return v.source->text().substr(v.span.begin, v.span.end - v.span.begin);
}

// T = m/6 (v₁² + v₁·v₂ + v₂²) of one bar.                                                              (UB1)
std::string kinetic_energy(const Bar& bar) {
  std::string sum;
  for (std::size_t a = 0; a < bar.end[0].size(); ++a) {
    std::string v[2];
    for (int k = 0; k < 2; ++k)
      if (bar.end[k][a].coordinate >= 0) v[k] = "v_" + bar.end[k][a].text;
    for (const std::string& one : v)
      if (!one.empty()) add(sum, one + "^2");
    if (!v[0].empty() && !v[1].empty()) add(sum, v[0] + "*" + v[1]);
  }
  return in_parentheses(bar.mass) + "/6*" + in_parentheses(sum);
}

// V = -m a·(x₁ + x₂)/2, with a the acceleration of falling bodies.                                     (UB2)
std::string potential_energy(const Bar& bar) {
  std::string sum;
  for (std::size_t a = 0; a < bar.gravity.size(); ++a)
    add(sum, in_parentheses(bar.gravity[a]) + "*(" + in_parentheses(bar.end[0][a].text) + " + " +
                 in_parentheses(bar.end[1][a].text) + ")");
  return "-" + in_parentheses(bar.mass) + "/2*" + in_parentheses(sum);
}

std::string keeps_length(const Bar& bar) {
  std::string sum;
  for (std::size_t a = 0; a < bar.end[0].size(); ++a)
    add(sum, "(" + in_parentheses(bar.end[0][a].text) + " - " + in_parentheses(bar.end[1][a].text) + ")^2");
  return in_parentheses(sum + " - " + in_parentheses(bar.length) + "^2") + "/2";
}

// The entries of a matrix of masses, as texts; an empty one is 0.
class MassTexts {
 public:
  explicit MassTexts(std::size_t n) : n_(n), entry_(n * n) {}

  // Takes what `mass` says. Returns false if it is of another size.
  bool take(const Value& v) {
    const bool list = v.kind == Value::Kind::list;
    if (list && v.list.size() != n_) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      const Value& row = list ? v.list[i] : v;
      if (row.kind != Value::Kind::list) {
        at(i, i) = text_of(row);
        continue;
      }
      if (row.list.size() != n_) return false;
      for (std::size_t j = 0; j < n_; ++j) at(i, j) = text_of(row.list[j]);
    }
    return true;
  }
  void add(const Bar& bar) {
    const std::string third = in_parentheses(bar.mass) + "/3", sixth = in_parentheses(bar.mass) + "/6";
    for (std::size_t a = 0; a < bar.end[0].size(); ++a) {
      const int i = bar.end[0][a].coordinate, j = bar.end[1][a].coordinate;
      for (const int k : {i, j})
        if (k >= 0) taut::add(at(static_cast<std::size_t>(k), static_cast<std::size_t>(k)), third);
      if (i < 0 || j < 0) continue;
      taut::add(at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)), sixth);
      taut::add(at(static_cast<std::size_t>(j), static_cast<std::size_t>(i)), sixth);
    }
  }
  // Returns the value of `mass`: a list if nothing stands beside the diagonal, else the rows.
  template <class Made>
  Value value(const Made& made) const {
    bool diagonal = true;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) diagonal = diagonal && (i == j || is_zero(entry_[i * n_ + j]));
    Value out = made("");
    out.kind = Value::Kind::list;
    const auto entry = [&](std::size_t i, std::size_t j) {
      const std::string& text = entry_[i * n_ + j];
      return made(text.empty() ? "0" : text);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      if (diagonal) {
        out.list.push_back(entry(i, i));
        continue;
      }
      Value row = made("");
      row.kind = Value::Kind::list;
      for (std::size_t j = 0; j < n_; ++j) row.list.push_back(entry(i, j));
      out.list.push_back(std::move(row));
    }
    return out;
  }

 private:
  static bool is_zero(const std::string& text) { return text.empty() || text == "0" || text == "0.0"; }
  std::string& at(std::size_t i, std::size_t j) { return entry_[i * n_ + j]; }
  std::size_t n_;
  std::vector<std::string> entry_;
};

// Points that bars have in common are drawn once: bodies first, then what rests.
class Drawing {
 public:
  void add(const Bar& bar) {
    int at[2];
    for (int k = 0; k < 2; ++k) {
      const bool moves = std::any_of(bar.end[k].begin(), bar.end[k].end(),
                                     [](const Component& c) { return c.coordinate >= 0; });
      std::vector<std::string> texts;
      for (const Component& c : bar.end[k]) texts.push_back(c.text);
      auto& points = moves ? bodies_ : anchors_;
      const auto found = std::find(points.begin(), points.end(), texts);
      const auto place = static_cast<int>(found - points.begin());
      if (found == points.end()) points.push_back(texts);
      at[k] = moves ? place : -1 - place;
    }
    links_.emplace_back(at[0], at[1]);
  }
  template <class Made>
  Value value(const Made& made) const {
    const auto list = [&](std::vector<Value> of) {
      Value out = made("");
      out.kind = Value::Kind::list;
      out.list = std::move(of);
      return out;
    };
    const auto points = [&](const std::vector<std::vector<std::string>>& of) {
      std::vector<Value> all;
      for (const auto& one : of) {
        std::vector<Value> place;
        for (const std::string& text : one) place.push_back(made(text));
        all.push_back(list(std::move(place)));
      }
      return list(std::move(all));
    };
    std::vector<Value> links;
    for (const auto& link : links_) {
      std::vector<Value> pair;
      for (const int end : {link.first, link.second}) {
        const int place = end >= 0 ? end : static_cast<int>(bodies_.size()) - 1 - end;
        Value number = made(std::to_string(place));
        number.kind = Value::Kind::number;
        number.number = place;
        number.whole = true;
        pair.push_back(std::move(number));
      }
      links.push_back(list(std::move(pair)));
    }
    Value out = made("");
    out.kind = Value::Kind::table;
    const auto put = [&](const char* key, Value v) {
      const SourceText* source = v.source;
      const Span span = v.span;
      out.table.push_back({key, source, span, std::move(v)});
    };
    put("bodies", points(bodies_));
    put("anchors", points(anchors_));
    put("links", list(std::move(links)));
    return out;
  }

 private:
  std::vector<std::vector<std::string>> bodies_, anchors_;
  std::vector<std::pair<int, int>> links_;
};

}  // namespace

// Reads a positive number, and returns it as it is written.
std::string ModelReader::positive_text(const Value& v, const std::string& what) {
  Formula f;
  Float128 value = 0;
  if (!number(v, what, f, value)) return "1";
  if (!(value > 0)) fail(v, what + " is " + number_text(value), "it must be positive");
  return text_of(v);
}

// Reads the two ends. Returns false if an error was reported.
bool ModelReader::read_ends(const Value& between, const std::string& what, std::size_t size, Bar& bar) {
  const auto is_point = [](const Value& v) {
    return v.kind == Value::Kind::list && (v.list.size() == 2 || v.list.size() == 3);
  };
  const std::vector<Value>& ends = between.list;
  if (ends.size() != 2 || !is_point(ends[0]) || !is_point(ends[1]) ||
      ends[0].list.size() != ends[1].list.size() || (size > 0 && ends[0].list.size() != size)) {
    fail(between, "`between` of " + what + " must be two points, of two or three components for all bars",
         "as in between = [[0, 0], [\"x\", \"y\"]]");
    return false;
  }
  bool moves = false;
  for (std::size_t k = 0; k < 2; ++k)
    for (const Value& v : ends[k].list) {
      const auto at = coordinate_number_.find(v.text);
      if (v.kind == Value::Kind::text && at != coordinate_number_.end() && v.text != time_name) {
        bar.end[k].push_back({at->second, v.text});
        moves = true;
        continue;
      }
      Formula f;
      Float128 value = 0;
      const std::size_t before = errors_.size();
      if (!number(v, "an end of " + what, f, value)) {
        if (errors_.size() > before)
          errors_.back().note =
              "a component of an end is a coordinate, or a number; if it is more, write its energy into "
              "`kinetic`";
        return false;
      }
      bar.end[k].push_back({-1, text_of(v)});
    }
  if (!moves) fail(between, what + " has no coordinate at its ends, and cannot move");
  return moves;
}

bool ModelReader::read_bar(const Value& t, const std::string& what, std::size_t size, Bar& bar) {
  for (const Entry& e : t.table)
    if (!contains(bar_keys, e.key))
      fail_key(e, "unknown key " + ticked(e.key) + " in [[bars]]",
               known_names("known here:", e.key, bar_keys));
  const Entry *between = t.find("between"), *mass = t.find("mass"), *gravity = t.find("gravity");
  if (!between || !mass) {
    fail(t, what + " has no " + ticked(between ? "mass" : "between"),
         "as in between = [[0, 0], [\"x\", \"y\"]] and mass = 1.0");
    return false;
  }
  if (!read_ends(between->value, what, size, bar)) return false;
  bar.mass = positive_text(mass->value, "the mass of " + what);
  if (const Entry* length = t.find("length"))
    bar.length = positive_text(length->value, "the length of " + what);
  if (!gravity) return true;
  if (gravity->value.kind != Value::Kind::list || gravity->value.list.size() != bar.end[0].size()) {
    fail(gravity->value,
         "the gravity of " + what + " must be a list of " + std::to_string(bar.end[0].size()) + " components",
         "the acceleration of falling bodies, as in gravity = [0, -9.81]");
    return false;
  }
  for (const Value& v : gravity->value.list) {
    Formula f;
    Float128 value = 0;
    if (!number(v, "the gravity of " + what, f, value)) return false;
    bar.gravity.push_back(text_of(v));
  }
  return true;
}

void ModelReader::read_bars() {
  const std::vector<Value>& all = tables("bars");
  const Entry* const system = root_.find("system");
  if (all.empty() || !system || !all_coordinates_) return;
  const std::size_t before = errors_.size();
  std::vector<Bar> bars;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Bar bar;
    const std::size_t size = bars.empty() ? 0 : bars.front().end[0].size();
    if (read_bar(all[k], "bar " + std::to_string(k + 1), size, bar)) bars.push_back(std::move(bar));
  }
  if (errors_.size() > before) return;
  if (const Entry* e = system->value.find("hamiltonian"))
    return fail_key(
        *e, "[[bars]] beside a hamiltonian",
        "bars have a kinetic energy in velocities: give potential and mass, kinetic, or lagrangian");
  write_bars(bars);
}

// Returns a value that stands in no file.
Value ModelReader::written(const std::string& text) {
  const SourceText& source = keep(std::make_shared<SourceText>("[[bars]]", text, false));
  Value v;
  v.kind = Value::Kind::text;
  v.text = text;
  v.source = &source;
  v.span = {0, text.size()};
  v.verbatim = true;
  return v;
}

void ModelReader::put_into_system(const std::string& key, Value value) {
  Entry* const system = root_.find("system");
  if (Entry* e = system->value.find(key))
    e->value = std::move(value);
  else
    system->value.table.push_back({key, system->source, system->span, std::move(value)});
}

// Adds a term to a formula of [system]; what is none is refused where it is read.
void ModelReader::add_to_system(const std::string& key, const std::string& more) {
  const Entry* e = root_.find("system")->value.find(key);
  if (e && e->value.kind != Value::Kind::text && e->value.kind != Value::Kind::number) return;
  put_into_system(key, written((e ? in_parentheses(text_of(e->value)) + " + " : "") + more));
}

void ModelReader::write_bars(const std::vector<Bar>& bars) {
  const auto given = [this](const char* key) { return root_.find("system")->value.find(key); };
  const std::string energy = given("lagrangian") ? "lagrangian" : given("kinetic") ? "kinetic" : "";
  const bool whole = energy == "lagrangian";
  MassTexts masses(coordinate_number_.size() - (model_.dynamics.timed ? 1 : 0));
  if (const Entry* mass = given("mass"); energy.empty() && mass && !masses.take(mass->value))
    return;  // it is refused where it is read
  const auto made = [this](const std::string& text) { return written(text); };
  Drawing drawing;
  for (const Bar& bar : bars) {
    drawing.add(bar);
    if (energy.empty())
      masses.add(bar);
    else
      add_to_system(energy, kinetic_energy(bar));
    if (!bar.length.empty()) {
      if (!given("constraints")) {
        Value list = written("");
        list.kind = Value::Kind::list;
        put_into_system("constraints", std::move(list));
      }
      Entry* const e = root_.find("system")->value.find("constraints");
      if (e->value.kind == Value::Kind::list) e->value.list.push_back(written(keeps_length(bar)));
    }
    if (bar.gravity.empty()) continue;
    if (const Entry* e = given("potential_fast"))
      return fail_key(*e, "gravity of [[bars]] beside a potential in two parts",
                      "write it into the part that it belongs to");
    const std::string V = in_parentheses(potential_energy(bar));
    add_to_system(whole ? "lagrangian" : "potential", whole ? "(-" + V + ")" : V);
  }
  if (energy.empty()) put_into_system("mass", masses.value(made));
  if (!given("potential") && !given("potential_fast") && !whole) put_into_system("potential", written("0"));
  const Entry* const system = root_.find("system");
  if (!root_.find("draw")) root_.table.push_back({"draw", system->source, system->span, drawing.value(made)});
}

}  // namespace taut
