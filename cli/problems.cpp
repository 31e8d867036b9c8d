#include <taut/bytes/json.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

namespace {

struct Problem {
  std::string name, description, tier, method;
  int coordinates = 0, constraints = 0;
  double step = 0;
  std::vector<std::pair<std::string, double>> parameters;
};

Problem problem_of(const BundledModel& bundled) {
  const ModelRun run = read_model_run(std::string(bundled.name), {}, {});
  Problem problem{.name = std::string(bundled.name),
                  .description = run.title(),
                  .tier = std::string(tier_name(run.mechanism->tier())),
                  .method = chosen_method(*run.mechanism, run.name, run.request).label(),
                  .coordinates = run.mechanism->coordinates(),
                  .constraints = run.mechanism->constraints(),
                  .step = schedule_of(run.request).step,
                  .parameters = {}};
  for (const NamedFormula& a : run.model.parameters)
    problem.parameters.emplace_back(a.name, static_cast<double>(a.value));
  return problem;
}

Json json_of(const Problem& problem) {
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

void print(const Problem& problem) {
  fmt::print("{}\n  {}\n  {} coordinates, {} constraint{}; {}; by default {} with step {}\n", problem.name,
             problem.description, problem.coordinates, problem.constraints,
             problem.constraints == 1 ? "" : "s", problem.tier, problem.method, problem.step);
  std::string set;
  for (const auto& [name, value] : problem.parameters) set += fmt::format("  {}={}", name, value);
  if (!set.empty()) fmt::print("  --set{}\n", set.substr(1));
}

int print_problems(bool json) {
  std::vector<Problem> problems;
  for (const BundledModel& bundled : bundled_models()) problems.push_back(problem_of(bundled));
  if (json) {
    Json list = Json::list();
    for (const Problem& problem : problems) list.push_back(json_of(problem));
    fmt::print("{}\n", list.to_text(2));
    return finish_output();
  }
  for (const Problem& problem : problems) print(problem);
  fmt::print("\nCoordinates and momenta of the start can be set too; `taut show NAME` prints the model.\n");
  return finish_output();
}

}  // namespace

void add_problems(Program& program) {
  const auto json = std::make_shared<bool>(false);
  program.add(
      {.name = "problems",
       .what = "List the models that come with the program, and their parameters",
       .examples =
           "  taut problems                                    what can be run, and what can be set\n",
       .options = {flag("--json", *json, "print a JSON list")},
       .action = [json] { return print_problems(*json); }});
}

}  // namespace taut::cli
