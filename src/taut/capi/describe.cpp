#include "describe.hpp"

#include <taut/contract/choices.hpp>
#include <taut/method/methods.hpp>
#include <taut/model/text/latex.hpp>

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

void add_equations(const Model& model, Json& object) {
  if (const std::string& key = model.dynamics.written_as; !key.empty()) {
    if (key != "mass") object[key] = model.dynamics.written;
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
  Json mass = Json::list();
  for (const Formula& m : model.mass) mass.push_back(m.text);
  object["mass"] = std::move(mass);
}

Json constraints_of(const ModelRun& run) {
  Json list = Json::list();
  for (std::size_t k = 0; k < run.model.constraints.size(); ++k)
    list.push_back(Json::object({{"name", run.mechanism->constraint_name(static_cast<int>(k))},
                                 {"formula", run.model.constraints[k].text}}));
  return list;
}

// Returns the sum of p²/2m, or ½ pᵀM⁻¹p if M has entries beside its diagonal.
std::string kinetic_latex(const Model& model) {
  const std::size_t n = model.coordinates.size();
  if (model.mass.size() > n) return R"(\tfrac{1}{2} p^{T} M^{-1} p)";
  std::string text;
  for (std::size_t j = 0; j < n; ++j) {
    const std::string p = name_to_latex("p_" + model.coordinates[j]);
    const std::size_t place = model.mass.size() == 1 ? 0 : j;
    std::string mass = model.mass.empty() ? "1" : to_latex(model.mass[place]);
    if (mass == "1")
      mass.clear();
    else
      mass = " \\, " + mass;
    text += fmt::format("{}\\frac{{{}^{{2}}}}{{2{}}}", j == 0 ? "" : " + ", p, mass);
  }
  return text;
}

Json latex_of(const Model& model) {
  std::string H;
  if (!model.dynamics.written_as.empty())
    H = "H(q, p)";  // it was made by the program, and is long
  else if (model.form == Model::Form::hamiltonian)
    H = to_latex(model.hamiltonian);
  else if (model.form == Model::Form::split)
    H = kinetic_latex(model) + " + \\left(" + to_latex(model.potential_slow) + "\\right) + \\left(" +
        to_latex(model.potential_fast) + "\\right)";
  else
    H = kinetic_latex(model) + (model.potential.text == "0" ? "" : " + " + to_latex(model.potential));
  Json constraints = Json::list();
  for (const Formula& g : model.constraints) constraints.push_back(to_latex(g));
  return Json::object({{"hamiltonian", H}, {"constraints", std::move(constraints)}});
}

Json formulas_of(const std::vector<NamedFormula>& formulas) {
  Json object = Json::object();
  for (const NamedFormula& one : formulas) object[one.name] = one.formula.text;
  return object;
}

Json run_of(const ModelRun& run) {
  const RunRequest& request = run.request;
  const Schedule schedule = schedule_of(request);
  Json object = Json::object({{"method", chosen_method(*run.mechanism, run.name, request).label()},
                              {"step", schedule.step},
                              {"steps", schedule.steps},
                              {"every", schedule.every}});
  if (request.until) object["until"] = *request.until;
  if (!request.formulation.empty()) object["formulation"] = request.formulation;
  if (!request.projection.empty()) object["projection"] = request.projection;
  return object;
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
  object["constraints"] = constraints_of(run);
  object["latex"] = latex_of(model);
  return object;
}

}  // namespace taut::capi
