#include "progress.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdio>
#include <string>

namespace taut::cli {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::int64_t done, std::int64_t wanted, const std::string& more) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (!first_) first_ = {now, done};
  const double seconds = std::chrono::duration<double>(now - first_->when).count();
  if (seconds < 1 || done <= first_->done) return;
  constexpr int width = 30;
  const double part = static_cast<double>(done) / static_cast<double>(wanted),
               rate = static_cast<double>(done - first_->done) / seconds;
  const int full = static_cast<int>(part * width);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  {:.2g} steps/s  {:.0f} s left{}{}\033[K", std::string(full, '#'),
             std::string(width - full, '.'), 100 * part, rate, static_cast<double>(wanted - done) / rate,
             more.empty() ? "" : ", ", more);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::wait_for(const std::string& what) {
  if (!terminal_) return;
  fmt::print(stderr, "\r{} ...\033[K", what);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace taut::cli
