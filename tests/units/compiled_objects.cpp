// Formulas in machine code: the bits of the interpreter, and a cache that loads nothing that it did
// not make itself.

#include <taut/backend/compiled_formulas.hpp>
#include <taut/backend/compiled_object.hpp>
#include <taut/backend/object_folder.hpp>
#include <taut/backend/specialised.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/model/code/emit.hpp>
#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/program_source.hpp>
#include <taut/run/model_run.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include "support/run_program.hpp"

namespace {

using namespace taut;
namespace fs = std::filesystem;

// Sets an environment variable for the life of this object.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// Each case has a cache of its own.
class CompiledObjects : public ::testing::Test {
 protected:
  test::OwnFolder home_;
  Environment cache_{"XDG_CACHE_HOME", home_.string()};
  fs::path folder_ = home_ / "taut";

  // Returns a unit whose function returns `value`; its text is its own for every test, since a loaded
  // object stays loaded.
  SourceUnit unit(int value) const {
    return {.text = "// " + folder_.string() +
                    "\nextern \"C\" __attribute__((visibility(\"default\"))) int answer() { return " +
                    std::to_string(value) + "; }\n"};
  }
  static int answer(const CompiledObject& object) {
    return reinterpret_cast<int (*)()>(object.symbol("answer"))();
  }
  fs::path only_entry() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }
  // Replaces a file by a new one, as anybody who damages one in use would have to.
  static void replace(const fs::path& path, const std::string& bytes) {
    std::ofstream(path.string() + ".new", std::ios::binary) << bytes;
    fs::permissions(path.string() + ".new", fs::perms::owner_read | fs::perms::owner_write);
    fs::rename(path.string() + ".new", path);
  }
};

