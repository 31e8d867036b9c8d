// Reads [run] and [output]: how the model is integrated, as far as that can be told without
// knowing the methods.
#include <taut/contract/choices.hpp>
#include <taut/contract/request.hpp>
#include <taut/contract/step_count.hpp>
#include <taut/contract/time_transform.hpp>
#include <taut/model/code/graph_text.hpp>
#include <taut/model/code/velocity_nodes.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taut {

namespace {

const std::vector<std::string> run_keys{
    "method",       "formulation",     "projection", "step",          "steps",
    "until",        "every",           "threads",    "redundant",     "first-guess",
    "stop-rule",    "error-tolerance", "precision",  "step-function", "shortest-step",
    "longest-step", "interval",        "at",         "time-transform"};
const std::vector<std::string> output_keys{"directory", "format", "lambda", "local-error", "quantities"};
const std::vector<std::string> redundant{"refuse", "least-squares"};

}  // namespace

const std::vector<std::string>& output_quantity_names() {
  static const std::vector<std::string> names{"energies",   "forces",           "iterations", "multipliers",
                                              "potentials", "pressure",         "reactions",  "temperature",
                                              "virial",     "virial_potentials"};
  return names;
}

std::optional<double> ModelReader::run_number(const Value& t, const std::string& key, const std::string& what,
                                              Float128* whole) {
  const Entry* e = t.find(key);
  Formula f;
  Float128 value = 0;
  if (!e || !number(e->value, what, f, value)) return std::nullopt;
  if (whole != nullptr) *whole = value;
  return static_cast<double>(value);
}

