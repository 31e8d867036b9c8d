#include <taut/store/describe.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

namespace {

int show(const std::string& path) {
  const Description description = describe_run(path);
  fmt::print("{}", description.text);
  const int written = finish_output();
  return description.whole ? written : 1;
}

}  // namespace

void add_show(Program& program) {
  const auto path = std::make_shared<std::string>();
  program.add(
      {.name = "show",
       .what = "Say what a trajectory, a checkpoint or the folder of a run holds",
       .examples =
           "  taut show out/particle                           what is there, and whether it is whole\n",
       .options = {required(place("FILE", *path, "a file, or the folder of a run"))},
       .action = [path] { return show(*path); }});
}

}  // namespace taut::cli
