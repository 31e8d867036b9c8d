#include <taut/backend/cxx_compiler.hpp>
#include <taut/backend/ends_compilers.hpp>
#include <taut/contract/request.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

namespace taut {

namespace {

bool is_program(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Returns the full path of a program; empty if there is none. Folders of $PATH that are not absolute are left
// out: what they name depends on the working directory.
std::string path_of(const std::string& name) {
  if (name.find('/') != std::string::npos) return name.starts_with('/') && is_program(name) ? name : "";
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && is_program(folder + "/" + name)) return folder + "/" + name;
  return "";
}

// Returns our environment without the variables that would make the compiler read other files than its
// arguments say, because the cache depends on the arguments.
std::vector<std::string> compiler_environment() {
  constexpr std::array<std::string_view, 8> left_out{
      "CPATH=",         "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "LIBRARY_PATH=", "GCC_EXEC_PREFIX=",
      "COMPILER_PATH=", "LC_ALL=",         "LD_PRELOAD="};
  std::vector<std::string> list{"LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::none_of(left_out.begin(), left_out.end(),
                     [&](std::string_view name) { return text.starts_with(name); }))
      list.emplace_back(text);
  }
  return list;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

constexpr std::size_t longest_output = 1U << 16U;  // bytes of a program's messages that are kept
constexpr int version_seconds = 10, compile_seconds = 600;

// How a program that was waited for ended: by itself, at the end of its time, or because a signal came.
enum class Waited { ended, late, interrupted };

thread_local const std::function<bool()>* asked_to_end = nullptr;
constexpr std::int64_t look_ms = 50;  // from one question to the next

// Reads what a program prints until it ends.
Waited read_to_the_end(int from, int seconds, std::string& output) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::array<char, 4096> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd what{.fd = from, .events = POLLIN, .revents = 0};
    if (left <= 0) return Waited::late;
    if (asked_to_end != nullptr && (*asked_to_end)()) return Waited::interrupted;
    const std::int64_t wait = asked_to_end == nullptr ? left : std::min<std::int64_t>(left, look_ms);
    const int ready = poll(&what, 1, static_cast<int>(wait));
    if (ready < 0) return errno == EINTR ? Waited::interrupted : Waited::late;
    if (ready == 0) continue;
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0) return errno == EINTR ? Waited::interrupted : Waited::late;
    if (got == 0) return Waited::ended;
    const std::size_t room = longest_output - std::min(longest_output, output.size());
    output.append(part.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

// Runs a program in the folder, or in / if there is none. A run that is asked to stop does not wait for it: a
// signal ends the program, with all that it started, and so does the end of its time.
CompilerEnd run(std::vector<std::string> arguments, const Folder* folder, int seconds) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attributes) != 0) return {};
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, to.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.number(), STDERR_FILENO);
  if (folder == nullptr)
    posix_spawn_file_actions_addchdir_np(&actions, "/");
  else
    posix_spawn_file_actions_addfchdir_np(&actions, folder->descriptor());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> variables = compiler_environment();
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0].c_str(), &actions, &attributes,
                                 pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  to.close();
  if (failed != 0) return {};
  CompilerEnd ended;
  const Waited waited = read_to_the_end(from.number(), seconds, ended.output);
  if (waited != Waited::ended) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  if (waited == Waited::interrupted) throw StoppedWhileCompiling("stopped while the compiler worked");
  ended.well = waited == Waited::ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ended;
}

// Returns what the program prints when it is run with --version; nothing if it fails.
std::string version_of(const std::vector<std::string>& command) {
  std::vector<std::string> arguments = command;
  arguments.emplace_back("--version");
  CompilerEnd ended = run(std::move(arguments), nullptr, version_seconds);
  return ended.well ? std::move(ended.output) : "";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

namespace {

// Finds the program that the variable names, or the first of `usual`.
CxxCompiler first_that_runs(const char* variable, const std::vector<std::string>& usual,
                            const std::string& missing) {
  CxxCompiler found;
  const std::string wanted = environment(variable);
  std::vector<std::vector<std::string>> commands;
  if (wanted.empty()) {
    for (const std::string& name : usual) commands.push_back({name});
  } else {
    std::istringstream words(wanted);
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    if (!command.empty()) commands.push_back(command);
  }
  for (std::vector<std::string>& command : commands) {
    command[0] = path_of(command[0]);
    if (command[0].empty()) continue;
    found.version = version_of(command);
    if (found.version.empty()) continue;
    found.command = command;
    return found;
  }
  found.missing = wanted.empty() ? missing : std::string("$") + variable + " names no C++ compiler that runs";
  return found;
}

}  // namespace

CxxCompiler find_cxx_compiler() {
  return first_that_runs("CXX", {"c++", "g++", "clang++"},
                         "there is no C++ compiler (c++, g++ or clang++) on PATH");
}

CxxCompiler find_device_compiler() {
  return first_that_runs("TAUT_CLANG", {"clang++-19", "clang++-22", "clang++-21", "clang++-20", "clang++-18"},
                         "there is no clang++-19 on PATH, which compiles for the device (TAUT_CLANG may "
                         "name another clang++ from 18 on)");
}

std::vector<std::string> folders_of_headers(const CxxCompiler& compiler, const Folder& folder) {
  const CompilerEnd end = run_cxx_compiler(compiler, {"-E", "-v", "-x", "c++", "/dev/null"}, folder);
  std::vector<std::string> folders;
  std::istringstream lines(end.output);
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#include <...>")) {
      listed = true;
    } else if (line.starts_with("End of search list")) {
      break;
    } else if (listed && line.starts_with(" /")) {
      folders.push_back(line.substr(1));
    }
  }
  return folders;
}

EndsCompilers::EndsCompilers(std::function<bool()> asked)
    : asked_(std::move(asked)), outer_(std::exchange(asked_to_end, &asked_)) {}

EndsCompilers::~EndsCompilers() { asked_to_end = outer_; }

CompilerEnd run_cxx_compiler(const CxxCompiler& compiler, const std::vector<std::string>& arguments,
                             const Folder& folder) {
  std::vector<std::string> all = compiler.command;
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(std::move(all), &folder, compile_seconds);
}

}  // namespace taut
