// A limit in seconds for reading a model. The loops that may take long say how much work they do, and a clock
// is looked at now and then. Models that are read without a limit are read to their end.
#pragma once

#include <taut/contract/request.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace taut {

// Reading took longer than the limit.
struct ReadingTimeError : InputError {
  using InputError::InputError;
};

// What the clock of this thread was told.
struct ReadingClock {
  using Clock = std::chrono::steady_clock;
  bool limited = false;
  Clock::time_point begun = {};
  double seconds = 0;
  std::int64_t left = 0;  // work until the clock is looked at
};

// While it lives, reading on this thread ends with a ReadingTimeError after so many seconds.
class ReadingTime {
 public:
  explicit ReadingTime(double seconds) : before_(now_) {
    now_ = {.limited = true, .begun = Clock::now(), .seconds = seconds};
  }
  ~ReadingTime() { now_ = before_; }
  ReadingTime(const ReadingTime&) = delete;
  ReadingTime& operator=(const ReadingTime&) = delete;

  // Says that so many nodes, entries or numbers are dealt with.
  static void spend(std::size_t work = 1) {
    now_.left -= static_cast<std::int64_t>(work);
    if (now_.left < 0) [[unlikely]]
      look();
  }

 private:
  using Clock = ReadingClock::Clock;
  static constexpr std::int64_t between_looks = 1 << 14;  // some milliseconds

  [[gnu::cold, gnu::noinline]] static void look() {
    now_.left = between_looks;
    if (now_.limited && std::chrono::duration<double>(Clock::now() - now_.begun).count() > now_.seconds)
      throw ReadingTimeError("reading takes too long");
  }

  static inline thread_local ReadingClock now_;
  ReadingClock before_;
};

}  // namespace taut
