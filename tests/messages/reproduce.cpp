// The papers' experiments by the program: every verdict as expected, the list for machines, and the messages
// for a wrong or unexpected study.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

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
                                           "expected", "reading", "kind", "statement", "accept",
                                           "independent", "independent_by"}));
    EXPECT_TRUE(verdicts.contains(row["verdict"])) << row;
    EXPECT_EQ(row["verdict"], row["expected"]) << row;
    EXPECT_TRUE(row["verdict"] == "reproduced" || !row["reading"].get<std::string>().empty()) << row;
    // A reader sees what would have been accepted and where a second computation came from.
    EXPECT_FALSE(row["accept"].get<std::string>().empty()) << row;
    EXPECT_EQ(row["independent"].get<std::string>().empty(), row["independent_by"].get<std::string>().empty())
        << row;
    EXPECT_EQ(row["kind"] == "statement", !row["statement"].get<std::string>().empty()) << row;
    EXPECT_TRUE(row["kind"] == "control" || !row["published"].get<std::string>().empty()) << row;
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
  for (const char* study : {"reich/table1",
                            "reich/table2",
                            "reich/bdf4",
                            "reich/stability",
                            "reich/cost",
                            "jay/stiff",
                            "leimkuhler-reich/figure1",
                            "leimkuhler-reich/figure2",
                            "leimkuhler-reich/figures3-6",
                            "leimkuhler-reich/stability",
                            "seiler/section3",
                            "seiler/section5",
                            "seiler/section6",
                            "leimkuhler-skeel/vs-vr",
                            "leimkuhler-skeel/figures3-5",
                            "leimkuhler-skeel/figures6-7",
                            "jay/tables",
                            "jay/example1",
                            "jay/example2",
                            "jay/figure58"})
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
  const Ran differs =
      OwnStudy(quantity("1.0", "reproduced", "independent = 1.01\nindependent_by = \"a clock\"\n")).run();
  EXPECT_EQ(differs.status, 1);
  EXPECT_NE(differs.out.find("NOT 1.01 AS FOUND INDEPENDENTLY"), std::string::npos) << differs.out;
}

// The numbers of the last line of the table: statements, numbers and other rows.
std::vector<int> tally(const std::string& printed) {
  std::vector<int> found;
  const std::size_t at = printed.find("\nall ");
  EXPECT_NE(at, std::string::npos) << printed;
  if (at == std::string::npos) return found;
  std::istringstream line(printed.substr(at + 5, printed.find('\n', at + 1) - at - 5));
  for (int value = 0; line >> value;) found.push_back(value);
  return found;
}

std::string statement(const std::string& accept, const std::string& expected, const std::string& more = "") {
  return quantity("late", expected, "accept = \"" + accept + "\"\n" + more);
}

TEST(OwnStudies, ARowShowsWhatWouldHaveBeenAcceptedAndTheSecondComputation) {
  const OwnStudy study(quantity("1.0", "reproduced", "independent = 1.0\nindependent_by = \"a clock\"\n") +
                       quantity("1.00", "reproduced", "within = 0.5\n") +
                       quantity("2*0.5", "reproduced", "accept = \"equal\"\nwithin = 1e-7\n") +
                       statement("0.5 .. 4/2", "reproduced"));
  const Ran ran = study.run();
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* shown :
       {"0.95 .. 1.05", "1.0*", "1 ± 0.5", "1 ± 1e-07", "0.5 .. 2", "* second computation: a clock"})
    EXPECT_NE(ran.out.find(shown), std::string::npos) << shown << "\n" << ran.out;
  const json first = json::parse(study.run("--json").out)[0];
  EXPECT_EQ(first["accept"], "0.95 .. 1.05");
  EXPECT_EQ(first["independent"], "1.0");
  EXPECT_EQ(first["independent_by"], "a clock");
  EXPECT_EQ(first["kind"], "number");
}

