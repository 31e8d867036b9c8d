#pragma once

#include <taut/run/summary.hpp>

#include <span>

namespace taut {

// What a run tells while it goes. q and p are those of the mesh point.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void sample(double time, std::span<const double> q, std::span<const double> p,
                      const Reading& reading) = 0;
  virtual void note(const std::string&) {}                            // a sentence that the user should read
  virtual void progress(std::int64_t done, std::int64_t wanted) = 0;  // some ten times a second
};

// Of a run whose end is all that is looked at.
class SilentObserver final : public RunObserver {
  void sample(double, std::span<const double>, std::span<const double>, const Reading&) override {}
  void progress(std::int64_t, std::int64_t) override {}
};

}  // namespace taut
