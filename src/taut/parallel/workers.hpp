// The threads that share the long loops of a step (in_ranges.hpp), and how many. They are made once; between loops they look for the next one for
// a moment, some microseconds long, and then sleep. Included by whoever decides on their number; those who have
// loops to share need not know of threads.
#pragma once

#include <taut/parallel/in_ranges.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace taut {

class Workers {
 public:
  explicit Workers(int threads) {
    for (int k = 1; k < threads; ++k) hands_.emplace_back([this, k] { serve(k); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    job_ = {};
    begin();
    for (std::thread& hand : hands_) hand.join();
  }

  int threads() const { return static_cast<int>(hands_.size()) + 1; }

  // share(k) in each thread k, 0 in the caller's; returns when all are done.
  void all(const SharedLoop& share) {
    job_ = share;
    left_.store(static_cast<int>(hands_.size()), std::memory_order_relaxed);
    begin();
    share(0);
    wait_until([&] { return left_.load(std::memory_order_acquire) == 0; },
               [&] {
                 if (const int left = left_.load(std::memory_order_acquire); left != 0) left_.wait(left);
               });
  }

 private:
  // Before sleeping, some 50 microseconds: the next loop of a step is seldom further away.
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
      if (job_.call == nullptr) return;
      job_(k);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
    }
  }

  SharedLoop job_;
  std::atomic<unsigned> round_{0};
  std::atomic<int> left_{0};
  std::vector<std::thread> hands_;
};

namespace workers_detail {

struct Team {
  std::atomic_flag busy;  // one loop at a time; whoever finds it set, or is inside one, goes alone
  std::unique_ptr<Workers> workers;
};
inline Team& team() {
  static Team one;
  return one;
}
inline bool all(const SharedLoop& share) {
  if (team().busy.test_and_set(std::memory_order_acquire)) return false;
  team().workers->all(share);
  team().busy.clear(std::memory_order_release);
  return true;
}

}  // namespace workers_detail

// How many threads share the loops of this program; 1 at the start. Not to be called while a step is under way.
inline void set_threads(int count) {
  auto& team = workers_detail::team();
  if (count == hands.threads) return;
  team.workers = count > 1 ? std::make_unique<Workers>(count) : nullptr;
  hands = {std::max(count, 1), workers_detail::all};
}

// How many threads a system of so many coordinates pays for when nobody says: below, waking them costs more than they do.
inline constexpr int least_coordinates_for_threads = 100000;
inline int worthwhile_threads(int coordinates) {
  if (coordinates < least_coordinates_for_threads) return 1;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace taut
