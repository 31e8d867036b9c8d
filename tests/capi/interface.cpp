// The C interface, as a program that knows nothing but taut.h: the bits of the program, statuses and
// sentences, threads, memory, and the list of symbols.

#include <gtest/gtest.h>
#include <malloc.h>
#include <taut.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Freed {
  void operator()(taut_model* x) const { taut_model_free(x); }
  void operator()(taut_run* x) const { taut_run_free(x); }
  void operator()(taut_stepper* x) const { taut_stepper_free(x); }
  void operator()(taut_ensemble* x) const { taut_ensemble_free(x); }
};
template <class T>
using Handle = std::unique_ptr<T, Freed>;

Handle<taut_model> opened(const std::string& name, const char* options = nullptr) {
  taut_model* model = nullptr;
  EXPECT_EQ(taut_model_open(name.c_str(), options, &model), TAUT_OK) << taut_last_error();
  return Handle<taut_model>(model);
}

std::string text_of(char* handed) {
  std::string text = handed == nullptr ? "" : handed;
  taut_free(handed);
  return text;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char part[4096];
  while (const std::size_t got = fread(part, 1, sizeof part, pipe)) text.append(part, got);
  pclose(pipe);
  return text;
}

// Returns the summary without the lines that tell times.
std::string without_times(const std::string& json) {
  std::istringstream lines(json);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.find("seconds") == std::string::npos && line.find("_per_second") == std::string::npos)
      kept += line + "\n";
  return kept;
}

// Returns the names of the bundled models.
std::vector<std::string> problems() {
  char* json = nullptr;
  EXPECT_EQ(taut_problems(&json), TAUT_OK);
  std::istringstream lines(text_of(json));
  std::vector<std::string> names;
  const std::string mark = "    \"name\": \"";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) names.push_back(line.substr(mark.size(), line.rfind('"') - mark.size()));
  return names;
}

}  // namespace

TEST(CInterface, RunsHaveTheBitsOfTheProgramOnEveryExample) {
  const auto names = problems();
  EXPECT_GE(names.size(), 20U);
  for (const std::string& name : names) {
    const auto model = opened(name);
    taut_run* run = nullptr;
    ASSERT_EQ(taut_run_make(model.get(), R"({"steps": 5})", nullptr, &run), TAUT_OK)
        << name << taut_last_error();
    const Handle<taut_run> owner(run);
    char* json = nullptr;
    ASSERT_EQ(taut_run_summary(run, &json), TAUT_OK);
    const std::string program =
        output_of("cd /tmp && '" TAUT_PROGRAM "' run " + name + " --steps 5 --json 2>/dev/null");
    EXPECT_EQ(without_times(text_of(json) + "\n"), without_times(program)) << name;
  }
}

TEST(CInterface, EventsAndStepsOfOtherSizesAreThoseOfTheProgram) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"steps": 300, "events": [{"when": "x", "direction": "down", "name": "low"}, "when=y + 2"], "at": [0.11, 1]})",
       "--steps 300 --event 'when=x, direction=down, name=low' --event 'when=y + 2' --at 0.11,1"},
      {R"({"steps": 300, "events": "when=atan2(y, x) + 1, do=stop"})",
       "--steps 300 --event 'when=atan2(y, x) + 1, do=stop'"},
      {R"x({"method": "adaptive(rattle)", "step-function": "1 + x^2", "until": 3, "interval": 0.5,
            "shortest-step": 1e-3, "longest-step": 1})x",
       "--method 'adaptive(rattle)' --step-function '1 + x^2' --until 3 --interval 0.5 --shortest-step 1e-3 "
       "--longest-step 1"}};
  for (const auto& [options, words] : cases) {
    const auto model = opened("pendulum");
    taut_run* made = nullptr;
    ASSERT_EQ(taut_run_make(model.get(), options, nullptr, &made), TAUT_OK) << taut_last_error();
    const Handle<taut_run> run(made);
    char* json = nullptr;
    ASSERT_EQ(taut_run_summary(made, &json), TAUT_OK);
    const std::string program =
        output_of("cd /tmp && '" TAUT_PROGRAM "' run pendulum " + std::string(words) + " --json 2>/dev/null");
    EXPECT_GT(program.size(), 500U) << words;
    EXPECT_EQ(without_times(text_of(json) + "\n"), without_times(program)) << options;
  }
}

