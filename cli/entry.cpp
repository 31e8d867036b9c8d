#include "entry.hpp"

#include <taut/files/standard_files.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/signals.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "command_line.hpp"
#include "origin.hpp"

namespace taut::cli {

int finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  fmt::print(stderr, "taut: cannot write to standard output: {}\n", std::strerror(errno));
  return 1;
}

bool printed(const std::function<void()>& print) {
  try {
    print();
    return true;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;
    errno = error.code().value();
    return false;
  }
}

}  // namespace taut::cli

namespace {

// Says what ends the program where nothing can catch it: before main, or inside what must not throw.
[[noreturn]] void end_with_words() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    std::fputs("taut: this should not happen: an error that nothing handles.\n", stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("taut: there is not enough memory.\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "taut: this should not happen: %s\n", error.what());
  } catch (...) {
    std::fputs("taut: this should not happen: an error without a name.\n", stderr);
  }
  std::_Exit(1);
}

// Runs before the constants of all other files are made, for which memory may be missing too.
[[gnu::constructor(101)]] void before_all_else() { std::set_terminate(end_with_words); }

}  // namespace

namespace taut::cli {

int carry_out_words(const Program& program, int argc, char** argv) {
  open_standard_files();
  // A file that may not grow is a write that fails, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    int status = 1;
    const auto run = [&] {
      remember_command(argc, argv);
      const Command* command = understood(program, argc, argv);
      status = command == nullptr ? finish_output() : command->action();
    };
    return printed(run) ? status : finish_output();
  } catch (const ModelFileError& error) {
    fmt::print(stderr, "{}\n", harmless_lines(error.what()));
    return 2;
  } catch (const InputError& error) {
    fmt::print(stderr, "{}: {}\n", program.name, harmless_lines(error.what()));
    return 2;
  } catch (const StoppedWhileCompiling&) {
    const int signal = StopSignals::caught();
    fmt::print(stderr, "{}: stopped by {} while the step was compiled; nothing has begun.\n", program.name,
               StopSignals::name(signal));
    return 128 + signal;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: there is not enough memory.\n", program.name);
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program.name, harmless_lines(error.what()));
    return 1;
  }
}

}  // namespace taut::cli
