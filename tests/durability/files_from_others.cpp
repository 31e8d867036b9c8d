// Folders, links and files that the user did not make: what a run may touch, and what it may not.
// docs/guide/trust.md quotes these cases.
#include <taut/store/recording.hpp>
#include <taut/store/trajectory.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <fstream>

#include "support/killable.hpp"

namespace taut {
namespace {

using test::finish;
using test::OwnFolder;
using test::Process;
using test::read_text;
using test::run_taut;
namespace fs = std::filesystem;

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

void wait_for(const fs::path& file) {
  for (int i = 0; i < 2000 && !fs::exists(file); ++i) test::sleep_seconds(0.005);
}

// Leaves an unfinished run in the folder, which takes a second to be finished.
void stopped_run(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {
      "run",  "pendulum",  "--steps",   "400000", "--every", "1000", "--checkpoint-every",
      "0.02", "--backend", "interpret", "--out",  out};
  words.insert(words.end(), more.begin(), more.end());
  Process process(words);
  wait_for(out + "/" + previous_checkpoint_name);
  process.send(SIGTERM);
  ASSERT_EQ(process.wait(), 128 + SIGTERM) << process.error();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// --- a folder that is renamed, exchanged or used twice

TEST(ARenamedFolder, KeepsItsRunAndTheOldNameIsFree) {
  const OwnFolder at;
  const std::string d = (at / "d").string(), moved = (at / "d.moved").string();
  Process first({"run", "pendulum", "--steps", "1e9", "--backend", "interpret", "--checkpoint-every", "0.02",
                 "--out", d});
  wait_for(d + "/" + previous_checkpoint_name);
  fs::rename(d, moved);
  const auto second = run_taut("run double-pendulum --steps 10 --method rattle --out " + d);
  EXPECT_EQ(second.status, 0) << second.err;
  const auto all_of_second = names_in(d);
  const auto before = fs::last_write_time(moved + "/" + checkpoint_name);
  for (int i = 0; i < 400 && fs::last_write_time(moved + "/" + checkpoint_name) == before; ++i)
    test::sleep_seconds(0.005);
  first.send(SIGTERM);
  EXPECT_EQ(first.wait(), 128 + SIGTERM);
  EXPECT_SAYS(first.error(), "the folder " + d + " was renamed meanwhile: the run is in " + moved);
  EXPECT_SAYS(first.error(), "is safe in " + moved + "; `taut resume " + moved + "` continues from there");
  EXPECT_EQ(names_in(d), all_of_second);
  EXPECT_EQ(read_checkpoint(d + "/" + checkpoint_name).identity.model, "double-pendulum");
  EXPECT_EQ(nlohmann::json::parse(read_text(d + "/summary.json"))["steps"], 10);
  const Checkpoint last = read_checkpoint(moved + "/" + checkpoint_name);
  EXPECT_EQ(last.identity.model, "pendulum");
  EXPECT_EQ(last.snapshot.status, RunStatus::stopped);
  EXPECT_EQ(nlohmann::json::parse(read_text(moved + "/summary.json"))["steps"], last.snapshot.steps);
}

// A checkpoint that was read before the lock is held may be older than the samples.
TEST(Resuming, HoldsTheLockBeforeItReads) {
  const OwnFolder at;
  const std::string out = (at / "out").string();
  ASSERT_EQ(run_taut("run pendulum --steps 10 --out " + out).status, 0);
  fs::resize_file(out + "/" + checkpoint_name, 100);
  const auto other = Folder::open(out);
  ASSERT_TRUE(other->lock());
  const auto ran = run_taut("resume " + out);
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "taut: another run is writing into " + out + ": wait for it, or choose another folder.\n");
}

// --- names that something else has

TEST(SamplesWithoutACheckpoint, AreNotReplaced) {
  for (const std::string format : {"binary", "csv"}) {
    const OwnFolder at;
    const std::string out = (at / "out").string();
    stopped_run(out, {"--format", format});
    for (const char* name : {checkpoint_name, previous_checkpoint_name, "summary.json"})
      fs::remove(out + "/" + name);
    const std::string file = out + (format == "csv" ? "/samples.csv" : "/trajectory.taut"),
                      whole = read_text(file);
    const auto refused = run_taut("run pendulum --steps 10 --out " + out);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err,
              "taut: " + file +
                  " holds samples of a run that may not be finished, and no checkpoint of it.\n  "
                  "Choose another folder, or --overwrite them.\n");
    EXPECT_EQ(read_text(file), whole);
    EXPECT_EQ(run_taut("run pendulum --steps 10 --overwrite --out " + out).status, 0);
  }
}

TEST(ALinkInTheFolder, IsNeverFollowed) {
  for (const RunFile& file : run_files()) {
    const OwnFolder at;
    const std::string name(file.name), out = (at / "out").string(), precious = (at / "precious").string();
    fs::create_directory(out);
    std::ofstream(precious) << "years of work";
    fs::create_symlink("../precious", out + "/" + name);
    const std::string format = name == trajectory_name ? "binary" : "csv";
    const std::string command = "run pendulum --steps 10 --format " + format + " --out " + out;
    const auto refused = run_taut(command);
    EXPECT_EQ(refused.status, 2) << name;
    EXPECT_EQ(refused.err, "taut: " + out + "/" + name +
                               " is a link, and a run follows none, and this run would replace it.\n  Choose "
                               "another folder, or --overwrite it.\n");
    EXPECT_EQ(names_in(out), std::set<std::string>{name});
    EXPECT_EQ(run_taut(command + " --overwrite").status, 0) << name;
    EXPECT_FALSE(fs::is_symlink(out + "/" + name)) << name;
    EXPECT_EQ(read_text(precious), "years of work") << name;
  }
}

TEST(ALinkInTheFolder, IsNotFollowedByResume) {
  for (const std::string format : {"binary", "csv"}) {
    const OwnFolder at;
    const std::string out = (at / "out").string();
    stopped_run(out, {"--format", format});
    const std::string name = format == "csv" ? "samples.csv" : "trajectory.taut";
    fs::rename(out + "/" + name, at / "elsewhere");
    std::ofstream(at / "elsewhere", std::ios::app) << "\nand more";
    const std::string whole = read_text(at / "elsewhere");
    fs::create_symlink("../elsewhere", out + "/" + name);
    const auto refused = run_taut("resume " + out);
    EXPECT_EQ(refused.status, 2);
    EXPECT_SAYS(refused.err, "it is a link, and links in the folder of a run are not followed");
    EXPECT_EQ(read_text(at / "elsewhere"), whole);
  }
}

TEST(APipeInTheFolder, DoesNotMakeTheProgramWait) {
  const OwnFolder at;
  const std::string out = (at / "out").string();
  fs::create_directory(out);
  for (const RunFile& file : run_files())
    ASSERT_EQ(mkfifo((out + "/" + std::string(file.name)).c_str(), 0600), 0);
  for (const std::string command : {"run pendulum --steps 10 --out ", "resume ", "show ", "export --csv "}) {
    const auto ran = run_taut(command + out);
    EXPECT_NE(ran.status, 0) << command;
    EXPECT_SAYS(ran.out + ran.err, "not a plain file");
  }
}

TEST(AFileOfTheUser, IsNotReplacedByARun) {
  for (const RunFile& file : run_files()) {
    const OwnFolder at;
    const std::string path = (at / std::string(file.name)).string();
    std::ofstream(path) << "mine";
    const auto refused = run_taut("run pendulum --steps 10 --out " + at.string());
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err, "taut: " + path +
                               " is not of a run of taut, and this run would replace it.\n  Choose another "
                               "folder, or --overwrite it.\n");
    EXPECT_EQ(read_text(path), "mine");
  }
  const OwnFolder at;
  std::ofstream(at / "report.html") << "mine";
  EXPECT_EQ(run_taut("run pendulum --steps 10 --report --out " + at.string()).status, 2);
  EXPECT_EQ(read_text(at / "report.html"), "mine");
}

