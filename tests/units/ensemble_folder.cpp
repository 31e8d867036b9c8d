// The folder of an ensemble: which units are there, what a kill leaves behind, who may write, and how parts
// are joined.

#include <taut/contract/request.hpp>
#include <taut/ensemble/ensemble_folder.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "support/run_program.hpp"

namespace {

using namespace taut;
namespace fs = std::filesystem;

// A folder of its own for each test.
class Place {
 public:
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

 private:
  test::OwnFolder folder_;
};

Manifest manifest(std::int64_t size = 3000) {
  Manifest m;
  m.version = "0";
  m.model = "pendulum";
  m.text = "text of the model";
  m.files["atoms.xyz"] = "\x80\xff\n1";
  m.set = {"L=2"};
  m.request = Json::object({{"step", 0.05}, {"steps", 10}, {"method", "rattle"}});
  m.variations = "size 3000\nseed 1\n";
  m.size = size;
  m.seed = 18446744073709551615U;
  m.columns = {"x", "y"};
  return m;
}

Unit unit_of(std::int64_t index, std::int64_t size = 3000) {
  Unit u{.index = index, .columns = 2};
  u.count = static_cast<int>(std::min(unit_size, size - u.first()));
  for (int k = 0; k < 2 * u.count; ++k) u.rows.push_back(static_cast<double>(2 * u.first() + k) / 7);
  u.endings.resize(static_cast<std::size_t>(u.count));
  return u;
}

std::string refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string get(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

using Indices = std::vector<std::int64_t>;

TEST(EnsembleFolder, TheManifestReadsBack) {
  const Manifest m = manifest();
  const Manifest back = read_manifest(to_json(m));
  EXPECT_EQ(back.digest(), m.digest());
  EXPECT_EQ(to_json(back), to_json(m));
  EXPECT_EQ(back.files, m.files);
  EXPECT_EQ(back.seed, m.seed);
}

TEST(EnsembleFolder, TheDigestSeesAllThatDecides) {
  const std::string digest = manifest().digest();
  const std::vector<std::function<void(Manifest&)>> changes{[](Manifest& m) { m.text += " "; },
                                                            [](Manifest& m) { m.files["atoms.xyz"] += "2"; },
                                                            [](Manifest& m) { m.set.clear(); },
                                                            [](Manifest& m) { m.request["step"] = 0.1; },
                                                            [](Manifest& m) { m.variations += "x"; },
                                                            [](Manifest& m) { ++m.size; },
                                                            [](Manifest& m) { --m.seed; },
                                                            [](Manifest& m) { m.columns.pop_back(); },
                                                            [](Manifest& m) { m.samples = 3; },
                                                            [](Manifest& m) { m.sample_columns = {"t"}; }};
  for (const auto& change : changes) {
    Manifest m = manifest();
    change(m);
    EXPECT_NE(m.digest(), digest);
    EXPECT_NE(difference(m, manifest()), "");
  }
  Manifest m = manifest();
  m.version = "1";
  m.model = "other.toml";
  EXPECT_EQ(m.digest(), digest);
  EXPECT_EQ(difference(m, manifest()), "");
}

TEST(EnsembleFolder, KnowsWhichUnitsAreMissing) {
  const Place place;
  const EnsembleFolder folder = EnsembleFolder::begin(place / "out", manifest());
  EXPECT_EQ(folder.missing(), (Indices{0, 1, 2}));
  folder.write(unit_of(2));
  folder.write(unit_of(0));
  EXPECT_EQ(folder.missing(), (Indices{1}));
  EXPECT_TRUE(same_bits(*folder.read(2).unit, unit_of(2)));
  EXPECT_EQ(folder.read(2).unit->count, 3000 - 2048);
  EXPECT_FALSE(folder.read(1).unit);
  EXPECT_EQ(folder.read(1).damage, "");
  // Another process opens it, and the same ensemble may begin again.
  EXPECT_EQ(EnsembleFolder::open(place / "out").missing(), (Indices{1}));
  EXPECT_EQ(EnsembleFolder::begin(place / "out", manifest()).missing(), (Indices{1}));
}

TEST(EnsembleFolder, AThousandUnitsShareAFolder) {
  EXPECT_EQ(EnsembleFolder::unit_path(0), "units/000/000000.taut");
  EXPECT_EQ(EnsembleFolder::unit_path(999), "units/000/000999.taut");
  EXPECT_EQ(EnsembleFolder::unit_path(1000), "units/001/001000.taut");
  EXPECT_EQ(EnsembleFolder::unit_path(1234567), "units/1234/1234567.taut");
}

TEST(EnsembleFolder, DamagedUnitsAreNamedAndCountAsMissing) {
  const Place place;
  const EnsembleFolder folder = EnsembleFolder::begin(place / "out", manifest());
  for (const std::int64_t k : {0, 1, 2}) folder.write(unit_of(k));
  const std::string path = place / "out/units/000/000001.taut";
  std::string bytes = get(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  put(path, bytes);
  fs::copy(place / "out/units/000/000000.taut", place / "out/units/000/000002.taut",
           fs::copy_options::overwrite_existing);
  std::vector<std::string> damage;
  EXPECT_EQ(folder.missing(&damage), (Indices{1, 2}));
  ASSERT_EQ(damage.size(), 2U);
  EXPECT_EQ(damage[0].find(path + ": chunk "), 0U) << damage[0];
  EXPECT_EQ(damage[1], (place / "out/units/000/000002.taut") +
                           ": its number or its sizes are not those of the manifest");
  folder.write(unit_of(1));
  EXPECT_EQ(folder.missing(), (Indices{2}));
}

// What a process leaves that is killed while it writes: nothing, or a file beside the name it was meant for.
TEST(EnsembleFolder, AKillLosesTheUnitInHandAlone) {
  const Place place;
  const EnsembleFolder folder = EnsembleFolder::begin(place / "out", manifest());
  folder.write(unit_of(0));
  put(place / "out/units/000/000001.taut.part", unit_bytes(unit_of(1), folder.digest()).substr(0, 100));
  EXPECT_EQ(EnsembleFolder::open(place / "out").missing(), (Indices{1, 2}));
  folder.write(unit_of(1));
  EXPECT_EQ(folder.missing(), (Indices{2}));
  // Killed before the manifest had its name, and after the table had.
  const TableFile table{"starts.csv", "x\n1\n"};
  fs::create_directory(place / "early");
  put(place / "early/ensemble.json.part", "{");
  put(place / "early/table.csv", table.bytes);
  const EnsembleFolder early = EnsembleFolder::begin(place / "early", manifest(), table);
  EXPECT_EQ(early.table()->bytes, table.bytes);
  EXPECT_EQ(EnsembleFolder::open(place / "early").table()->bytes, table.bytes);
}

TEST(EnsembleFolder, WhatHoldsSomethingElseIsRefusedAndUntouched) {
  const Place place;
  fs::create_directory(place / "mine");
  put(place / "mine/thesis.tex", "years");
  EXPECT_EQ(refusal([&] { EnsembleFolder::begin(place / "mine", manifest()); }),
            (place / "mine") + " holds `thesis.tex`, which is not of an ensemble.\n  Choose another folder.");
  EXPECT_EQ(std::distance(fs::directory_iterator(place / "mine"), {}), 1);
  EXPECT_EQ(refusal([&] { EnsembleFolder::open(place / "mine"); }),
            (place / "mine") + " is not the folder of an ensemble: it has no ensemble.json.");
  EXPECT_EQ(refusal([&] { EnsembleFolder::open(place / "none"); }),
            "cannot open the folder " + (place / "none") + ": No such file or directory.");
  fs::create_directory(place / "table");
  put(place / "table/table.csv", "x\n2\n");  // the user's own
  EXPECT_NE(
      refusal([&] { EnsembleFolder::begin(place / "table", manifest(), TableFile{"t.csv", "x\n1\n"}); }), "");
  EXPECT_EQ(get(place / "table/table.csv"), "x\n2\n");

  EnsembleFolder::begin(place / "out", manifest()).write(unit_of(0));
  Manifest other = manifest();
  other.set = {"L=3"};
  EXPECT_EQ(refusal([&] { EnsembleFolder::begin(place / "out", other); }),
            (place / "out") +
                " holds another ensemble: the values that were set differ.\n  Choose another folder; "
                "`taut resume " +
                (place / "out") + "` continues that one.");
  EXPECT_EQ(EnsembleFolder::open(place / "out").missing(), (Indices{1, 2}));
}

TEST(EnsembleFolder, AChangedManifestIsRefused) {
  const Place place;
  EnsembleFolder::begin(place / "out", manifest());
  const std::string path = place / "out/ensemble.json", good = get(path);
  for (const auto& [from, to] : {std::pair("\"size\": 3000", "\"size\": 3001"),
                                 {"rattle", "rattles"},
                                 {"{", "["},
                                 {"\"format\": 1", "\"format\": 2"},
                                 {"columns", "colums"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    put(path, bad);
    EXPECT_EQ(refusal([&] { EnsembleFolder::open(place / "out"); }).find(path + ": "), 0U) << to;
  }
}

TEST(EnsembleFolder, TwoRunsDoNotShareAFolder) {
  const Place place;
  const EnsembleFolder one = EnsembleFolder::begin(place / "out", manifest());
  const EnsembleFolder two = EnsembleFolder::open(place / "out");
  {
    const EnsembleLock held(one);
    EXPECT_EQ(refusal([&] { EnsembleLock again(two); }),
              "another run is writing into " + (place / "out") + ": wait for it, or choose another folder.");
    two.write(unit_of(0));  // a rank of the same run needs no lock
  }
  EXPECT_EQ(refusal([&] { EnsembleLock after(two); }), "");
}

TEST(EnsembleFolder, PartsAreJoined) {
  const Place place;
  const EnsembleFolder a = EnsembleFolder::begin(place / "a", manifest());
  const EnsembleFolder b = EnsembleFolder::begin(place / "b", manifest());
  a.write(unit_of(0));
  a.write(unit_of(1));
  b.write(unit_of(1));  // twice, with the same bits
  Merged merged = merge({place / "a", place / "b"}, place / "whole");
  EXPECT_EQ(merged.copied, 2);
  EXPECT_EQ(merged.missing, (Indices{2}));
  b.write(unit_of(2));
  merged = merge({place / "a", place / "b"}, place / "whole");
  EXPECT_EQ(merged.there_already, 2);
  EXPECT_EQ(merged.copied, 1);
  EXPECT_TRUE(merged.missing.empty());
  for (const std::int64_t k : {0, 1, 2})
    EXPECT_TRUE(same_bits(*EnsembleFolder::open(place / "whole").read(k).unit, unit_of(k)));
}

TEST(EnsembleFolder, PartsThatDoNotAgreeAreNotJoined) {
  const Place place;
  const EnsembleFolder a = EnsembleFolder::begin(place / "a", manifest());
  const EnsembleFolder b = EnsembleFolder::begin(place / "b", manifest());
  Manifest other = manifest();
  other.text = "another";
  EnsembleFolder::begin(place / "c", other);
  EXPECT_EQ(refusal([&] { merge({place / "a", place / "c"}, place / "whole"); }),
            (place / "a") + " and " + (place / "c") + " hold different ensembles: their models differ.");
  EXPECT_FALSE(fs::exists(place / "whole"));
  a.write(unit_of(1));
  Unit changed = unit_of(1);
  changed.rows[77] = -changed.rows[77];
  b.write(changed);
  EXPECT_EQ(refusal([&] { merge({place / "a", place / "b"}, place / "whole"); }),
            (place / "a") + " and " + (place / "b") + " hold different results for units/000/000001.taut.");
  EXPECT_EQ(refusal([&] { merge({}, place / "whole"); }),
            "there is nothing to merge: name the folders of the parts.");
  // A damaged unit of one part is taken from the other.
  put(place / "b/units/000/000001.taut", "damaged");
  const Merged merged = merge({place / "b", place / "a"}, place / "second");
  EXPECT_EQ(merged.copied, 1);
  EXPECT_EQ(merged.damage.size(), 1U);
  EXPECT_EQ(merged.missing, (Indices{0, 2}));
}

}  // namespace
