#include <taut/contract/request.hpp>

#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "commands.hpp"

namespace taut::cli {

namespace {

// Finds the page in share/taut beside the folder of this program.
std::string installed_page() {
  std::string program(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", program.data(), program.size());
  program.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  for (int k = 0; k < 2; ++k)  // its name, and the name of its folder
    if (const std::size_t slash = program.rfind('/'); slash != std::string::npos) program.resize(slash);
  std::string page = program + "/share/taut/lab.html";
  if (access(page.c_str(), R_OK) != 0)
    throw InputError(fmt::format(
        "this installation has no laboratory: {} is not there. In a copy of taut's sources, ./taut lab "
        "builds it.",
        page));
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
  const std::string page = installed_page();
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
