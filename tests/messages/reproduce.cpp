// The papers' experiments by the program: every verdict as expected, the list for machines, and the messages
// for a wrong or unexpected study.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

#include "support/run_program.hpp"

namespace {

using nlohmann::json;
using taut::test::OwnFolder;
using taut::test::Ran;
using taut::test::run_taut;

void expect_contract(const json& rows) {
  const std::set<std::string> verdicts = {"reproduced", "reproduced-under-reading", "not-reproduced"};
  ASSERT_TRUE(rows.is_array());
  for (const json& row : rows) {
    std::set<std::string> keys;
    for (const auto& [key, value] : row.items()) keys.insert(key);
    EXPECT_EQ(keys, (std::set<std::string>{"study", "quantity", "published", "measured", "verdict",
                                           "expected", "reading"}));
    EXPECT_TRUE(verdicts.contains(row["verdict"])) << row;
    EXPECT_EQ(row["verdict"], row["expected"]) << row;
    EXPECT_TRUE(row["verdict"] == "reproduced" || !row["reading"].get<std::string>().empty()) << row;
  }
}

// Each of these takes a fraction of a second.
TEST(Reproduce, ReichsTables) {
  const Ran ran = run_taut("reproduce reich --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json rows = json::parse(ran.out);
  expect_contract(rows);
  const auto measured = [&](const std::string& quantity) {
    for (const json& row : rows)
      if (row["quantity"] == quantity) return row["measured"].get<double>();
    ADD_FAILURE() << quantity;
    return 0.0;
  };
  EXPECT_NEAR(measured("Yoshida |p_y(T)|"), 7.7446e-2, 5e-7);
  EXPECT_NEAR(measured("Lobatto, h = 0.004T"), 4.6573e-9, 5e-14);
  EXPECT_NEAR(measured("Gauss-Legendre |p_y(T)|"), 1.3054e-3, 5e-8);
}

TEST(Reproduce, TheNumberOfThreadsChangesNothing) {
  const Ran one = run_taut("reproduce seiler --json --threads 1"),
            four = run_taut("reproduce seiler --json --threads 4");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, four.out);
}

TEST(Reproduce, AllPapersAsExpected) {
  const Ran ran = run_taut("reproduce");
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ran.out.find("EXPECTED"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("INDEPENDENTLY"), std::string::npos) << ran.out;
  for (const char* study :
       {"reich/table1", "reich/table2", "reich/bdf4", "leimkuhler-reich/figure1", "leimkuhler-reich/figure2",
        "leimkuhler-reich/figures3-6", "leimkuhler-reich/stability", "seiler/section5", "seiler/section6",
        "leimkuhler-skeel/vs-vr", "leimkuhler-skeel/figures3-5", "leimkuhler-skeel/figures6-7", "jay/tables",
        "jay/example1", "jay/example2", "jay/figure58"})
    EXPECT_NE(ran.out.find("\n" + std::string(study) + " "), std::string::npos) << study;
  EXPECT_NE(ran.out.find("\nall "), std::string::npos);
}

// Figure 2 of Leimkuhler and Reich needs another rule for charts than the default.
TEST(ChartRules, AreReadFromTheName) {
  const auto energy = [](const std::string& formulation) {
    const Ran ran = run_taut(
        "run pendulum --set y=0 --set p_y=-2 --set gravity=0 --method implicit-midpoint --step 0.01 "
        "--until 100 --json --formulation '" +
        formulation + "'");
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(ran.out)["energy"]["final"].get<double>() - 2;
  };
  EXPECT_NEAR(energy("state-space(coordinates, after, 0.70710678118654752)"), -2.041e-3, 2e-6);
  EXPECT_NE(energy("state-space"), energy("state-space(coordinates)"));
  EXPECT_EQ(energy("state-space"), energy("state-space(tangent, before, 0.5)"));
  for (const char* wrong :
       {"state-space(flat)", "state-space(tangent, never)", "state-space(tangent, after, 2)",
        "state-space(tangent, after, x)", "state-space()", "underlying(tangent)"}) {
    const Ran ran =
        run_taut("run pendulum --method rk4 --steps 1 --formulation '" + std::string(wrong) + "'");
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_EQ(ran.out, "") << wrong;
  }
}

TEST(Reproduce, WritesAPageAndFigures) {
  const OwnFolder folder;
  const Ran ran = run_taut("reproduce seiler/section6 --report page --figures svg", folder.string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string page = taut::test::read_text(folder / "page/report.html");
  for (const char* part :
       {"<html", "seiler/section6", "Position against momentum projections", "Periodogram of x"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  int figures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "svg")) {
    EXPECT_NE(taut::test::read_text(entry.path()).find("<svg"), std::string::npos) << entry.path();
    ++figures;
  }
  EXPECT_EQ(figures, 3);
}

TEST(Reproduce, AnUnknownNameIsRefused) {
  const Ran ran = run_taut("reproduce reich/tabel1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("there is no study `reich/tabel1`. Did you mean `reich/table1`?"), std::string::npos)
      << ran.err;
}

// A study of one's own, beside its model.
struct OwnStudy {
  explicit OwnStudy(const std::string& rest) {
    std::filesystem::create_directory(folder / "models");
    std::ofstream(folder / "models/pendulum.toml") << R"([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1.0
)";
    std::ofstream(folder / "own.toml") << R"(title = "One's own"
place = "here"
model = "pendulum.toml"
[[run]]
name = "rattle"
method = "rattle"
step = 0.1
until = 1
)" << rest;
  }
  OwnFolder folder;
  Ran run(const std::string& options = "") const {
    return run_taut("reproduce own.toml " + options, folder.string());
  }
};

std::string quantity(const std::string& published, const std::string& expected,
                     const std::string& more = "") {
  return "[[quantity]]\nname = \"end\"\nmeasure = \"final\"\nrun = \"rattle\"\nof = \"t\"\npublished = \"" +
         published + "\"\nexpected = \"" + expected + "\"\n" + more;
}

TEST(OwnStudies, ExitSaysWhetherTheVerdictIsTheExpectedOne) {
  EXPECT_EQ(OwnStudy(quantity("1.0", "reproduced")).run().status, 0);
  const Ran wrong = OwnStudy(quantity("1.1", "reproduced")).run();
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("not-reproduced  EXPECTED reproduced"), std::string::npos) << wrong.out;
  EXPECT_EQ(OwnStudy(quantity("1.1", "not-reproduced", "note = \"why\"\n")).run().status, 0);
  EXPECT_EQ(OwnStudy(quantity("1.0", "reproduced-under-reading", "reading = \"which\"\n")).run().status, 0);
  const Ran differs = OwnStudy(quantity("1.0", "reproduced", "independent = 1.01\n")).run();
  EXPECT_EQ(differs.status, 1);
  EXPECT_NE(differs.out.find("NOT 1.01 AS FOUND INDEPENDENTLY"), std::string::npos) << differs.out;
}

