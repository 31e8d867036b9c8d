// Ensembles as people run them: trajectory i has the same bits in every layout, and those of `taut run`.

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/ensembles.hpp"
#include "support/in_full.hpp"
#include "support/run_program.hpp"

namespace {

using taut::test::ensemble, taut::test::hash_of, taut::test::OwnFolder, taut::test::Ran, taut::test::run_taut;

// Models with and without elementary functions, and what varies in them.
const std::map<std::string, std::string> varied = {
    {"pendulum", "--vary 'p_y ~ normal(0, 0.5)' --vary 'L ~ uniform(0.9, 1.1)'"},
    {"double-pendulum", "--vary 'p_x2 ~ normal(0, 0.5)'"},
    {"bead-on-wire", "--vary 'p_x ~ uniform(0.1, 1)'"},
    {"spherical-pendulum", "--vary 'p_x ~ normal(0, 0.3)' --vary 'p_y ~ normal(0, 0.3)'"},
    {"six-node-chain", "--vary 'kappa = linspace(0.5, 1.5)'"}};

class EveryLayout : public testing::TestWithParam<std::string> {};

TEST_P(EveryLayout, HasTheSameBits) {
  for (const auto& [model, vary] : varied) {
    const std::string what =
        model + " --size 21 --steps 80 --project-start --method '" + GetParam() + "' " + vary;
    const std::string alone = hash_of(what + " --lanes 1 --threads 1");
    EXPECT_EQ(alone.size(), 64U);
    for (const char* layout : {" --lanes 8 --threads 1", " --lanes 4 --threads 2", " --lanes 16 --threads 5",
                               " --lanes 1 --threads 2", ""})
      EXPECT_EQ(hash_of(what + layout), alone) << model << layout;
  }
}
INSTANTIATE_TEST_SUITE_P(Of, EveryLayout,
                         testing::Values("rattle", "lobatto(3)", "kahan-li8", "midpoint", "bdf(2)"),
                         [](const auto& of) {
                           std::string name;
                           for (const char c : of.param)
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           return name;
                         });

std::vector<std::vector<std::string>> table_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

std::size_t column(const std::vector<std::vector<std::string>>& table, const std::string& name) {
  const auto& names = table.front();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Each trajectory of an ensemble is the run of its values.
TEST(Ensembles, ATrajectoryIsARun) {
  const OwnFolder folder;
  for (const std::string backend : {"interpret", "specialise"}) {
    ensemble("pendulum --size 9 --steps 300 --project-start " + varied.at("pendulum") + " --backend " +
                 backend + " --out " + backend,
             folder.string());
    const auto table = table_of(run_taut("export " + backend + " --csv", folder.string()).out);
    ASSERT_EQ(table.size(), 10U);
    // Each run of specialise is compiled by itself.
    const std::vector<std::size_t> rows = backend == "interpret" || taut::test::in_full()
                                              ? std::vector<std::size_t>{1, 4, 9}
                                              : std::vector<std::size_t>{4};
    for (const std::size_t row : rows) {
      const auto at = [&](const char* name) { return table[row][column(table, name)]; };
      const Ran ran = run_taut("run pendulum --steps 300 --project-start --json --backend " + backend +
                               " --set p_y=" + at("p_y(0)") + " --set L=" + at("L"));
      ASSERT_EQ(ran.status, 0) << ran.err;
      const auto run = nlohmann::json::parse(ran.out);
      EXPECT_EQ(std::stod(at("x")), run["q"][0].get<double>());
      EXPECT_EQ(std::stod(at("y")), run["q"][1].get<double>());
      EXPECT_EQ(std::stod(at("p_x")), run["p"][0].get<double>());
      EXPECT_EQ(std::stod(at("p_y")), run["p"][1].get<double>());
      EXPECT_EQ(std::stod(at("max|H-H0|")), run["energy"]["max_error"].get<double>());
      EXPECT_EQ(std::stod(at("max|g|")), run["residual"]["position_max"].get<double>());
      EXPECT_EQ(std::stod(at("max|G H_p|")), run["residual"]["momentum_max"].get<double>());
    }
  }
}

// Momenta that follow from velocities, and coordinates that follow from those of a parametrisation, are
// computed for each trajectory as a run computes them.
TEST(Ensembles, AStartIsComputedAsThatOfARun) {
  const OwnFolder folder;
  std::ofstream(folder / "turning.toml") << R"toml([parameters]
m = 1.0
[system]
coordinates = ["r", "phi"]
lagrangian = "m*(v_r^2 + r^2*v_phi^2)/2 + 1/r"
[initial]
r = 1.0
v_phi = 1.0
[run]
method = "midpoint"
step = 0.01
steps = 20
)toml";
  std::ofstream(folder / "angle.toml") << R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[parametrisation]
coordinates = ["a"]
x = "sin(a)"
y = "-cos(a)"
[initial]
a = 1.0
[run]
method = "rattle"
step = 0.05
steps = 20
)toml";
  using Values = std::vector<std::string>;
  const auto is_run = [&](const std::string& model, const std::string& name, const Values& values,
                          const std::string& more = "") {
    ensemble(
        fmt::format("{} {} --vary '{} = [{}]' --out {}", model, more, name, fmt::join(values, ","), name),
        folder.string());
    const auto table = table_of(run_taut("export " + name + " --csv", folder.string()).out);
    ASSERT_EQ(table.size(), 1 + values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Ran ran = run_taut(fmt::format("run {} {} --json --set {}={}", model, more, name, values[k]),
                               folder.string());
      ASSERT_EQ(ran.status, 0) << ran.err;
      const auto run = nlohmann::json::parse(ran.out);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(std::stod(table[1 + k][6 + i]), run["q"][i].get<double>()) << name << values[k];
        EXPECT_EQ(std::stod(table[1 + k][8 + i]), run["p"][i].get<double>()) << name << values[k];
      }
    }
  };
  is_run("turning.toml", "r", {"0.8", "1.2"});
  is_run("turning.toml", "v_r", {"-0", "-0.25", "1e-3"});
  is_run("turning.toml", "m", {"2", "1e2"});
  is_run("angle.toml", "x", {"0.5", "0.6"}, "--project-start");
  is_run("angle.toml", "a", {"0.5", "2"});
  const auto refused = [&](const std::string& arguments) {
    const Ran ran = run_taut("ensemble " + arguments, folder.string());
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_NE(ran.err.find("velocit"), ran.err.npos) << ran.err;
  };
  refused("turning.toml --vary 'p_r = [0.1, 0.2]'");
  refused("turning.toml --vary 'p_r = [0.1, 0.2]' --vary 'v_phi = [0.1, 0.2]'");
  refused("pendulum --vary 'v_x = [0.1, 0.2]' --set p_y=0.1");
  // All momenta replace the velocities, as in a table of starts.
  std::ofstream(folder / "starts.csv") << "r,phi,p_r,p_phi,m\n1,0,0.1,1,2\n2,0,0,1,3\n";
  ensemble("turning.toml --table starts.csv --steps 1 --out all", folder.string());
  const auto table = table_of(run_taut("export all --csv", folder.string()).out);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_NEAR(std::stod(table[1][column(table, "H0")]), 1.01 / 4 - 1, 1e-15);
  EXPECT_NEAR(std::stod(table[2][column(table, "H0")]), 1.0 / 24 - 0.5, 1e-15);
}

