// Long loops that threads may share. A loop is cut into ranges of elements that do not depend on each other, one range for each thread, so that
// results are the same to the last bit whatever their number.
#pragma once

#include <algorithm>

namespace taut {

// What thread k does, without its type.
struct SharedLoop {
  void (*call)(void*, int) = nullptr;
  void* what = nullptr;
  void operator()(int k) const { call(what, k); }
};

// Set by workers.hpp; without it everybody works alone.
struct Hands {
  int threads = 1;
  bool (*all)(const SharedLoop&) = nullptr;  // false: they are busy
};
inline Hands hands;

// range(from, to) for ranges that make up [0, count), cut at multiples of `grain`, each at least `least` long. What is done for one element must not
// depend on the others.
template <class Range>
void in_ranges(int count, int grain, int least, Range&& range) {
  if (const int shares = std::min(hands.threads, count / least); shares > 1) {
    const auto cut = [&](int k) {
      return k == shares ? count : static_cast<int>(static_cast<long>(count) * k / shares / grain * grain);
    };
    auto share = [&](int k) {
      if (k < shares) range(cut(k), cut(k + 1));
    };
    using Share = decltype(share);
    if (hands.all({[](void* what, int k) { (*static_cast<Share*>(what))(k); }, &share})) return;
  }
  if (count > 0) range(0, count);
}

// Work of about this many additions is worth a thread's while.
inline constexpr int worth_a_thread = 1 << 14;

}  // namespace taut
