#include <taut/files/whole_file.hpp>
#include <taut/model/code/emit.hpp>
#include <taut/run/model_run.hpp>
#include <taut/store/inputs.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <cstdio>

#include "commands.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* compile_notes = R"text(
FILE.hpp is a class template in namespace taut, with the sizes and the sparsity of the model in its type: V (or H), its gradients, g and G
as plain C++, the parameters as members a0, a1, ... that can be changed, and start(). It needs taut's headers and Eigen, and nothing of
the model file.

Examples:
  taut compile pendulum --emit pendulum.hpp
  taut compile examples/four-bar.toml --emit four_bar.hpp --name FourBar

)text"
                                      // includes of the reader's program, not of this file
                                      "  #include \"four_bar.hpp\"\n"
                                      "  #include <taut/method/rattle.hpp>\n"
                                      "  #include <taut/method/stepper.hpp>\n"
                                      R"text(  int main() {
    const taut::FourBar<> s;
    auto x = s.start();
    const auto stepper = taut::bind(taut::Rattle{}, s, x);
    for (int i = 0; i < 1000; ++i)
      if (!stepper->step(x, 0.01)) return 1;
  }

`taut run` compiles by itself what is worth compiling: see --backend there.)text";

struct Header {
  std::string path, name = "FormulaModel";  // a path - is standard output
};

int write_header(const TypedModel& typed, const Header& header) {
  const std::string& name = header.name;
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
  if (!is_name(name) || !ascii || name[0] < 'A' || name[0] > 'Z')
    throw InputError(
        fmt::format("--name needs letters, digits and _, a capital letter first, not `{}`.", shown(name)));
  const ModelRun run = read_model_run(typed.problem, {}, typed.set);
  const Model& model = run.model;
  if (model.particles)
    throw InputError(fmt::format("{} is a system of particles; only models with [system] become a header.",
                                 typed.problem));
  const std::string text = emit_cpp(model, name);
  if (header.path == "-") {
    fmt::print("{}", text);
    return finish_output();
  }
  refuse_inputs(run, header.path, "--emit");
  write_whole_file(header.path, text);
  fmt::print(stderr, "taut: {} holds taut::{}<>.\n", header.path, name);
  return 0;
}

}  // namespace

void add_compile(Program& program) {
  const auto typed = std::make_shared<TypedModel>();
  const auto header = std::make_shared<Header>();
  Command command{.name = "compile",
                  .what = "Write a model as a C++ header for programs of your own",
                  .examples = "  taut compile pendulum --emit pendulum.hpp        a model as a C++ header\n",
                  .notes = compile_notes,
                  .action = [typed, header] { return write_header(*typed, *header); }};
  typed->add_problem(command);
  command.add(
      required(option("--emit", "FILE.hpp", header->path, "the header to write; - for standard output")));
  command.add(option("--name", "NAME", header->name, "of the class; default FormulaModel"));
  typed->add_set(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