// Trajectories of a grid that have the same parameters share a model, and each has its own start.
TEST(Ensembles, AGridOfParametersAndStartsHasTheBitsOfItsLists) {
  const std::string more = " --steps 50 --project-start --set x=L";
  const std::string grid = hash_of("pendulum --grid --vary 'p_y = [0, 0.5]' --vary 'L = [1, 1.5, 2]'" + more);
  const std::string lists =
      hash_of("pendulum --vary 'p_y = [0, 0, 0, 0.5, 0.5, 0.5]' --vary 'L = [1, 1.5, 2, 1, 1.5, 2]'" + more);
  EXPECT_EQ(grid, lists);
  const OwnFolder folder;
  std::ofstream(folder / "starts.csv") << "p_y,L\n0,1\n0,1.5\n0,2\n0.5,1\n0.5,1.5\n0.5,2\n";
  EXPECT_EQ(ensemble("pendulum --table starts.csv" + more, folder.string())["sha256"], lists);
}

TEST(Ensembles, ASmallOneIsThePrefixOfALargeOne) {
  const OwnFolder folder;
  for (const std::string size : {"10", "300"})
    ensemble("pendulum --size " + size + " --steps 50 --project-start " + varied.at("pendulum") + " --out n" +
                 size,
             folder.string());
  const std::string small = run_taut("export n10 --csv", folder.string()).out,
                    large = run_taut("export n300 --csv", folder.string()).out;
  EXPECT_EQ(large.substr(0, small.size()), small);
}

