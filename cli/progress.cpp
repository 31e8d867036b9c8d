#include "progress.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdio>
#include <string>

namespace taut::cli {

Progress::Progress() : began_(std::chrono::steady_clock::now()), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::int64_t done, std::int64_t wanted) {
  if (!terminal_) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (seconds < 1 || done == 0) return;
  constexpr int width = 30;
  const double part = static_cast<double>(done) / static_cast<double>(wanted),
               rate = static_cast<double>(done) / seconds;
  const int full = static_cast<int>(part * width);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  {:.2g} steps/s  {:.0f} s left\033[K", std::string(full, '#'),
             std::string(width - full, '.'), 100 * part, rate, static_cast<double>(wanted - done) / rate);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace taut::cli
