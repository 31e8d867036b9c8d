#pragma once

// The taut program as a process that can be sent signals and be denied room on the disk.

#include "support/run_program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

namespace taut::test {

class Process {
 public:
  // Starts the program. If `largest_file` is given, no file can grow beyond so many bytes, as on a full disk.
  explicit Process(const std::vector<std::string>& arguments,
                   std::optional<std::uint64_t> largest_file = {}) {
    std::vector<const char*> list = {TAUT_PROGRAM};
    for (const std::string& argument : arguments) list.push_back(argument.c_str());
    list.push_back(nullptr);
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      if (largest_file) {
        const rlimit limit{*largest_file, *largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
      close(ends[1]);
      execv(TAUT_PROGRAM, const_cast<char* const*>(list.data()));
      _exit(127);
    }
    close(ends[1]);
    messages_ = ends[0];
  }
  ~Process() {
    if (child_ > 0) {
      send(SIGKILL);
      wait();
    }
    close(messages_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const { kill(child_, signal); }
  // Asks without waiting for its end, and without taking the status from wait().
  bool is_alive() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

  // Returns the exit status, or minus the signal that ended it.
  int wait() {
    char piece[4096];
    for (ssize_t got = 0; (got = read(messages_, piece, sizeof piece)) > 0;)
      error_.append(piece, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  const std::string& error() const { return error_; }  // after wait()
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

 private:
  pid_t child_;
  int messages_;
  std::string error_;
};

inline int finish(const std::vector<std::string>& arguments) { return Process(arguments).wait(); }

inline void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace taut::test