TEST(Sha256, KnownDigests) {  // FIPS 180-4, and a million letters
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(CompiledObjects, AnObjectIsCompiledOnceAndFoundAgain) {
  const CompiledObject first = compiled_object(unit(41));
  ASSERT_NE(first.handle, nullptr) << first.missing;
  EXPECT_TRUE(first.fresh);
  EXPECT_EQ(answer(first), 41);
  const CompiledObject again = compiled_object(unit(41));
  ASSERT_NE(again.handle, nullptr) << again.missing;
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(answer(again), 41);
  const CompiledObject other = compiled_object({.text = unit(41).text, .options = {"-DX"}});
  EXPECT_TRUE(other.fresh) << "other options are another object";
  struct stat info{};
  ASSERT_EQ(stat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(CompiledObjects, ADamagedObjectIsMadeAgain) {
  ASSERT_NE(compiled_object(unit(1)).handle, nullptr);
  const fs::path entry = only_entry();
  const std::string sound = test::read_text(entry);
  std::string flipped = sound;
  flipped[sound.size() / 2] = static_cast<char>(flipped[sound.size() / 2] ^ 1);
  std::string last = sound;
  last.back() = ' ';
  for (const std::string& bytes :
       {flipped, last, sound.substr(0, sound.size() - 1), sound.substr(0, 100), std::string()}) {
    replace(entry, bytes);
    const CompiledObject object = compiled_object(unit(1));
    ASSERT_NE(object.handle, nullptr) << object.missing;
    EXPECT_TRUE(object.fresh) << bytes.size() << " bytes were loaded";
    EXPECT_EQ(test::read_text(entry).size(), sound.size());
  }
  EXPECT_FALSE(compiled_object(unit(1)).fresh);
}

TEST_F(CompiledObjects, AForeignObjectIsNeverLoaded) {
  // This object ends any program that loads it, under the name of ours.
  SourceUnit trap = unit(2);
  trap.text += "__attribute__((constructor)) static void spring() { __builtin_trap(); }\n";
  ASSERT_EXIT(
      { compiled_object(trap); }, ::testing::KilledBySignal(SIGILL), "")
      << "the trap itself must work";
  const std::string foreign = test::read_text(only_entry());
  fs::remove(only_entry());
  ASSERT_NE(compiled_object(unit(2)).handle, nullptr);
  const fs::path entry = only_entry();
  replace(entry, foreign);  // sound in itself, but with another key
  EXPECT_TRUE(compiled_object(unit(2)).fresh);
  fs::permissions(entry, fs::perms::owner_all | fs::perms::group_write);
  EXPECT_TRUE(compiled_object(unit(2)).fresh) << "others may have written it";
  fs::rename(entry, home_ / "elsewhere");
  fs::create_symlink(home_ / "elsewhere", entry);
  EXPECT_TRUE(compiled_object(unit(2)).fresh) << "a link";
  if (geteuid() == 0) {
    ASSERT_EQ(chown(entry.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(compiled_object(unit(2)).fresh) << "of another user";
    ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
    EXPECT_EQ(compiled_object(unit(2)).missing,
              "the folder " + folder_.string() + " belongs to another user");
  }
}

TEST_F(CompiledObjects, AFolderThatOthersMayWriteIsRefused) {
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_write);
  EXPECT_EQ(compiled_object(unit(3)).missing,
            "others may write in the folder " + folder_.string() + " (chmod 700 mends it)");
  EXPECT_TRUE(fs::is_empty(folder_));
  fs::remove(folder_);
  fs::create_directory_symlink(home_ / "", folder_);
  EXPECT_EQ(compiled_object(unit(3)).missing, folder_.string() + " is not a folder");
}

TEST_F(CompiledObjects, WhatCannotBeCompiledSaysWhy) {
  EXPECT_NE(compiled_object({.text = "int f() { return g(); }\n"})
                .missing.find("does not compile it: unit.cpp:1:18: error:"),
            std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_)) << "nothing is left of it";
  {
    const Environment none("CXX", "/bin/false");
    EXPECT_EQ(compiled_object(unit(4)).missing, "$CXX names no C++ compiler that runs");
  }
  {
    const Environment liar("CXX", "/bin/echo");
    EXPECT_EQ(compiled_object(unit(4)).missing, "/bin/echo made no object");
  }
  {
    const Environment no_path("PATH", ""), no_compiler("CXX", "");
    EXPECT_EQ(compiled_object(unit(4)).missing, "there is no C++ compiler (c++, g++ or clang++) on PATH");
  }
  {
    const Environment nowhere("XDG_CACHE_HOME", ""), homeless("HOME", "");
    EXPECT_EQ(compiled_object(unit(4)).missing,
              "there is no folder to keep objects in: neither $XDG_CACHE_HOME nor $HOME is set");
  }
  {
    const Environment no_folder("XDG_CACHE_HOME", "/proc/nowhere");
    EXPECT_NE(compiled_object(unit(4)).missing.find("the folder /proc/nowhere/taut cannot be made"),
              std::string::npos);
  }
}

// Returns a name as those of objects are: 64 hexadecimal digits.
std::string some_key(int k) { return sha256(std::to_string(k)); }

TEST_F(CompiledObjects, OldObjectsMakeRoom) {
  ASSERT_NE(compiled_object(unit(5)).handle, nullptr);
  const fs::path used = only_entry();
  for (int k = 0; k < 250; ++k) {
    const fs::path old = folder_ / (some_key(k) + ".so");
    std::ofstream(old) << "x" << seal(some_key(k), "x");
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1000 - k));
  }
  ASSERT_NE(compiled_object(unit(6)).handle, nullptr);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 200);
  EXPECT_TRUE(fs::exists(used));
  EXPECT_FALSE(fs::exists(folder_ / (some_key(0) + ".so")));
  EXPECT_TRUE(fs::exists(folder_ / (some_key(249) + ".so")));
}

