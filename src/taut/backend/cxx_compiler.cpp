#include <taut/backend/cxx_compiler.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>

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

// Runs a program; its standard output and standard error go to the descriptor `out`.
bool run(std::vector<std::string> arguments, const std::string& folder, int out) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<std::string> variables = compiler_environment();
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                 pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Returns what the program prints when it is run with --version; nothing if it fails.
std::string version_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  std::vector<std::string> arguments = command;
  arguments.emplace_back("--version");
  // A version is a few lines and fits into the pipe, so reading may wait for the end.
  const bool ended_well = run(std::move(arguments), "/", ends[1]);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  return ended_well ? text : "";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

CxxCompiler find_cxx_compiler() {
  CxxCompiler found;
  const std::string wanted = environment("CXX");
  std::vector<std::vector<std::string>> commands;
  if (wanted.empty()) {
    commands = {{"c++"}, {"g++"}, {"clang++"}};
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
  found.missing = wanted.empty() ? "there is no C++ compiler (c++, g++ or clang++) on PATH"
                                 : "$CXX names no C++ compiler that runs";
  return found;
}

bool run_cxx_compiler(const CxxCompiler& compiler, const std::vector<std::string>& arguments,
                      const std::string& folder, const std::string& log) {
  const int out = open((folder + "/" + log).c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) return false;
  std::vector<std::string> all = compiler.command;
  all.insert(all.end(), arguments.begin(), arguments.end());
  const bool ended_well = run(std::move(all), folder, out);
  close(out);
  return ended_well;
}

}  // namespace taut
