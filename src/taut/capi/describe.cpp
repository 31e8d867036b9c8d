#include "describe.hpp"

#include <taut/contract/choices.hpp>
#include <taut/contract/time_transform.hpp>
#include <taut/method/methods.hpp>
#include <taut/model/text/equation.hpp>
#include <taut/model/text/latex.hpp>
#include <taut/run/asked/run_options.hpp>

#include <fmt/format.h>

namespace taut::capi {

namespace {

std::string_view form_name(Model::Form form) {
  switch (form) {
    case Model::Form::hamiltonian:
      return "hamiltonian";
    case Model::Form::natural:
      return "natural";
    case Model::Form::split:
      return "split";
  }
  return "";
}

Json texts_of(const std::vector<Formula>& formulas) {
  Json list = Json::list();
  for (const Formula& one : formulas) list.push_back(one.text);
  return list;
}

void add_equations(const Model& model, Json& object) {
  if (const std::string& key = model.dynamics.written_as; !key.empty()) {
    if (key == "mass")
      object[key] = texts_of(model.mass);
    else
      object[key] = model.dynamics.written;
    if (key != "lagrangian") object["potential"] = model.potential.text;
    return;
  }
  switch (model.form) {
    case Model::Form::hamiltonian:
      object["hamiltonian"] = model.hamiltonian.text;
      break;
    case Model::Form::split:
      object["potential_fast"] = model.potential_fast.text;
      object["potential_slow"] = model.potential_slow.text;
      break;
    case Model::Form::natural:
      object["potential"] = model.potential.text;
      break;
  }
  if (model.form == Model::Form::hamiltonian) return;
  object["mass"] = texts_of(model.mass);
}

// Returns the text of a force. That of [damping] is the rate alone: its force, -rate · p, is made by the
// reader, as a product and its negative that both span the whole text, which no formula has that is read from
// it.
std::string text_of(const Force& force, const std::string& on) {
  const std::string& text = force.formula.text;
  const std::vector<FormulaNode>& nodes = force.formula.nodes;
  const auto is_whole = [&](const FormulaNode& node, Op op) {
    return node.op == op && node.span.begin == 0 && node.span.end == text.size();
  };
  const bool is_damping = nodes.size() > 2 && is_whole(nodes.back(), Op::negate) &&
                          is_whole(nodes[nodes.size() - 2], Op::multiply);
  return is_damping ? fmt::format("-({})*p_{}", text, on) : text;
}

Json forces_of(const Model& model) {
  Json list = Json::list();
  for (const Force& force : model.dynamics.forces) {
    const std::string& on = model.coordinates[static_cast<std::size_t>(force.coordinate)];
    list.push_back(Json::object({{"on", on}, {"force", text_of(force, on)}}));
  }
  return list;
}

Json constraints_of(const ModelRun& run) {
  Json list = Json::list();
  for (std::size_t k = 0; k < run.model.constraints.size(); ++k)
    list.push_back(Json::object({{"name", run.mechanism->constraint_name(static_cast<int>(k))},
                                 {"formula", run.model.constraints[k].text}}));
  return list;
}

// Typesets formulas as they stand in the file, with the names of definitions and of the time. Operations on
// vectors are written out in their components.
class Typesetter {
 public:
  explicit Typesetter(const Model& model) {
    for (const NamedFormula& one : model.definitions)
      if (const BlockSize size = parse_formula(one.formula.text, "", known_, true).size; size.rows > 0)
        known_.sizes[one.name] = size;
  }

  std::string operator()(const std::string& text) const {
    return to_latex(parse_formula(text, "", known_).formula);
  }
  std::string operator()(const Formula& formula) const {
    const ParsedFormula again = parse_equation(formula.text, "", known_);
    return to_latex(again.error ? formula : again.formula);
  }
  // A definition may be a vector or a matrix.
  std::string definition(const Formula& formula) const {
    const ParsedFormula again = parse_formula(formula.text, "", known_, true);
    if (again.error || again.entries.empty()) return (*this)(formula);
    std::string text;
    for (std::size_t k = 0; k < again.entries.size(); ++k) {
      const bool begins_row = k % static_cast<std::size_t>(again.size.columns) == 0;
      text += k == 0 ? "" : begins_row ? R"( \\ )" : " & ";
      text += to_latex(part_of(again.formula, again.entries[k]));
    }
    return R"(\begin{pmatrix} )" + text + R"( \end{pmatrix})";
  }