// What nothing would look for is refused.
TEST(CInterface, SteppersAndEnsemblesRefuseEvents) {
  const auto model = opened("pendulum");
  taut_stepper* stepper = nullptr;
  taut_ensemble* ensemble = nullptr;
  for (const char* options :
       {R"({"steps": 5, "size": 2, "events": "when=x"})", R"({"steps": 5, "size": 2, "at": [0.1]})"}) {
    EXPECT_EQ(taut_ensemble_make(model.get(), options, nullptr, 0, nullptr, 0, nullptr, &ensemble),
              TAUT_BAD_INPUT);
    EXPECT_NE(std::string(taut_last_error()).find("an ensemble does not look for events"), std::string::npos)
        << taut_last_error();
  }
  EXPECT_EQ(taut_stepper_new(model.get(), R"({"events": "when=x"})", &stepper), TAUT_BAD_INPUT);
  taut_model* made = nullptr;
  ASSERT_EQ(
      taut_model_parse("[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"0\"\n[initial]\nx = 1\n"
                       "[[events]]\nwhen = \"x\"\ndo = \"reflect\"\n",
                       nullptr, nullptr, nullptr, &made),
      TAUT_OK)
      << taut_last_error();
  const Handle<taut_model> wall(made);
  EXPECT_EQ(taut_stepper_new(made, nullptr, &stepper), TAUT_BAD_INPUT);
  EXPECT_NE(std::string(taut_last_error()).find("does not stop or reflect at events"), std::string::npos)
      << taut_last_error();
}

// Who says that the events are to be left out gets the steps of the model without them, and no other events.
TEST(CInterface, AStepperLeavesOutTheEventsOfAModelOnRequest) {
  const std::string free =
      "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"0\"\n[initial]\nx = 1\np_x = -1\n";
  const std::string wall = free + "[[events]]\nwhen = \"x\"\ndo = \"reflect\"\n";
  taut_model* made = nullptr;
  ASSERT_EQ(taut_model_parse(wall.c_str(), nullptr, nullptr, nullptr, &made), TAUT_OK) << taut_last_error();
  const Handle<taut_model> model(made);
  taut_stepper* stepper = nullptr;
  ASSERT_EQ(taut_stepper_new(made, R"({"without-events": true, "method": "rattle", "step": 0.25})", &stepper),
            TAUT_OK)
      << taut_last_error();
  const Handle<taut_stepper> owned(stepper);
  ASSERT_EQ(taut_stepper_step(stepper, 8), TAUT_OK) << taut_last_error();
  taut_view q;
  ASSERT_EQ(taut_stepper_view(stepper, "q", &q), TAUT_OK);
  EXPECT_EQ(static_cast<const double*>(q.data)[0], -1) << "the point goes through the wall";
  taut_stepper* refused = nullptr;
  for (const char* options :
       {R"({"without-events": false})", R"({"without-events": true, "events": "when=x"})",
        R"({"without-events": true, "at": [0.1]})", R"({"without-events": 1})"})
    EXPECT_EQ(taut_stepper_new(made, options, &refused), TAUT_BAD_INPUT) << options;
}

// The laboratory of web/ asks for a stepper in these words (web/src/session.ts), and shows every bundled
// model.
TEST(CInterface, EveryBundledModelHasAStepperForTheLaboratory) {
  char* handed = nullptr;
  ASSERT_EQ(taut_problems(&handed), TAUT_OK);
  const std::string problems = text_of(handed);
  int count = 0;
  for (std::size_t at = problems.find("\"name\""); at != std::string::npos;
       at = problems.find("\"name\"", at + 1)) {
    const std::size_t from = problems.find('"', problems.find(':', at)) + 1;
    const std::string name = problems.substr(from, problems.find('"', from) - from);
    const auto model = opened(name);
    ASSERT_NE(model, nullptr) << name;
    ASSERT_EQ(taut_model_describe(model.get(), &handed), TAUT_OK) << name;
    const std::string about = text_of(handed);
    const std::size_t key = about.find("\"method\"", about.find("\"run\""));
    ASSERT_NE(key, std::string::npos) << name;
    const std::size_t first = about.find('"', about.find(':', key)) + 1;
    std::string method = about.substr(first, about.find('"', first) - first);
    if (method.starts_with("adaptive(")) method = method.substr(9, method.size() - 10);
    const std::size_t length = about.find(':', about.find("\"step\"", about.find("\"run\"")));
    const double step = std::strtod(about.c_str() + length + 1, nullptr);
    ASSERT_GT(step, 0) << name;
    for (const double h : {step, -step}) {
      const std::string options =
          R"({"backend": "interpret", "project-start": true, "on-jump": "warn", "without-events": true, )"
          R"("steps": 1, "method": ")" +
          method + "\", \"step\": " + std::to_string(h) + "}";
      taut_stepper* stepper = nullptr;
      EXPECT_EQ(taut_stepper_new(model.get(), options.c_str(), &stepper), TAUT_OK)
          << name << ": " << taut_last_error();
      const Handle<taut_stepper> owned(stepper);
    }
    ++count;
  }
  EXPECT_GE(count, 30);
}

