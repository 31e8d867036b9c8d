// Threads that share the long loops of a step (in_ranges.hpp). Whoever is given a number of threads makes
// `Workers` and puts a `SharedWith` around the work; nothing else in the program learns of it.
#pragma once

#include <taut/parallel/in_ranges.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace taut {

// The threads are started once. After a loop they look for the next one for some microseconds, and then
// sleep. An exception of a share reaches whoever called the loop, after all shares have ended.
class Workers final : public Crew {
 public:
  // There may be fewer threads than asked for: threads() counts them, and missing() says why.
  explicit Workers(int threads) {
    helpers_.reserve(static_cast<std::size_t>(std::max(threads, 1) - 1));
    try {
      for (int k = 1; k < threads; ++k) helpers_.emplace_back([this, k] { serve(k); });
    } catch (const std::exception& error) {
      missing_ = error.what();
      dismiss(helpers_.size() / 2);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { dismiss(helpers_.size()); }

  int threads() const override { return static_cast<int>(helpers_.size()) + 1; }
  const std::string& missing() const { return missing_; }  // why a thread could not be made; else empty
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
      if (k > staying_) return;
      do_share(k);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
    }
  }
  void do_share(int k) {
    try {
      if (loop_.call != nullptr) loop_(k);
    } catch (...) {
      if (!has_failed_.test_and_set(std::memory_order_relaxed)) failure_ = std::current_exception();
    }
  }
  void wait_for_helpers() {
    wait_until([&] { return left_.load(std::memory_order_acquire) == 0; },
               [&] {
                 if (const int left = left_.load(std::memory_order_acquire); left != 0) left_.wait(left);
               });
  }
  // Sends the last helpers home. If a thread could not be made, half of them leave what they hold of the
  // machine to the run itself.
  void dismiss(std::size_t count) {
    staying_ = static_cast<int>(helpers_.size() - count);
    loop_ = {};
    left_.store(staying_, std::memory_order_relaxed);
    begin();
    for (std::size_t k = helpers_.size() - count; k < helpers_.size(); ++k) helpers_[k].join();
    wait_for_helpers();
    helpers_.resize(static_cast<std::size_t>(staying_));
  }

  std::atomic_flag busy_;  // one loop at a time: two threads may share their loops with the same workers
  SharedLoop loop_;        // nothing is done in an empty one
  int staying_ = std::numeric_limits<int>::max();  // helpers from 1 to this one; others go home
  std::atomic<unsigned> round_{0};
  std::atomic<int> left_{0};     // helpers that have not finished this round
  std::atomic_flag has_failed_;  // a share of this round ended with an exception
  std::exception_ptr failure_;   // the first of them
  std::vector<std::thread> helpers_;
  std::string missing_;
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
    do_share(0);
  }
  wait_for_helpers();
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  has_failed_.clear(std::memory_order_relaxed);
  busy_.clear(std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
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
