#include <taut/contract/request.hpp>

#include <fmt/core.h>
#include <spawn.h>

#include <cstdlib>
#include <filesystem>

#include "commands.hpp"

namespace taut::cli {

namespace {

namespace fs = std::filesystem;

// Finds the page in share/taut beside the folder of this program.
fs::path installed_page() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path page = program.parent_path().parent_path() / "share/taut/lab.html";
  if (error || !fs::is_regular_file(page, error))
    throw InputError(fmt::format(
        "this installation has no laboratory: {} is not there. In a copy of taut's sources, ./taut lab "
        "builds it.",
        page.string()));
  return page;
}

// Hands the page to the desktop, if there is one. The address printed above serves if that fails.
void open_on_desktop(const std::string& page) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string opener = "xdg-open", what = page;
  char* const words[] = {opener.data(), what.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, opener.c_str(), nullptr, nullptr, words, environ);
}

int show_lab() {
  const std::string page = installed_page().string();
  fmt::print("{}\n", page);
  const int status = finish_output();
  if (status == 0) open_on_desktop(page);
  return status;
}

}  // namespace

void add_lab(Program& program) {
  program.add(
      {.name = "lab",
       .what = "Open the laboratory, a page for the browser, and print where it is",
       .examples = "  taut lab                                         drag a mechanism in the browser\n",
       .action = [] { return show_lab(); }});
}

}  // namespace taut::cli
