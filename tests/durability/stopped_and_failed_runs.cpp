// Signals, failed steps, folders that cannot be used: checks what the user reads, and that the
// run can continue.
#include <taut/store/recording.hpp>
#include <taut/store/trajectory.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "support/killable.hpp"

namespace taut {
namespace {

using test::finish;
using test::OwnFolder;
using test::Process;
using test::run_taut;
namespace fs = std::filesystem;

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::vector<std::string> long_run(const std::string& folder, const std::string& steps = "100000") {
  // It is interpreted, so that it begins at once.
  return {"run", "double-pendulum", "--method", "shake",     "--steps",   steps,   "--every",
          "10",  "--format",        "binary",   "--backend", "interpret", "--out", folder};
}

std::vector<double> rows_of(const fs::path& folder) {
  TrajectoryReader reader((folder / trajectory_name).string());
  std::vector<double> all;
  while (const auto rows = reader.next()) all.insert(all.end(), rows->begin(), rows->end());
  EXPECT_EQ(reader.damage(), "");
  EXPECT_TRUE(reader.is_finished());
  return all;
}

bool same_rows(const fs::path& a, const fs::path& b) {
  const auto x = rows_of(a), y = rows_of(b);
  return x.size() == y.size() && !x.empty() &&
         std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

void wait_for(const fs::path& file) {
  for (int i = 0; i < 2000 && !fs::exists(file); ++i) test::sleep_seconds(0.005);
}

TEST(ASignal, EndsTheRunAfterItsStepAndTheRunGoesOn) {
  const OwnFolder folder;
  ASSERT_EQ(finish(long_run((folder / "whole").string())), 0);
  for (const auto& [signal, name] : {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"}}) {
    const std::string out = (folder / name).string();
    Process process(long_run(out));
    wait_for(folder / name / checkpoint_name);
    process.send(signal);
    EXPECT_EQ(process.wait(), 128 + signal);
    EXPECT_SAYS(process.error(), std::string("stopped by ") + name);
    EXPECT_SAYS(process.error(), "`taut resume " + out + "` continues from there");
    const Checkpoint last = read_checkpoint((folder / name / checkpoint_name).string());
    EXPECT_EQ(last.snapshot.status, RunStatus::stopped);
    EXPECT_SAYS(process.error(), "All up to step " + std::to_string(last.snapshot.steps) + " is safe");
    const auto summary = nlohmann::json::parse(test::read_text((folder / name / "summary.json").string()));
    EXPECT_EQ(summary["steps"], last.snapshot.steps);

    const auto refused = run_taut("run double-pendulum --steps 10 --out " + out);
    EXPECT_EQ(refused.status, 2);
    EXPECT_SAYS(refused.err, "holds a run that is not finished");
    EXPECT_EQ(finish({"resume", out}), 0);
    EXPECT_TRUE(same_rows(folder / name, folder / "whole")) << name;
    const auto again = run_taut("resume " + out);
    EXPECT_EQ(again.status, 0);
    EXPECT_SAYS(again.err, "is finished: 100000 steps");
    const std::string summary_of_all = test::read_text(out + "/summary.json");
    EXPECT_EQ(run_taut("resume --json " + out).out, summary_of_all);
    fs::remove(out + "/summary.json");  // as when killed after the last step
    EXPECT_EQ(finish({"resume", out}), 0);
    EXPECT_EQ(nlohmann::json::parse(test::read_text(out + "/summary.json"))["q"],
              nlohmann::json::parse(summary_of_all)["q"]);
    EXPECT_TRUE(same_rows(folder / name, folder / "whole")) << name;
  }
}

TEST(ASignal, WithoutAFolderSaysThatNothingWasKept) {
  Process process({"run", "pendulum", "--steps", "1e9"});
  test::sleep_seconds(0.3);
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_SAYS(process.error(), "Nothing was kept: with --out DIR a run can be continued.");
}

// Two runs in one folder would spoil each other's files.
TEST(AFolder, BelongsToOneRunAtATime) {
  const OwnFolder folder;
  Process process(long_run((folder / "out").string(), "1e9"));
  wait_for(folder / "out" / checkpoint_name);
  const auto second = run_taut("resume " + (folder / "out").string());
  EXPECT_EQ(second.status, 2);
  EXPECT_SAYS(second.err, "another run is writing into");
}

TEST(AFileThatIsRemoved, IsNoticedAndTheStateIsKept) {
  const OwnFolder folder;
  auto words = long_run((folder / "out").string(), "300000");
  words.insert(words.end(), {"--checkpoint-every", "0.05"});
  Process process(words);
  wait_for(folder / "out" / checkpoint_name);
  fs::remove(folder / "out" / trajectory_name);
  EXPECT_EQ(process.wait(), 1);
  EXPECT_SAYS(process.error(), "the file was removed while the run wrote to it");
  const std::string resume = "resume " + (folder / "out").string();
  const auto refused = run_taut(resume);
  EXPECT_EQ(refused.status, 2);
  EXPECT_SAYS(refused.err, "No such file");
  EXPECT_SAYS(refused.err, "--new-samples");
  EXPECT_EQ(run_taut(resume + " --new-samples").status, 0);
  ASSERT_EQ(finish(long_run((folder / "whole").string(), "300000")), 0);
  const auto end = [&](const char* name) {
    return read_checkpoint((folder / name / checkpoint_name).string()).snapshot.machine;
  };
  EXPECT_EQ(end("out"), end("whole"));
}

TEST(AFolder, ThatCannotBeWrittenIsNamed) {
  const auto ran = run_taut("run pendulum --steps 10 --out /proc/taut");
  EXPECT_EQ(ran.status, 1);
  EXPECT_SAYS(ran.err, "/proc/taut");
  EXPECT_EQ(ran.err.find("resume"), std::string::npos) << ran.err;
}

// Without what was to be compiled, the run would have other digits than the one that was asked for.
TEST(AStopWhileTheCompilerWorks, EndsTheRunBeforeItBegins) {
  const OwnFolder folder;
  const fs::path compiler = folder / "slow-compiler";
  std::ofstream(compiler) << "#!/bin/sh\ncase $1 in --version) echo slow 1;; *) touch "
                          << (folder / "at-work") << "; sleep 60;; esac\n";
  fs::permissions(compiler, fs::perms::owner_all);
  setenv("CXX", compiler.c_str(), 1);
  const std::string out = (folder / "out").string();
  Process process({"run", "double-pendulum", "--backend", "specialise", "--steps", "1e6", "--out", out});
  wait_for(folder / "at-work");
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
  unsetenv("CXX");
  EXPECT_SAYS(process.error(), "stopped by SIGTERM while the step was compiled; the run has not begun");
  EXPECT_EQ(process.error().find("does not compile"), std::string::npos) << process.error();
  EXPECT_FALSE(fs::exists(fs::path(out) / checkpoint_name));
  Process again({"run", "double-pendulum", "--backend", "interpret", "--steps", "10", "--out", out});
  EXPECT_EQ(again.wait(), 0) << again.error();
}

// The compiler is a script that would work for hours, and writes its number when it begins.
TEST(AStopWhileTheCompilerWorks, EndsTheCompilerOfAnEnsembleToo) {
  const OwnFolder folder;
  const fs::path compiler = folder / "slow-compiler", at_work = folder / "at-work";
  std::ofstream(compiler) << "#!/bin/sh\ncase $1 in --version) echo slow 2;; *) echo $$ >" << at_work
                          << ".part; mv " << at_work << ".part " << at_work << "; exec sleep 10000;; esac\n";
  fs::permissions(compiler, fs::perms::owner_all);
  setenv("CXX", compiler.c_str(), 1);
  const std::string out = (folder / "out").string();
  for (const std::string varied : {"p_x1 ~ normal(0, 0.1)", "gravity ~ uniform(1, 2)"}) {
    fs::remove(at_work);
    Process process({"ensemble", "double-pendulum", "--backend", "specialise", "--size", "4", "--steps",
                     "100", "--vary", varied, "--project-start", "--out", out});
    while (!fs::exists(at_work) && !process.has_ended()) test::sleep_seconds(0.005);
    ASSERT_TRUE(fs::exists(at_work)) << varied;
    pid_t number = 0;
    std::ifstream(at_work) >> number;
    ASSERT_GT(number, 1);
    process.send(SIGTERM);
    EXPECT_EQ(process.wait(), 128 + SIGTERM) << varied;
    EXPECT_SAYS(process.error(), "stopped by SIGTERM while the step was compiled; nothing has begun");
    EXPECT_NE(kill(number, 0), 0) << "the compiler goes on";
    kill(number, SIGKILL);
    EXPECT_FALSE(fs::exists(out));
  }
  unsetenv("CXX");
}

TEST(AFolderThatIsRemoved, IsNotCalledSafe) {
  const OwnFolder folder;
  Process process(long_run((folder / "out").string(), "1e9"));
  wait_for(folder / "out" / checkpoint_name);
  fs::remove_all(folder / "out");
  process.send(SIGTERM);
  EXPECT_NE(process.wait(), 0);
  EXPECT_EQ(process.error().find("is safe"), std::string::npos) << process.error();
  EXPECT_SAYS(process.error(), "is no longer in " + (folder / "out").string());
  EXPECT_FALSE(fs::exists(folder / "out"));
}

// The state finds room although the samples do not, and carries those that wait.
TEST(SamplesThatCannotBeWritten, AreKeptInTheCheckpoint) {
  for (const std::string format : {"binary", "csv"}) {
    const OwnFolder folder;
    const auto command = [&](const char* name) -> std::vector<std::string> {
      return {"run",   "double-pendulum",       "--steps", "60000",    "--every",
              "1",     "--checkpoint-every",    "1000000", "--format", format,
              "--out", (folder / name).string()};
    };
    ASSERT_EQ(finish(command("whole")), 0);
    Process process(command("out"), 3000000);
    EXPECT_EQ(process.wait(), 1);
    const Checkpoint c = read_checkpoint((folder / "out" / checkpoint_name).string());
    EXPECT_GT(c.snapshot.steps, 1000);
    EXPECT_FALSE(c.mark.waiting.empty());
    EXPECT_EQ(c.mark.inside + c.mark.waiting.size() / 12, c.mark.samples);
    EXPECT_EQ(c.mark.samples, static_cast<std::uint64_t>(c.snapshot.steps) + 1);
    EXPECT_SAYS(process.error(), "All up to step " + std::to_string(c.snapshot.steps) + " is safe");
    EXPECT_EQ(finish({"resume", (folder / "out").string()}), 0);
    if (format == "binary")
      EXPECT_TRUE(same_rows(folder / "out", folder / "whole"));
    else
      EXPECT_EQ(test::read_text(folder / "out/samples.csv"), test::read_text(folder / "whole/samples.csv"));
  }
}

TEST(AFolder, WithARunThatIsNotFinishedIsNotReplaced) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string();
  const fs::path last = folder / "out" / checkpoint_name, before = folder / "out" / previous_checkpoint_name;
  Process process(long_run(out, "1e9"));
  wait_for(last);
  process.send(SIGTERM);
  process.wait();
  const auto refusal = [&] {
    const auto ran = run_taut("run pendulum --steps 10 --out " + out);
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(fs::exists(folder / "out" / trajectory_name));
    return ran.err;
  };
  const std::string whole = test::read_text(last);
  fs::resize_file(last, whole.size() / 2);
  EXPECT_SAYS(refusal(),
              "`taut resume " + out + " --previous` continues it from step 0; --overwrite begins anew.");
  fs::remove(last);
  EXPECT_SAYS(refusal(), "holds a run that is not finished (step 0 of 1000000000)");
  fs::resize_file(before, 100);
  EXPECT_SAYS(refusal(), "holds a run that may not be finished");
  EXPECT_EQ(run_taut("run pendulum --steps 10 --overwrite --out " + out).status, 0);
  EXPECT_EQ(run_taut("run pendulum --steps 10 --out " + out).status, 0);  // finished: may be replaced
}

// --- what a checkpoint holds

TEST(ACheckpoint, IsWrittenAtTimesThatAreNumbers) {
  for (const std::string time : {"inf", "nan"})
    EXPECT_EQ(
        run_taut("run pendulum --checkpoint-every " + time).err,
        "taut: --checkpoint-every " + time +
            ": give a number of seconds; 1e9 of them are longer than any run, so that only the first and the "
            "last are left.\n");
}

TEST(ACheckpoint, HoldsNumbersThatAreNotFinite) {
  const OwnFolder folder;
  const double infinite = std::numeric_limits<double>::infinity();
  Checkpoint c;
  c.identity.asked.checkpoint_every = infinite;
  c.identity.parameters = {{"a", -infinite}, {"b", std::nan("")}, {"c", 1.5}};
  write_checkpoint(*Folder::open(folder.string()), c);
  const Checkpoint again = read_checkpoint((folder / checkpoint_name).string());
  EXPECT_EQ(again.identity.asked.checkpoint_every, infinite);
  EXPECT_EQ(again.identity.parameters.at("a"), -infinite);
  EXPECT_TRUE(std::isnan(again.identity.parameters.at("b")));
  EXPECT_EQ(again.identity.parameters.at("c"), 1.5);
}

// Checkpoints had this layout before samples waited in them.
TEST(ACheckpoint, OfTheFirstLayoutIsRead) {
  const OwnFolder folder;
  ASSERT_EQ(run_taut("run pendulum --steps 10 --out " + folder.string()).status, 0);
  const fs::path path = folder / checkpoint_name;
  std::string bytes = test::read_text(path);
  const std::size_t wait = bytes.find("WAIT");
  bytes = bytes.substr(0, wait) + encode("DONE", 4, "");
  bytes[8] = 1;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_checkpoint(path.string()).snapshot.steps, 10);
  bytes[8] = 3;
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_SAYS(run_taut("resume " + folder.string()).err,
              "its layout is number 3; this version of taut reads number 2");
}

// --- a checkpoint that is not this run's

TEST(ACheckpoint, OfOtherDigitsIsRefused) {
  const OwnFolder folder;
  Process process(long_run((folder / "out").string(), "1e9"));
  wait_for(folder / "out" / checkpoint_name);
  test::sleep_seconds(0.05);
  process.send(SIGTERM);
  process.wait();
  const std::string out = (folder / "out").string();
  Checkpoint c = read_checkpoint((folder / "out" / checkpoint_name).string());
  c.snapshot.start_digest = "00000000";
  write_checkpoint(*Folder::open(out), c);
  const auto ran = run_taut("resume " + out);
  EXPECT_EQ(ran.status, 2);
  EXPECT_SAYS(ran.err, "computes other digits");
}

TEST(ACheckpoint, OfAnotherRunIsRefused) {
  const OwnFolder folder;
  for (const char* steps : {"1000000000", "1000000001"}) {
    Process process(long_run((folder / steps).string(), steps));
    wait_for(folder / steps / checkpoint_name);
    process.send(SIGTERM);
    process.wait();
  }
  fs::copy_file(folder / "1000000000" / checkpoint_name, folder / "1000000001" / checkpoint_name,
                fs::copy_options::overwrite_existing);
  const auto ran = run_taut("resume " + (folder / "1000000001").string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_SAYS(ran.err, "is of another run than the checkpoint");
  const auto nothing = run_taut("resume " + folder.string());
  EXPECT_EQ(nothing.status, 2);
  EXPECT_SAYS(nothing.err, "holds no checkpoint of a run");
}

// --- steps that fail

// The pendulum with a step that is now and then too long for its rod.
const std::string failing =
    "run pendulum --set x=0.6 --set y=-0.8 --method rattle --step 1.4 --steps 500 --every 1 --format binary";

TEST(AFailedStep, LeavesTheLastGoodOneAndIsTakenByHalves) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string(), halved = (folder / "halved").string();
  const auto failed = run_taut(failing + " --out " + out);
  EXPECT_EQ(failed.status, 1) << failed.out;
  EXPECT_SAYS(failed.err, "could not be met");
  EXPECT_SAYS(failed.err, "`taut resume " + out + " --on-failure halve` continues from there");
  const Checkpoint last = read_checkpoint((folder / "out" / checkpoint_name).string());
  EXPECT_EQ(last.snapshot.status, RunStatus::failed);
  EXPECT_SAYS(failed.err, "(step " + std::to_string(last.snapshot.steps + 1) + ")");

  const auto whole = run_taut(failing + " --on-failure halve --out " + halved);
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_SAYS(whole.out, "parts: the run is no longer of fixed step");
  EXPECT_EQ(run_taut("resume " + out + " --on-failure halve").status, 0);
  EXPECT_TRUE(same_rows(folder / "out", folder / "halved"));
  const auto summary = nlohmann::json::parse(test::read_text(halved + "/summary.json"));
  EXPECT_GT(summary["halved"]["steps"], 0);
  EXPECT_LT(summary["residual"]["position_max"], 1e-15);
}

TEST(AFailedStep, SaysWhatCanStillBeTried) {
  const OwnFolder folder;
  const auto failed = run_taut(failing + " --out 'a b'", folder.string());
  EXPECT_SAYS(failed.err, "`taut resume 'a b' --on-failure halve` continues from there");
  EXPECT_SAYS(run_taut("run pendulum --out 'a b'", folder.string()).err, "holds a run that failed (step ");
  // It falls out of the domain of its potential, whatever the step.
  std::ofstream(folder / "root.toml")
      << "[system]\ncoordinates = [\"x\"]\npotential = \"sqrt(x)\"\nmass = 1\n"
         "[initial]\nx = 0.01\np_x = -1\n[run]\nmethod = \"rattle\"\nstep = 0.05\n";
  const auto hopeless = run_taut("run root.toml --on-failure halve --out out", folder.string());
  EXPECT_EQ(hopeless.status, 1);
  EXPECT_SAYS(hopeless.err, "up to 1024 parts it fails as well");
  EXPECT_EQ(hopeless.err.find("try --step"), std::string::npos) << hopeless.err;
  EXPECT_SAYS(hopeless.err, "is safe in out.\n");
}

// --- another backend

// Names no compiler for the life of this object, so that formulas are interpreted.
struct WithoutCompiler {
  WithoutCompiler() { setenv("CXX", "/nowhere/c++", 1); }
  ~WithoutCompiler() { unsetenv("CXX"); }
  WithoutCompiler(const WithoutCompiler&) = delete;
  WithoutCompiler& operator=(const WithoutCompiler&) = delete;
};

// At this omega a fused instruction once made the compiled run another one than the interpreted one.
std::vector<std::string> backed_run(const std::string& backend, const std::string& folder) {
  return {
      "run",  "charged-particle", "--set",  "omega=0.305", "--step", "0.005", "--steps", "60000", "--every",
      "1000", "--format",         "binary", "--backend",   backend,  "--out", folder};
}

void stopped(const std::string& backend, const fs::path& out) {
  auto words = backed_run(backend, out.string());
  words.insert(words.end(), {"--checkpoint-every", "0.02"});
  Process process(words);
  wait_for(out / previous_checkpoint_name);
  process.send(SIGTERM);
  ASSERT_EQ(process.wait(), 128 + SIGTERM) << process.error();
}

TEST(AnotherBackend, WithTheSameDigitsGoesOnAndSaysSo) {
  const OwnFolder folder;
  ASSERT_EQ(finish(backed_run("compile", (folder / "whole").string())), 0);
  ASSERT_EQ(finish(backed_run("interpret", (folder / "interpreted").string())), 0);
  EXPECT_TRUE(same_rows(folder / "interpreted", folder / "whole"));
  stopped("compile", folder / "out");
  const Checkpoint c = read_checkpoint((folder / "out" / checkpoint_name).string());
  ASSERT_EQ(c.snapshot.backends.size(), 1U);
  EXPECT_EQ(c.snapshot.backends[0].backend, Backend::compile);
  EXPECT_EQ(c.snapshot.backends[0].object.size(), 64U);
  const WithoutCompiler none;
  const auto ran = run_taut("resume --json " + (folder / "out").string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_SAYS(ran.err,
              "the run was made by the backend compile, and interpret goes on, with the same digits.");
  EXPECT_TRUE(same_rows(folder / "out", folder / "whole"));
  const auto summary = nlohmann::json::parse(ran.out);
  EXPECT_EQ(summary["backend"], "interpret");
  ASSERT_EQ(summary["backends"].size(), 2U);
  EXPECT_EQ(summary["backends"][0]["backend"], "compile");
  EXPECT_EQ(summary["backends"][1]["after_step"], c.snapshot.steps);
}

// What could not be had at the start is not used for the rest of the run either.
TEST(AnotherBackend, IsNotTakenBecauseItIsThereNow) {
  const OwnFolder folder;
  {
    const WithoutCompiler none;
    stopped("specialise", folder / "out");
  }
  const auto ran = run_taut("resume --json " + (folder / "out").string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(nlohmann::json::parse(ran.out)["backend"], "interpret");
}

TEST(AnotherBackend, WithOtherDigitsIsRefusedUnlessItIsTyped) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string();
  const auto run = [&] {
    auto words = backed_run("specialise", out);
    words[7] = "150000";
    words.insert(words.end(), {"--checkpoint-every", "0.02"});
    return words;
  }();
  Process process(run);
  for (int i = 0; i < 60000 && !fs::exists(out + "/" + previous_checkpoint_name); ++i)
    test::sleep_seconds(0.005);
  process.send(SIGTERM);
  ASSERT_EQ(process.wait(), 128 + SIGTERM) << process.error();
  const auto at = Folder::open(out);
  const Checkpoint c = read_checkpoint(*at, checkpoint_name);
  ASSERT_EQ(c.snapshot.backends.at(0).backend, Backend::specialise);

  Checkpoint other = c;  // as if by another compiler
  other.snapshot.backends[0].object = "another";
  write_checkpoint(*at, other);
  const auto foreign = run_taut("resume " + out);
  EXPECT_EQ(foreign.status, 2);
  EXPECT_SAYS(foreign.err,
              "the step was specialised by another compiler, or from other headers, than this one");
  EXPECT_SAYS(foreign.err, "`--backend specialise` goes on all the same");
  write_checkpoint(*at, c);

  const WithoutCompiler none;
  const auto refused = run_taut("resume " + out);
  EXPECT_EQ(refused.status, 2);
  EXPECT_SAYS(refused.err, "the run was made by the backend specialise, and interpret would go on");
  EXPECT_SAYS(refused.err, "`--backend interpret` goes on all the same, and the summary says so.");
  EXPECT_EQ(read_checkpoint(*at, checkpoint_name).snapshot.steps, c.snapshot.steps);
  const auto typed = run_taut("resume " + out + " --backend interpret");
  EXPECT_EQ(typed.status, 0) << typed.err;
  EXPECT_SAYS(typed.err, "interpret goes on, with other digits.");
  EXPECT_SAYS(typed.out, ", then interpret: the digits are not those of one of them\n");
}

// --- the report of a run that was interrupted

// Returns what is drawn, without the times it took, the date and the command, which names the folder.
nlohmann::json drawn(const fs::path& page) {
  const std::string html = test::read_text(page), mark = "id=\"report\">";
  const std::size_t begin = html.find(mark) + mark.size();
  auto data = nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  auto& last = data["facts"].back();
  EXPECT_EQ(last["name"], "seconds");
  last.erase("value");
  EXPECT_TRUE(data["computed"]["command"].get<std::string>().starts_with("taut run ")) << data["computed"];
  data["computed"].erase("command");
  data["computed"].erase("date");
  for (auto& series : data["sections"].back()["panels"].back()["series"]) series.erase("x");
  return data;
}

TEST(AReport, OfARunThatWasInterruptedIsThatOfAllOfIt) {
  const OwnFolder folder;
  const auto command = [&](const char* name) {
    auto words = long_run((folder / name).string(), "300000");
    words.insert(words.end(), {"--checkpoint-every", "0.05", "--report"});
    return words;
  };
  ASSERT_EQ(finish(command("whole")), 0);
  const auto whole = drawn(folder / "whole/report.html");
  for (const int signal : {SIGTERM, SIGKILL}) {
    const char* const name = signal == SIGTERM ? "stopped" : "killed";
    const fs::path out = folder / name;
    Process process(command(name));
    wait_for(out / previous_checkpoint_name);
    process.send(signal);
    process.wait();
    const Checkpoint last = read_checkpoint((out / checkpoint_name).string());
    ASSERT_NE(last.snapshot.status, RunStatus::finished);
    EXPECT_GT(last.snapshot.steps, 0);
    EXPECT_EQ(fs::exists(out / "report.html"), signal == SIGTERM);
    if (signal == SIGTERM) {
      EXPECT_FALSE(drawn(out / "report.html") == whole);  // it shows what was done
    }
    EXPECT_EQ(finish({"resume", out.string()}), 0);
    EXPECT_TRUE(drawn(out / "report.html") == whole) << name;
    EXPECT_SAYS(run_taut("resume " + out.string()).err, "is finished: 300000 steps");
  }
}

TEST(AReport, ThatWasNotMadeBeforeTheEndIsMadeByResuming) {
  const OwnFolder folder;
  const auto in_folder = [&](const std::string& arguments) { return run_taut(arguments, folder.string()); };
  ASSERT_EQ(in_folder("run pendulum --steps 100 --out out --report page.html --figures plots").status, 0);
  const auto whole = drawn(folder / "page.html");
  fs::remove(folder / "page.html");  // as when killed after the last step
  const auto again = run_taut("resume " + (folder / "out").string() + " --report " +
                              (folder / "page.html").string() + " --figures " + (folder / "plots").string());
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_SAYS(again.err, "the report is in " + (folder / "page.html").string());
  EXPECT_SAYS(again.err, "figures are in " + (folder / "plots").string());
  EXPECT_TRUE(drawn(folder / "page.html") == whole);
  EXPECT_SAYS(run_taut("resume " + (folder / "out").string()).err, "is finished: 100 steps");
}

// The program may be killed, or find no room, after the last checkpoint and before the summary.
TEST(ASummary, OfAnEarlierPartOfTheRunIsWrittenAnew) {
  const OwnFolder at;
  const std::string out = (at / "out").string(), summary = out + "/summary.json";
  ASSERT_EQ(run_taut("run pendulum --steps 100 --out " + out).status, 0);
  const auto whole = nlohmann::json::parse(test::read_text(summary));
  std::ofstream(summary) << R"({"steps": 3, "error": "stopped by SIGINT"})";
  fs::last_write_time(summary, fs::last_write_time(out + "/checkpoint.taut") - std::chrono::hours(1));
  ASSERT_EQ(run_taut("resume " + out).status, 0);
  auto again = nlohmann::json::parse(test::read_text(summary));
  for (const char* time : {"seconds", "steps_per_second"}) again[time] = whole[time];
  EXPECT_EQ(again, whole);
}

TEST(AReport, ThatCannotBeGoneOnWithIsNamed) {
  const OwnFolder folder;
  ASSERT_EQ(run_taut(failing + " --report --out out", folder.string()).status, 1);
  const fs::path last = folder / "out" / checkpoint_name;
  Checkpoint c = read_checkpoint(last.string());
  ASSERT_TRUE(c.report);
  c.report.reset();  // like a version that kept none
  write_checkpoint(*Folder::open((folder / "out").string()), c);
  EXPECT_SAYS(run_taut("resume out --on-failure halve", folder.string()).err,
              "out/report.html is of the run as far as");
}

// A step that ends at a point where the energy has no value has already moved the machine: the checkpoint is
// of the step before.
TEST(AFailedStep, ThatEndedBadlyIsGoneBackFrom) {
  const OwnFolder folder;
  const std::string explosive = "run pendulum --method euler --step 3 --format binary --every 1 --steps ";
  ASSERT_EQ(run_taut(explosive + "100000 --out " + (folder / "out").string()).status, 1);
  const Checkpoint failed = read_checkpoint((folder / "out" / checkpoint_name).string());
  ASSERT_GT(failed.snapshot.steps, 0);
  // A run of just these steps goes to its end. It is called unstable if it is long enough to tell.
  run_taut(explosive + std::to_string(failed.snapshot.steps) + " --out " + (folder / "good").string());
  const Checkpoint good = read_checkpoint((folder / "good" / checkpoint_name).string());
  EXPECT_EQ(good.snapshot.status, RunStatus::finished);
  EXPECT_EQ(failed.snapshot.steps, good.snapshot.steps);
  EXPECT_EQ(failed.snapshot.machine, good.snapshot.machine);
}

}  // namespace
}  // namespace taut