TEST_F(CompiledObjects, WhatTheCacheDidNotMakeStays) {
  fs::create_directories(folder_ / "thesis/chapters");
  std::ofstream(folder_ / "thesis/chapters/one.tex") << "years of work";
  fs::create_directory(folder_ / "compiling-thesis");
  fs::create_directory(folder_ / "compiling-poetry");
  std::ofstream(folder_ / "compiling-poetry/unit.cpp") << "mine";
  std::ofstream(folder_ / "compiling-poetry/notes") << "mine";
  std::ofstream(folder_ / "notes") << "mine";
  fs::create_directory(folder_ / "compiling-abc123");  // a compiler that was killed left it
  std::ofstream(folder_ / "compiling-abc123/unit.cpp") << "ours";
  for (int k = 0; k < 230; ++k) {
    std::ofstream(folder_ / (std::to_string(k) + ".so")) << "mine";
    std::ofstream(folder_ / (some_key(k) + ".so")) << "mine, too";
  }
  fs::permissions(folder_, fs::perms::owner_all);
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1000));
  ASSERT_NE(compiled_object(unit(7)).handle, nullptr) << compiled_object(unit(7)).missing;
  EXPECT_FALSE(fs::exists(folder_ / "compiling-abc123"));
  for (const char* name : {"thesis/chapters/one.tex", "compiling-thesis", "compiling-poetry/unit.cpp",
                           "compiling-poetry/notes", "notes", "0.so"})
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 4 + 2 * 230 + 1);
}

TEST_F(CompiledObjects, AFolderAboveThatOthersMayWriteIsRefused) {
  const fs::path home = home_ / "home", above = home / "cache";
  fs::create_directories(above);
  const Environment cache("XDG_CACHE_HOME", above.string());
  ASSERT_NE(compiled_object(unit(8)).handle, nullptr);
  for (const fs::path& open : {above, home}) {
    fs::permissions(open, fs::perms::owner_all | fs::perms::group_write);
    EXPECT_EQ(compiled_object(unit(8)).missing, "others may replace the folder " + (above / "taut").string() +
                                                    " (chmod go-w " + open.string() + " mends it)");
    fs::permissions(open, fs::perms::owner_all);
    if (geteuid() != 0) continue;
    ASSERT_EQ(chown(open.c_str(), 65534, 65534), 0);
    EXPECT_EQ(compiled_object(unit(8)).missing, "another user may replace the folder " +
                                                    (above / "taut").string() + ": " + open.string() +
                                                    " is his");
    ASSERT_EQ(chown(open.c_str(), 0, 0), 0);
  }
  EXPECT_NE(compiled_object(unit(8)).handle, nullptr);
}

// Runs something in a process of its own, which has loaded nothing yet.
template <class Work>
pid_t in_a_process(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  return child;
}
int status_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Somebody exchanges the folder of the objects for another one, with a trap of the same name in it, all the
// time.
TEST_F(CompiledObjects, TheFileThatIsCheckedIsTheOneThatIsLoaded) {
  const auto load = [this] { compiled_object(unit(9)); };
  SourceUnit trap = unit(9);
  trap.text += "__attribute__((constructor)) static void spring() { __builtin_trap(); }\n";
  ASSERT_TRUE(WIFSIGNALED(status_of(in_a_process([&] { compiled_object(trap); }))));
  const std::string spring = test::read_text(only_entry());
  fs::remove(only_entry());
  ASSERT_EQ(status_of(in_a_process(load)), 0);
  const std::string name = only_entry().filename(), good = test::read_text(only_entry());
  const fs::path evil = home_ / "evil";
  fs::create_directory(evil);
  fs::permissions(evil, fs::perms::owner_all);
  for (int round = 0; round < 8; ++round) {
    replace(folder_ / name, good);
    replace(evil / name, spring);
    const pid_t swap = in_a_process([&] {
      for (;;) syscall(SYS_renameat2, AT_FDCWD, folder_.c_str(), AT_FDCWD, evil.c_str(), RENAME_EXCHANGE);
    });
    for (int k = 0; k < 8; ++k) EXPECT_EQ(status_of(in_a_process(load)), 0) << "the trap was loaded";
    kill(swap, SIGKILL);
    status_of(swap);
  }
}

TEST_F(CompiledObjects, SeveralProgramsShareTheFolder) {
  std::vector<pid_t> programs;
  for (int k = 0; k < 4; ++k)
    programs.push_back(in_a_process([this] {
      const CompiledObject object = compiled_object(unit(12));
      if (object.handle == nullptr || answer(object) != 12) _exit(1);
    }));
  for (const pid_t program : programs) EXPECT_EQ(status_of(program), 0);
  EXPECT_EQ(only_entry().extension(), ".so") << "nothing else is left";
}