TEST(Ensembles, PartsAreMergedToTheSameBits) {
  const OwnFolder folder;
  const std::string what = "pendulum --size 100 --steps 40 --project-start " + varied.at("pendulum");
  const std::string whole = hash_of(what);
  for (const std::string part : {"1", "2", "3"}) {
    const auto json = ensemble(what + " --out p" + part + " --part " + part + "/3", folder.string());
    EXPECT_TRUE(json["sha256"].is_null());
  }
  EXPECT_EQ(run_taut("merge p1 p2 --out some", folder.string()).status, 1);
  const Ran merged = run_taut("merge p1 p2 p3 --out all", folder.string());
  EXPECT_EQ(merged.status, 0) << merged.out << merged.err;
  const Ran shown = run_taut("show all", folder.string());
  EXPECT_NE(shown.out.find(whole), shown.out.npos) << shown.out;
  const Ran rest = run_taut("resume some --json", folder.string());
  EXPECT_EQ(nlohmann::json::parse(rest.out)["sha256"], whole);
}

TEST(Ensembles, SamplesAreThoseOfRuns) {
  const OwnFolder folder;
  ensemble("pendulum --size 3 --steps 25 --every 10 --project-start --vary 'p_y = [0, 0.3, 0.5]' --out e",
           folder.string());
  const auto table = table_of(run_taut("export e --csv --samples", folder.string()).out);
  ASSERT_EQ(table.size(), 1 + 3 * 4U);  // t = 0, 10 h, 20 h, 25 h
  run_taut("run pendulum --steps 25 --every 10 --project-start --set p_y=0.3 --out r", folder.string());
  const auto samples = table_of(run_taut("export r --csv", folder.string()).out);
  ASSERT_EQ(samples.size(), 5U);
  for (std::size_t k = 0; k < 4; ++k)
    for (const char* name : {"t", "x", "y", "p_x", "p_y"})
      EXPECT_EQ(table[1 + 4 + k][column(table, name)], samples[1 + k][column(samples, name)]) << k << name;
}

TEST(Ensembles, QuantitiesHaveTheParametersOfTheirTrajectory) {
  const OwnFolder folder;
  ensemble(
      "pendulum --vary 'L = [1, 1.5, 2]' --set x=L --steps 10 --every 5 --quantity 'twice=2*L + 0*x' --out e",
      folder.string());
  for (const char* what : {"export e --csv", "export e --csv --samples"}) {
    const auto table = table_of(run_taut(what, folder.string()).out);
    ASSERT_GT(table.size(), 3U);
    EXPECT_EQ(std::stod(table[1][column(table, "twice")]), 2);
    EXPECT_EQ(std::stod(table.back()[column(table, "twice")]), 4);
  }
}

TEST(Ensembles, FailuresAreRows) {
  const OwnFolder folder;
  const auto json =
      ensemble("pendulum --size 20 --steps 50 --vary 'y = linspace(0, 0.5)' --out e", folder.string());
  EXPECT_EQ(json["failed"], 19);
  EXPECT_EQ(json["failures"]["start-refused"], 19);
  EXPECT_EQ(json["reductions"]["count"], 1);
  const Ran none = run_taut("ensemble pendulum --size 2 --steps 50 --vary 'y = [0.3, 0.5]'");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("trajectory 0 cannot start"), none.err.npos) << none.err;
  const Ran unreachable = run_taut("ensemble pendulum --size 4 --vary 'x ~ normal(5, 0.1)'");
  EXPECT_EQ(unreachable.status, 2);
  EXPECT_EQ(run_taut("ensemble pendulum --size 2 --steps 50 --step 50 --vary 'p_y = [1, 2]'").status, 1);
  const Ran long_steps =
      run_taut("ensemble pendulum --size 20 --steps 50 --step 3 --vary 'p_y = linspace(0, 2)' --json");
  EXPECT_GT(nlohmann::json::parse(long_steps.out)["failed"], 0);
}