TEST(CInterface, AStepperGoesBackOnAModelWhoseRunsGoForward) {
  const auto model = opened("pendulum");
  taut_stepper* made = nullptr;
  ASSERT_EQ(taut_stepper_new(model.get(), R"({"method": "rattle", "step": -0.1})", &made), TAUT_OK)
      << taut_last_error();
  const Handle<taut_stepper> back(made);
  ASSERT_EQ(taut_stepper_step(back.get(), 30), TAUT_OK) << taut_last_error();
  taut_view time{};
  ASSERT_EQ(taut_stepper_view(back.get(), "t", &time), TAUT_OK);
  EXPECT_DOUBLE_EQ(time.data[0], -3.0);
}

TEST(CInterface, StepsOfAStepperHaveTheBitsOfARun) {
  for (const char* options :
       {R"({"steps": 40, "every": 1})", R"x({"steps": 40, "every": 1, "method": "lobatto(3)"})x",
        R"({"steps": 40, "every": 1, "method": "shake"})"}) {
    const auto model = opened("double-pendulum");
    taut_run* made = nullptr;
    ASSERT_EQ(taut_run_make(model.get(), options, nullptr, &made), TAUT_OK) << taut_last_error();
    const Handle<taut_run> run(made);
    taut_stepper* stepping = nullptr;
    ASSERT_EQ(taut_stepper_new(model.get(), options, &stepping), TAUT_OK) << taut_last_error();
    const Handle<taut_stepper> stepper(stepping);
    taut_view q, now, t, at;
    ASSERT_EQ(taut_run_view(made, "q", &q), TAUT_OK);
    ASSERT_EQ(taut_run_view(made, "t", &t), TAUT_OK);
    ASSERT_EQ(taut_stepper_view(stepping, "q", &now), TAUT_OK);
    ASSERT_EQ(taut_stepper_view(stepping, "t", &at), TAUT_OK);
    ASSERT_EQ(q.shape[0], 41);
    for (std::int64_t k = 1; k <= 40; ++k) {
      ASSERT_EQ(taut_stepper_step(stepping, 1), TAUT_OK);
      EXPECT_EQ(std::memcmp(now.data, q.data + k * q.shape[1],
                            sizeof(double) * static_cast<std::size_t>(q.shape[1])),
                0)
          << options << " step " << k;
      EXPECT_EQ(at.data[0], t.data[k]);
    }
  }
}

