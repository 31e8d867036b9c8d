// Every model file of examples/ loads, starts on its manifold in double and in 128 bits, fits a screen, and
// runs with its method.

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/model/code/interpreter.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/run/model_run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/source_files.hpp"

namespace {

using namespace taut;

template <class F>
void for_each_example(F f) {
  int count = 0;
  for (const auto& file : test::system_examples()) {
    SCOPED_TRACE(file.path);
    ++count;
    const ReadModel read = read_model(file.text, file.path);
    EXPECT_TRUE(read.model) << text_of(read.errors);
    if (read.model) f(file, *read.model);
  }
  EXPECT_GE(count, 12);
}

TEST(Examples, AreComplete) {
  for_each_example([](const auto& file, const Model& model) {
    // The published start of one chain is 28 numbers that hang together.
    const int most = file.path.ends_with("/lennard-jones-chain.toml") ? 92 : 66;
    EXPECT_LE(std::count(file.text.begin(), file.text.end(), '\n'), most) << "longer than a screen";
    EXPECT_EQ(file.text[0], '#') << "no word about what it is";
    EXPECT_NE(model.title, model.name);
    EXPECT_TRUE(model.run.method && model.run.step && (model.run.steps || model.run.until));
  });
}

TEST(Examples, StartOnTheManifold) {
  for_each_example([](const auto&, const Model& model) {
    const FormulaProblem<> s(model);
    const auto x = s.start();
    const StartCheck check = check_start(s, x);
    EXPECT_TRUE(check.consistent());
    EXPECT_LE(std::max(check.position, check.momentum), 2e-15);
    EXPECT_EQ(dependent_constraints(s, x).empty(), !s.least_squares());
    const auto fine = s.cast<Float128>();
    const StartCheck exact = check_start(fine, fine.start());
    // A start that was published with thirty digits has no more of them.
    EXPECT_LE(std::max(exact.position, exact.momentum), 2e-31);
  });
}

TEST(Examples, RunWithTheirMethods) {
  for_each_example([](const auto& file, const Model&) {
    RunRequest request;
    request.steps = 100;
    request.backend = Backend::interpret;
    SilentObserver nobody;
    const RunSummary run = model_run(file.text, file.path, request).run(nobody, "");
    EXPECT_EQ(run.error, "");
    EXPECT_LE(run.energy_error, 0.05 * (1 + std::abs(run.energy_initial)));
    EXPECT_LE(run.position_max, 1e-13);
    EXPECT_LE(run.momentum_max, 1e-13);
  });
}

}  // namespace
