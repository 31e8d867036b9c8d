// The trajectory file through the program: what it says of itself, what it exports, and the reader in the
// documentation.
#include <taut/files/output_file.hpp>
#include <taut/store/trajectory.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "support/killable.hpp"

namespace taut {
namespace {

using test::OwnFolder;
using test::read_text;
using test::run_taut;

std::string run(const OwnFolder& folder, const std::string& format) {
  const std::string out = (folder / format).string();
  EXPECT_EQ(run_taut("run double-pendulum --method rattle --step 0.01 --steps 300 --every 3 --format " +
                     format + " --out " + out)
                .status,
            0);
  return out;
}

// Returns the indented block that follows the heading.
std::string script() {
  const std::string page = read_text(std::string(TAUT_SOURCE_DIR) + "/docs/guide/trajectory-file.md");
  std::string code;
  std::istringstream lines(page.substr(page.find("## Reading it in Python")));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("    ")) code += line.substr(4) + "\n";
  return code;
}

TEST(ATrajectory, IsReadByTheScriptOfTheDocumentation) {
  const OwnFolder folder;
  std::ofstream(folder / "read.py") << script();
  for (const char* format : {"binary", "compressed"}) {
    const std::string file = run(folder, format) + "/trajectory.taut";
    const std::string out = (folder / "python.csv").string();
    ASSERT_EQ(
        std::system(("/usr/bin/python3 " + (folder / "read.py").string() + " " + file + " > " + out).c_str()),
        0);
    std::istringstream ours(run_taut("export " + file + " --csv").out), theirs(read_text(out));
    int lines = 0;
    for (std::string a, b; std::getline(ours, a); ++lines) {
      ASSERT_TRUE(std::getline(theirs, b));
      std::istringstream left(a), right(b);
      for (std::string x, y; std::getline(left, x, ',');) {
        ASSERT_TRUE(std::getline(right, y, ','));
        if (lines == 0)
          EXPECT_EQ(x, y);
        else
          EXPECT_EQ(std::stod(x), std::stod(y));  // both print the shortest digits, in their own way
      }
    }
    EXPECT_EQ(lines, 102);  // the names, the start, a sample every third step
  }
}

TEST(ATrajectory, HoldsTheSamplesOfTheText) {
  const OwnFolder folder;
  const std::string text = read_text(run(folder, "csv") + "/samples.csv");
  for (const char* format : {"binary", "compressed"})
    EXPECT_EQ(run_taut("export " + run(folder, format) + " --csv").out, text);
}

TEST(ATrajectory, IsExportedForNumpyAndForViewers) {
  const OwnFolder folder;
  const std::string out = run(folder, "binary"), array = (folder / "a.npy").string();
  ASSERT_EQ(run_taut("export " + out + " --npy --out " + array).status, 0);
  const std::string npy = read_text(array);
  EXPECT_EQ(npy.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_NE(npy.find("'descr': '<f8', 'fortran_order': False, 'shape': (101, 12), }"), std::string::npos);
  ASSERT_EQ(npy.size(), 128 + 101 * 12 * sizeof(double));
  double time = 0;
  std::memcpy(&time, npy.data() + npy.size() - 12 * sizeof(double), sizeof time);
  EXPECT_EQ(time, 300 * 0.01);
  const std::string xyz = run_taut("export " + out + " --xyz").out;
  EXPECT_TRUE(xyz.starts_with("2\nProperties=species:S:1:pos:R:3 Time=0 energy=")) << xyz.substr(0, 80);
  EXPECT_EQ(run_taut("export " + out + " --npy").err,
            "taut: this format goes into a file: say which with --out.\n");
  const auto refused =
      run_taut("run heavy-top --steps 10 --format binary --out " + (folder / "top").string() +
               " && '" TAUT_PROGRAM "' export " + (folder / "top").string() + " --xyz");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("is not that of a point"), std::string::npos) << refused.err;
}

TEST(ATrajectory, SaysWhatItIs) {
  const OwnFolder folder;
  const std::string out = run(folder, "compressed");
  const auto shown = run_taut("show " + out);
  EXPECT_EQ(shown.status, 0);
  for (const char* part :
       {"trajectory.taut: a trajectory", "rattle, step 0.01, 300 steps, a sample every 3",
        "columns   t x1 y1 x2 y2 p_x1", "samples   101 from t = 0 to t = 3", "state     complete",
        "checkpoint.taut: a checkpoint", "step      300 of 300, finished"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << "\n" << shown.out;
  std::filesystem::resize_file(out + "/trajectory.taut",
                               std::filesystem::file_size(out + "/trajectory.taut") - 60);
  const auto cut = run_taut("show " + out + "/trajectory.taut");
  EXPECT_EQ(cut.status, 1);
  EXPECT_NE(cut.out.find("the run was ended while it wrote"), std::string::npos) << cut.out;
}

TEST(ATrajectory, IsBinaryWhenTheSamplesAreMany) {
  const OwnFolder folder;
  const std::string few = (folder / "few").string(), many = (folder / "many").string();
  EXPECT_EQ(run_taut("run pendulum --steps 1000 --every 1 --out " + few).status, 0);
  EXPECT_EQ(run_taut("run pendulum --steps 125000 --every 1 --out " + many).status, 0);  // 8 columns
  EXPECT_TRUE(std::filesystem::exists(few + "/samples.csv"));
  EXPECT_FALSE(std::filesystem::exists(few + "/trajectory.taut"));
  EXPECT_TRUE(std::filesystem::exists(many + "/trajectory.taut"));
  EXPECT_FALSE(std::filesystem::exists(many + "/samples.csv"));
  TrajectoryReader reader(many + "/trajectory.taut");
  while (reader.next()) {
  }
  EXPECT_EQ(reader.samples(), 125001U);
  EXPECT_TRUE(reader.is_finished());
}

// Few rows of many columns are many numbers too; and their names are given by a rule, not one by one.
TEST(ATrajectory, IsBinaryAndShortOfNamesWhenTheSamplesAreWide) {
  const OwnFolder folder;
  std::ofstream(folder / "gas.toml")
      << "[particles]\ncount = 400\nposition = [\"2*i\", \"0\", \"0\"]\n[run]\n"
         "method = \"rattle\"\nstep = 0.01\nsteps = 500\nevery = 1\n";
  const auto ran = run_taut("run gas.toml --out out", folder.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  ASSERT_TRUE(std::filesystem::exists(folder / "out/trajectory.taut"));
  const TrajectoryReader reader((folder / "out/trajectory.taut").string());
  const std::vector<std::string> names = reader.identity().columns();
  ASSERT_EQ(names.size(), 2404U);
  EXPECT_EQ(reader.columns(), names.size());
  EXPECT_EQ(names[1], "x0");
  EXPECT_EQ(names[1200], "z399");
  EXPECT_EQ(names[2400], "p_z399");
  EXPECT_LT(to_json(reader.identity()).size(), 3000U);
  EXPECT_NE(run_taut("show out", folder.string()).out.find("x6 … and 2384 more\n"), std::string::npos);
}

TEST(ATrajectory, HasNoChunkThatIsNotReadAgain) {
  const std::unique_ptr<void, decltype(&std::free)> zeros(std::calloc(largest_chunk + 1, 1), &std::free);
  ASSERT_NE(zeros, nullptr);
  const std::string_view much(static_cast<const char*>(zeros.get()), largest_chunk + 1);
  EXPECT_THROW(encode("MACH", 2, much), WriteError);
}

TEST(AnExport, NeverReplacesAFileOfTheRun) {
  const OwnFolder folder;
  const std::string out = run(folder, "binary");
  std::filesystem::create_symlink(out + "/trajectory.taut", folder / "link");
  for (const std::string name : {"trajectory.taut", "checkpoint.taut", "checkpoint.previous.taut"}) {
    const std::string before = read_text(out + "/" + name);
    for (const std::string& to : {out + "/" + name, folder.string() + "/./binary/" + name})
      EXPECT_EQ(run_taut("export " + out + " --csv --out " + to).err,
                "taut: " + to + " is a file of the run itself: choose another name for --out.\n");
    EXPECT_EQ(read_text(out + "/" + name), before);
  }
  EXPECT_EQ(run_taut("export " + out + " --npy --out " + (folder / "link").string()).status, 2);
}

TEST(AnExport, ThatDoesNotComeToItsEndLeavesNothing) {
  const OwnFolder folder;
  const std::string out = run(folder, "binary"), to = (folder / "a").string();
  std::ofstream(to) << "earlier";
  for (const char* format : {"--csv", "--npy", "--xyz", "--dcd", "--h5md"}) {
    test::Process process({"export", out, format, "--out", to}, 1000);
    EXPECT_EQ(process.wait(), 1);
    EXPECT_EQ(process.error(), "taut: cannot write " + to + ": File too large\n");
    EXPECT_EQ(read_text(to), "earlier");
    EXPECT_FALSE(std::filesystem::exists(to + ".part"));
  }
}

// A program that is killed cannot tidy up.
TEST(AnExport, HasNoNameUntilItIsWhole) {
  const OwnFolder folder;
  const std::string to = (folder / "a").string();
  for (const char* text : {"first", "second"}) {
    const bool is_new = !std::filesystem::exists(to);
    OutputFile file(to);
    file.write(text);
    const auto entries = std::filesystem::directory_iterator(folder.string());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), is_new ? 0 : 1);
    file.close();
    EXPECT_EQ(read_text(to), text);
  }
}

TEST(AnExport, ReadsSamplesThatAreText) {
  const OwnFolder folder;
  const std::string text = run(folder, "csv"), binary = run(folder, "binary");
  for (const char* format : {"--csv", "--xyz"})
    EXPECT_EQ(run_taut("export " + text + " " + format).out, run_taut("export " + binary + " " + format).out);
  EXPECT_EQ(run_taut("show " + text).status, 0);
  std::string damaged = read_text(text + "/samples.csv");
  char& digit = damaged[damaged.find("\n0.03,") + 4];
  digit = digit == '3' ? '4' : '3';
  std::ofstream(text + "/samples.csv") << damaged;
  const auto refused = run_taut("export " + text + " --xyz");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("is not as the run wrote it"), std::string::npos) << refused.err;
  const auto shown = run_taut("show " + text);
  EXPECT_EQ(shown.status, 1);
  EXPECT_NE(shown.out.find("DAMAGED: "), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace taut
