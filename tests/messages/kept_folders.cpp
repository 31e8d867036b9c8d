// The folders of samplings and ensembles: nothing else that is written takes the place of their files, and
// what is damaged, missing or cannot be read is said. docs/guide/trust.md quotes these cases.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "support/run_program.hpp"

namespace taut::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* circle = R"([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1.0
[sampling]
temperature = 1.0
measure = "rigid"
)";

// A folder with a model, and what a test puts beside it.
class Place {
 public:
  Place() { put("t.toml", circle); }

  Ran taut(const std::string& arguments) const { return run_taut(arguments, own_.string()); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(own_ / name) << text; }
  std::string get(const std::string& name) const { return read_text((own_ / name).string()); }
  fs::path operator/(const std::string& name) const { return own_ / name; }

  // Names and bytes of all files.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(own_.string()))
      if (entry.is_regular_file())
        all[entry.path().lexically_relative(own_.string()).string()] = read_text(entry.path());
    return all;
  }

 private:
  OwnFolder own_;
};

const std::string sampled = "sample t.toml --draws 30 --warmup 20 --chains 2 --threads 2 --out s";
const std::string many =
    "ensemble pendulum --size 1100 --vary 'p_y ~ normal(0, 0.1)' --project-start --steps 2 --out e";

void made(const Place& place, const std::string& command) {
  const Ran ran = place.taut(command);
  ASSERT_EQ(ran.status, 0) << ran.err;
}

// Lets commands, each with the name of a file behind it, be refused by a sentence about that file, and
// nothing be changed.
void expect_refused(const Place& place, const std::vector<std::string>& commands,
                    const std::vector<std::string>& names, const std::string& sentence) {
  const auto before = place.files();
  for (const std::string& command : commands)
    for (const std::string& name : names) {
      const Ran ran = place.taut(command + name);
      EXPECT_EQ(ran.status, 2) << command << name;
      EXPECT_NE(ran.err.find("taut: " + name + sentence), ran.err.npos) << command << name << "\n" << ran.err;
    }
  EXPECT_TRUE(place.files() == before);
}

TEST(KeptFiles, OfASamplingAreNotReplaced) {
  const Place place;
  made(place, sampled);
  fs::create_directory_symlink(place / "s", place / "link");
  expect_refused(
      place,
      {sampled + " --report ", "resume s --report ", "export s --npy --out ", "export link --npy --out "},
      {"s/chain-1.draws", "s/sampling.json", "s/./chain-2.draws", "link/chain-1.draws"},
      " is a file of the sampling itself: choose another name for --");
}

TEST(KeptFiles, OfASamplingAreNotReplacedBeforeTheyAreThere) {
  const Place place;
  expect_refused(place, {sampled + " --report "}, {"s/chain-1.draws", "s/sampling.json"},
                 " is a file of the sampling itself: choose another name for --report.\n");
}

TEST(KeptFiles, OfAnEnsembleAreNotReplaced) {
  const Place place;
  made(place, many);
  expect_refused(place, {"export e --npy --out ", "export e --csv --out "},
                 {"e/ensemble.json", "e/units/000/000000.taut", "e/units/mine.npy"},
                 " is a file of the ensemble itself: choose another name for --out.\n");
  place.put("starts.csv", "x,y\n1,0\n0,1\n");
  const std::string sweep = "sweep t.toml --table starts.csv --steps 3 --out w --report ";
  expect_refused(place, {sweep}, {"w/ensemble.json", "w/table.csv", "w/units/page.html"},
                 " is a file of the ensemble itself: choose another name for --report.\n");
}

TEST(ATableOfStarts, IsNotReplacedByAPage) {
  const Place place;
  place.put("starts.csv", "x,y\n1,0\n0,1\n");
  expect_refused(place, {"sweep t.toml --table starts.csv --steps 3 --report "},
                 {"starts.csv", "./starts.csv"},
                 " is the table of the starts: choose another name for --report.\n");
}

// The path is the one that was typed, as for a run, and not one inside the folder.
TEST(APage, OfASamplingOrASweepIsWhereItWasTyped) {
  const Place place;
  made(place, sampled + " --report page.html");
  made(place, "resume s --report s/pages/page.html");
  made(place, "sweep t.toml --vary 'x = [1]' --steps 3 --out w --report w/page.html");
  for (const std::string name : {"page.html", "s/pages/page.html", "w/page.html"})
    EXPECT_EQ(place.get(name).substr(0, 15), "<!doctype html>") << name;
  EXPECT_FALSE(fs::exists(place / "s/page.html"));
  EXPECT_FALSE(fs::exists(place / "w/w"));
  made(place, many);
  EXPECT_EQ(place.taut("resume e --report").status, 2);  // an ensemble has none
}