struct Broken {
  std::string rest, place, sentence;
};

TEST(OwnStudies, AWrongFileIsRefusedWithThePlace) {
  const std::string good = quantity("1.0", "reproduced");
  const std::vector<Broken> all = {
      {"[[quantity]\n", "own.toml:9:", "not TOML"},
      {good + "colour = 1\n", "own.toml:16:1: ", "unknown key `colour`"},
      {quantity("1.0", "certain"), "own.toml:15:12: ", "there is no verdict `certain`"},
      {quantity("about one", "reproduced"), "own.toml:14:13: ", "not a printed number"},
      {quantity("1.0", "not-reproduced"), "own.toml:15:12: ", "needs its `reading`"},
      {"[[quantity]]\nname = \"a\"\nmeasure = \"fnal\"\n", "own.toml:11:11: ", "there is no measure `fnal`"},
      {"[[quantity]]\nname = \"a\"\nmeasure = \"final\"\nrun = \"ratle\"\nof = \"t\"\npublished = "
       "\"1\"\nexpected = \"reproduced\"\n",
       "own.toml:12:7: ", "there is no run `ratle`"},
      {"[[quantity]]\nname = \"a\"\nmeasure = \"final\"\nrun = \"rattle\"\nof = \"2*(t\"\npublished = "
       "\"1\"\nexpected = \"reproduced\"\n",
       "own.toml:13:", "own.toml"},
      {"[[quantity]]\nname = \"a\"\nmeasure = \"final\"\nrun = \"rattle\"\nof = \"2*z\"\npublished = "
       "\"1\"\nexpected = \"reproduced\"\n",
       "own.toml:13:7: ", "unknown name `z`"},
      {"[[run]]\nname = \"b\"\nmethod = \"rattel\"\nstep = 0.1\nsteps = 1\n" + good,
       "own.toml:9:1: ", "rattel"},
      {"[[run]]\nname = \"b\"\nmethod = \"rattle\"\nstep = 0.1\n" + good,
       "own.toml:9:1: ", "one of `steps` and `until`"},
  };
  for (const Broken& broken : all) {
    const Ran ran = OwnStudy(broken.rest).run();
    EXPECT_EQ(ran.status, 2) << broken.rest;
    EXPECT_EQ(ran.out, "") << broken.rest;
    EXPECT_NE(ran.err.find(broken.place), std::string::npos) << broken.place << "\n" << ran.err;
    EXPECT_NE(ran.err.find(broken.sentence), std::string::npos) << broken.sentence << "\n" << ran.err;
  }
}

}  // namespace
