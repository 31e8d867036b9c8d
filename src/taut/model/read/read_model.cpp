#include <taut/model/particles/read_particles.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

constexpr std::size_t largest_file = 4U << 20U;  // bytes; the formulas of a page take a thousandth of it

const std::vector<std::string> top_keys{
    "title",      "parameters", "definitions", "system",          "initial",  "run",      "output",
    "quantities", "draw",       "methods",     "parametrisation", "ensemble", "sampling", "forces",
    "damping",    "events",     "bars"};

}  // namespace

bool is_particle_section(std::string_view key) { return contains(particle_tables(), key); }

ModelReader::ModelReader(std::string text, std::string name, const Surroundings& around) : around_(around) {
  model_.name = name;
  keep(std::make_shared<SourceText>(std::move(name), std::move(text)));
}

ModelReader::ModelReader(const SourceTree& tree, const Surroundings& around) : around_(around), tree_(&tree) {
  model_.name = tree.source->name();
  keep(tree.source);
}

ReadModel ModelReader::read(const std::vector<std::string>& set) {
  if (file().text().size() > largest_file) {
    fail(file(), {0, 1}, "the file has " + std::to_string(file().text().size()) + " bytes",
         "a model has at most " + std::to_string(largest_file));
    return finish();
  }
  root_ = tree_ != nullptr ? tree_->root : read_tree(file(), errors_);
  if (!errors_.empty()) return finish();
  apply(set);
  read_top();
  const bool particles = root_.find("particles") != nullptr;
  if (!particles) read_coordinates();
  read_parameters();
  if (particles) {
    model_.particles = read_particles({root_, values_, bad_parameters_, around_, model_.files, errors_});
  } else {
    read_bars();
    read_definitions();
    read_parametrisation();
    read_system();
    read_initial();
    start_from_parametrisation();
    read_mass();
    complete_velocities();
    make_hamiltonian();
    start_from_velocities();
    read_forces();
  }
  read_methods();
  read_run();
  if (!particles) transform_time();
  read_output();
  read_quantity_formulas();
  if (!particles) read_draw();
  if (!particles) read_events();
  read_ensemble();
  read_sampling();
  if (surplus_ != nullptr) refuse_surplus();
  if (errors_.empty() && !particles) check_start();
  if (errors_.empty() && !particles) check_parametrisation();
  return finish();
}

const SourceText& ModelReader::keep(std::shared_ptr<const SourceText> source) {
  model_.sources.push_back(std::move(source));
  return *model_.sources.back();
}

void ModelReader::fail(const SourceText& source, Span at, std::string sentence, std::string note) {
  errors_.push_back(source.error(at, std::move(sentence), std::move(note)));
}

void ModelReader::fail(const Value& v, std::string sentence, std::string note) {
  fail(*v.source, v.span, std::move(sentence), std::move(note));
}

void ModelReader::fail_key(const Entry& e, std::string sentence, std::string note) {
  fail(*e.source, e.span, std::move(sentence), std::move(note));
}

ReadModel ModelReader::finish() {
  ReadModel out;
  if (errors_.empty()) {
    out.model = std::move(model_);
    return out;
  }
  put_in_order(errors_);
  out.errors = std::move(errors_);
  out.draft = std::move(model_);
  return out;
}

void ModelReader::read_top() {
  // A system of particles replaces these.
  const std::vector<std::string> replaced{"definitions",     "system", "initial", "draw",
                                          "parametrisation", "events", "bars"};
  const bool particles = root_.find("particles") != nullptr;
  std::vector<std::string> known = top_keys;
  if (particles) {
    std::erase_if(known, [&](const std::string& key) { return contains(replaced, key); });
    known.insert(known.end(), particle_tables().begin(), particle_tables().end());
  }
  for (const Entry& e : root_.table) {
    note_place(e.key, e);
    if (contains(known, e.key)) continue;
    if (e.key == "parametrisation")
      fail_key(
          e, "[parametrisation] beside [particles]",
          "systems of particles are integrated with their constraints alone; a chain in coordinates of its "
          "own is written with [system], one formula for each rod");
    else if (contains(replaced, e.key))
      fail_key(e, "[" + e.key + "] beside [particles]", "a model is one or the other");
    else if (is_particle_section(e.key))
      fail_key(e, ticked(e.key) + " without [particles]", "[particles] says how many there are and where");
    else
      fail_key(
          e,
          std::string("unknown ") + (e.value.kind == Value::Kind::table ? "table " : "key ") + ticked(e.key),
          known_names("known here:", e.key, known));
  }
  if (particles) refuse_times();
  model_.title = model_.name;
  if (const Entry* e = root_.find("title")) {
    if (const auto text = text_of_entry(*e, "title")) model_.title = *text;
  }
}

// Particles have states at the ends of their steps alone.
void ModelReader::refuse_times() {
  const Entry* run = root_.find("run");
  if (const Entry* e = run ? run->value.find("at") : nullptr)
    fail_key(*e, "`at` beside [particles]",
             "states between steps are those of models of formulas: choose a step that meets these times");
}

const Value& ModelReader::table(const std::string& name, const std::vector<std::string>* known) {
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

void ModelReader::note_place(const std::string& key, const Entry& e) {
  const bool whole_table = e.value.kind == Value::Kind::table;
  model_.places[key] = {whole_table ? e.source : e.value.source, whole_table ? e.span : e.value.span};
}

std::optional<std::string> ModelReader::text_of_entry(const Entry& e, const std::string& what) {
  if (e.value.kind == Value::Kind::text) return e.value.text;
  fail(e.value, what + " must be a text in quotes, not " + kind_name(e.value));
  return std::nullopt;
}

ModelError Model::error_at(const std::string& key, std::string sentence, std::string note) const {
  auto at = places.find(key);
  if (at == places.end()) at = places.find(key.substr(0, key.find('.')));
  if (at == places.end()) return sources.front()->error({0, 0}, std::move(sentence), std::move(note));
  return at->second.first->error(at->second.second, std::move(sentence), std::move(note));
}

ReadModel read_model(std::string text, std::string name, const std::vector<std::string>& set,
                     const Surroundings& around) {
  return ModelReader(std::move(text), std::move(name), around).read(set);
}

ReadModel read_model(const SourceTree& tree, const std::vector<std::string>& set,
                     const Surroundings& around) {
  return ModelReader(tree, around).read(set);
}

}  // namespace taut
