// The line search of a damped Newton iteration: how far to go along a correction.
#pragma once

namespace taut {

// A damped iteration that has not come near after so many corrections has failed.
inline constexpr int most_damped_corrections = 100;

template <class B>
struct LineSearch {
  bool found = false;
  B length{1};  // the part of the correction that was made
  B size{0};    // the size of the residual there

  // Says whether a whole correction has left so little of a residual that Newton's iteration seems to need no
  // damping any more.
  bool contracts(const B& before) const { return found && length >= B(1) && size <= before / B(64); }
};

// Takes the largest part 1, ½, ¼, … of a correction that makes the residual smaller by a fair share of what
// its linear model promises. `go(part)` goes there and returns the size of the residual; one that is not a
// number is no smaller.
template <class B, class Go>
LineSearch<B> line_search(const B& size, Go&& go) {
  constexpr double fair_share = 1.0 / 40, shortest = 0x1p-30;
  for (B part(1); part >= B(shortest); part *= B(0.5))
    if (const B there = go(part); there <= (B(1) - B(fair_share) * part) * size) return {true, part, there};
  return {};
}

}  // namespace taut
