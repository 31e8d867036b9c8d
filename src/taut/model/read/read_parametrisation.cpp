// Reads [parametrisation] and checks that it is one: g(φ(δ)) = 0 for all δ, φ' of full rank, and the start in
// its image.
#include <taut/model/code/parametrisation.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

constexpr const char* tree_word = "tree";
constexpr double start_is_met = 1e-8;  // as a start counts as consistent

Numbers numbers_of(const std::vector<NamedFormula>& list) {
  Numbers values;
  values.reserve(list.size());
  for (const NamedFormula& x : list) values.push_back(x.value);
  return values;
}

}  // namespace

void ModelReader::read_parametrisation() {
  const Entry* section = root_.find("parametrisation");
  if (!section) return;
  std::vector<std::string> known = model_.coordinates;
  known.emplace_back("coordinates");
  const Value& t = table("parametrisation", &known);
  if (t.kind != Value::Kind::table) return;
  const Entry* list = t.find("coordinates");
  if (!list) {
    fail_key(*section, "[parametrisation] has no coordinates",
             "as in coordinates = [\"theta\"], or coordinates = \"tree\" for an open chain");
    return;
  }
  const auto formulas = [&](const std::string& x) { return x == "coordinates" ? nullptr : t.find(x); };
  if (list->value.kind == Value::Kind::text) {
    if (list->value.text != tree_word)
      fail(list->value, "unknown word " + ticked(list->value.text),
           "coordinates is a list of names, or \"tree\" if the program is to make them");
    for (const std::string& x : model_.coordinates)
      if (const Entry* e = formulas(x))
        fail_key(*e, "a formula beside coordinates = \"tree\"", "the program makes the formulas then");
    return;
  }
  read_free_coordinates(list->value);
  for (const std::string& x : model_.coordinates) {
    model_.phi.emplace_back();
    if (const Entry* e = formulas(x))
      formula(e->value, "the parametrisation of " + ticked(x), Use::parametrisation, model_.phi.back());
    else if (all_coordinates_)
      fail_key(*section, "[parametrisation] says nothing of the coordinate " + ticked(x),
               "as in " + shown(x) + " = \"sin(theta)\"");
  }
}

void ModelReader::read_free_coordinates(const Value& list) {
  if (list.kind != Value::Kind::list || list.list.empty()) {
    fail(list, "the coordinates of a parametrisation must be a list of names",
         "as in coordinates = [\"theta\"]");
    return;
  }
  for (const Value& v : list.list) {
    if (v.kind != Value::Kind::text) {
      fail(v, "a coordinate must be a name in quotes, not " + kind_name(v));
      continue;
    }
    const Span at = v.place({0, v.text.size()});
    if (!usable_name(v.text, *v.source, at, "coordinate")) continue;
    if (const auto taken = names_.find(v.text); taken != names_.end()) {
      fail(*v.source, at,
           "the coordinate " + ticked(v.text) + " has the name of a " + word_of(taken->second));
      continue;
    }
    names_[v.text] = What::free;
    model_.free_coordinates.push_back(v.text);
  }
}

// If [initial] speaks of δ and not of q, the start is φ(δ).
void ModelReader::start_from_parametrisation() {
  if (!errors_.empty() || model_.delta.empty() || gives_coordinates_) return;
  const Parametrisation map = parametrisation_of(model_, model_.free_coordinates, model_.phi);
  const Numbers q = map.at(numbers_of(model_.delta));
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!finite(q[i]))
      fail(root_.find("parametrisation")->value.find(model_.coordinates[i])->value,
           "the parametrisation of " + ticked(model_.coordinates[i]) + " has no value at the start");
    model_.q[i].value = q[i];
    model_.q[i].formula = {number_text(q[i]), {{Op::constant, -1, -1, q[i], {0, 1}}}};
  }
}

void ModelReader::check_parametrisation() {
  const Entry* section = root_.find("parametrisation");
  if (!section) return;
  const Entry& list = *section->value.find("coordinates");
  const System& system = *model_.derived;
  const std::size_t k = model_.free_coordinates.size();
  const auto left = static_cast<std::size_t>(system.n - system.m);
  std::optional<Parametrisation> map;
  if (list.value.kind == Value::Kind::text) {
    int stuck = 0;
    map = tree_of(system, model_, stuck);
    if (!map) {
      const auto& [source, span] = model_.places.at("system.constraints." + std::to_string(stuck));
      fail(*source, span,
           "constraint " + std::to_string(stuck + 1) +
               " is no rod from a fixed point or from an earlier joint, so that coordinates = \"tree\" does "
               "not "
               "work",
           "a loop has no tree: give coordinates and formulas, or use the formulation state-space without "
           "[parametrisation]");
      return;
    }
  } else if (k != left) {
    fail(list.value, "the parametrisation has " + counted(k, "coordinate") + "; " +
                         counted(model_.coordinates.size(), "coordinate") + " under " +
                         counted(model_.constraints.size(), "constraint") + " leave " + std::to_string(left) +
                         " free");
    return;
  } else {
    map = parametrisation_of(model_, model_.free_coordinates, model_.phi);
  }
  const Numbers q = numbers_of(model_.q);
  const bool given = !model_.delta.empty();
  const auto off = static_cast<double>(find_start(*map, q, given ? numbers_of(model_.delta) : map->start));
  if (const auto fault = fault_of(*map, system)) {
    refuse_fault(*fault, *section);
    return;
  }
  double size = 1;
  for (const Float128 x : q) size = std::max(size, static_cast<double>(magnitude(x)));
  // A start off the constraints is told later, or projected if that is asked for.
  if (!(off <= start_is_met * size) && is_met(system, q, start_is_met)) {
    fail_key(*section,
             "the start is not a point of the parametrisation: the nearest one that was found is " +
                 number_text(off) + " away",
             "correct [initial], or give a value there that is close, as in " + shown(map->names.front()) +
                 " = 0.5");
    return;
  }
  model_.parametrisation = std::make_shared<const Parametrisation>(std::move(*map));
}

void ModelReader::refuse_fault(const ParametrisationFault& fault, const Entry& e) {
  using Kind = ParametrisationFault::Kind;
  const std::string constraint = "constraint " + std::to_string(fault.constraint + 1);
  switch (fault.kind) {
    case Kind::misses:
      fail_key(
          e,
          "the parametrisation misses " + constraint + " (" +
              shown(model_.constraints[static_cast<std::size_t>(fault.constraint)].text) + ") by " +
              number_text(fault.size) + " of its length, at " + fault.point,
          "g(phi(delta)) must vanish for all values of its coordinates; at most 1e-13 is left by rounding");
      break;
    case Kind::crosses:
      fail_key(e,
               "the parametrisation crosses " + constraint + ": |G phi'| is " + number_text(fault.size) +
                   " of its size, at " + fault.point,
               "the derivatives of phi must be tangent to g = 0");
      break;
    case Kind::loses_rank:
      fail_key(e,
               "the parametrisation has lost rank at the start, " + fault.point +
                   ": the columns of phi' depend on each other to " + number_text(fault.size),
               "use other coordinates there, or the formulation state-space without [parametrisation]");
      break;
    case Kind::has_no_value:
      fail_key(e, "the parametrisation or its derivative has no value at " + fault.point);
      break;
  }
}

}  // namespace taut
