// The backend that is worth while for a run depends on its model, its method and its length, and
// on nothing else.

#include <taut/backend/backend.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/method_source.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/model_run.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/run_program.hpp"

namespace {

using namespace taut;

Backend chosen(const std::string& text, const std::string& method, std::int64_t steps) {
  const ModelRun run = model_run(text, "model");
  return worth_while(*run.system, {.method = method}, steps);
}
Backend for_bundled(const std::string& name, const std::string& method, std::int64_t steps) {
  return chosen(std::string(bundled_model(name).text), method, steps);
}

TEST(BackendChoice, GrowsWithTheRun) {
  EXPECT_EQ(for_bundled("pendulum", "rattle", 10000), Backend::interpret);
  EXPECT_EQ(for_bundled("pendulum", "rattle", 2000000), Backend::compile);
  EXPECT_EQ(for_bundled("pendulum", "rattle", 100000000), Backend::specialise);
}

TEST(BackendChoice, GrowsWithTheMethodAndTheFormulas) {
  EXPECT_EQ(for_bundled("pendulum", "rattle", 500000), Backend::interpret);
  EXPECT_EQ(for_bundled("pendulum", "yoshida8", 500000), Backend::compile);
  EXPECT_EQ(for_bundled("lennard-jones-chain", "rattle", 500000), Backend::compile);
}

// The chain of pendulums is too long to be unrolled.
TEST(BackendChoice, ALargeModelIsNotSpecialised) {
  std::string names, potential = "0", constraints;
  for (int i = 0; i < 30; ++i) {
    const std::string k = std::to_string(i), before = std::to_string(i - 1);
    names += "\"x" + k + "\", \"y" + k + "\", ";
    potential += " + y" + k;
    constraints += i == 0 ? "\"x0^2 + y0^2 - 1\", "
                          : "\"(x" + k + " - x" + before + ")^2 + (y" + k + " - y" + before + ")^2 - 1\", ";
  }
  std::string start;
  for (int i = 0; i < 30; ++i) start += "x" + std::to_string(i) + " = " + std::to_string(i + 1) + ".0\n";
  const std::string text = "[system]\ncoordinates = [" + names + "]\nmass = 1.0\npotential = \"" + potential +
                           "\"\nconstraints = [" + constraints + "]\n[initial]\n" + start;
  EXPECT_EQ(chosen(text, "rattle", 100000000), Backend::compile);
}

TEST(BackendChoice, AMethodOnAFormulationIsNotSpecialised) {
  const ModelRun run = model_run(std::string(bundled_model("pendulum").text), "pendulum", {.method = "rk4"});
  const MethodChoice choice = chosen_method(*run.mechanism, "pendulum", run.request);
  ASSERT_TRUE(choice.ode);
  EXPECT_EQ(worth_while(*run.system, choice, 1000000000), Backend::compile);
}

// For every row of the catalogue this checks the text of a unit: a program of all the texts prints the names
// from which they came.
TEST(MethodSource, EveryMethodIsWrittenAsItself) {
  const test::OwnFolder folder;
  std::string includes = "#include <iostream>\n", body, names;
  for (const std::string& name : method_names()) {
    const auto source = method_source(name);
    if (!source) continue;  // it integrates a formulation
    for (const std::string& header : source->headers) includes += "#include <taut/method/" + header + ">\n";
    body += "  std::cout << label(facts_of(" + source->value + ")) << '\\n';\n";
    with_method(name, [&](const auto& method) { names += label(facts_of(method)) + "\n"; });
  }
  std::ofstream(folder / "main.cpp")
      << includes << "using namespace taut;\nstruct P {\n  static constexpr int n = 2;\n};\nint main() {\n"
      << body << "}\n";
  const std::string at = folder.string();
  ASSERT_EQ(
      std::system(("c++ -std=c++20 -O0 -isystem /usr/include/eigen3 -I '" TAUT_SOURCE_DIR "/src' '" + at +
                   "/main.cpp' -o '" + at + "/main' -lquadmath && '" + at + "/main' > '" + at + "/out'")
                      .c_str()),
      0);
  EXPECT_EQ(test::read_text(folder / "out"), names);
  EXPECT_GT(std::count(names.begin(), names.end(), '\n'), 40);
}

}  // namespace