// A file is written beside its name, under a name that nobody has.
TEST(AFileOfTheUser, StaysBesideWhatIsWritten) {
  const OwnFolder at;
  const std::string out = (at / "out").string();
  fs::create_directory(out);
  std::vector<std::string> mine = {(at / "s.npy.part").string(), (at / "page.html.part").string()};
  for (const char* name : {checkpoint_name, previous_checkpoint_name, "summary.json"})
    mine.push_back(out + "/" + name + ".part");
  for (const std::string& path : mine) std::ofstream(path) << "mine";
  EXPECT_EQ(run_taut("run pendulum --steps 10 --report page.html --out " + out, at.string()).status, 0);
  EXPECT_EQ(run_taut("export " + out + " --npy --out s.npy", at.string()).status, 0);
  for (const std::string& path : mine) EXPECT_EQ(read_text(path), "mine") << path;
  EXPECT_EQ(names_in(at.string()),
            (std::set<std::string>{"out", "page.html", "page.html.part", "s.npy", "s.npy.part"}));
  EXPECT_EQ(names_in(out).size(), 7U);  // two checkpoints, samples, summary, and three files of the user
}

// What a killed run left beside its files is taken away by the next one.
TEST(AFileThatWasNotFinished, IsRemovedByTheNextRun) {
  const OwnFolder at;
  const std::string out = (at / "out").string();
  stopped_run(out);
  const auto names = names_in(out);
  fs::copy_file(out + "/" + checkpoint_name, out + "/checkpoint.taut.part");
  fs::copy_file(out + "/" + checkpoint_name, out + "/checkpoint.previous.taut.part.2");
  EXPECT_EQ(run_taut("resume " + out).status, 0);
  EXPECT_EQ(names_in(out), names);
}