 private:
  KnownVectors known_;
};

// Asks whether the last coordinate is the time, which the reader adds.
bool has_time(const Model& model) {
  return model.dynamics.timed || time_transform_of(model.run.step_function.value_or(""));
}

std::size_t coordinates_of_author(const Model& model) {
  return model.coordinates.size() - (has_time(model) ? 1 : 0);
}

// Returns the mass: one entry for all coordinates, or a matrix.
std::string mass_latex(const Model& model, const Typesetter& typeset) {
  const std::size_t n = coordinates_of_author(model), entries = model.mass.size();
  if (entries <= 1) return entries == 0 ? "1" : typeset(model.mass.front());
  std::string text = R"(\begin{pmatrix} )";
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const bool given = entries == n * n || i == j;
      text += given ? typeset(model.mass[entries == n ? i : i * n + j]) : "0";
      text += j + 1 < n ? " & " : i + 1 < n ? R"( \\ )" : R"( \end{pmatrix})";
    }
  return text;
}

// Returns the sum of p²/2m, or ½ pᵀM⁻¹p if M has entries beside its diagonal.
std::string kinetic_latex(const Model& model, const Typesetter& typeset) {
  const std::size_t n = model.coordinates.size();
  if (model.mass.size() > n) return R"(\tfrac{1}{2} p^{T} M^{-1} p)";
  std::string text;
  for (std::size_t j = 0; j < n; ++j) {
    const std::string p = name_to_latex("p_" + model.coordinates[j]);
    const std::size_t place = model.mass.size() == 1 ? 0 : j;
    std::string mass = model.mass.empty() ? "1" : typeset(model.mass[place]);
    if (mass == "1")
      mass.clear();
    else
      mass = " \\, " + mass;
    text += fmt::format("{}\\frac{{{}^{{2}}}}{{2{}}}", j == 0 ? "" : " + ", p, mass);
  }
  return text;
}

std::string hamiltonian_latex(const Model& model, const Typesetter& typeset) {
  if (model.form == Model::Form::hamiltonian) return typeset(model.hamiltonian);
  if (model.form == Model::Form::split)
    return kinetic_latex(model, typeset) + " + \\left(" + typeset(model.potential_slow) +
           "\\right) + \\left(" + typeset(model.potential_fast) + "\\right)";
  return kinetic_latex(model, typeset) +
         (model.potential.text == "0" ? "" : " + " + typeset(model.potential));
}

// The mechanics as the author wrote them: a Hamiltonian that the program makes from them is long.
void add_mechanics(const Model& model, const Typesetter& typeset, Json& object) {
  const std::string& key = model.dynamics.written_as;
  if (key.empty())
    object["hamiltonian"] = hamiltonian_latex(model, typeset);
  else
    object[key] = key == "mass" ? mass_latex(model, typeset) : typeset(model.dynamics.written);
  if (key == "kinetic" || key == "mass") object["potential"] = typeset(model.potential);
}

Json latex_of(const Model& model) {
  Json object = Json::object(), constraints = Json::list(), definitions = Json::list(), forces = Json::list();
  const Typesetter typeset(model);
  add_mechanics(model, typeset, object);
  for (const Formula& g : model.constraints) constraints.push_back(typeset(g));
  for (const auto& [name, formula, value] : model.definitions)
    definitions.push_back(
        Json::object({{"name", name_to_latex(name)}, {"formula", typeset.definition(formula)}}));
  for (const Force& force : model.dynamics.forces) {
    const std::string& on = model.coordinates[static_cast<std::size_t>(force.coordinate)];
    forces.push_back(Json::object({{"on", name_to_latex(on)}, {"formula", typeset(text_of(force, on))}}));
  }
  object["constraints"] = std::move(constraints);
  object["definitions"] = std::move(definitions);
  object["forces"] = std::move(forces);
  return object;
}

Json formulas_of(const std::vector<NamedFormula>& formulas) {
  Json object = Json::object();
  for (const NamedFormula& one : formulas) object[one.name] = one.formula.text;
  return object;
}

// What its [run] says, with the usual values where it is silent. A length is a time and a number of steps.
Json run_of(const ModelRun& run) {
  const Schedule schedule = schedule_of(run.request);
  Json object = options_of(run);
  object["steps"] = schedule.steps;
  object["every"] = schedule.every;
  if (run.model.run.least_squares) object["redundant"] = "least-squares";
  return object;
}

// The events as tables of a model file.
Json events_of(const Model& model) {
  static constexpr std::string_view directions[] = {"down", "both", "up"},
                                    actions[] = {"record", "stop", "reflect"};
  Json list = Json::list();
  for (const EventRule& event : model.dynamics.events)
    list.push_back(Json::object({{"name", event.name},
                                 {"when", event.when.text},
                                 {"direction", directions[event.direction + 1]},
                                 {"do", actions[static_cast<std::size_t>(event.action)]}}));
  return list;
}

}  // namespace

Json description_of(OpenModel& open) {
  const auto lease = open.reading();
  const ModelRun& run = *lease;
  const Model& model = run.model;
  const std::vector<std::string> columns = run.columns();
  const auto n = static_cast<std::ptrdiff_t>(columns.size() / 2);
  Json parameters = Json::object(), files = Json::object();
  for (const NamedFormula& a : model.parameters) parameters[a.name] = static_cast<double>(a.value);
  for (const auto& [path, source] : model.files) files[path] = source->text();
  const PlainState start = run.mechanism->start();
  Json object = Json::object({{"name", run.name},
                              {"title", run.title()},
                              {"text", open.text()},
                              {"set", open.set()},
                              {"files", std::move(files)},
                              {"form", model.particles ? "particles" : form_name(model.form)},
                              {"tier", tier_name(run.mechanism->tier())},
                              {"particles", model.particles != nullptr},
                              {"coordinates", std::vector(columns.begin(), columns.begin() + n)},
                              {"momenta", std::vector(columns.begin() + n, columns.end())},
                              {"constraint_count", run.mechanism->constraints()},
                              {"parameters", std::move(parameters)},
                              {"definitions", formulas_of(model.definitions)},
                              {"start", Json::object({{"q", start.q}, {"p", start.p}})},
                              {"quantities", formulas_of(model.quantities)},
                              {"settable", settable_names(model)},
                              {"methods", run.mechanism->fitting()},
                              {"run", run_of(run)}});
  if (open.has_functions()) object["functions"] = true;
  if (model.particles || open.has_functions()) return object;
  add_equations(model, object);
  object["timed"] = has_time(model);
  object["forces"] = forces_of(model);
  object["events"] = events_of(model);
  object["constraints"] = constraints_of(run);
  object["velocity_constraints"] = model.dynamics.velocity_constraints;  // the last ones
  object["latex"] = latex_of(model);
  return object;
}

}  // namespace taut::capi
