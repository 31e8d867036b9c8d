// Results that several threads add to.
#pragma once

#include <taut/rods/forecast.hpp>

#include <atomic>
#include <mutex>

namespace taut {

// The worst residuals that any thread has seen.
class SharedExcess {
 public:
  RodExcess all;
  void add(const RodExcess& one) {
    const std::scoped_lock lock(mutex_);
    all = worse(all, one);
  }

 private:
  std::mutex mutex_;
};

// The worst outcome of the solves of all threads.
class SharedSolve {
 public:
  RodSolve all;
  void add(const RodSolve& one) {
    const std::scoped_lock lock(mutex_);
    all = worse(all, one);
  }

 private:
  std::mutex mutex_;
};

}  // namespace taut
