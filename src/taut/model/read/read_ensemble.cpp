// Reads [ensemble]: how many trajectories there are, and what differs between them.
#include <taut/model/read/model_reader.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <unordered_set>
#include <utility>

namespace taut {

namespace {

const std::vector<std::string> ensemble_keys{"size", "seed", "vary", "grid", "table"};

}  // namespace

std::vector<std::string> settable_names(const Model& model) {
  std::vector<std::string> names;
  for (const NamedFormula& a : model.parameters) names.push_back(a.name);
  for (const std::string& x : model.coordinates) names.push_back(x);
  for (const std::string& x : model.coordinates) names.push_back("p_" + x);
  for (const std::string& x : model.free_coordinates) names.push_back(x);
  // A velocity whose name something else has is not called so. The time has none.
  std::unordered_set<std::string> taken(names.begin(), names.end());
  for (const auto* list : {&model.definitions, &model.quantities})
    for (const NamedFormula& x : *list) taken.insert(x.name);
  const std::size_t moving = model.coordinates.size() - (model.dynamics.timed ? 1 : 0);
  for (std::size_t i = 0; i < moving; ++i)
    if (std::string name = "v_" + model.coordinates[i]; !taken.contains(name))
      names.push_back(std::move(name));
  return names;
}

void ModelReader::read_ensemble() {
  const Value& t = table("ensemble", &ensemble_keys);
  EnsembleSettings& ensemble = model_.ensemble;
  ensemble.size = run_count(t, "size", "the number of trajectories", 1);
  if (const auto seed = run_count(t, "seed", "the seed", 0))
    ensemble.seed = static_cast<std::uint64_t>(*seed);
  if (const Entry* e = t.find("grid")) {
    if (e->value.kind == Value::Kind::boolean)
      ensemble.grid = e->value.yes;
    else
      fail(e->value, "`grid` must be true or false, not " + kind_name(e->value));
  }
  if (const Entry* e = t.find("table")) read_ensemble_table(*e);
  const Entry* e = t.find("vary");
  if (!e) return;
  if (e->value.kind == Value::Kind::table)
    read_vary(e->value);
  else
    fail(e->value, "`vary` must be a table, not " + kind_name(e->value),
         "as in vary = { L = \"linspace(1, 2, 100)\" }");
}

// Finds the file. What is in it is read when an ensemble is made.
void ModelReader::read_ensemble_table(const Entry& e) {
  if (e.value.kind != Value::Kind::text) {
    fail(e.value, "`table` must be the path of a file in quotes, not " + kind_name(e.value));
    return;
  }
  if (!around_.file) {
    fail(e.value, "a model that is not read from a folder has no files");
    return;
  }
  FoundText found = around_.file(e.value.text);
  if (!found.text) {
    fail(e.value, "cannot read " + shown(found.name) + ": " + found.why,
         "the path is as seen from the folder of the model");
    return;
  }
  model_.files[e.value.text] = std::make_shared<const SourceText>(found.name, std::move(*found.text));
  model_.ensemble.table = e.value.text;
}

void ModelReader::read_vary(const Value& table) {
  const std::vector<std::string> known = settable_names(model_);
  for (const Entry& e : table.table) {
    note_place("ensemble.vary." + e.key, e);
    if (bad_parameters_.contains(e.key)) continue;
    if (!contains(known, e.key)) {
      if (all_coordinates_ || root_.find("particles"))
        fail_key(e, "the model has nothing called " + ticked(e.key) + " that could vary",
                 known_names("known:", e.key, known));
      continue;
    }
    if (auto vary = vary_of(e)) {
      vary->name = e.key;
      model_.ensemble.vary.push_back(std::move(*vary));
    }
  }
}

std::optional<Vary> ModelReader::vary_of(const Entry& e) {
  const std::string what = "what " + ticked(e.key) + " varies by";
  if (e.value.kind == Value::Kind::list) {
    Vary vary;
    for (const Value& v : e.value.list) {
      Formula f;
      Float128 x = 0;
      if (!number(v, "a value of " + ticked(e.key), f, x)) return std::nullopt;
      vary.numbers.push_back(static_cast<double>(x));
    }
    if (!vary.numbers.empty()) return vary;
    fail(e.value, "the list is empty");
    return std::nullopt;
  }
  if (e.value.kind != Value::Kind::text) {
    fail(e.value, what + " must be a text in quotes or a list, not " + kind_name(e.value),
         "as in \"linspace(1, 2, 100)\", \"normal(0.6, 1e-3)\" or [1, 2, 3]");
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const NamedFormula& a : model_.parameters) known.push_back(a.name);
  const ParsedVary parsed = parse_vary(e.value.text, known, [&](std::string_view name) {
    const auto at = values_.find(std::string(name));
    return at == values_.end() ? std::nullopt : std::optional<Float128>(at->second);
  });
  if (!parsed.error) return parsed.vary;
  const FormulaError& error = *parsed.error;
  fail(*e.value.source, error.span.begin == error.span.end ? e.value.span : e.value.place(error.span),
       error.sentence, error.note);
  return std::nullopt;
}

}  // namespace taut
