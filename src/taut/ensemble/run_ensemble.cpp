#include <taut/backend/ends_compilers.hpp>
#include <taut/contract/request.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/worker.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <thread>

namespace taut {

namespace {

// Counts the workers that are still at work, and keeps the first thing that one of them throws.
class Crowd {
 public:
  void run(const Ensemble& ensemble, Gathering& gathering) {
    // A trajectory whose model has another shape compiles its own step.
    const EndsCompilers stops([&gathering] { return gathering.is_stopped(); });
    try {
      Worker(ensemble, gathering).work();
    } catch (const StoppedWhileCompiling&) {
      gathering.stop();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      gathering.stop();
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
  }
  void expect_one() {
    const std::lock_guard lock(mutex_);
    ++working_;
  }
  void expect_none() {
    const std::lock_guard lock(mutex_);
    --working_;
  }
  // Waits a while; says whether all are done.
  bool wait() {
    constexpr std::chrono::milliseconds between_looks(100);
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, between_looks, [this] { return working_ == 0; });
  }
  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int working_ = 0;
  std::exception_ptr thrown_;
};

EnsembleProgress progress_of(const Gathering& g) {
  const std::int64_t lanes = g.lane_steps;
  EnsembleProgress now;
  now.steps = g.steps;
  now.ended = g.ended;
  now.failed = g.failed;
  now.busy = lanes == 0 ? 0 : static_cast<double>(g.busy_lane_steps) / static_cast<double>(lanes);
  now.device_steps = g.device_steps;
  now.handed_back = g.handed_back;
  now.device_seconds = 1e-9 * static_cast<double>(g.device_nanoseconds);
  return now;
}

}  // namespace

int usual_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

EnsembleProgress run_ensemble(const Ensemble& ensemble, int threads, EnsembleObserver& observer) {
  Gathering gathering(
      ensemble, [&] { return observer.next_unit(); }, [&](const Unit& unit) { observer.take(unit); });
  gathering.workers = threads;
  Crowd crowd;
  {
    std::vector<std::jthread> workers;
    for (int k = 0; k < threads; ++k) {
      crowd.expect_one();
      try {
        workers.emplace_back([&] { crowd.run(ensemble, gathering); });
      } catch (
          const std::system_error&) {  // the system gives no more threads: those that are there do it all
        crowd.expect_none();
        if (workers.empty()) throw;
        break;
      }
    }
    while (!crowd.wait()) {
      observer.progress(progress_of(gathering));
      if (observer.wants_to_stop()) gathering.stop();
    }
  }
  if (crowd.thrown()) std::rethrow_exception(crowd.thrown());
  return progress_of(gathering);
}

}  // namespace taut