std::optional<std::int64_t> ModelReader::run_count(const Value& t, const std::string& key,
                                                   const std::string& what, std::int64_t least) {
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

void ModelReader::read_run() {
  const Value& t = table("run", &run_keys);
  RunSettings& run = model_.run;
  if (const Entry* e = t.find("method")) run.method = text_of_entry(*e, "the method");
  if (const Entry* e = t.find("formulation")) {
    run.formulation = text_of_entry(*e, "the formulation");
    // The text in brackets, as in state-space(coordinates), is checked later, where formulations are known.
    const std::vector<std::string>& known = around_.formulations;
    if (run.formulation && !known.empty() &&
        !contains(known, run.formulation->substr(0, run.formulation->find('('))))
      fail(e->value, "unknown formulation " + ticked(*run.formulation),
           known_names("known here:", *run.formulation, known));
  }
  if (const Entry* e = t.find("projection")) read_projection(e->value);
  if (const Entry* e = t.find("first-guess")) {
    const std::vector<std::string> guesses = listed(choice_names<FirstGuess>);
    run.first_guess = text_of_entry(*e, "the first guess");
    if (run.first_guess && !contains(guesses, *run.first_guess))
      fail(e->value, "unknown first guess " + ticked(*run.first_guess),
           known_names("known here:", *run.first_guess, guesses));
  }
  if (const Entry* e = t.find("stop-rule")) {
    const std::vector<std::string> rules = listed(choice_names<StopRule>);
    run.stop_rule = text_of_entry(*e, "the stop rule");
    if (run.stop_rule && !contains(rules, *run.stop_rule))
      fail(e->value, "unknown stop rule " + ticked(*run.stop_rule),
           known_names("known here:", *run.stop_rule, rules));
  }
  run.error_tolerance = run_number(t, "error-tolerance", "the error tolerance");
  if (run.error_tolerance && !(*run.error_tolerance >= 1e-13 && *run.error_tolerance < 1))
    fail(t.find("error-tolerance")->value, "the error tolerance is " + number_text(*run.error_tolerance),
         "it is relative to the size of q and p: at least 1e-13, and below 1");
  run.step = run_number(t, "step", "the step", &run.whole_step);
  if (run.step && *run.step == 0)
    fail(t.find("step")->value, "the step is 0, and time would stand still",
         "a negative step runs backwards");
  run.steps = run_count(t, "steps", "the number of steps", 0);
  run.until = run_number(t, "until", "the end time");
  run.every = run_count(t, "every", "the number of steps between samples", 1);
  read_step_function(t);
  if (const Entry* e = t.find("redundant")) {
    const auto what = text_of_entry(*e, "what to do with redundant constraints");
    if (what && !contains(redundant, *what))
      fail(e->value, "unknown " + ticked(*what), known_names("known here:", *what, redundant));
    run.least_squares = what && *what == redundant.back();
  }
  if (const Entry* e = t.find("precision")) {
    const std::vector<std::string> precisions = listed(choice_names<Precision>);
    run.precision = text_of_entry(*e, "the precision");
    if (run.precision && !contains(precisions, *run.precision))
      fail(e->value, "unknown precision " + ticked(*run.precision),
           known_names("known here:", *run.precision, precisions));
  }
  run.threads = run_count(t, "threads", "the number of threads", 1);
  if (run.threads && *run.threads > most_threads) {
    fail(t.find("threads")->value, "the number of threads is " + std::to_string(*run.threads),
         "at most " + std::to_string(most_threads));
    run.threads.reset();
  }
  const bool varies = (run.method && run.method->starts_with("adaptive")) ||
                      time_transform_of(run.step_function.value_or(""));
  if (t.find("steps") && t.find("until"))
    fail_key(*t.find("until"), "`steps` and `until` together",
             "one of them says how long the run is; leave the other out");
  else if (run.step && run.until && *run.step != 0) {
    if (*run.step * *run.until < 0)
      fail(t.find("until")->value,
           "a step of " + number_text(*run.step) + " never reaches t = " + number_text(*run.until),
           "step and end time need the same sign");
    else if (!varies && *run.until / *run.step > most_steps)
      fail(t.find("until")->value,
           "a step of " + number_text(*run.step) + " takes " + number_text(*run.until / *run.step) +
               " steps to t = " + number_text(*run.until),
           "at most 9e15");
  }
}

// Reads what is said of steps that differ in size.
void ModelReader::read_step_function(const Value& t) {
  RunSettings& run = model_.run;
  const bool transformed =
      read_time_transform(t);  // it says how steps differ, whatever the file says beside it
  if (const Entry* e = t.find("step-function"); e && !transformed) {
    if (e->value.kind == Value::Kind::text && e->value.text == "auto") {
      run.step_function = e->value.text;
    } else if (root_.find("particles")) {
      fail(e->value, "a system of particles has no step function as a formula");
    } else if (formula(e->value, "the step function", Use::position, run.step_formula)) {
      run.step_function = run.step_formula.text;
    }
  }
  const auto positive = [&](const char* key, const std::string& what) {
    const auto x = run_number(t, key, what);
    if (x && !(*x > 0)) fail(t.find(key)->value, what + " is " + number_text(*x), "it must be positive");
    return x;
  };
  run.shortest_step = positive("shortest-step", "the shortest step");
  run.longest_step = positive("longest-step", "the longest step");
  run.interval = positive("interval", "the time between samples");
  if (run.shortest_step && run.longest_step && *run.shortest_step > *run.longest_step)
    fail(t.find("longest-step")->value, "the longest step is below the shortest");
  if (run.interval && run.every)
    fail_key(*t.find("interval"), "`every` and `interval` together",
             "one of them says when samples are taken; leave the other out");
}

void ModelReader::read_projection(const Value& v) {
  static const std::vector<std::string> keys{"kind", "tolerance", "metric", "along"};
  const std::vector<std::string> projections = listed(choice_names<ProjectionKind>);
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
      // What stands in brackets, as in both(euclidean), is checked later, as it is for formulations.
      if (!contains(projections, kind->substr(0, kind->find('('))))
        fail(e->value, "unknown projection " + ticked(*kind), known_names("known here:", *kind, projections));
    }
  } else {
    fail(v, "the projection has no kind", "one of " + joined(projections));
  }
  std::string direction;
  const auto add_direction = [&](const char* key, const std::vector<std::string>& known) {
    const Entry* e = v.find(key);
    if (!e) return;
    const auto word = text_of_entry(*e, std::string("the ") + key + " of the projection");
    if (!word) return;
    if (!contains(known, *word))
      fail(e->value, "unknown " + std::string(key) + " " + ticked(*word),
           known_names("known here:", *word, known));
    direction += (direction.empty() ? "" : ", ") + *word;
  };
  add_direction("metric", listed(choice_names<ProjectionMetric>));
  add_direction("along", listed(choice_names<ProjectionAlong>));
  if (!direction.empty() && projection.kind.find('(') == std::string::npos)
    projection.kind += "(" + direction + ")";
  if (const auto tolerance = run_number(v, "tolerance", "the tolerance")) {
    projection.tolerance = *tolerance;
    if (*tolerance < 0)
      fail(v.find("tolerance")->value, "the tolerance is " + number_text(*tolerance),
           "it cannot be negative; 0 projects at every step");
  }
  model_.run.projection = projection;
}

