#include <taut/store/describe.hpp>

#include <fmt/core.h>

#include "commands.hpp"

namespace taut::cli {

void add_show(Program& program) {
  CLI::App* command = program.command(
      "show", "Say what a trajectory, a checkpoint or the folder of a run holds",
      "  taut show out/particle                           what is there, and whether it is whole\n");
  const auto path = std::make_shared<std::string>();
  command->add_option("FILE", *path, "a file, or the folder of a run")->required();
  program.actions[command] = [path] {
    const Description description = describe_run(*path);
    fmt::print("{}", description.text);
    const int written = finish_output();
    return description.whole ? written : 1;
  };
}

}  // namespace taut::cli
