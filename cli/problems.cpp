#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"

namespace taut::cli {

namespace {

int print_problems(bool json) {
  auto list = nlohmann::ordered_json::array();
  for (const BundledModel& bundled : bundled_models()) {
    const ModelRun run = read_model_run(std::string(bundled.name), {}, {});
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const NamedFormula& a : run.model.parameters) parameters[a.name] = static_cast<double>(a.value);
    list.push_back({{"name", bundled.name},
                    {"description", run.title()},
                    {"coordinates", run.mechanism->coordinates()},
                    {"constraints", run.mechanism->constraints()},
                    {"tier", tier_name(run.mechanism->tier())},
                    {"default_method", chosen_method(*run.mechanism, run.name, run.request).label()},
                    {"default_step", schedule_of(run.request).step},
                    {"parameters", parameters}});
  }
  if (json) {
    fmt::print("{}\n", list.dump(2));
    return finish_output();
  }
  for (const auto& problem : list) {
    const int constraints = problem["constraints"];
    fmt::print("{}\n  {}\n  {} coordinates, {} constraint{}; {}; by default {} with step {}\n",
               problem["name"].get<std::string>(), problem["description"].get<std::string>(),
               problem["coordinates"].get<int>(), constraints, constraints == 1 ? "" : "s",
               problem["tier"].get<std::string>(), problem["default_method"].get<std::string>(),
               problem["default_step"].get<double>());
    std::string set;
    for (const auto& [name, value] : problem["parameters"].items())
      set += fmt::format("  {}={}", name, value.get<double>());
    if (!set.empty()) fmt::print("  --set{}\n", set.substr(1));
  }
  fmt::print("\nCoordinates and momenta of the start can be set too; examples/NAME.toml shows the model.\n");
  return finish_output();
}

}  // namespace

void add_problems(Program& program) {
  CLI::App* command = program.command(
      "problems", "List the models that come with the program, and their parameters",
      "  taut problems                                    what can be run, and what can be set\n");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print a JSON list");
  program.actions[command] = [json] { return print_problems(*json); };
}

}  // namespace taut::cli