// --- what is read is never written

TEST(Outputs, NeverReplaceAFileOfTheRun) {
  const OwnFolder at;
  ASSERT_EQ(run_taut("run pendulum --steps 10 --out d", at.string()).status, 0);
  std::ofstream(at / "my.toml") << "[particles]\nfile = \"two.xyz\"\n[run]\nsteps = 3\n";
  std::ofstream(at / "two.xyz") << "2\n\nC 0 0 0\nC 1 0 0\n";
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(at.string()))
      if (entry.is_regular_file()) all[entry.path().string()] = read_text(entry.path());
    return all;
  };
  const auto before = files();
  for (const RunFile& file : run_files()) {
    const std::string name = "d/" + std::string(file.name);
    EXPECT_EQ(run_taut("export d --npy --out " + name, at.string()).err,
              "taut: " + name + " is a file of the run itself: choose another name for --out.\n");
    EXPECT_EQ(run_taut("run pendulum --steps 10 --out d --report " + name, at.string()).err,
              "taut: " + name + " is a file of the run itself: choose another name for --report.\n");
  }
  for (const std::string command : {"run my.toml --report ", "compare my.toml --methods rattle --report "}) {
    EXPECT_EQ(run_taut(command + "./my.toml", at.string()).err,
              "taut: ./my.toml is the model itself: choose another name for --report.\n");
    EXPECT_EQ(run_taut(command + "two.xyz", at.string()).err,
              "taut: two.xyz is a file that the model names: choose another name for --report.\n");
  }
  EXPECT_TRUE(files() == before);
  std::ofstream(at / "small.toml") << "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2\"\n";
  EXPECT_EQ(run_taut("compile small.toml --emit small.toml", at.string()).err,
            "taut: small.toml is the model itself: choose another name for --emit.\n");
  EXPECT_EQ(read_text(at / "small.toml").substr(0, 8), "[system]");
}

// --- a folder that comes from somebody else

// Lets a checkpoint ask for a report at other places, and resumes it.
test::Ran resumed_with(const std::string& out, const std::string& page, const std::string& figures,
                       const std::string& typed = "") {
  fs::remove(out + "/summary.json");
  const auto folder = Folder::open(out);
  Checkpoint c = read_checkpoint(*folder, checkpoint_name);
  c.report->wanted = {true, page, figures};
  write_checkpoint(*folder, c);
  return run_taut("resume " + out + typed);
}

TEST(AForgedCheckpoint, NamesNoPlaceOutsideItsFolder) {
  const OwnFolder at;
  const std::string out = (at / "out").string(), notes = (at / "notes").string();
  std::ofstream(notes) << "mine";
  stopped_run(out, {"--report", notes, "--figures", (at / "plots").string()});
  fs::remove_all(at / "plots");
  std::ofstream(notes) << "mine";
  const auto honest = read_checkpoint(out + "/" + checkpoint_name).report->wanted;
  EXPECT_EQ(honest.path, notes);
  for (const std::string& page : {notes, std::string("../notes"), std::string("a/../../notes"),
                                  std::string(checkpoint_name), std::string("samples.csv")}) {
    const std::string samples = read_text(out + "/samples.csv");
    const auto ran = resumed_with(out, page, (at / "plots").string());
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_SAYS(ran.err, "the page goes into the folder unless --report is typed again");
    EXPECT_SAYS(ran.err, "there will be none unless --figures is typed again");
    EXPECT_SAYS(ran.err, "the report is in " + out + "/report.html");
    EXPECT_EQ(read_text(notes), "mine");
    EXPECT_TRUE(read_text(out + "/samples.csv").starts_with(samples));
    EXPECT_EQ(names_in(at.string()), (std::set<std::string>{"notes", "out"}));
    fs::remove(out + "/report.html");
  }
  const auto typed = resumed_with(out, notes, "", " --report " + notes);
  EXPECT_EQ(typed.status, 0) << typed.err;
  EXPECT_TRUE(read_text(notes).starts_with("<!doctype html>"));
}

TEST(AForgedCheckpoint, IsNotLedOutsideByLinks) {
  const OwnFolder at;
  const std::string out = (at / "out").string(), outside = (at / "outside").string();
  stopped_run(out, {"--report"});
  fs::create_directory(outside);
  fs::create_directory_symlink("../outside", out + "/inside");
  const auto ran = resumed_with(out, "inside/page.html", "");
  EXPECT_EQ(ran.status, 1);
  EXPECT_SAYS(ran.err, "cannot write " + out + "/inside/page.html: ");
  EXPECT_TRUE(fs::is_empty(outside));
  std::ofstream(at / "precious") << "mine";
  fs::remove(out + "/report.html");
  fs::create_symlink("../precious", out + "/report.html");
  EXPECT_EQ(resumed_with(out, "", "").status, 0);
  EXPECT_EQ(read_text(at / "precious"), "mine");
  EXPECT_FALSE(fs::is_symlink(out + "/report.html"));
}