void ModelReader::read_output() {
  const Value& t = table("output", &output_keys);
  if (const Entry* e = t.find("directory")) {
    model_.output_directory = text_of_entry(*e, "the directory");
    if (model_.output_directory &&
        (model_.output_directory->empty() || model_.output_directory->find('\0') != std::string::npos))
      fail(e->value, "the directory has no usable name");
  }
  if (const Entry* e = t.find("format")) {
    const std::vector<std::string> written = listed(written_formats);
    model_.output_format = text_of_entry(*e, "the format");
    if (model_.output_format && !contains(written, *model_.output_format))
      fail(e->value, "unknown format " + ticked(*model_.output_format),
           known_names("known here:", *model_.output_format, written));
  }
  if (const Entry* e = t.find("lambda")) {
    const std::vector<std::string> shown = listed(choice_names<MultiplierShown>);
    model_.output_lambda = text_of_entry(*e, "the multiplier that is shown");
    if (model_.output_lambda && !contains(shown, *model_.output_lambda))
      fail(e->value, "unknown multiplier " + ticked(*model_.output_lambda),
           known_names("known here:", *model_.output_lambda, shown));
  }
  if (const Entry* e = t.find("local-error")) {
    const std::vector<std::string> shown = listed(choice_names<LocalErrorShown>);
    model_.output_local_error = text_of_entry(*e, "the local error that is shown");
    if (model_.output_local_error && !contains(shown, *model_.output_local_error))
      fail(e->value, "unknown local error " + ticked(*model_.output_local_error),
           known_names("known here:", *model_.output_local_error, shown));
  }
  if (const Entry* e = t.find("quantities")) read_quantities(e->value);
}

void ModelReader::read_quantities(const Value& v) {
  const std::vector<std::string>& known = output_quantity_names();
  const std::vector<std::string> of_particles{"potentials", "pressure", "temperature", "virial_potentials"};
  if (v.kind != Value::Kind::list) {
    fail(v, "the quantities must be a list, not " + kind_name(v),
         "as in quantities = [\"forces\", \"virial\"]");
    return;
  }
  for (const Value& name : v.list) {
    if (name.kind != Value::Kind::text)
      fail(name, "a quantity must be a name in quotes, not " + kind_name(name));
    else if (!contains(known, name.text))
      fail(name, "unknown quantity " + ticked(name.text), known_names("known here:", name.text, known));
    else if (contains(model_.output_quantities, name.text))
      fail(name, "the quantity " + ticked(name.text) + " is listed twice");
    else if (name.text == "reactions" && root_.find("particles"))
      fail(name, "systems of particles have the quantity `forces`, and no `reactions` of single constraints");
    else if (name.text == "reactions")
      wants_reactions_ = true;
    else if (contains(of_particles, name.text) && !root_.find("particles"))
      fail(name, "only systems of particles have the quantity " + ticked(name.text));
    else if (name.text == "pressure" && model_.particles && model_.particles->volume() == 0)
      fail(name, "the pressure needs a box that is periodic in all directions",
           "as in box = [10, 10, 10] in [particles]");
    else
      model_.output_quantities.push_back(name.text);
  }
}

