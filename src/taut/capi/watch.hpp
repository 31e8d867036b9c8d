// The caller's watch over what runs: a null one watches nothing.
#pragma once

#include <taut/run/telling.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include "border.hpp"
#include "taut.h"

namespace taut::capi {

class Watch {
 public:
  explicit Watch(const taut_watch* watch) : watch_(watch == nullptr ? taut_watch{} : *watch) {}

  void progress(std::int64_t done, std::int64_t wanted) const {
    if (watch_.progress == nullptr) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    const double left =
        done > 0 ? seconds / static_cast<double>(done) * static_cast<double>(wanted - done) : -1;
    watch_.progress(watch_.user, done, wanted, left);
  }
  void note(const std::string& sentence) const {
    if (watch_.note != nullptr) watch_.note(watch_.user, sentence.c_str());
  }
  bool wants_stop() const { return watch_.stop != nullptr && *watch_.stop != 0; }

 private:
  using Clock = std::chrono::steady_clock;
  taut_watch watch_;
  Clock::time_point began_ = Clock::now();
};

// Tells the caller some ten times a second that his computation goes on, and ends it if he wants that.
inline Telling telling_to(const Watch& watch) {
  using Clock = std::chrono::steady_clock;
  return [&watch, told = Clock::now()](double part) mutable {
    constexpr std::chrono::milliseconds between(80);
    constexpr std::int64_t whole = 1000;
    if (const auto now = Clock::now(); now - told > between) {
      told = now;
      if (std::isfinite(part))
        watch.progress(std::llround(part * whole), whole);
      else
        watch.progress(0, 0);
    }
    if (watch.wants_stop()) throw StoppedByCaller();
  };
}

}  // namespace taut::capi