// --- the compiler

// Writes a program that is used as $CXX.
std::string script(const test::OwnFolder& folder, const std::string& text) {
  const fs::path path = folder / "compiler";
  std::ofstream(path) << "#!/bin/sh\n" << text;
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

TEST_F(CompiledObjects, ACompilerMayPrintAsMuchAsItLikes) {
  const test::OwnFolder folder;
  const Environment talker(
      "CXX", script(folder,
                    "[ \"$1\" = --version ] && head -c 200000 /dev/zero | tr '\\0' x && exit 0\n"
                    "head -c 200000 /dev/zero | tr '\\0' x\nexec c++ \"$@\"\n"));
  const CompiledObject object = compiled_object(unit(10));
  ASSERT_NE(object.handle, nullptr) << object.missing;
  EXPECT_EQ(answer(object), 10);
}

TEST_F(CompiledObjects, ClangHasOptionsOfItsOwn) {
  const test::OwnFolder folder;
  SourceUnit other = unit(11);
  other.for_clang = {"-mllvm", "-inline-threshold=20000"};
  const std::string list = folder / "list";
  for (const auto& [version, options] : {std::pair("g++ 12.2", 0), {"clang version 19.1", 1}}) {
    const Environment named("CXX",
                            script(folder, "[ \"$1\" = --version ] && echo '" + std::string(version) +
                                               "' && exit 0\necho \"$@\" >'" + list +
                                               "'\nexec c++ $(echo \"$@\" | sed 's/-mllvm [^ ]*//')\n"));
    const CompiledObject object = compiled_object(other);
    ASSERT_NE(object.handle, nullptr) << object.missing;
    EXPECT_EQ(answer(object), 11);
    const bool given = test::read_text(list).find("-mllvm -inline-threshold=20000") != std::string::npos;
    EXPECT_EQ(given, options == 1) << version;
  }
}

TEST_F(CompiledObjects, ASignalEndsACompilerThatNeverEnds) {
  const test::OwnFolder folder;
  const Environment sleeper("CXX", script(folder,
                                          "[ \"$1\" = --version ] && echo 1 && exit 0\n"
                                          "echo $$ > " +
                                              (folder / "pid").string() + "\nsleep 1000\n"));
  struct sigaction action{}, before{};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  const pthread_t waiting = pthread_self();
  std::thread other([&] {
    while (!fs::exists(folder / "pid") || fs::is_empty(folder / "pid"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pthread_kill(waiting, SIGUSR1);
  });
  EXPECT_THROW(compiled_object(unit(11)), StoppedWhileCompiling);
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_NE(kill(std::stoi(test::read_text(folder / "pid")), 0), 0) << "it still runs";
  EXPECT_TRUE(fs::is_empty(folder_));
}

// --- the bits

// Returns the fused instructions of an object.
std::string fused(const fs::path& object) {
  const test::OwnFolder folder;
  const std::string list = (folder / "list").string();
  EXPECT_EQ(std::system(("objdump -d " + object.string() + " > " + list).c_str()), 0);
  const std::string text = test::read_text(list);
  EXPECT_NE(text.find("ret"), std::string::npos) << "this is no list of instructions";
  const std::regex instruction(R"(\bv?fn?m(add|sub|addsub|subadd|la|ls)\w*)");
  std::string found;
  for (std::sregex_iterator at(text.begin(), text.end(), instruction), end; at != end; ++at)
    found += at->str() + " ";
  return found;
}

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"/usr/bin/g++", "/usr/bin/clang++"})
    if (fs::exists(name)) found.emplace_back(name);
  return found;
}