// Says the same of `show` and `export`, and that `resume` mends it: to the same draws.
void expect_damage(const Place& place, const std::string& sentence) {
  const std::string words = "taut: " + sentence + "; `taut resume s` makes it again.\n";
  for (const std::string command :
       {"show s", "export s --npy --out new.npy", "export s --cmdstan --out new"}) {
    const Ran ran = place.taut(command);
    EXPECT_EQ(ran.status, 1) << command;
    EXPECT_NE(ran.err.find(words), ran.err.npos) << command << "\n" << ran.err;
  }
  EXPECT_EQ(place.taut("resume s").status, 0);
  EXPECT_EQ(place.taut("export s --npy --out new.npy").status, 0);
  EXPECT_TRUE(place.get("new.npy") == place.get("good.npy"));
  const Ran shown = place.taut("show s");
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.err.find("resume"), shown.err.npos) << shown.err;
}

TEST(DrawsThatAreNotWhole, AreNamedAndMadeAgain) {
  const Place place;
  made(place, sampled);
  made(place, "export s --npy --out good.npy");
  const std::string good = place.get("s/chain-1.draws");
  std::string flipped = good;
  flipped[300] = static_cast<char>(flipped[300] ^ 4);
  place.put("s/chain-1.draws", flipped);
  expect_damage(place, "s/chain-1.draws is damaged: the block at its byte 77 is not whole");
  place.put("s/chain-1.draws", good.substr(0, good.size() - 5));
  expect_damage(place, "s/chain-1.draws is damaged: the block at its byte 77 is not whole");
  place.put("s/chain-2.draws", place.get("s/chain-2.draws") + "draw");
  expect_damage(place, "s/chain-2.draws is damaged: the block at its byte " +
                           std::to_string(place.get("s/chain-2.draws").size() - 4) + " is not whole");
  place.put("s/chain-1.draws", "notes of the user");
  expect_damage(place, "s/chain-1.draws is damaged: it does not begin as a file of draws");
}

TEST(ASamplingThatIsNotFinished, IsSaidToBeUnfinished) {
  const Place place;
  made(place, sampled);
  fs::remove(place / "s/chain-2.draws");
  const std::string words =
      "taut: the sampling in s is not finished: 1 of 2 chains have all 30 draws, and every chain has 0; "
      "`taut "
      "resume s` goes on.\n";
  const Ran shown = place.taut("show s");
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.err.find(words), shown.err.npos) << shown.err;
  const Ran exported = place.taut("export s --npy --out a.npy");
  EXPECT_EQ(exported.status, 1);
  EXPECT_EQ(exported.err, words);
}

// A file that grows with each repetition would fill the disk of somebody who repeats a script.
TEST(ASamplingThatIsRepeated, AddsNothing) {
  const Place place;
  made(place, sampled);
  const auto before = place.files();
  made(place, sampled);
  made(place, "resume s");
  EXPECT_TRUE(place.files() == before);
}

// A unit whose folder cannot be looked into is not missing: an export of the others would be taken for all.
TEST(AUnitThatCannotBeRead, IsNotCalledMissing) {
  const Place place;
  made(place, many);
  place.put("ends.npy", "an older one");
  fs::rename(place / "e/units/000", place / "e/units/hidden");
  place.put("e/units/000", "no folder");
  const std::string words = "e/units/000/000000.taut: cannot look into its folder: Not a directory";
  const Ran exported = place.taut("export e --npy --out ends.npy");
  EXPECT_EQ(exported.status, 2);
  EXPECT_EQ(exported.err, "taut: " + words + ".\n");
  EXPECT_EQ(place.get("ends.npy"), "an older one");
  const Ran shown = place.taut("show e");
  EXPECT_EQ(shown.status, 1);
  EXPECT_NE(shown.err.find(words), shown.err.npos) << shown.err;
  const Ran merged = place.taut("merge e --out whole");
  EXPECT_EQ(merged.status, 1);
  EXPECT_NE(merged.err.find(words), merged.err.npos) << merged.err;
}

TEST(AUnitThatIsDamaged, IsNamedByAnExport) {
  const Place place;
  made(place, many);
  place.put("e/units/000/000000.taut", "damaged");
  const Ran exported = place.taut("export e --npy --out ends.npy");
  EXPECT_EQ(exported.status, 1);
  EXPECT_NE(
      exported.err.find("e/units/000/000000.taut: it does not begin as a unit of an ensemble of taut does; "
                        "`taut resume e` makes it again.\n"),
      exported.err.npos)
      << exported.err;
}

}  // namespace
}  // namespace taut::test