TEST(CInterface, ARestoredStepperGoesOnAndDamagedBytesAreRefused) {
  const auto model = opened("pendulum");
  taut_stepper *a = nullptr, *b = nullptr, *other = nullptr;
  ASSERT_EQ(taut_stepper_new(model.get(), R"({"method": "shake"})", &a), TAUT_OK);
  ASSERT_EQ(taut_stepper_new(model.get(), R"({"method": "shake"})", &b), TAUT_OK);
  ASSERT_EQ(taut_stepper_new(model.get(), R"({"method": "rattle"})", &other), TAUT_OK);
  const Handle<taut_stepper> own_a(a), own_b(b), own_other(other);
  ASSERT_EQ(taut_stepper_step(a, 17), TAUT_OK);
  char* bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(taut_stepper_save(a, &bytes, &size), TAUT_OK);
  for (std::size_t k = 0; k < size; k += 7) {
    bytes[k] = static_cast<char>(bytes[k] ^ 4);
    EXPECT_EQ(taut_stepper_restore(b, bytes, size), TAUT_BAD_INPUT) << "byte " << k;
    bytes[k] = static_cast<char>(bytes[k] ^ 4);
  }
  for (const std::size_t less : {std::size_t{0}, std::size_t{10}, size / 2, size - 1})
    EXPECT_EQ(taut_stepper_restore(b, bytes, less), TAUT_BAD_INPUT) << less;
  EXPECT_EQ(taut_stepper_restore(other, bytes, size), TAUT_BAD_INPUT);
  EXPECT_NE(std::string(taut_last_error()).find("another model, method or step"), std::string::npos);
  ASSERT_EQ(taut_stepper_restore(b, bytes, size), TAUT_OK) << taut_last_error();
  taut_free(bytes);
  ASSERT_EQ(taut_stepper_step(a, 9), TAUT_OK);
  ASSERT_EQ(taut_stepper_step(b, 9), TAUT_OK);
  taut_view p, r;
  ASSERT_EQ(taut_stepper_view(a, "p", &p), TAUT_OK);
  ASSERT_EQ(taut_stepper_view(b, "p", &r), TAUT_OK);
  EXPECT_EQ(std::memcmp(p.data, r.data, 2 * sizeof(double)), 0);
}

TEST(CInterface, WrongCallsAndOptionsAreRefusedInWords) {
  const auto model = opened("pendulum");
  taut_run* run = nullptr;
  char* json = nullptr;
  EXPECT_EQ(taut_run_make(nullptr, nullptr, nullptr, &run), TAUT_BAD_CALL);
  EXPECT_STREQ(taut_last_error(), "model is a null pointer.");
  EXPECT_EQ(taut_run_make(model.get(), nullptr, nullptr, nullptr), TAUT_BAD_CALL);
  EXPECT_EQ(taut_run_summary(nullptr, &json), TAUT_BAD_CALL);
  EXPECT_EQ(taut_model_open(nullptr, nullptr, nullptr), TAUT_BAD_CALL);
  EXPECT_EQ(taut_evaluate(model.get(), "H", 1, nullptr, 16, nullptr, 16, nullptr), TAUT_BAD_CALL);
  EXPECT_EQ(taut_evaluate(model.get(), "K", 0, nullptr, 16, nullptr, 16, nullptr), TAUT_BAD_CALL);
  for (const char* options : {"{",
                              "[]",
                              "7",
                              R"({"stepp": 1})",
                              R"({"step": "a"})",
                              R"({"step": 0})",
                              R"({"steps": 1.5})",
                              R"({"steps": 3, "until": 1})",
                              R"({"method": 3})",
                              R"({"method": "ratle"})",
                              R"({"method": ""})",
                              R"({"out": ""})",
                              R"({"out": "a\u0000b"})",
                              R"({"start": [1]})",
                              R"({"start": {"q": [1]}})",
                              R"({"start": {"z": 1}})",
                              R"({"start": {"x": 3}})",
                              R"({"set": {"M": 1}})",
                              R"({"quantities": {"A": "x +"}})",
                              R"({"backend": "fast"})",
                              R"({"threads": 0})",
                              R"({"every": -1})",
                              R"({"lambda": "no"})",
                              R"({"tolerance": -1})",
                              R"({"events": 7})",
                              R"({"events": "x"})",
                              R"({"events": {"when": "x", "do": "jump"}})",
                              R"({"events": {"when": "x", "name": "a, do=stop"}})",
                              R"({"at": 3})",
                              R"({"at": ["a"]})",
                              R"({"interval": 0.1})",
                              R"({"step-function": "1 + x^2"})",
                              R"x({"method": "adaptive(rattle)", "step-function": "z"})x"}) {
    EXPECT_EQ(taut_run_make(model.get(), options, nullptr, &run), TAUT_BAD_INPUT) << options;
    EXPECT_EQ(run, nullptr) << options;
    EXPECT_GT(std::strlen(taut_last_error()), 15U) << options;
    EXPECT_EQ(std::string(taut_last_error()).find("--"), std::string::npos) << taut_last_error();
  }
  taut_model* broken = nullptr;
  EXPECT_EQ(taut_model_parse("[system]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^2 + y\"\n", "mine",
                             nullptr, nullptr, &broken),
            TAUT_BAD_INPUT);
  EXPECT_NE(std::string(taut_last_error_json()).find("\"line\":3,\"column\":24"), std::string::npos)
      << taut_last_error_json();
}