// g++ 12 makes one fused instruction of these two lines, in spite of -ffp-contract=off.
TEST_F(CompiledObjects, NoInstructionIsFused) {
  const std::string text = R"(extern "C" __attribute__((visibility("default")))
    void f(const double* q, double* __restrict out) {
      const double t0 = 0.7 * q[0];
      out[0] = t0 - q[2];
      const double t1 = 0.7 * q[1];
      out[1] = t1 + q[3];
    })";
  for (const std::string& compiler : compilers()) {
    const Environment chosen("CXX", compiler);
    const CompiledObject object = compiled_object({.text = text});
    ASSERT_NE(object.handle, nullptr) << object.missing;
    EXPECT_EQ(fused(folder_ / (object.key + ".so")), "") << compiler;
    for (const auto& file : test::system_examples())
      if (file.text.find("hamiltonian") != std::string::npos) {
        const Model model = read_model(file.text, file.path, {}).model.value();
        ASSERT_EQ(compiled_formulas(compile(model)).missing, "") << compiler;
      }
    for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(fused(entry.path()), "") << compiler;
  }
  const ModelRun run = read_model_run("pendulum", {}, {});  // a whole step, compiled with other options
  const Specialised step =
      specialised_machine(run.model, {.method = "rattle"}, run.mechanism->start(), {}, false);
  ASSERT_NE(step.machine, nullptr) << step.missing;
  EXPECT_EQ(fused(folder_ / (step.object + ".so")), "");
}

Model model_of(const std::string& text, const std::string& name) {
  const ReadModel read = read_model(text, name);
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model.value();
}

// Compares every program of the system, interpreted and compiled, at a few points near the start.
void expect_the_same_bits(const Model& model) {
  const auto interpreted = compile(model);
  const CompiledFormulas compiled = compiled_formulas(interpreted);
  ASSERT_EQ(compiled.missing, "");
  const auto n = static_cast<std::size_t>(interpreted->n);
  for (int point = 0; point < 5; ++point) {
    std::vector<double> q, p, v;
    for (std::size_t i = 0; i < n; ++i) {
      const double shift = 0.003 * point * std::sin(1.0 + static_cast<double>(7 * i));
      q.push_back(static_cast<double>(interpreted->q[i]) + shift);
      p.push_back(static_cast<double>(interpreted->p[i]) - shift);
      v.push_back(0.3 + shift);
    }
    for (const auto code : FormulaSystem::codes()) {
      if (!((*interpreted).*code)) continue;
      ASSERT_NE(((*compiled.system).*code)->compiled, nullptr);
      const std::size_t size = ((*interpreted).*code)->outputs.size();
      std::vector<double> a(size), b(size);
      Evaluator<double>((*interpreted).*code)(q.data(), p.data(), v.data(), a.data());
      Evaluator<double>((*compiled.system).*code)(q.data(), p.data(), v.data(), b.data());
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(a[i], b[i]) << model.name << ", output " << i;
    }
  }
}

TEST_F(CompiledObjects, EveryExampleGivesTheBitsOfTheInterpreter) {
  int examples = 0;
  for (const auto& file : test::system_examples()) {
    expect_the_same_bits(model_of(file.text, file.path));
    ++examples;
  }
  EXPECT_GE(examples, 15);
}

TEST_F(CompiledObjects, EveryFunctionGivesTheBitsOfTheInterpreter) {
  expect_the_same_bits(
      model_of("[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"\"\"sqrt(2 + x) + exp(x*y) "
               "+ log(3 + y) + sin(x) + cos(x) + tan(y) "
               "+ asin(x/4) + acos(y/4) + atan(x) + atan2(x, 2 + y) + sinh(x) + cosh(y) + tanh(x*y) + abs(x "
               "- y) + (2 + x)^y - 1/(3 + x) + erf(x) + erfc(y) + cbrt(x - 2)\"\"\"\n"
               "constraints = [\"x - y\"]\n[initial]\nx = 0.25\ny = 0.25\n",
               "functions"));
}

// Each composition has a coordinate of its own: its derivative is an output in which no sum hides the last
// bit.
std::string functions_of_functions() {
  std::string names, potential, start;
  int k = 0;
  for (const char* outer : {"sin", "cos", "tan", "exp", "sinh", "cosh", "tanh"})
    for (const char* inner : {"atan", "asin", "acos", "log", "sqrt", "tanh", "abs"})
      for (int again = 0; again < 2; ++again) {
        names += fmt::format("{}\"x{}\"", k > 0 ? ", " : "", k);
        potential += fmt::format("{}{}({}(x{}))", k > 0 ? " + " : "", outer, inner, k);
        start += fmt::format("x{} = {}\n", k, 0.2 + 0.007 * k);
        ++k;
      }
  return "[system]\ncoordinates = [" + names + "]\nmass = 1.0\npotential = \"" + potential +
         "\"\n[initial]\n" + start;
}