TEST(OwnStudies, AStatementIsAsGoodAsTheWorstOfItsRows) {
  const std::string good = statement("> 0.5", "reproduced"),
                    bad = statement("> 2", "not-reproduced", "note = \"why\"\n");
  EXPECT_EQ(tally(OwnStudy(good + good).run().out), (std::vector{1, 0, 0, 0, 0, 0, 0}));
  const std::string out = OwnStudy(good + bad).run().out;
  EXPECT_EQ(tally(out), (std::vector{0, 0, 1, 0, 0, 0, 0}));
  EXPECT_NE(out.find("Not reproduced: 1 of the statements and 0 of the numbers."), std::string::npos) << out;
  const std::string other = "statement = \"another\"\n";
  EXPECT_EQ(tally(OwnStudy(good + statement("> 0.5", "reproduced", other)).run().out),
            (std::vector{2, 0, 0, 0, 0, 0, 0}));
}

TEST(OwnStudies, ControlsRejectedReadingsAndStructuralValuesAreShownAndNotCounted) {
  const std::string control =
      "[[quantity]]\nname = \"end\"\nmeasure = \"final\"\nrun = \"rattle\"\nof = \"t\"\nkind = \"control\"\n";
  const Ran ran = OwnStudy(quantity("1.0", "reproduced") + control + "accept = \"> 0\"\n" + control +
                           "independent = 1.0\nindependent_by = \"a clock\"\n" +
                           quantity("1.0", "reproduced", "kind = \"structural\"\n") +
                           quantity("1.1", "not-reproduced", "kind = \"rejected-reading\"\nnote = \"why\"\n"))
                      .run();
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_EQ(tally(ran.out), (std::vector{0, 0, 0, 1, 0, 0, 4})) << ran.out;
  for (const char* shown : {"control, holds", "structural, holds", "rejected reading, not-reproduced"})
    EXPECT_NE(ran.out.find(shown), std::string::npos) << shown << "\n" << ran.out;
  EXPECT_EQ(ran.out.find("Not reproduced:"), std::string::npos) << ran.out;
  const Ran broken = OwnStudy(control + "accept = \"> 2\"\n").run();
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.out.find("control, does not hold  EXPECTED reproduced"), std::string::npos) << broken.out;
}

// 4 K(1/2), the period of a pendulum that starts at rest beside its pivot.
TEST(OwnStudies, APeriodIsMeasured) {
  const std::string run = "[[run]]\nname = \"exact\"\nmethod = \"lobatto(8)\"\nstep = 0.05\nuntil = 30\n";
  const Ran ran = OwnStudy(run +
                           "[[quantity]]\nname = \"T\"\nmeasure = \"period\"\nrun = \"exact\"\nof = \"x\"\n"
                           "published = \"7.4162987092\"\nexpected = \"reproduced\"\n")
                      .run();
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  const Ran never = OwnStudy(
                        "[[quantity]]\nname = \"T\"\nmeasure = \"period\"\nrun = \"rattle\"\nof = \"x\"\n"
                        "published = \"7\"\nexpected = \"reproduced\"\n")
                        .run();
  EXPECT_EQ(never.status, 2);
  EXPECT_NE(never.err.find("rises through zero less than twice"), std::string::npos) << never.err;
}

// What the certificate measures, as rows: RATTLE keeps dq ∧ dp and can be reversed, projected Radau cannot.
TEST(OwnStudies, SymplecticityAndReversibilityAreMeasured) {
  const auto row = [](const std::string& measure, const std::string& run, const std::string& accept) {
    return "[[quantity]]\nname = \"defect\"\nmeasure = \"" + measure + "\"\nrun = \"" + run +
           "\"\npublished = \"defect\"\naccept = \"" + accept + "\"\nexpected = \"reproduced\"\n";
  };
  const Ran ran =
      OwnStudy("[[run]]\nname = \"radau\"\nmethod = \"radau-projected(2)\"\nstep = 0.3\nsteps = 1\n" +
               row("symplectic-defect", "rattle", "< 1e-9") + row("symplectic-defect", "radau", "> 1e-6") +
               row("reversal-defect", "rattle", "< 1e-10") + row("reversal-defect", "radau", "> 1e-6"))
          .run();
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
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
      {good + "kind = \"guess\"\n", "own.toml:16:8: ", "there is no kind `guess` of row"},
      {good + "kind = \"control\"\n", "own.toml:14:13: ", "a control has no `published`"},
      {good + "independent = 1.0\n", "own.toml:16:15: ", "a second computation needs its origin"},
      {good + "[[plot]]\ntitle = \"a\"\nmark = \"crosses\"\n", "own.toml:18:8: ", "`mark` is line or points"},
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
