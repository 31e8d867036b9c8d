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

// Follows a solution that depends on a step h from 0 to h, if no iteration finds the one for h at once. It
// grows the part of h in small portions; `solve(part)` solves for part·h from the last solution, and goes
// back to that one if it returns no number of corrections. Returns the sum of corrections, or -1 if the
// solution cannot be followed: its branch turns round before h, and what is found beyond is another one.
template <class Solve>
int follow_from_rest(Solve&& solve) {
  constexpr double first = 0x1p-5, shortest = 0x1p-14, growth = 1.5;
  double done = 0, portion = first;
  int corrections = 0;
  while (done < 1 && portion >= shortest) {
    const double next = done + portion < 1 ? done + portion : 1;
    const int made = solve(next);
    if (made < 0) {
      portion /= 2;
      continue;
    }
    corrections += made;
    done = next;
    portion *= growth;
  }
  return done < 1 ? -1 : corrections;
}

}  // namespace taut
