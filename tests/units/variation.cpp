// What varies in an ensemble: every value is what its text says, and every text that makes no sense is
// refused with its place.

#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/variation.hpp>
#include <taut/random/draws.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/refused_model.hpp"

namespace {

using namespace taut;

std::string model_text(const std::string& ensemble = "") {
  return "[parameters]\nL = 2\ngravity = 1\n[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\n"
         "potential = \"gravity*y\"\nconstraints = [\"x^2 + y^2 - L^2\"]\n[initial]\nx = \"L\"\n" +
         ensemble;
}

Model model(const std::string& ensemble = "") {
  ReadModel read = read_model(model_text(ensemble), "model.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return std::move(*read.model);
}

std::vector<double> row(const Variations& all, std::int64_t i) {
  std::vector<double> out(all.names().size());
  all.values(i, out);
  return out;
}
std::vector<double> column(const Variations& all, std::size_t k = 0) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < all.size(); ++i) out.push_back(row(all, i)[k]);
  return out;
}
Variations varied(std::vector<std::string> vary, std::optional<std::int64_t> size = {}, bool grid = false) {
  return {model(), {.vary = std::move(vary), .size = size, .grid = grid}};
}
std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
std::string refusal(std::vector<std::string> vary, std::optional<std::int64_t> size = {}, bool grid = false) {
  return refusal([&] { varied(vary, size, grid); });
}

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

TEST(Variation, LinspaceHasBothEndsAndIsRoundedOnce) {
  EXPECT_EQ(column(varied({"L = linspace(0, 1, 11)"})),
            (Numbers{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}));
  const Numbers x = column(varied({"L = linspace(0.1, 0.7, 1001)"}));
  EXPECT_EQ(x.front(), 0.1);
  EXPECT_EQ(x.back(), 0.7);
  EXPECT_EQ(column(varied({"L = linspace(-1e308, 1e308, 3)"})), (Numbers{-1e308, 0, 1e308}));
  EXPECT_EQ(column(varied({"L = linspace(1, 2)"}, 3)), (Numbers{1, 1.5, 2}));
}

TEST(Variation, LogspaceIsGeometric) {
  EXPECT_EQ(column(varied({"L = logspace(1e-3, 1e3, 7)"})), (Numbers{1e-3, 1e-2, 1e-1, 1, 10, 100, 1000}));
  EXPECT_EQ(column(varied({"L = logspace(-1, -4, 3)"})), (Numbers{-1, -2, -4}));
}

TEST(Variation, NumbersMayBeFormulasOfParameters) {
  EXPECT_EQ(column(varied({"x = [L, sqrt(2), 2*pi, 1e-3]"})), (Numbers{2, std::sqrt(2.0), 2 * M_PI, 1e-3}));
  EXPECT_EQ(column(varied({"x=linspace(-L, (L + 1)*(2 - 1), 2)"})), (Numbers{-2, 3}));
}

TEST(Variation, DrawsAreThoseOfTheirNameSeedAndTrajectory) {
  const Variations all(
      {model(), {.vary = {"x ~ normal(0.5, 0.25)", "L = uniform(1, 3)"}, .size = 50, .seed = 9}});
  for (std::int64_t i = 0; i < all.size(); ++i) {
    const auto draw = [&](const char* name) {
      return Draw{9, static_cast<std::uint64_t>(i), stream_of(name), 0};
    };
    EXPECT_EQ(row(all, i)[0], 0.5 + 0.25 * normal(draw("x")));
    EXPECT_NEAR(row(all, i)[1], 1 + 2 * uniform(draw("L")), 1e-15);
  }
}

TEST(Variation, ASmallEnsembleIsAPrefixOfALargeOne) {
  const std::vector<std::string> vary{"x ~ normal(0, 1)", "L ~ choice(1, 2, 3)", "y ~ uniform(-1, 1)"};
  const Variations few = varied(vary, 100), many = varied(vary, 1000);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(row(few, i), row(many, i));
}