TEST(CInterface, AFailureIsDataAndKeepsWhatThereIs) {
  const auto model = opened("pendulum");
  taut_run* run = nullptr;
  ASSERT_EQ(taut_run_make(model.get(), R"({"step": 50, "steps": 3, "every": 1})", nullptr, &run),
            TAUT_FAILED);
  const Handle<taut_run> owner(run);
  ASSERT_NE(run, nullptr);
  char* json = nullptr;
  ASSERT_EQ(taut_run_summary(run, &json), TAUT_OK);
  const std::string summary = text_of(json);
  EXPECT_NE(summary.find("\"kind\": \"not-converged\""), std::string::npos) << summary;
  EXPECT_NE(summary.find("\"constraint\": 0"), std::string::npos) << summary;
  taut_view t;
  ASSERT_EQ(taut_run_view(run, "t", &t), TAUT_OK);
  EXPECT_EQ(t.shape[0], 1);
}

TEST(CInterface, AFlagStopsARun) {
  const auto model = opened("pendulum");
  volatile int stop = 0;
  struct Seen {
    volatile int* stop;
    int calls;
  } seen{&stop, 0};
  const taut_watch watch{&seen,
                         [](void* user, std::int64_t, std::int64_t, double) {
                           auto& s = *static_cast<Seen*>(user);
                           if (++s.calls == 2) *s.stop = 1;
                         },
                         nullptr, &stop};
  taut_run* run = nullptr;
  ASSERT_EQ(taut_run_make(model.get(), R"({"steps": 1000000000, "backend": "interpret", "every": 1000000})",
                          &watch, &run),
            TAUT_STOPPED);
  const Handle<taut_run> owner(run);
  ASSERT_NE(run, nullptr);
  EXPECT_STREQ(taut_last_error(), "stopped by the caller");
  taut_view t;
  EXPECT_EQ(taut_run_view(run, "t", &t), TAUT_OK);
}

TEST(CInterface, SlowWatchersAreNotAskedMoreOften) {
  using Clock = std::chrono::steady_clock;
  const auto model = opened("pendulum");
  int calls = 0;
  static constexpr std::chrono::milliseconds slow(150);
  const taut_watch watch{&calls,
                         [](void* user, std::int64_t, std::int64_t, double) {
                           ++*static_cast<int*>(user);
                           std::this_thread::sleep_for(slow);
                         },
                         nullptr, nullptr};
  taut_run* run = nullptr;
  const auto began = Clock::now();
  ASSERT_EQ(taut_run_make(model.get(), R"({"steps": 3000000, "backend": "interpret", "every": 1000000})",
                          &watch, &run),
            TAUT_OK);
  const Handle<taut_run> owner(run);
  // Once in a tenth of a second of stepping, however long the watcher takes itself.
  const double stepping = std::chrono::duration<double>(Clock::now() - began - calls * slow).count();
  EXPECT_GE(calls, 1);
  EXPECT_LE(calls, stepping / 0.1 + 1);
}

TEST(CInterface, ACheckAndAnAnalysisEndWhenTheFlagSaysSo) {
  const auto model = opened("double-pendulum");
  volatile int stop = 1;
  const taut_watch watch{nullptr, nullptr, nullptr, &stop};
  const std::string length = R"({"steps": 1000000000, "backend": "interpret")";
  const auto ends = [&](int status, const char* json) {
    EXPECT_EQ(status, TAUT_STOPPED);
    EXPECT_STREQ(taut_last_error(), "stopped by the caller before it came to its end.");
    EXPECT_EQ(json, nullptr);
  };
  char* json = nullptr;
  ends(taut_check(model.get(), (length + "}").c_str(), &watch, &json), json);
  for (const char* what : {"lyapunov", "indicators", "spectrum"})
    ends(taut_analyse(model.get(), what, (length + "}").c_str(), &watch, &json), json);
  ends(taut_analyse(model.get(), "section", (length + R"(, "events": "when=x1"})").c_str(), &watch, &json),
       json);
  ends(taut_analyse(model.get(), "orbit", R"({"period": 1, "step": 1e-6})", &watch, &json), json);
}

