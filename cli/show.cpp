#include <taut/run/bundled.hpp>
#include <taut/run/model_run.hpp>
#include <taut/store/describe.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "ensemble_work.hpp"
#include "sampling/sample_work.hpp"

namespace taut::cli {

namespace {

constexpr const char* show_notes = R"text(
A name listed by `taut problems` prints that model, as a start for one of your own:
  taut show pendulum > mine.toml && taut run mine.toml
A file or folder of that name comes first; `taut show ./pendulum` is always the file or folder.)text";

// Prints a model of the program. If it names a file that is inside the program too, a sentence on standard
// error says how to get that.
int print_model(const BundledModel& model) {
  fmt::print("{}", model.text);
  const int written = finish_output();
  const ModelRun run = read_model_run(std::string(model.name), {}, {});
  for (const auto& [path, text] : run.model.files)
    fmt::print(stderr, "taut: the model reads the file {0}; `taut show {0} > {0}` puts it beside a copy.\n",
               path);
  return written;
}

int print_description(const std::string& path) {
  const Description description = describe_run(path);
  fmt::print("{}", description.text);
  const int written = finish_output();
  return description.whole ? written : 1;
}

int show(const std::string& name, const EnsembleWanted& wanted) {
  if (is_there(name) && is_ensemble_folder(name)) return describe_ensemble(name, wanted);
  refuse_reductions(wanted, name);
  if (wanted.json)
    throw InputError(fmt::format("--json is for the folder of an ensemble, and {} is none.", shown(name)));
  if (is_there(name)) {
    if (is_sampling_folder(name)) return describe_sampling(name);
    if (!name.ends_with(".toml")) return print_description(name);
    fmt::print("{}", text_of_file(name));
    return finish_output();
  }
  const auto names = bundled_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return print_model(bundled_model(name));
  if (const auto text = bundled_file(name)) {
    fmt::print("{}", *text);
    return finish_output();
  }
  throw InputError(
      fmt::format("there is no file, folder or bundled model {}.{}", shown(name), did_you_mean(name, names)));
}

}  // namespace

void add_show(Program& program) {
  struct Flags {
    std::string name;
    EnsembleWanted wanted;
  };
  const auto flags = std::make_shared<Flags>();
  Option what = required(place("NAME", flags->name, "a bundled model, a file, or the folder of a run"));
  what.words = bundled_names;
  what.files = Option::Files::folders;
  Command command{
      .name = "show",
      .what = "Print a bundled model, or say what a trajectory, a checkpoint or the folder of a run holds",
      .examples =
          "  taut show pendulum > mine.toml                   a model of the program, to be changed\n"
          "  taut show out/particle                           what is there, and whether it is whole\n",
      .options = {what},
      .notes = show_notes,
      .action = [flags] { return show(flags->name, flags->wanted); }};
  add_reductions(command, flags->wanted);
  program.add(std::move(command));
}

}  // namespace taut::cli