TEST(Ensembles, ReductionsAreExact) {
  const OwnFolder folder;
  const auto json = ensemble(
      "pendulum --size 5 --steps 0 --set x=0 --set y=-1 --vary 'p_x = [3, 1, 2, 5, 4]' "
      "--quantile 0.5 --quantile 0.25 --histogram 4 --covariance --out e",
      folder.string());
  const auto& r = json["reductions"];
  EXPECT_EQ(r["mean"]["p_x"], 3.0);
  EXPECT_EQ(r["minimum"]["p_x"], 1.0);
  EXPECT_EQ(r["maximum"]["p_x"], 5.0);
  EXPECT_DOUBLE_EQ(r["sd"]["p_x"], std::sqrt(2.5));
  EXPECT_EQ(r["spread"]["p_x"]["quantiles"], (std::vector<double>{3, 2}));
  EXPECT_EQ(r["spread"]["p_x"]["counts"], (std::vector<int>{1, 1, 1, 2}));
}

// What is asked of an ensemble when it is made can be asked of its folder later, and of a small one without a
// folder.
TEST(Ensembles, ReductionsCanBeAskedForLater) {
  const OwnFolder folder;
  const std::string what = "pendulum --size 70 --steps 20 --project-start " + varied.at("pendulum"),
                    wanted = " --quantile 0.5 --quantile 0.1 --histogram 4 --covariance";
  const auto made = ensemble(what + wanted + " --out e", folder.string())["reductions"];
  ASSERT_EQ(made["spread"]["p_y"]["counts"].size(), 4U);
  ASSERT_TRUE(made.contains("covariance"));
  EXPECT_EQ(ensemble(what + wanted)["reductions"], made);
  for (const std::string command : {"show e", "resume e"}) {
    const Ran later = run_taut(command + wanted + " --json", folder.string());
    ASSERT_EQ(later.status, 0) << later.err;
    EXPECT_EQ(nlohmann::json::parse(later.out)["reductions"], made) << command;
  }
  const Ran text = run_taut("show e --quantile 0.5", folder.string());
  EXPECT_NE(text.out.find("quantiles p_y:  0.5: "), text.out.npos) << text.out;
  run_taut("run pendulum --steps 5 --out r", folder.string());
  for (const std::string command :
       {"show r --quantile 0.5", "resume r --covariance", "show r --json", "show pendulum --histogram 3"}) {
    const Ran refused = run_taut(command, folder.string());
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_NE(refused.err.find("for the folder of an ensemble"), refused.err.npos) << refused.err;
  }
}

// More final states wait for the first unit than are kept.
TEST(Ensembles, TheDigestIsReadFromTheFolderIfTheFirstUnitComesLast) {
  const OwnFolder folder;
  const std::string what =
      "pendulum --size 40000 --steps 1 --vary 'p_y ~ normal(0, 0.5)' --project-start --out e";
  const std::string whole = ensemble(what, folder.string()).value("sha256", "none");
  ASSERT_TRUE(std::filesystem::remove(folder / "e/units/000/000000.taut"));
  const Ran rest = run_taut("resume e --json", folder.string());
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(nlohmann::json::parse(rest.out)["sha256"], whole);
}

TEST(Ensembles, BadInputIsRefusedInWords) {
  const OwnFolder folder;
  const auto refused = [&](const std::string& arguments, const std::string& words) {
    const Ran ran = run_taut("ensemble " + arguments, folder.string());
    EXPECT_EQ(ran.status, 2) << arguments << ran.err;
    EXPECT_NE(ran.err.find(words), ran.err.npos) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "");
  };
  refused("pendulum --size 3 --vary 'z = [1, 2, 3]'", "z");
  refused("pendulum --size 3 --vary 'x = [1, 2]'", "2");
  refused("pendulum --size 3 --vary 'x ~ gauss(0, 1)'", "gauss");
  refused("pendulum --size 3 --lanes 3", "1, 4, 8 or 16");
  refused("pendulum --size 3 --part 4/3", "--part");
  refused("pendulum --size 3 --every 5", "--out");
  refused("pendulum --size 3 --quantile 2", "between 0 and 1");
  refused("pendulum --size 100000000 --quantile 0.5", "--out");
  refused("pendulum --size 3 --precision quad", "precision");
  refused("pendulum --size 3 --method 'lobatto(3)' --set output.lambda=stage", "output.lambda=continuous");
  refused("pendulum --size 3 --table nothing.csv", "nothing.csv");
  ensemble("pendulum --size 3 --steps 5 --out e", folder.string());
  refused("pendulum --size 4 --steps 5 --out e", "another ensemble");
}

