#include <taut/problem/ready_made.hpp>
#include <taut/run/make_ready_made.hpp>
#include <taut/run/nearest_name.hpp>

namespace taut {

const std::vector<std::unique_ptr<ReadyMadeRun>>& ready_made_runs() {
  static const auto list = [] {
    std::vector<std::unique_ptr<ReadyMadeRun>> all;
    for_each_ready_made([&](std::string_view name, std::string_view what, const auto& problem, const auto&) {
      all.push_back(make_ready_made(name, what, problem));
    });
    return all;
  }();
  return list;
}

const ReadyMadeRun& find_ready_made(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& problem : ready_made_runs()) {
    if (problem->name == name) return *problem;
    names.push_back(problem->name);
  }
  throw InputError("there is no problem `" + std::string(name) + "`." + did_you_mean(name, names) +
                   "\n  The problems are: " + joined(names) + ".");
}

}  // namespace taut
