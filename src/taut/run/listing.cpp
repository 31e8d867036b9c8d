#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/listing.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/format.h>

namespace taut {

std::string_view keeps_name(Keeps keeps) {
  switch (keeps) {
    case Keeps::position_and_momentum:
      return "position and momentum";
    case Keeps::position:
      return "position";
    case Keeps::momentum:
      return "momentum";
    case Keeps::nothing:
      return "nothing";
  }
  return "";
}

std::string theory_page(std::string_view theory) { return fmt::format("docs/theory/{}.md", theory); }

Json method_as_json(const std::string& name, const MethodFacts& m) {
  return Json::object({{"name", name},
                       {"order", m.order},
                       {"symmetric", m.symmetric},
                       {"symplectic", m.symplectic},
                       {"keeps", keeps_name(m.keeps)},
                       {"tier", tier_name(m.tier)},
                       {"what", m.what},
                       {"source", m.source},
                       {"theory", theory_page(m.theory)}});
}

Json methods_as_json() {
  std::vector<std::string> formulations, forms;
  for (const FormulationFacts& f : formulation_facts())
    (f.constrained ? forms : formulations).emplace_back(f.name);
  Json list = Json::list();
  for (const MethodFacts& m : method_facts()) {
    list.push_back(method_as_json(label(m), m));
    const NamedMethod named = named_method(label(m));
    if (named.needs_formulation) list.back()["formulations"] = formulations;
    if (named.takes_forms) list.back()["formulations"] = forms;
  }
  return list;
}

namespace {

ListedProblem problem_of(const BundledModel& bundled) {
  const ModelRun run = read_model_run(std::string(bundled.name), {}, {});
  ListedProblem problem{.name = std::string(bundled.name),
                        .description = run.title(),
                        .tier = std::string(tier_name(run.mechanism->tier())),
                        .method = chosen_method(*run.mechanism, run.name, run.request).label(),
                        .coordinates = run.mechanism->coordinates() - (run.mechanism->timed() ? 1 : 0),
                        .constraints = run.mechanism->constraints(),
                        .step = schedule_of(run.request).step,
                        .parameters = {}};
  for (const NamedFormula& a : run.model.parameters)
    problem.parameters.emplace_back(a.name, static_cast<double>(a.value));
  return problem;
}

Json json_of(const ListedProblem& problem) {
  Json parameters = Json::object();
  for (const auto& [name, value] : problem.parameters) parameters[name] = value;
  return Json::object({{"name", problem.name},
                       {"description", problem.description},
                       {"coordinates", problem.coordinates},
                       {"constraints", problem.constraints},
                       {"tier", problem.tier},
                       {"default_method", problem.method},
                       {"default_step", problem.step},
                       {"parameters", std::move(parameters)}});
}

}  // namespace

std::vector<ListedProblem> bundled_problems() {
  std::vector<ListedProblem> problems;
  for (const BundledModel& bundled : bundled_models()) problems.push_back(problem_of(bundled));
  return problems;
}

Json as_json(const std::vector<ListedProblem>& problems) {
  Json list = Json::list();
  for (const ListedProblem& problem : problems) list.push_back(json_of(problem));
  return list;
}

}  // namespace taut
