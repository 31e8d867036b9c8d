#include <taut/run/listing.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

namespace {

void print(const ListedProblem& problem) {
  fmt::print("{}\n  {}\n  {} coordinates, {} constraint{}; {}; by default {} with step {}\n", problem.name,
             problem.description, problem.coordinates, problem.constraints,
             problem.constraints == 1 ? "" : "s", problem.tier, problem.method, problem.step);
  std::string set;
  for (const auto& [name, value] : problem.parameters) set += fmt::format("  {}={}", name, value);
  if (!set.empty()) fmt::print("  --set{}\n", set.substr(1));
}

int print_problems(bool json) {
  const std::vector<ListedProblem> problems = bundled_problems();
  if (json) {
    fmt::print("{}\n", as_json(problems).to_text(2));
    return finish_output();
  }
  for (const ListedProblem& problem : problems) print(problem);
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