TEST(CInterface, AModelMayBringItsFiles) {
  const auto from_disk = opened(TAUT_SOURCE "/examples/c60.toml");
  char* json = nullptr;
  ASSERT_EQ(taut_model_describe(from_disk.get(), &json), TAUT_OK);
  const std::string there = text_of(json);
  std::ifstream pdb(TAUT_SOURCE "/examples/c60.pdb"), toml(TAUT_SOURCE "/examples/c60.toml");
  std::stringstream coordinates, text;
  coordinates << pdb.rdbuf();
  text << toml.rdbuf();
  std::string quoted;
  for (const char c : coordinates.str())
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  const std::string files = R"({"files": {"c60.pdb": ")" + quoted + "\"}}";
  taut_model* model = nullptr;
  ASSERT_EQ(taut_model_parse(text.str().c_str(), "c60", "/nowhere", files.c_str(), &model), TAUT_OK)
      << taut_last_error();
  const Handle<taut_model> owner(model);
  ASSERT_EQ(taut_model_describe(model, &json), TAUT_OK);
  const std::string here = text_of(json);
  EXPECT_EQ(here.substr(here.find("\"title\"")), there.substr(there.find("\"title\"")));
  EXPECT_EQ(taut_model_parse(text.str().c_str(), "c60", "/nowhere", R"({"files": {}})", &model),
            TAUT_BAD_INPUT);
  EXPECT_EQ(taut_model_open("c60", files.c_str(), &model), TAUT_BAD_INPUT);
}

TEST(CInterface, SamplesThatNoMemoryHoldsAreRefusedBeforeTheRun) {
  const auto model = opened("pendulum");
  taut_run* run = nullptr;
  EXPECT_EQ(taut_run_make(model.get(), R"({"steps": 1000000000000000, "every": 1})", nullptr, &run),
            TAUT_BAD_INPUT);
  EXPECT_NE(std::string(taut_last_error()).find("larger `every`"), std::string::npos) << taut_last_error();
}

TEST(CInterface, TwoThreadsMayUseOneModel) {
  const auto model = opened("double-pendulum");
  const auto ends = [&](const char* options, std::vector<double>& out) {
    for (int k = 0; k < 20; ++k) {
      taut_run* run = nullptr;
      if (taut_run_make(model.get(), options, nullptr, &run) != TAUT_OK) return;
      taut_view q;
      taut_run_view(run, "q", &q);
      out.assign(q.data, q.data + q.shape[0] * q.shape[1]);
      taut_run_free(run);
    }
  };
  std::vector<double> alone[2], together[2];
  const char* options[] = {
      R"({"steps": 500, "every": 5})",
      R"({"steps": 500, "every": 5, "set": {"x1": 0.8, "y1": -0.6}, "project-start": true})"};
  for (int k = 0; k < 2; ++k) ends(options[k], alone[k]);
  std::thread first([&] { ends(options[0], together[0]); }), second([&] { ends(options[1], together[1]); });
  first.join();
  second.join();
  for (int k = 0; k < 2; ++k) EXPECT_EQ(alone[k], together[k]);
  EXPECT_FALSE(alone[0].empty());
}

TEST(CInterface, ValuesAgreeWithThoseOfThePendulumByHand) {
  const auto model = opened("pendulum", R"({"set": {"L": 2.0, "gravity": 3.0}})");
  const double q[] = {1.2, -1.6, 0, 2}, p[] = {0.8, 0.6, 1, 0};
  double H[2], lambda[2], g[2], G[4];
  constexpr std::int64_t stride = 2 * sizeof(double);
  ASSERT_EQ(taut_evaluate(model.get(), "H", 2, q, stride, p, stride, H), TAUT_OK);
  ASSERT_EQ(taut_evaluate(model.get(), "g", 2, q, stride, nullptr, 0, g), TAUT_OK);
  ASSERT_EQ(taut_evaluate(model.get(), "G", 2, q, stride, nullptr, 0, G), TAUT_OK);
  ASSERT_EQ(taut_evaluate(model.get(), "lambda", 2, q, stride, p, stride, lambda), TAUT_OK);
  for (int k = 0; k < 2; ++k) {
    const double x = q[2 * k], y = q[2 * k + 1], v = p[2 * k], w = p[2 * k + 1];
    EXPECT_NEAR(H[k], (v * v + w * w) / 2 + 3 * y, 1e-15);
    EXPECT_NEAR(g[k], (x * x + y * y - 4) / 2, 1e-15);
    EXPECT_EQ(G[2 * k], x);
    EXPECT_EQ(G[2 * k + 1], y);
    EXPECT_NEAR(lambda[k], (v * v + w * w - 3 * y) / 4, 1e-14);  // from d²g/dt² = 0
  }
  double start[] = {3, 0}, momentum[] = {1, 1}, moved[2];
  ASSERT_EQ(taut_project(model.get(), 1, start, momentum, moved), TAUT_OK);
  EXPECT_NEAR(std::hypot(start[0], start[1]), 2, 1e-14);
  EXPECT_NEAR(moved[0], 1, 1e-14);
}

