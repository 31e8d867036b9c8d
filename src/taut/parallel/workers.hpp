// Threads that share the long loops of a step (in_ranges.hpp). Whoever is given a number of threads makes
// `Workers` and puts a `SharedWith` around the work; nothing else in the program learns of it.
#pragma once

#include <taut/parallel/in_ranges.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace taut {

// The threads are started once. After a loop they look for the next one for some microseconds, and then
// sleep.
class Workers final : public Crew {
 public:
  explicit Workers(int threads) {
    for (int k = 1; k < threads; ++k) helpers_.emplace_back([this, k] { serve(k); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    loop_ = {};
    begin();
    for (std::thread& helper : helpers_) helper.join();
  }

  int threads() const override { return static_cast<int>(helpers_.size()) + 1; }
  bool all(const SharedLoop& share) override;

 private:
  // How often to look before sleeping: some 50 microseconds. The next loop of a step is seldom further away.
  static constexpr int looks = 1000;

  template <class Ready, class Sleep>
  static void wait_until(Ready&& ready, Sleep&& sleep) {
    for (int k = 0; k < looks; ++k) {
      if (ready()) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    while (!ready()) sleep();
  }

  void begin() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void serve(int k) {
    for (unsigned seen = 0;; ++seen) {
      wait_until([&] { return round_.load(std::memory_order_acquire) != seen; }, [&] { round_.wait(seen); });
      if (loop_.call == nullptr) return;
      loop_(k);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
    }
  }

  std::atomic_flag busy_;  // one loop at a time: two threads may share their loops with the same workers
  SharedLoop loop_;        // an empty one sends the helpers home
  std::atomic<unsigned> round_{0};
  std::atomic<int> left_{0};  // helpers that have not finished this round
  std::vector<std::thread> helpers_;
};

// While it lives, the loops of the thread that made it are shared with this crew; with nobody if it is null.
// Afterwards they are shared with whom they were before.
class SharedWith {
 public:
  explicit SharedWith(Crew* crew) : before_(crew_of_this_thread) { crew_of_this_thread = crew; }
  SharedWith(const SharedWith&) = delete;
  SharedWith& operator=(const SharedWith&) = delete;
  ~SharedWith() { crew_of_this_thread = before_; }

 private:
  Crew* before_;
};

inline bool Workers::all(const SharedLoop& share) {
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  loop_ = share;
  left_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
  begin();
  {
    const SharedWith nobody(nullptr);  // a loop inside this one is not shared again
    share(0);
  }
  wait_until([&] { return left_.load(std::memory_order_acquire) == 0; },
             [&] {
               if (const int left = left_.load(std::memory_order_acquire); left != 0) left_.wait(left);
             });
  busy_.clear(std::memory_order_release);
  return true;
}

// How many threads a system with this many coordinates pays for if nobody asks for a number. In a smaller
// system waking them costs more than they do.
inline constexpr int least_coordinates_for_threads = 100000;
inline int worthwhile_threads(int coordinates) {
  if (coordinates < least_coordinates_for_threads) return 1;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace taut