// A folder can be moved, and takes its page along.
TEST(AMovedFolder, HasItsPageInside) {
  const OwnFolder at;
  const std::string out = (at / "out").string(), moved = (at / "moved").string();
  stopped_run(out, {"--report", out + "/pages/page.html", "--figures", out});
  EXPECT_EQ(read_checkpoint(out + "/" + checkpoint_name).report->wanted.path, "pages/page.html");
  fs::remove_all(out + "/pages");
  fs::rename(out, moved);
  const auto ran = run_taut("resume " + moved);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(fs::exists(moved + "/pages/page.html"));
  EXPECT_FALSE(fs::exists(out));
}

TEST(AForgedCheckpoint, NamesNoOtherFileOfSamples) {
  const OwnFolder at;
  const std::string out = (at / "out").string();
  ASSERT_EQ(run_taut("run pendulum --steps 10 --out " + out).status, 0);
  const auto folder = Folder::open(out);
  Checkpoint c = read_checkpoint(*folder, checkpoint_name);
  c.mark.file = "../precious";
  write_checkpoint(*folder, c);
  EXPECT_SAYS(run_taut("resume " + out).err, "it names a file of samples that no run has");
}

// A terminal obeys what is printed.
TEST(WordsOfOthers, DoNotReachTheTerminalAsCommands) {
  const OwnFolder at;
  std::ofstream(at / "m.toml")
      << "title = \"\\u001b]0;owned\\u0007\\u001b[2J\\u009b2J pend\\nsecond line\"\n"
         "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2\"\n[initial]\nx = 1\n"
         "[run]\nsteps = 200\nmethod = \"rattle\"\n";
  const auto is_clean = [](const std::string& text) {
    for (const char c : text)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F) return false;
    return text.find("\xC2\x9B") == text.npos && text.find("\nsecond line") == text.npos;
  };
  for (const std::string command : {"run m.toml --out d", "check m.toml", "compare m.toml --methods rattle",
                                    "show d", "resume d", "resume d --report"}) {
    const auto ran = run_taut(command, at.string());
    EXPECT_TRUE(is_clean(ran.out)) << ran.out;
    EXPECT_TRUE(is_clean(ran.err)) << ran.err;
  }
  const auto folder = Folder::open((at / "d").string());
  Checkpoint c = read_checkpoint(*folder, checkpoint_name);
  c.identity.model = c.identity.version = c.identity.method = "\x1b[2J";
  c.identity.text += "\x1b[2J = \x1b[2J";
  c.identity.set = {"\x1b[2J=\x1b[2J"};
  write_checkpoint(*folder, c);
  for (const std::string command : {"resume d", "show d"}) {
    const auto ran = run_taut(command, at.string());
    EXPECT_TRUE(is_clean(ran.out + ran.err)) << ran.out + ran.err;
  }
}

// --- surroundings of the program

TEST(ClosedStandardOutput, DoesNotEndInTheSamples) {
  const OwnFolder at;
  for (const std::string closed : {"0<&- 1>&- 2>&-", "1>&-", "2>&-", "0<&- 1>&-"}) {
    const std::string out = (at / "d").string();
    EXPECT_EQ(
        std::system(
            ("'" TAUT_PROGRAM "' run pendulum --steps 100 --overwrite --out " + out + " " + closed).c_str()),
        0)
        << closed;
    EXPECT_EQ(run_taut("export " + out + " --csv").status, 0) << closed;
    EXPECT_EQ(run_taut("show " + out).status, 0) << closed;
  }
}

TEST(ANameThatIsNotUtf8, LosesNothing) {
  const OwnFolder at;
  std::ofstream(at / "n\xff.toml")
      << "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2\"\n[initial]\nx = 1\n"
         "[run]\nsteps = 200\nmethod = \"rattle\"\n";
  const auto ran =
      run_taut("run $(printf 'n\\377.toml') --json --report --out $(printf 'd\\377')", at.string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["model"], "n\uFFFD.toml");
  EXPECT_EQ(read_text(at / "d\xff/summary.json"), ran.out);
  EXPECT_EQ(run_taut("check $(printf 'n\\377.toml') --json", at.string()).err, "");
  EXPECT_EQ(run_taut("show $(printf 'd\\377')", at.string()).status, 0);
  EXPECT_SAYS(run_taut("resume $(printf 'd\\377')", at.string()).err, "is finished: 200 steps");
}

}  // namespace
}  // namespace taut