TEST(CInterface, AnEnsembleOfATableHasTheBitsOfRuns) {
  const auto model = opened("pendulum");
  const char* const names[] = {"L", "p_y"};
  const double table[] = {1, 0.5, 1.5, 0.25, 2, -1};
  taut_ensemble* made = nullptr;
  ASSERT_EQ(
      taut_ensemble_make(model.get(), R"({"steps": 50, "every": 10})", names, 2, table, 3, nullptr, &made),
      TAUT_OK)
      << taut_last_error();
  const Handle<taut_ensemble> ensemble(made);
  taut_view q, samples;
  ASSERT_EQ(taut_ensemble_view(made, "q", &q), TAUT_OK);
  ASSERT_EQ(taut_ensemble_view(made, "samples", &samples), TAUT_OK);
  EXPECT_EQ(samples.shape[0], 3);
  EXPECT_EQ(samples.shape[1], 6);
  for (int k = 0; k < 3; ++k) {
    char options[200];
    std::snprintf(options, sizeof options, R"({"steps": 50, "set": {"L": %.17g, "p_y": %.17g}})",
                  table[2 * k], table[2 * k + 1]);
    taut_run* run = nullptr;
    ASSERT_EQ(taut_run_make(model.get(), options, nullptr, &run), TAUT_OK) << taut_last_error();
    const Handle<taut_run> owner(run);
    taut_view of_run;
    ASSERT_EQ(taut_run_view(run, "q", &of_run), TAUT_OK);
    const auto* end =
        reinterpret_cast<const double*>(reinterpret_cast<const char*>(q.data) + k * q.strides[0]);
    EXPECT_EQ(std::memcmp(end, of_run.data + (of_run.shape[0] - 1) * 2, 2 * sizeof(double)), 0) << k;
  }
}

// The pendulum of examples/pendulum.toml by hand: V = y, g = (x² + y² - 1)/2.
extern "C" {
static void pendulum_V(const double* q, const double*, const double*, double* out) { out[0] = q[1]; }
static void pendulum_grad_V(const double*, const double*, const double*, double* out) {
  out[0] = 0;
  out[1] = 1;
}
static void pendulum_g(const double* q, const double*, const double*, double* out) {
  out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}
static void pendulum_G(const double* q, const double*, const double*, double* out) {
  out[0] = q[0];
  out[1] = q[1];
}
}

TEST(CInterface, FunctionsOfTheCallerGiveTheBitsOfFormulas) {
  const char* const text =
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"0\"\nconstraints = [\"x\"]\n"
      "[initial]\nx = 1\n";
  taut_model* made = nullptr;
  ASSERT_EQ(taut_model_parse(text, nullptr, nullptr, nullptr, &made), TAUT_OK) << taut_last_error();
  const Handle<taut_model> mine(made), formulas = opened("pendulum");
  taut_functions functions = {};
  functions.V = pendulum_V;
  EXPECT_EQ(taut_model_set_functions(made, &functions), TAUT_BAD_INPUT);
  EXPECT_STREQ(taut_last_error(), "V and grad_V are given together.");
  functions.grad_V = pendulum_grad_V;
  functions.g = pendulum_g;
  functions.G = pendulum_G;
  ASSERT_EQ(taut_model_set_functions(made, &functions), TAUT_OK) << taut_last_error();
  const auto end_of = [](taut_model* model, const char* method) {
    const std::string options =
        R"({"steps": 200, "step": 0.05, "backend": "interpret", "method": ")" + std::string(method) + "\"}";
    taut_run* run = nullptr;
    EXPECT_EQ(taut_run_make(model, options.c_str(), nullptr, &run), TAUT_OK) << taut_last_error();
    const Handle<taut_run> owner(run);
    taut_view q, lambda;
    EXPECT_EQ(taut_run_view(run, "q", &q), TAUT_OK);
    EXPECT_EQ(taut_run_view(run, "lambda", &lambda), TAUT_OK);
    const auto last = q.shape[0] - 1;
    return std::vector<double>{q.data[2 * last], q.data[2 * last + 1], lambda.data[last]};
  };
  for (const char* method : {"rattle", "kahan-li8"}) {
    const auto a = end_of(formulas.get(), method), b = end_of(made, method);
    EXPECT_EQ(a[0], b[0]) << method;
    EXPECT_EQ(a[1], b[1]) << method;
    EXPECT_NEAR(a[2], b[2], 1e-9) << "second derivatives of g are differences";
  }
  // Implicit methods differentiate the forces, which is done by differences here.
  const auto a = end_of(formulas.get(), "midpoint"), b = end_of(made, "midpoint");
  EXPECT_NEAR(a[0], b[0], 1e-12);
  taut_run* none = nullptr;
  EXPECT_EQ(taut_run_make(made, R"({"steps": 1, "backend": "compile"})", nullptr, &none), TAUT_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
}