// Compilers made other bits of these models once: they fused two lines, made exp2 of a power of two, and
// 1/√(1 + x²) of cos(atan(x)).
TEST_F(CompiledObjects, EveryCompilerGivesTheBitsOfTheInterpreter) {
  for (const std::string& compiler : compilers()) {
    const Environment chosen("CXX", compiler);
    for (const auto& file : test::system_examples())
      if (file.path.find("charged-particle") != std::string::npos)
        expect_the_same_bits(
            model_of(std::regex_replace(file.text, std::regex("omega = [0-9.]+"), "omega = 0.7"),
                     "omega = 0.7, " + compiler));
    expect_the_same_bits(model_of(
        "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"2^y + 2^(x/3) + 10^x + "
        "8^(x*y) + (x*x)^0.5 + y^(1/3)\"\nconstraints = [\"x - y\"]\n[initial]\nx = 0.77\ny = 0.77\n",
        "powers, " + compiler));
    expect_the_same_bits(model_of(functions_of_functions(), "functions of functions, " + compiler));
  }
}

// The program is longer than one function is allowed to be.
TEST_F(CompiledObjects, ALongProgramIsCutUp) {
  std::string potential = "0";
  for (int k = 0; k < 700; ++k)
    potential += " + sin(" + std::to_string(k + 1) + "*x + y/" + std::to_string(k + 2) + ")*y";
  const Model model =
      model_of("[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"" + potential +
                   "\"\nconstraints = [\"x - y\"]\n[initial]\nx = 0.25\ny = 0.25\n",
               "long");
  const auto system = compile(model);
  EXPECT_NE(source_of({system->grad_V.get()}).find("part_0_9("), std::string::npos);
  expect_the_same_bits(model);
}

TEST(ProgramSource, NumbersReadBackAsTheSameBits) {
  EXPECT_EQ(cpp_number(1), "1.0");
  EXPECT_EQ(cpp_number(-0.1), "(-0.1)");
  EXPECT_EQ(cpp_number(1e300), "1e+300");
  EXPECT_EQ(cpp_number(1.0 / 0.0), "__builtin_inf()");
  EXPECT_EQ(cpp_number(-1.0 / 0.0), "(-__builtin_inf())");
  EXPECT_EQ(cpp_number(std::nan("")), "__builtin_nan(\"\")");
}

// The text for the compiler consists of words of ours, whatever the author calls things.
TEST(ProgramSource, NothingOfTheAuthorsTextReachesTheCompiler) {
  const Model model = model_of(
      "title = \"\"\"x\\\\\n#error\\n */ #include </etc/passwd> `id` $(id) ; rm\"\"\"\n[parameters]\nsystem "
      "= 2.0\nasm_ = 3.0\n[system]\n"
      "coordinates = [\"while\", \"__attribute__\"]\nmass = [\"system\", \"asm_\"]\npotential = "
      "\"system*while + cos(__attribute__)\"\n"
      "constraints = [\"while - __attribute__\"]\n",
      "$(touch x).toml");
  const auto system = compile(model);
  const std::string text =
      source_of({system->V.get(), system->grad_V.get(), system->g.get(), system->G.get()});
  const std::regex allowed(
      R"((extern|C|__attribute__|visibility|default|void|const|double|__restrict|[qpvs]|out|taut_program_\d+|[tu]\d+|typedef|taut_pair|vector_size|taut_sine_and_cosine|e))");
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    EXPECT_TRUE(std::regex_match(at->str(), allowed)) << at->str();
  const std::string bare = emit_bare_cpp(model, "SpecialisedModel");
  EXPECT_EQ(bare.find("//"), bare.find("// W = M^-1")) << "the only comment is ours";
  for (const char* theirs : {"while", "__attribute__", "asm_", "system", "passwd", "#error", "`", "rm"})
    EXPECT_EQ(bare.find(theirs), std::string::npos) << theirs;
}

}  // namespace
