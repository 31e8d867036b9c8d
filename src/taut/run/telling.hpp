// Somebody waits for a computation of many runs: he is told that it goes on, and may end it.
#pragma once

#include <taut/run/observer.hpp>

#include <functional>
#include <limits>

namespace taut {

// Is called between steps with the part of the work that is done, NaN if that is not known. It throws to end the work.
using Telling = std::function<void(double part)>;

inline constexpr double unknown_part = std::numeric_limits<double>::quiet_NaN();

inline void tell(const Telling& telling, double part) {
  if (telling) telling(part);
}

// An observer for a run of which only the end matters, and which somebody waits for.
class AwaitedRun final : public RunObserver {
 public:
  explicit AwaitedRun(const Telling& telling) : telling_(telling) {}
  void sample(double, std::span<const double>, std::span<const double>, const Reading&,
              std::span<const double>) override {}
  void progress(std::int64_t done, std::int64_t wanted) override {
    tell(telling_, wanted > 0 ? static_cast<double>(done) / static_cast<double>(wanted) : unknown_part);
  }

 private:
  const Telling& telling_;
};

}  // namespace taut
