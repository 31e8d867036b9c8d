// A machine that was saved and restored makes the same steps to the last bit: every method of the catalogue,
// every formulation.
#include <taut/bytes/carry.hpp>
#include <taut/mechanism/mesh_point.hpp>
#include <taut/method/methods.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/stage_multipliers.hpp>

#include <gtest/gtest.h>

#include "support/source_files.hpp"

namespace taut {
namespace {

constexpr int half = 20;

struct Kind {
  const char* model;
  Tier tier;
};
constexpr std::array kinds = {Kind{"double-pendulum", Tier::natural}, Kind{"stiff-pendulum", Tier::split},
                              Kind{"charged-particle", Tier::hamiltonian}};

ModelRun model_of(const char* name, const std::vector<std::string>& set = {}) {
  return read_model_run(name, {}, set);
}

std::unique_ptr<Machine> machine_of(const ModelRun& run, const MethodChoice& choice, bool plain = false,
                                    const SolveOptions& options = {}) {
  return run.mechanism->bind(choice, run.mechanism->start(), options, plain);
}

// Returns the bytes of machine and tally after so many more steps.
std::string after(Machine& machine, Tally& tally, int steps, double h) {
  machine.advance(h, steps, tally);
  Carry c;
  tally.carry(c);
  return machine.save() + c.bytes();
}

// Returns nothing if the restored machine does what the one that was never saved does.
std::string difference(const ModelRun& run, const MethodChoice& choice, double h, bool plain = false,
                       const SolveOptions& options = {}) {
  const auto whole = machine_of(run, choice, plain, options), first = machine_of(run, choice, plain, options),
             second = machine_of(run, choice, plain, options);
  Tally whole_tally(whole->read(), 2 * half), first_tally = whole_tally, second_tally = whole_tally;
  const std::string right = after(*whole, whole_tally, 2 * half, h);
  after(*first, first_tally, half, h);
  if (whole_tally.failed() || whole_tally.steps != 2 * half) return "the run itself fails";
  Carry saving;
  first_tally.carry(saving);
  Carry filling(saving.bytes());
  second_tally.carry(filling);
  if (!filling.complete() || !second->restore(first->save())) return "it cannot be restored";
  return after(*second, second_tally, half, h) == right ? "" : "it goes on to other bits";
}

TEST(ARestoredMachine, MakesTheSameStepsWithEveryMethodOfTheCatalogue) {
  for (const Kind& kind : kinds) {
    const ModelRun run = model_of(kind.model);
    ASSERT_EQ(run.mechanism->tier(), kind.tier) << kind.model;
    std::vector<std::string> methods = run.mechanism->fitting();
    // The natural problem without the split serves further methods.
    if (kind.tier == Tier::split)
      for (const std::string& method : method_names())
        if (!needs_formulation(method) && run.mechanism->fits(method)) methods.push_back(method);
    EXPECT_GT(methods.size(), 10U);
    for (const std::string& method : methods)
      EXPECT_EQ(difference(run, {method}, 0.01), "") << kind.model << ", " << method;
  }
}

// Compositions of compositions, whole steps, and methods of one's own by the text that the program makes of
// them.
TEST(ARestoredMachine, MakesTheSameStepsWithMethodsThatAreMadeAtRunTime) {
  const ModelRun run = model_of("double-pendulum");
  for (const char* method : {"yoshida4(yoshida4)", "yoshida4(lobatto(3))", "yoshida4(dirac-gauss(1))",
                             "mine=composition(0.3, 0.7)", "mine=tableau(0, 1; 0.5, 0.5; 0, 0, 0.5, 0.5)",
                             "mine=dirac-tableau(0.5; 1; 0.5)"})
    EXPECT_EQ(difference(run, {method}, 0.01), "") << method;
}

TEST(ARestoredMachine, RemembersTheMultiplierOfItsLastStep) {
  const ModelRun run = model_of("double-pendulum");
  const double h = 0.01;
  const auto make = [&] { return StageMultipliers(machine_of(run, {"lobatto(3)"}), h); };
  StageMultipliers first = make(), second = make();
  Tally tally(first.read(), half);
  first.advance(h, half, tally);
  EXPECT_NE(first.multiplier(), second.multiplier());
  ASSERT_TRUE(second.restore(first.save()));
  EXPECT_EQ(first.multiplier(), second.multiplier());
  EXPECT_EQ(first.multiplier(), first.last_multiplier(h));
  EXPECT_FALSE(second.restore(first.save().substr(1)));
}

// What earlier steps leave behind is part of what is saved.
TEST(ARestoredMachine, RemembersTheImpulsesFromWhichItGuesses) {
  const ModelRun run = model_of("double-pendulum");
  const SolveOptions options{.first_guess = FirstGuess::quadratic};
  for (const char* method :
       {"rattle=composition(1)", "yoshida4", "shake", "shake(two-step)", "shake-velocity"})
    for (const bool plain : {false, true}) {
      if (plain && std::string_view(method).starts_with("shake")) continue;
      EXPECT_EQ(difference(run, {method}, 0.01, plain, options), "") << method;
    }
  const ModelRun particles = model_of("c60");
  const double h = *particles.request.step;
  for (const char* method : {"rattle=composition(1)", "shake-velocity"})
    EXPECT_EQ(difference(particles, {method}, h, false, options), "") << method;
}

TEST(ARestoredMachine, RemembersTheStepsThatItChose) {
  const ModelRun run = model_of("double-pendulum");
  for (const double tolerance : {1e-4, 1e-8})
    for (const char* method : {"bdf-variable(1)", "bdf-variable(4)", "bdf-variable-order(5)"})
      EXPECT_EQ(difference(run, {method}, 0.03, false, {.error_tolerance = tolerance}), "")
          << method << " " << tolerance;
}

TEST(ARestoredMachine, MakesTheSameStepsWithPlainUpdates) {
  const ModelRun run = model_of("double-pendulum");
  for (const char* method : {"shake", "rattle", "midpoint", "yoshida4"})
    EXPECT_EQ(difference(run, {method}, 0.01, true), "") << method;
}

TEST(ARestoredMachine, MakesTheSameStepsOnEveryFormulation) {
  for (const char* model : {"double-pendulum", "charged-particle"}) {
    const ModelRun run = model_of(model);
    for (const FormulationFacts& formulation : formulation_facts())
      for (const char* method : {"rk4", "implicit-midpoint", "bdf(3)", "radau(2)"}) {
        if (!takes_formulation(method, formulation.name)) continue;
        OdeChoice ode{.formulation = std::string(formulation.name),
                      .kind = "both",
                      .projection = {.kind = ProjectionKind::both, .tolerance = 1e-9}};
        for (std::size_t i = 0; i < ode.numbers.size(); ++i) ode.numbers[i] = formulation.numbers[i].usual;
        if (run.mechanism->refusal(ode, run.mechanism->start())) continue;
        EXPECT_EQ(difference(run, {.method = method, .ode = ode}, 0.01), "")
            << model << ", " << method << " on " << formulation.name;
      }
  }
}

// A chart is chosen once and kept: its matrix is no function of x.
TEST(ARestoredMachine, KeepsItsChart) {
  const ModelRun run = model_of("double-pendulum");
  EXPECT_EQ(difference(run,
                       {.method = "rk4",
                        .ode = OdeChoice{.formulation = "state-space", .kind = "none", .projection = {}}},
                       0.05),
            "");
}

// A parametrisation remembers where it is: δ is found from q, beginning there.
TEST(ARestoredMachine, KeepsWhereAParametrisationIs) {
  const ModelRun run = model_of("double-pendulum", {"parametrisation.coordinates=tree"});
  for (const char* formulation : {"parametrised", "parametrised-velocity"})
    for (const char* method : {"rk4", "gauss(2)"})
      EXPECT_EQ(difference(run,
                           {.method = method,
                            .ode = OdeChoice{.formulation = formulation, .kind = "none", .projection = {}}},
                           0.05),
                "")
          << method << " on " << formulation;
}

// The hypothesis: what a method carries beyond (q, p) must be restored with them.
TEST(ARestoredMachine, GoesElsewhereWithoutWhatTheMethodCarries) {
  const ModelRun run = model_of("double-pendulum");
  const double h = 0.01;
  for (const char* method : {"shake", "shake(two-step)", "shake-velocity", "bdf(3)", "rattle"}) {
    const auto whole = machine_of(run, {method});
    Tally tally(whole->read(), 2 * half);
    whole->advance(h, half, tally);
    const auto anew = run.mechanism->bind({method}, mesh_point(*whole), {}, false);
    EXPECT_NE(after(*whole, tally, half, h), after(*anew, tally, half, h)) << method;
  }
}

TEST(ARestoredMachine, RefusesBytesOfAnother) {
  const ModelRun double_pendulum = model_of("double-pendulum"), particle = model_of("charged-particle");
  const auto rattle = machine_of(double_pendulum, {"rattle"}), bdf = machine_of(double_pendulum, {"bdf(3)"}),
             other = machine_of(particle, {"midpoint"});
  EXPECT_TRUE(rattle->restore(rattle->save()));
  EXPECT_FALSE(rattle->restore(bdf->save()));
  EXPECT_FALSE(bdf->restore(rattle->save()));
  EXPECT_FALSE(other->restore(rattle->save()));
  EXPECT_FALSE(rattle->restore(""));
  EXPECT_FALSE(rattle->restore(rattle->save() + "x"));
  EXPECT_FALSE(rattle->restore(rattle->save().substr(1)));
}

}  // namespace
}  // namespace taut