bool ModelReader::is_of_sample(const std::string& name) const {
  if (name == "t") return true;
  for (std::size_t k = 1; k <= model_.constraints.size(); ++k)
    if (name == "lambda_" + std::to_string(k)) return true;
  return false;
}

// Reads [quantities]: further columns of samples as formulas.
void ModelReader::read_quantity_formulas() {
  const std::vector<std::string> columns{"t",
                                         "energy",
                                         "position_residual",
                                         "iterations",
                                         "kinetic_energy",
                                         "potential_energy",
                                         "virial",
                                         "pressure",
                                         "momentum_residual",
                                         "local_error",
                                         "step_size",
                                         "temperature",
                                         "q",
                                         "p",
                                         "lambda",
                                         "residual"};  // the last four are blocks of columns
  const Value& t = table("quantities", nullptr);
  if (!t.table.empty() && root_.find("particles")) {
    fail_key(t.table.front(), "a system of particles has no quantities as formulas",
             "[output] quantities has some by name");
    return;
  }
  for (const Entry& e : t.table) {
    if (!usable_name(e.key, *e.source, e.span, "quantity")) continue;
    const bool force = e.key.starts_with("f_") && names_.contains(e.key.substr(2));
    if (const auto taken = names_.find(e.key); taken != names_.end())
      fail_key(e, "the quantity " + ticked(e.key) + " has the name of a " + word_of(taken->second));
    else if (contains(columns, e.key) || is_of_sample(e.key) || force)
      fail_key(e, "samples have another column " + ticked(e.key), "choose another name");
    else if (NamedFormula quantity{e.key, {}, 0};
             formula(e.value, "the quantity " + ticked(e.key), Use::sample, quantity.formula))
      model_.quantities.push_back(std::move(quantity));
  }
  if (wants_reactions_ && errors_.empty()) add_reactions();
}

// Adds the force of each constraint on each coordinate that it holds, -lambda_k times the entry of G, as a
// quantity: reaction_1_x.
void ModelReader::add_reactions() {
  const int n = static_cast<int>(model_.coordinates.size()),
            holonomic = static_cast<int>(model_.constraints.size()) - model_.dynamics.velocity_constraints;
  Graph graph;
  std::vector<std::string> inputs;  // coordinates, velocities, and then the other names
  for (const std::string& x : model_.coordinates) inputs.push_back(x);
  for (const std::string& x : model_.coordinates) inputs.push_back("v_" + x);
  const auto node_of = [&](std::string_view name) {
    const auto at = std::find(inputs.begin(), inputs.end(), name);
    const int k = static_cast<int>(at - inputs.begin());
    if (at == inputs.end()) inputs.emplace_back(name);
    return graph.input(k);
  };
  std::vector<int> coordinates(static_cast<std::size_t>(n));
  std::iota(coordinates.begin(), coordinates.end(), 0);
  for (int k = 0; k < static_cast<int>(model_.constraints.size()); ++k) {
    const int g = graph.add(model_.constraints[static_cast<std::size_t>(k)], node_of);
    const std::vector<int> row =
        k < holonomic ? graph.gradient(g, coordinates) : linear_in_velocities(graph, g, n, n).row;
    const std::string number = std::to_string(k + 1);
    const int lambda = node_of("lambda_" + number);
    for (int i = 0; i < n - (model_.dynamics.timed ? 1 : 0); ++i) {
      const int entry = row[static_cast<std::size_t>(i)];
      if (graph.is_constant(entry, 0)) continue;
      const int force = graph.make(Op::negate, graph.make(Op::multiply, lambda, entry));
      NamedFormula reaction{
          "reaction_" + number + "_" + model_.coordinates[static_cast<std::size_t>(i)], {}, 0};
      reaction.formula = formula_of_graph(
          graph, force, [&](int input) { return inputs[static_cast<std::size_t>(input)]; }, reaction.name);
      const bool taken = std::any_of(model_.quantities.begin(), model_.quantities.end(),
                                     [&](const NamedFormula& other) { return other.name == reaction.name; });
      if (!taken) model_.quantities.push_back(std::move(reaction));
    }
  }
}

}  // namespace taut
