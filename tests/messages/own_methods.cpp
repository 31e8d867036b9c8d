// Methods of one's own, from a model file and from the command line: what they are, and what is refused.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

#include "support/run_program.hpp"

namespace {

using nlohmann::json;
using taut::test::OwnFolder;
using taut::test::run_taut;

constexpr const char* pendulum = R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[run]
method = "rattle"
step = 0.1
steps = 50
)toml";

std::string model_with(const OwnFolder& folder, const std::string& tables) {
  const std::string path = folder.string() + "/model.toml";
  std::ofstream(path) << pendulum << tables;
  return path;
}

constexpr const char* jump =
    "[methods.mine]\ncomposition = [\"1/(2 - 2^(1/3))\", \"1 - 2/(2 - 2^(1/3))\", \"1/(2 - 2^(1/3))\"]\n";

TEST(OwnMethods, ACompositionByFormulasIsTheTable) {
  const OwnFolder folder;
  const std::string path = model_with(folder, jump);
  const json own = json::parse(run_taut("run '" + path + "' --method mine --json").out),
             table = json::parse(run_taut("run '" + path + "' --method yoshida4 --json").out);
  EXPECT_EQ(own["q"], table["q"]);
  EXPECT_EQ(own["p"], table["p"]);
  EXPECT_EQ(own["method"], "mine");
  EXPECT_TRUE(own["definition"].get<std::string>().ends_with("): order 4, symmetric, symplectic"));
  // Nested, it is the triple jump of order 6.
  const json six = json::parse(run_taut("run '" + path + "' --method 'yoshida4(mine)' --json").out),
             named = json::parse(run_taut("run '" + path + "' --method 'yoshida4(yoshida4)' --json").out);
  EXPECT_EQ(six["q"], named["q"]);
  EXPECT_EQ(six["method"], "yoshida4(mine)");
  // The same from the command line.
  const json typed = json::parse(
                 run_taut("run pendulum --set 'methods.mine.composition=[\"1/(2 - 2^(1/3))\", \"1 - 2/(2 - "
                          "2^(1/3))\", \"1/(2 - 2^(1/3))\"]' --method mine --steps 20 --json")
                     .out),
             usual = json::parse(run_taut("run pendulum --method yoshida4 --steps 20 --json").out);
  EXPECT_EQ(typed["q"], usual["q"]);
}

TEST(OwnMethods, ATableauOfLobattoIsLobatto) {
  const OwnFolder folder;
  const std::string path =
      model_with(folder,
                 "[methods.pair]\ntableau = { c = [0, \"1/2\", 1], b = [\"1/6\", \"2/3\", "
                 "\"1/6\"], A = [[0, 0, 0], [\"5/24\", \"1/3\", \"-1/24\"], [\"1/6\", "
                 "\"2/3\", \"1/6\"]] }\n[methods.rule]\ntableau = { c = [\"1/2\"], b = [1], A "
                 "= [[\"1/2\"]] }\non = \"dirac-gauss\"\n");
  for (const auto& [own, known] : {std::pair{"pair", "lobatto(3)"}, {"rule", "dirac-gauss(1)"}}) {
    const json mine = json::parse(run_taut("run '" + path + "' --method " + own + " --json").out),
               theirs = json::parse(run_taut("run '" + path + "' --method '" + known + "' --json").out);
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(mine["q"][i].get<double>(), theirs["q"][i].get<double>(), 1e-14) << own;
  }
  const auto listed = run_taut("methods --model '" + path + "'");
  EXPECT_EQ(listed.status, 0);
  EXPECT_NE(listed.out.find("pair\n"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("order 4, symmetric, symplectic"), std::string::npos) << listed.out;
  for (const char* condition : {"(2.3)", "(3.10)", "(3.12)", "(3.14)", "B(4)", "C(3)", "D(1)", "CC^(3)"})
    EXPECT_NE(listed.out.find(condition), std::string::npos) << condition << "\n" << listed.out;
  const json rows = json::parse(run_taut("methods --model '" + path + "' --json").out);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[1]["name"], "rule");
  EXPECT_EQ(rows[1]["order"], 2);
}