TEST(Variation, AnotherNameChangesNoDraw) {
  const Variations alone = varied({"x ~ normal(0, 1)"}, 20);
  const Variations more = varied({"p_y ~ normal(0, 1)", "x ~ normal(0, 1)", "L = linspace(1, 2, 20)"});
  EXPECT_EQ(column(alone), column(more, 1));
  EXPECT_NE(column(more, 0), column(more, 1));
}

TEST(Variation, AChoiceGivesAllOfItsNumbers) {
  int count[3] = {};
  for (const double x : column(varied({"x ~ choice(1, 2, 3)"}, 300))) ++count[static_cast<int>(x) - 1];
  for (const int c : count) EXPECT_NEAR(c, 100, 30);
}

TEST(Variation, InAGridTheLastNameRunsFastest) {
  const Variations all = varied({"L = [1, 2]", "gravity ~ uniform(0, 1)", "x = linspace(0, 1, 3)"}, {}, true);
  EXPECT_EQ(all.size(), 6);
  EXPECT_EQ(column(all, 0), (Numbers{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(column(all, 2), (Numbers{0, 0.5, 1, 0, 0.5, 1}));
  EXPECT_NE(row(all, 0)[1], row(all, 1)[1]);  // drawn once for each trajectory
}

TEST(Variation, TheModelFileSaysTheSame) {
  const Model m = model(
      "[ensemble]\nseed = 5\ngrid = true\nvary = { L = \"linspace(1, 2, 3)\", x = [\"L/2\", 3], y = "
      "\"normal(0, 1)\" }\n");
  const Variations file(m, {});
  const Variations typed(
      model(),
      {.vary = {"L = linspace(1, 2, 3)", "x = [1, 3]", "y ~ normal(0, 1)"}, .seed = 5, .grid = true});
  EXPECT_EQ(file.size(), 6);
  EXPECT_EQ(file.text(), typed.text());
  EXPECT_EQ(file.text(), "size 6\nseed 5\ngrid\nL = linspace(1, 2, 3)\nx = [1, 3]\ny ~ normal(0, 1)\n");
  // The command line replaces what the file says of a name, and adds others at the end.
  const Variations both(m, {.vary = {"x = [7]", "p_x ~ uniform(0, 1)"}, .seed = 6});
  EXPECT_EQ(both.text(),
            "size 3\nseed 6\ngrid\nL = linspace(1, 2, 3)\nx = [7]\ny ~ normal(0, 1)\np_x ~ uniform(0, 1)\n");
  EXPECT_EQ(Variations(model("[ensemble]\nsize = 4\n"), {}).size(), 4);
}

TEST(Variation, ARequestReadsBackFromJson) {
  const VaryRequest asked{
      .vary = {"x ~ normal(0, 1)"}, .size = 3, .seed = 18446744073709551615U, .grid = true};
  const VaryRequest back = vary_request(Json::parse(to_json(asked).to_text()));
  EXPECT_EQ(Variations(model(), back).text(), Variations(model(), asked).text());
  EXPECT_EQ(to_json(back).to_text(), to_json(asked).to_text());
  EXPECT_EQ(to_json(vary_request(to_json(VaryRequest{}))).to_text(), R"({"vary":[],"grid":false})");
}

TEST(Variation, TheTextGivesTheSameAgain) {
  for (const char* text : {"L = linspace(0.1, 0.30000000000000004, 5)", "x ~ normal(1e-300, 5e-324)",
                           "y ~ choice(-0.1, 1e22, 123456789.123)", "x = [1, 2.5]", "L = logspace(1, 9)"}) {
    const Variations one = varied({text}, text[0] == 'L' && text[5] == 'i' ? 5 : 2);
    const std::string said = one.text().substr(one.text().find('\n', 6) + 1);
    EXPECT_EQ(
        varied({said.substr(said.find('\n', 0) == said.size() - 1 ? 0 : said.find('\n') + 1)}, one.size())
            .text(),
        one.text());
  }
}

TEST(Variation, TextsThatMakeNoSenseAreRefusedWithTheirPlace) {
  const std::string form = "as in linspace(1, 2, 100), normal(0.6, 1e-3) or [1, 2, 3]";
  EXPECT_EQ(refusal({"l = linspace(1, 2, 3)"}),
            "--vary: the model has nothing called `l` that could vary\n     | l = linspace(1, 2, 3)\n     | "
            "^  known: L, gravity, x, y, p_x, p_y, v_x, v_y. Did you mean `L`?");
  EXPECT_EQ(refusal({"L"}),
            "--vary: this is not of the form NAME = VALUES\n     | L\n     | ^  as in --vary 'L = "
            "linspace(1, 2, 100)' or --vary 'x ~ normal(0.6, 1e-3)'");
  EXPECT_EQ(refusal({"L = 5"}),
            "--vary: `5` does not vary\n     | L = 5\n     |     ^  as in linspace(1, 2, 100), normal(0.6, "
            "1e-3) or [1, 2, 3]; --set sets one value");
  EXPECT_EQ(refusal({"L = "}),
            "--vary: there is nothing that varies\n     | L = \n     |     ^  as in linspace(1, 2, 100), "
            "normal(0.6, 1e-3) or [1, 2, 3]");
  EXPECT_EQ(refusal({"L = [1, 2"}),
            "--vary: the list does not end with `]`\n     | L = [1, 2\n     |     ^^^^^  as in linspace(1, "
            "2, 100), normal(0.6, 1e-3) or [1, 2, 3]");
  EXPECT_EQ(refusal({"L = []"}),
            "--vary: the list is empty\n     | L = []\n     |     ^^  as in linspace(1, 2, 100), normal(0.6, "
            "1e-3) or [1, 2, 3]");
  EXPECT_EQ(refusal({"L ~ gauss(1, 2)"}),
            "--vary: nothing varies as `gauss`\n     | L ~ gauss(1, 2)\n     |     ^^^^^  known here: "
            "linspace, logspace, uniform, normal, choice. A list is written [1, 2, 3]");
  EXPECT_EQ(refusal({"L ~ normal(1)"}),
            "--vary: `normal` has 1 number\n     | L ~ normal(1)\n     |     ^^^^^^^^^  it is written "
            "normal(mean, deviation)");
  EXPECT_EQ(refusal({"L ~ normal(1, 2, 3)"}),
            "--vary: `normal` has 3 numbers\n     | L ~ normal(1, 2, 3)\n     |     ^^^^^^^^^^^^^^^  it is "
            "written normal(mean, deviation)");
  EXPECT_EQ(refusal({"L ~ choice()"}),
            "--vary: `choice` has 0 numbers\n     | L ~ choice()\n     |     ^^^^^^^^  it is written "
            "choice(a, b, \xE2\x80\xA6)");
  EXPECT_EQ(refusal({"L ~ normal(1, 2"}),
            "--vary: `normal(1, 2` does not end with a bracket\n     | L ~ normal(1, 2\n     |     "
            "^^^^^^^^^^^  as in linspace(1, 2, 100), normal(0.6, 1e-3) or [1, 2, 3]");
  EXPECT_EQ(refusal({"L ~ normal(1, -2)"}),
            "--vary: the deviation of `normal` is -2, and cannot be negative\n     | L ~ normal(1, -2)\n     "
            "|            ^^^^^");
  EXPECT_EQ(refusal({"L ~ normal(1, 1e308)"}),
            "--vary: `normal` would give numbers that are not finite\n     | L ~ normal(1, 1e308)\n     |    "
            "        ^^^^^^^^");
  EXPECT_EQ(refusal({"L ~ uniform(2, 1)"}),
            "--vary: `uniform` lies between two numbers, and 2 is not below 1\n     | L ~ uniform(2, 1)\n    "
            " |             ^^^^");
  EXPECT_EQ(refusal({"L = linspace(1, 2, 1)"}),
            "--vary: the number of values of `linspace` is 1\n     | L = linspace(1, 2, 1)\n     |           "
            "         ^  a whole number from 2 to 1e15; a list of one value is written [1]");
  EXPECT_EQ(refusal({"L = linspace(1, 2, 2.5)"}),
            "--vary: the number of values of `linspace` is 2.5\n     | L = linspace(1, 2, 2.5)\n     |       "
            "             ^^^  a whole number from 2 to 1e15; a list of one value is written [1]");
  EXPECT_EQ(refusal({"L = logspace(0, 2, 3)"}),
            "--vary: `logspace` is a geometric sequence, and there is none from 0 to 2\n     | L = "
            "logspace(0, 2, 3)\n     |              ^^^^^^^");
  EXPECT_EQ(
      refusal({"L = linspace(1, gravit, 3)"}),
      "--vary: unknown name `gravit` in number 2 of `linspace`\n     | L = linspace(1, gravit, 3)\n     |    "
      "             ^^^^^^  here only parameters are allowed: L, gravity. Did you mean `gravity`?");
  EXPECT_EQ(refusal({"L = linspace(1, x, 3)"}),
            "--vary: unknown name `x` in number 2 of `linspace`\n     | L = linspace(1, x, 3)\n     |        "
            "         ^  here only parameters are allowed: L, gravity.");
  EXPECT_EQ(refusal({"L = linspace(1, 1/0, 3)"}),
            "--vary: number 2 of `linspace` has no finite value\n     | L = linspace(1, 1/0, 3)\n     |      "
            "           ^^^");
  EXPECT_EQ(refusal({"L = linspace(1, 2 +, 3)"}),
            "--vary: number 2 of `linspace` ends after `+`\n     | L = linspace(1, 2 +, 3)\n     |           "
            "        ^  a number, a name or `(` must follow");
  EXPECT_EQ(refusal({"L = [1e999, 1]"}),
            "--vary: number 1 of the list is infinite\n     | L = [1e999, 1]\n     |      ^^^^^");
  EXPECT_EQ(refusal({"L = [1, 2]", "L = [1, 2]"}),
            "--vary: `L` varies twice\n     | L = [1, 2]\n     | ^  leave one of the two out");
}

TEST(Variation, SizesThatDoNotAgreeAreRefused) {
  EXPECT_EQ(refusal({"x ~ normal(0, 1)"}), "how many trajectories are there? Say it by --size N.");
  EXPECT_EQ(refusal(Texts{}), "how many trajectories are there? Say it by --size N.");
  EXPECT_EQ(refusal({"L = linspace(1, 2)"}),
            "how many values has `L`? Say it as a third number, as in linspace(1, 2, 100).");
  EXPECT_EQ(refusal({"L = linspace(1, 2)", "x = linspace(1, 2)"}),
            "how many values have the lists? Say it by --size N, or in one of them.");
  EXPECT_EQ(refusal({"L = [1, 2, 3]"}, 4), "`L` has 3 values, and 4 trajectories are asked for.");
  EXPECT_EQ(
      refusal({"L = [1, 2, 3]", "x = [1, 2]"}),
      "`x` has 2 values, and `L` has 3. For every value of one with every value of the others, say --grid.");
  EXPECT_EQ(refusal({"L = linspace(1, 2)", "x = [1, 2]"}, {}, true),
            "how many values has `L`? Say it as a third number, as in linspace(1, 2, 100).");
  EXPECT_EQ(refusal({"L = [1, 2, 3]", "x = [1, 2]"}, 7, true),
            "the lists of the grid make 6 trajectories, and 7 are asked for: leave --size out.");
  EXPECT_EQ(refusal({"L = linspace(1, 2, 1e10)", "x = linspace(1, 2, 1e10)"}, {}, true),
            "the grid has more than 1000000000000000 trajectories.");
  EXPECT_EQ(refusal(Texts{}, 0),
            "an ensemble has at least 1 and at most 1000000000000000 trajectories, and 0 are asked for.");
}

// The two names were found by trying all of four letters.
TEST(Variation, NamesWithTheSameStreamAreRefused) {
  EXPECT_EQ(stream_of("aeau"), stream_of("mzjt"));
  const ReadModel read = read_model(
      "[parameters]\naeau = 1\nmzjt = 1\n[system]\ncoordinates = [\"x\"]\nmass = "
      "1\npotential = \"aeau*x + mzjt\"\n",
      "model.toml");
  EXPECT_EQ(refusal([&] {
              Variations(*read.model, {.vary = {"aeau ~ normal(0, 1)", "mzjt ~ normal(0, 1)"}, .size = 2});
            }),
            "`aeau` and `mzjt` would draw the same random numbers, because their names have the same hash: "
            "rename one of the two.");
}

TEST(Variation, TheTableEnsembleIsChecked) {
  test::refused(model_text("[ensemble]\nsizes = 3\n"),
                "model.toml:12:1: unknown key `sizes` in [ensemble]\n  12 | sizes = 3\n     | ^^^^^  known "
                "here: size, seed, vary, grid, table. Did you mean `size`?\n");
  test::refused(
      model_text("[ensemble]\nsize = 2.5\nseed = -1\ngrid = 1\nvary = 3\n"),
      "model.toml:12:8: the number of trajectories is 2.5\n  12 | size = 2.5\n     |        ^^^  it must be "
      "a whole number, 1 or more\nmodel.toml:13:8: the seed is -1\n  13 | seed = -1\n     |        ^^  it "
      "must be a whole number, 0 or more\nmodel.toml:14:8: `grid` must be true or false, not a number\n  14 "
      "| grid = 1\n     |        ^\nmodel.toml:15:8: `vary` must be a table, not a number\n  15 | vary = 3\n "
      "    |        ^  as in vary = { L = \"linspace(1, 2, 100)\" }\n");
  test::refused(
      model_text("[ensemble]\nvary = { L = 3, y = \"gauss(1, 2)\", z = \"normal(0, 1)\", x = [] }\n"),
      "model.toml:12:14: what `L` varies by must be a text in quotes or a list, not a number\n  12 | vary = "
      "{ L = 3, y = \"gauss(1, 2)\", z = \"normal(0, 1)\", x = [] }\n     |              ^  as in "
      "\"linspace(1, 2, 100)\", \"normal(0.6, 1e-3)\" or [1, 2, 3]\nmodel.toml:12:22: nothing varies as "
      "`gauss`\n  12 | vary = { L = 3, y = \"gauss(1, 2)\", z = \"normal(0, 1)\", x = [] }\n     |           "
      "           ^^^^^  known here: linspace, logspace, uniform, normal, choice. A list is written [1, 2, "
      "3]\nmodel.toml:12:36: the model has nothing called `z` that could vary\n  12 | vary = { L = 3, y = "
      "\"gauss(1, 2)\", z = \"normal(0, 1)\", x = [] }\n     |                                    ^  known: "
      "L, gravity, x, y, p_x, p_y, v_x, v_y.\nmodel.toml:12:60: the list is empty\n  12 | vary = { L = 3, y "
      "= "
      "\"gauss(1, 2)\", z = \"normal(0, 1)\", x = [] }\n     |                                               "
      "             ^^\n");
  test::refused(
      model_text("[ensemble]\nvary = { L = [\"q\"], x = \"linspace(1, 2, q)\" }\n"),
      "model.toml:12:16: unknown name `q` in a value of `L`\n  12 | vary = { L = [\"q\"], x = \"linspace(1, "
      "2, q)\" }\n     |                ^  known here: L, gravity.\nmodel.toml:12:41: unknown name `q` in "
      "number 3 of `linspace`\n  12 | vary = { L = [\"q\"], x = \"linspace(1, 2, q)\" }\n     |              "
      "                           ^  here only parameters are allowed: L, gravity.\n");
}

// --- tables

Variations tabled(const std::string& name, const std::string& bytes, VaryRequest asked = {}) {
  asked.table = TableFile{name, bytes};
  return {model(), asked};
}
std::string table_refusal(const std::string& bytes, const std::string& name = "starts.csv") {
  return refusal([&] { tabled(name, bytes); });
}

TEST(Tables, TextGivesARowForEachTrajectory) {
  const Variations all = tabled("starts.csv", "x, p_y,\"L\"\n1, 2.5 ,-3e-1\r\n+4,5,6\n\n");
  EXPECT_EQ(all.names(), (std::vector<std::string>{"x", "p_y", "L"}));
  EXPECT_EQ(all.size(), 2);
  EXPECT_EQ(row(all, 0), (Numbers{1, 2.5, -0.3}));
  EXPECT_EQ(row(all, 1), (Numbers{4, 5, 6}));
}

TEST(Tables, StandBesideOtherVariations) {
  const Variations all = tabled("starts.csv", "x\n1\n2\n", {.vary = {"L = [5, 6, 7]"}, .grid = true});
  EXPECT_EQ(column(all, 0), (Numbers{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(column(all, 1), (Numbers{5, 6, 7, 5, 6, 7}));
  EXPECT_EQ(refusal([] { tabled("starts.csv", "x\n1\n2\n", {.vary = {"x = [5, 6]"}}); }),
            "`x` is a column of the table, and varies by [5, 6] too: leave one of the two out.");
  EXPECT_EQ(refusal([] { tabled("starts.csv", "x\n1\n2\n", {.size = 3}); }),
            "the table has 2 rows, and 3 trajectories are asked for.");
}

TEST(Tables, TheTextNamesTheirValues) {
  const std::string text = tabled("a.csv", "x,y\n1,2\n").text();
  EXPECT_EQ(text, tabled("b.csv", "x, y\r\n1.0,2e0").text());
  EXPECT_NE(text, tabled("a.csv", "x,y\n1,3\n").text());
  EXPECT_NE(text, tabled("a.csv", "x,L\n1,2\n").text());
}

TEST(Tables, FaultsOfATextAreNamedWithTheirPlace) {
  EXPECT_EQ(table_refusal("x,z\n1,2\n"),
            "starts.csv:1:3: the model has nothing called `z` that could vary\n   1 | x,z\n     |   ^  "
            "known: L, gravity, x, y, p_x, p_y, v_x, v_y.");
  EXPECT_EQ(table_refusal("x,,x\n1,2,3\n"),
            "starts.csv:1:3: a column has no name\n   1 | x,,x\n     |   ^\nstarts.csv:1:4: there are two "
            "columns `x`\n   1 | x,,x\n     |    ^");
  EXPECT_EQ(table_refusal("x,y\n1\n1,2,3\n1,2\n"),
            "starts.csv:2:1: the row has 1 number, and the first line names 2 columns\n   2 | 1\n     | "
            "^\nstarts.csv:3:1: the row has 3 numbers, and the first line names 2 columns\n   3 | 1,2,3\n    "
            " | ^^^^^");
  EXPECT_EQ(table_refusal("x,y\n1,nan\n inf,2\n1,2a\n1,\n1e999,1\n"),
            "starts.csv:2:3: `nan` is not a finite number\n   2 | 1,nan\n     |   ^^^  column "
            "`y`\nstarts.csv:3:2: `inf` is not a finite number\n   3 |  inf,2\n     |  ^^^  column "
            "`x`\nstarts.csv:4:3: `2a` is not a finite number\n   4 | 1,2a\n     |   ^^  column "
            "`y`\nstarts.csv:5:3: there is no number\n   5 | 1,\n     |   ^  column `y`\nstarts.csv:6:1: "
            "`1e999` is not a finite number\n   6 | 1e999,1\n     | ^^^^^  column `x`");
  EXPECT_EQ(table_refusal(""), "starts.csv:1:1: the table is empty\n   1 | \n     | ^");
  EXPECT_EQ(table_refusal("x\n"), "starts.csv:1:1: the table has names and no rows\n   1 | x\n     | ^");
  EXPECT_EQ(table_refusal("x\n", "starts.txt"), "starts.txt: a table is a file .csv or .npy.");
}

std::string npy(const std::string& header, const std::string& numbers) {
  std::string out("\x93NUMPY\x01\0", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + numbers;
}
std::string bytes_of(const Numbers& numbers) {
  std::string out;
  for (const double x : numbers) put_number(out, x);
  return out;
}

TEST(Tables, ArraysOfNumpyAreRead) {
  const std::string plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }";
  const Numbers numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const Variations all = tabled("s.npy", npy(plain, bytes_of(numbers)));
  EXPECT_EQ(all.names(), (std::vector<std::string>{"x", "y", "p_x", "p_y"}));
  EXPECT_EQ(row(all, 1), (Numbers{5, 6, 7, 8}));
  EXPECT_EQ(row(tabled("s.npy", npy_header({2, 4}) + bytes_of(numbers)), 1), (Numbers{5, 6, 7, 8}));
  const std::string fortran = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 4), }";
  EXPECT_EQ(row(tabled("s.npy", npy(fortran, bytes_of(numbers))), 1), (Numbers{2, 4, 6, 8}));
  // A structured array: a big-endian float of 4 bytes and a whole number of 2.
  const std::string named =
      "{'descr': [('L', '>f4'), ('x', '<i2')], 'fortran_order': False, 'shape': (1,), }";
  const Variations mixed = tabled("s.npy", npy(named, std::string("\x3f\xc0\x00\x00\xfe\xff", 6)));
  EXPECT_EQ(mixed.names(), (std::vector<std::string>{"L", "x"}));
  EXPECT_EQ(row(mixed, 0), (Numbers{1.5, -2}));
}

TEST(Tables, FaultsOfAnArrayAreNamed) {
  const auto plain = [](const char* shape) {
    return std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + ", }";
  };
  const Numbers numbers{1, 2, 3, 4};
  EXPECT_EQ(table_refusal("x", "s.npy"), "s.npy: it does not begin as an array of numpy.");
  EXPECT_EQ(table_refusal(npy(plain("(2, 2)"), bytes_of(numbers)), "s.npy"),
            "s.npy: the array has 2 columns and no names; without names they are the coordinates, then the "
            "momenta of the model: x, y, p_x, p_y.");
  EXPECT_EQ(table_refusal(npy(plain("(4,)"), bytes_of(numbers)), "s.npy"),
            "s.npy: the array has 1 dimension; one without names has two: rows and columns.");
  EXPECT_EQ(table_refusal(npy(plain("(2, 4)"), bytes_of(numbers)), "s.npy"),
            "s.npy: it has 32 bytes of numbers, which are not 2 rows of 32 bytes.");
  EXPECT_EQ(table_refusal(npy(plain("(1, 2305843009213693953)"), bytes_of(numbers)), "s.npy"),
            "s.npy: it has fewer bytes than columns.");
  EXPECT_EQ(table_refusal(npy(plain("(0, 4)"), ""), "s.npy"), "s.npy: the array has no rows.");
  EXPECT_EQ(table_refusal(npy(plain("(1, 4)"), bytes_of({1, 2, HUGE_VAL, 4})), "s.npy"),
            "s.npy: row 0 (from 0), column `p_x`: inf is not a finite number.");
  EXPECT_EQ(
      table_refusal(npy("{'descr': [('z', '<f8')], 'fortran_order': False, 'shape': (1,)}", bytes_of({1})),
                    "s.npy"),
      "s.npy: the model has nothing called `z` that could vary; known: L, gravity, x, y, p_x, p_y, v_x, "
      "v_y.");
  EXPECT_EQ(table_refusal(npy("{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", ""), "s.npy"),
            "s.npy: its numbers are of the type `<U3`; floats (f4, f8) and whole numbers are read.");
  EXPECT_EQ(table_refusal(npy("{'descr': '<f8'", ""), "s.npy"), "s.npy: its header has no `}` in its place.");
  EXPECT_EQ(table_refusal(npy(plain("(1, 4)"), "").substr(0, 20), "s.npy"),
            "s.npy: it ends inside its header.");
  EXPECT_EQ(refusal([] { read_table_file("/no/such/table.csv"); }),
            "cannot read /no/such/table.csv: No such file or directory");
}

// No prefix of a good file, and no changed byte of it, does harm.
TEST(Tables, DamagedArraysAreReadOrRefused) {
  const std::string good =
      npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), }", bytes_of({1, 2, 3, 4}));
  for (std::size_t k = 0; k < good.size(); ++k) {
    EXPECT_FALSE(table_refusal(good.substr(0, k), "s.npy").empty());
    for (const char c : {'\0', '9', '(', '\xff'}) {
      std::string bad = good;
      bad[k] = c;
      table_refusal(bad, "s.npy");
    }
  }
}

}  // namespace
