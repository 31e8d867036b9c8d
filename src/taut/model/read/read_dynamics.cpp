// Reads [[forces]], [damping], [[events]] and the times of `at`.
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

const std::vector<std::string> force_keys{"on", "force"}, event_keys{"name", "when", "direction", "do"},
    directions{"down", "both", "up"}, actions{"record", "stop", "reflect"};

}  // namespace

// Returns the tables [[name]]; none if there are none, or if it is something else, which is reported.
const std::vector<Value>& ModelReader::tables(const std::string& name) {
  static const std::vector<Value> no_tables;
  const Entry* e = root_.find(name);
  if (!e) return no_tables;
  const bool list = e->value.kind == Value::Kind::list &&
                    std::all_of(e->value.list.begin(), e->value.list.end(),
                                [](const Value& v) { return v.kind == Value::Kind::table; });
  if (list) return e->value.list;
  fail_key(*e, ticked(name) + " must be tables, [[" + name + "]], not " + kind_name(e->value));
  return no_tables;
}

void ModelReader::read_forces() {
  const std::vector<Value>& all = tables("forces");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string what = "force " + std::to_string(k + 1);
    for (const Entry& e : all[k].table)
      if (!contains(force_keys, e.key))
        fail_key(e, "unknown key " + ticked(e.key) + " in [[forces]]",
                 known_names("known here:", e.key, force_keys));
    const Entry *on = all[k].find("on"), *force = all[k].find("force");
    if (!on || !force) {
      fail(all[k], what + " has no " + ticked(on ? "force" : "on"),
           "as in on = \"x\" and force = \"-c*v_x\": the coordinate, and a formula");
      continue;
    }
    const auto name = text_of_entry(*on, "the coordinate of " + what);
    Force made;
    if (!formula(force->value, what, Use::motion, made.formula) || !name || !all_coordinates_) continue;
    const auto at = coordinate_number_.find(*name);
    if (at == coordinate_number_.end() || *name == time_name) {
      std::vector<std::string> known = model_.coordinates;
      if (model_.dynamics.timed) known.pop_back();
      fail(on->value, what + " acts on " + ticked(*name) + ", which is no coordinate",
           known_names("known here:", *name, known));
      continue;
    }
    made.coordinate = at->second;
    model_.dynamics.forces.push_back(made);
    watched_.insert(watched_.end() - static_cast<std::ptrdiff_t>(model_.constraints.size()),
                    {&force->value, what, nullptr});
  }
  read_damping();
  // The formulas have their places only now: no further force moves them.
  std::size_t next = 0;
  for (Watched& one : watched_)
    if (one.f == nullptr) one.f = &model_.dynamics.forces[next++].formula;
}

// [damping] has a rate for each coordinate that it names: the force is -rate · p.
void ModelReader::read_damping() {
  const Value& t = table("damping", nullptr);
  for (const Entry& e : t.table) {
    const auto at = coordinate_number_.find(e.key);
    if (at == coordinate_number_.end() || e.key == time_name) {
      if (all_coordinates_)
        fail_key(e, "[damping] has a rate for " + ticked(e.key) + ", which is no coordinate",
                 known_names("known here:", e.key, model_.coordinates));
      continue;
    }
    Formula rate;
    Float128 value = 0;
    if (!number(e.value, "the damping of " + ticked(e.key), rate, value)) continue;
    if (value < 0) {
      fail(e.value, "the damping of " + ticked(e.key) + " is " + number_text(value),
           "a rate is not negative: a force that drives is one of [[forces]]");
      continue;
    }
    // The nodes of the rate, then those of -(rate · p).
    Force made{at->second, std::move(rate), true, value};
    Formula& f = made.formula;
    const int whole = static_cast<int>(f.nodes.size()) - 1;
    const std::string p = "p_" + e.key;
    const std::size_t begin = f.text.size() + f.defined.size();
    f.defined += p;
    f.nodes.push_back({.op = Op::input, .span = {begin, begin + p.size()}});
    f.nodes.push_back({.op = Op::multiply, .a = whole, .b = whole + 1, .span = {0, f.text.size()}});
    f.nodes.push_back({.op = Op::negate, .a = whole + 2, .span = {0, f.text.size()}});
    model_.dynamics.forces.push_back(std::move(made));
    watched_.insert(watched_.end() - static_cast<std::ptrdiff_t>(model_.constraints.size()),
                    {&e.value, "the damping of " + ticked(e.key), nullptr});
  }
}

void ModelReader::read_events() {
  reads_events_ = true;
  for (const Value& v : tables("events")) read_event(v);
  reads_events_ = false;
  read_times();
}

void ModelReader::read_event(const Value& v) {
  EventRule event;
  event.name = "event " + std::to_string(model_.dynamics.events.size() + 1);
  for (const Entry& e : v.table)
    if (!contains(event_keys, e.key))
      fail_key(e, "unknown key " + ticked(e.key) + " in [[events]]",
               known_names("known here:", e.key, event_keys));
  const auto word = [&](const char* key, const std::vector<std::string>& known) -> std::size_t {
    const Entry* e = v.find(key);
    if (!e) return known.size();
    const auto text = text_of_entry(*e, std::string("`") + key + "`");
    const auto at = text ? std::find(known.begin(), known.end(), *text) : known.end();
    if (text && at == known.end())
      fail(
          e->value,
          "unknown " + std::string(key[0] == 'd' && key[1] == 'o' ? "action " : "direction ") + ticked(*text),
          known_names("known here:", *text, known));
    return static_cast<std::size_t>(at - known.begin());
  };
  if (const Entry* e = v.find("name"))
    if (const auto text = text_of_entry(*e, "the name of an event")) event.name = *text;
  if (const std::size_t k = word("direction", directions); k < directions.size())
    event.direction = static_cast<int>(k) - 1;
  if (const std::size_t k = word("do", actions); k < actions.size())
    event.action = static_cast<EventRule::Action>(k);
  const Entry* when = v.find("when");
  if (!when) {
    fail(v, "an event has no `when`", "as in when = \"x\": the formula that crosses zero");
    return;
  }
  const std::string what = "the event " + ticked(event.name);
  if (!formula(when->value, what, Use::sample, event.when)) return;
  for (const FormulaNode& node : event.when.nodes) {
    if (node.op != Op::input) continue;
    const std::string name(event.when.part(node.span));
    const auto at = names_.find(name);
    const What kind = at == names_.end() ? What::parameter : at->second;
    if (at == names_.end() && name != "t") {
      fail(when->value, what + " uses the multiplier " + ticked(name),
           "here coordinates, momenta, velocities, t and parameters are allowed");
      return;
    }
    if (event.action == EventRule::Action::reflect && (kind == What::momentum || kind == What::velocity)) {
      fail(when->value, what + " reflects, and uses the " + word_of(kind) + " " + ticked(name),
           "a wall is a formula of coordinates and t");
      return;
    }
  }
  model_.dynamics.events.push_back(std::move(event));
}

void ModelReader::read_times() {
  const Entry* run = root_.find("run");
  const Entry* e = run ? run->value.find("at") : nullptr;
  if (!e) return;
  if (e->value.kind != Value::Kind::list) {
    fail(e->value, "`at` must be a list of times, not " + kind_name(e->value), "as in at = [0.1, 0.25]");
    return;
  }
  for (const Value& v : e->value.list) {
    Formula f;
    Float128 value = 0;
    if (number(v, "a time of `at`", f, value)) model_.dynamics.at.push_back(static_cast<double>(value));
  }
}

}  // namespace taut