// The command, then what it says.
void refused_with(const std::string& tables, const std::string& sentence,
                  const std::string& method = "mine") {
  const OwnFolder folder;
  const auto ran = run_taut("run '" + model_with(folder, tables) + "' --method " + method);
  EXPECT_EQ(ran.status, 2) << tables;
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("model.toml:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(sentence), std::string::npos) << ran.err;
}

TEST(OwnMethods, WhatIsWrongIsSaidAtItsPlace) {
  refused_with(
      "[methods.mine]\ncomposition = [0.5, 0.6]\n",
      "the coefficients of mine sum to 1.1; a composition that follows the equations needs the sum 1");
  refused_with("[methods.mine]\ncomposition = [0.5, \"1/0\"]\n", "is infinite");
  refused_with("[methods.mine]\ncomposition = [0.5, \"k\"]\n", "unknown name `k`");
  refused_with("[methods.mine]\ncomposition = [0.5, 0.5]\nbase = \"radau(2)\"\n",
               "radau(2) is not symmetric");
  refused_with("[methods.mine]\ncomposition = [0.5, 0.5]\nbse = \"rattle\"\n", "Did you mean `base`?");
  refused_with("[methods.mine]\nbase = \"rattle\"\n", "needs a composition or a tableau");
  refused_with("[methods.rattle]\ncomposition = [1]\n", "there is a method rattle already", "rattle");
  refused_with("[methods.mine]\ntableau = { c = [0, 1], b = [0.5, 0.6], A = [[0, 0], [0.5, 0.5]] }\n",
               "B(1) is violated: the weights b must sum to 1; it is missed by 0.1");
  refused_with("[methods.mine]\ntableau = { c = [0, 1], b = [0.5, 0.5], A = [[0, 0], [0.5]] }\n",
               "a row of A has 1 numbers");
  refused_with("[methods.mine]\ntableau = { c = [0.5], b = [1], A = [[0.4]] }\non = \"dirac-gauss\"\n",
               "the method is not symplectic: b_i a_ij + b_j a_ji = b_i b_j is missed by 0.2");
  // What was typed needs no place.
  const OwnFolder folder;
  const std::string path = model_with(folder, "[methods.mine]\ncomposition = [0.3, 0.7]\n");
  const auto typed = run_taut("run '" + path + "' --method 'yoshida4(mine)'");
  EXPECT_EQ(typed.status, 2);
  EXPECT_EQ(typed.err,
            "taut: yoshida4 needs a symmetric base, and mine is not: its coefficients are not the same "
            "backwards.\n");
}

TEST(OwnMethods, OnTheCommandLine) {
  EXPECT_EQ(run_taut("run pendulum --method 'composition(0.5, 0.5; midpoint)' --steps 5").status, 0);
  const auto wrong = run_taut("run pendulum --method 'composition(0.5, 0.4)'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("sum to 0.9;"), std::string::npos) << wrong.err;
  const auto described = run_taut("methods 'composition(0.3, 0.7)'");
  EXPECT_NE(described.out.find("order 2, not symmetric, symplectic"), std::string::npos) << described.out;
  EXPECT_NE(described.out.find("the condition of order 3 for the word 3 is missed by 0.37"),
            std::string::npos)
      << described.out;
  EXPECT_EQ(run_taut("check pendulum --method 'yoshida4(yoshida4)' --step 0.1 --steps 2000").status, 0);
}

TEST(LambdaOutput, IsTheMethodsOwnIfAskedFor) {
  const std::string command = "run pendulum --method 'lobatto(3)' --steps 20 --json";
  const json continuous = json::parse(run_taut(command).out),
             stage = json::parse(run_taut(command + " --lambda stage").out);
  EXPECT_EQ(continuous["q"], stage["q"]);
  EXPECT_FALSE(continuous.contains("lambda_from"));
  EXPECT_EQ(stage["lambda_from"], "stage");
  const double difference =
      std::abs(continuous["lambda"][0].get<double>() - stage["lambda"][0].get<double>());
  EXPECT_GT(difference, 1e-8);  // Λₛ is of order 2
  EXPECT_LT(difference, 1e-2);
  const auto refused = run_taut("run pendulum --method rattle --lambda stage");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("rattle has no multiplier of its own"), std::string::npos) << refused.err;
  EXPECT_EQ(run_taut("run pendulum --lambda stages").status, 2);
}

TEST(FirstGuess, TakesFewerIterations) {
  const std::string command = "run double-pendulum --method rattle --step 0.02 --steps 200 --json";
  const json zero = json::parse(run_taut(command).out),
             guessed = json::parse(run_taut(command + " --first-guess multiplier").out);
  EXPECT_LT(guessed["newton"]["iterations_mean"].get<double>(),
            zero["newton"]["iterations_mean"].get<double>() - 0.5);
  EXPECT_EQ(guessed["method"], "rattle");
  EXPECT_NEAR(guessed["q"][0].get<double>(), zero["q"][0].get<double>(), 1e-11);
  const auto refused = run_taut("run pendulum --method midpoint --first-guess multiplier");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("midpoint cannot begin at the multiplier"), std::string::npos) << refused.err;
}

}  // namespace