// A row of a sweep is the summary of the run with its values.
TEST(Sweeps, HaveTheNumbersOfRuns) {
  const OwnFolder folder;
  const std::string what =
      "sweep pendulum --vary 'L = [1, 1.25, 2]' --set x=L --steps 60 --quantity 'twice=2*L'";
  const auto csv = table_of(run_taut(what + " --csv").out);
  const Ran ran = run_taut(what + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(csv.size(), 4U);
  const auto run =
      nlohmann::json::parse(run_taut("run pendulum --set L=1.25 --set x=L --steps 60 --json").out);
  const auto row = json["rows"][1];
  EXPECT_EQ(row["values"]["L"], 1.25);
  EXPECT_EQ(row["quantities"]["twice"], 2.5);
  for (const char* name : {"q", "p", "energy", "residual", "steps", "time"})
    EXPECT_EQ(row[name], run[name]) << name;
  EXPECT_EQ(std::stod(csv[2][column(csv, "energy_max_error")]), run["energy"]["max_error"].get<double>());
  EXPECT_EQ(std::stod(csv[2][column(csv, "momentum_max")]), run["residual"]["momentum_max"].get<double>());
  EXPECT_EQ(csv[2][column(csv, "ended")], "done");
  EXPECT_EQ(json["sha256"], hash_of("pendulum --vary 'L = [1, 1.25, 2]' --set x=L --steps 60"));
}

TEST(Sweeps, DrawMapsOfGridsAndOfFailures) {
  const OwnFolder folder;
  const Ran ran = run_taut(
      "sweep pendulum --vary 'L = linspace(0.8, 2, 4)' --set x=L --vary 'gravity = [1, 400]' --grid --steps "
      "40 "
      "--report page.html --csv",
      folder.string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto csv = table_of(ran.out);
  ASSERT_EQ(csv.size(), 9U);
  const std::string page = taut::test::read_text((folder / "page.html").string());
  EXPECT_NE(page.find("\"kind\":\"map\""), page.npos);
  EXPECT_NE(page.find("How they ended"), page.npos);
  EXPECT_EQ(csv[1][column(csv, "ended")], "done");
  EXPECT_EQ(csv[2][column(csv, "ended")], "not-solved");
  const Ran refused = run_taut("sweep pendulum --vary 'L = [1]' --json --csv");
  EXPECT_EQ(refused.status, 2);
}

TEST(Ensembles, AModelFileMayNameATable) {
  const OwnFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("starts.csv", "x,p_y,L\n0.6,0.1,0.6\n0.8,0.2,0.8\n");
  const std::string model = R"([parameters]
L = 1.0
[system]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "y"
constraints = ["x^2 + y^2 - L^2"]
[initial]
x = 1.0
[run]
method = "rattle"
step = 0.05
steps = 40
[ensemble]
)";
  write("with.toml", model + "table = \"starts.csv\"\n");
  write("without.toml", model);
  const auto by_file = ensemble("with.toml --project-start --out e", folder.string());
  const auto by_option = ensemble("without.toml --project-start --table starts.csv", folder.string());
  EXPECT_EQ(by_file["size"], 2);
  EXPECT_EQ(by_file["sha256"], by_option["sha256"]);
  std::filesystem::remove(folder / "starts.csv");  // the folder of the ensemble has what it needs
  std::filesystem::remove(folder / "e/units/000/000000.taut");
  const Ran again = run_taut("resume e --json", folder.string());
  EXPECT_EQ(nlohmann::json::parse(again.out, nullptr, false).value("sha256", "none"),
            by_file["sha256"].get<std::string>());
  const Ran missing = run_taut("ensemble with.toml", folder.string());
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("starts.csv"), missing.err.npos) << missing.err;
}

}  // namespace
