// Long loops that threads may share. A loop is cut into ranges whose elements do not depend on each other,
// one range for each thread, so that the results are the same to the last bit for any number of threads.
//
// The thread that runs a loop decides who helps: nobody, unless it is inside a `SharedWith` (workers.hpp).
// Two threads of a program know nothing of each other's helpers.
#pragma once

#include <algorithm>

namespace taut {

// The part of a loop that thread k does, with its type hidden.
struct SharedLoop {
  void (*call)(void*, int) = nullptr;
  void* what = nullptr;
  void operator()(int k) const { call(what, k); }
};

// The threads that a loop can be shared with; workers.hpp has the only kind. This header does without
// threads, because most of those who have loops to share know nothing of them.
class Crew {
 public:
  virtual int threads() const = 0;  // with the caller's own
  // Calls share(k) in each thread k and returns when all are done. Returns false, and calls nothing, if the
  // crew is busy with another loop.
  virtual bool all(const SharedLoop& share) = 0;

 protected:
  ~Crew() = default;
};

// Who helps the thread that reads this; nobody if it is null. Only `SharedWith` sets it.
inline constinit thread_local Crew* crew_of_this_thread = nullptr;

// Says how many threads may share a loop of this thread at this moment.
inline int threads_here() { return crew_of_this_thread == nullptr ? 1 : crew_of_this_thread->threads(); }

// Calls range(from, to) for ranges that make up [0, count). They are cut at multiples of `grain`, and each
// is at least `least` long. What is done for one element must not depend on the others.
template <class Range>
void in_ranges(int count, int grain, int least, Range&& range) {
  if (const int most = count / least; most > 1 && crew_of_this_thread != nullptr) {
    Crew& crew = *crew_of_this_thread;
    const int shares = std::min(crew.threads(), most);
    const auto cut = [&](int k) {
      return k == shares ? count : static_cast<int>(static_cast<long>(count) * k / shares / grain * grain);
    };
    auto share = [&](int k) {
      if (k < shares) range(cut(k), cut(k + 1));
    };
    using Share = decltype(share);
    if (crew.all({[](void* what, int k) { (*static_cast<Share*>(what))(k); }, &share})) return;
  }
  if (count > 0) range(0, count);
}

// Work of about this many additions is worth waking a thread for.
inline constexpr int worth_a_thread = 1 << 14;

}  // namespace taut