// The objects are those that the commands print; tests/theorems/kinds_of_motion.cpp holds their values.
TEST(CInterface, SaysWhatKindOfMotionARunIs) {
  const auto model = opened("pendulum");
  const auto found = [&](const char* what, const char* options) {
    char* json = nullptr;
    EXPECT_EQ(taut_analyse(model.get(), what, options, nullptr, &json), TAUT_OK) << taut_last_error();
    const std::string text = json == nullptr ? "" : json;
    taut_free(json);
    return text;
  };
  EXPECT_NE(found("section", R"({"events": ["when=x"], "at": [0.5], "until": 5})").find("\"points\""),
            std::string::npos);
  EXPECT_NE(found("lyapunov", R"({"until": 1})").find("\"pairing_defect\""), std::string::npos);
  EXPECT_NE(found("indicators", R"({"until": 1, "seed": 3})").find("\"megno\""), std::string::npos);
  EXPECT_NE(found("spectrum", R"({"of": ["x", "p_x"], "count": 1})").find("\"lines\""), std::string::npos);
  char* json = nullptr;
  EXPECT_EQ(taut_analyse(model.get(), "orbit", R"({"period": 1})", nullptr, &json), TAUT_FAILED);
  EXPECT_EQ(json, nullptr);
  EXPECT_NE(std::string(taut_last_error()).find("no periodic orbit was found"), std::string::npos);
  EXPECT_EQ(taut_analyse(model.get(), "chaos", nullptr, nullptr, &json), TAUT_BAD_INPUT);
  EXPECT_EQ(taut_analyse(model.get(), "section", nullptr, nullptr, &json), TAUT_BAD_INPUT);
  EXPECT_EQ(taut_analyse(model.get(), "section", R"({"period": 1})", nullptr, &json), TAUT_BAD_INPUT);
  EXPECT_STREQ(taut_last_error(), "the option period is not one of section.");
}

TEST(CInterface, TenThousandRunsLeakNothing) {
  const auto model = opened("pendulum");
  const auto work = [&](int count) {
    for (int k = 0; k < count; ++k) {
      taut_run* run = nullptr;
      taut_run_make(model.get(), k % 10 == 0 ? R"({"method": "none"})" : R"({"steps": 2})", nullptr, &run);
      taut_run_free(run);
    }
  };
  work(100);
  const std::size_t before = mallinfo2().uordblks;
  work(10000);
  EXPECT_LT(mallinfo2().uordblks, before + 65536);
}

TEST(CInterface, TheLibraryShowsTheListedNamesAndNoOthers) {
  std::ifstream file(TAUT_SOURCE "/src/taut/capi/taut.symbols");
  std::set<std::string> listed, shown;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("    taut_")) listed.insert(line.substr(4, line.size() - 5));
  std::istringstream names(
      output_of("nm -D --defined-only '" TAUT_LIBRARY "' | awk '$2 != \"A\" {print $3}' | sed 's/@.*//'"));
  for (std::string name; std::getline(names, name);) shown.insert(name);
  EXPECT_GE(listed.size(), 38U);
  EXPECT_EQ(shown, listed);
}
