// A program outside the source tree, built against the installed headers alone. It prints how long a step
// takes; given that of the same program built inside the tree, in nanoseconds, also the ratio of the two.
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/version.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

using Problem = taut::PlanarPendulum<double>;
using State = taut::StateOf<Problem>;

// Takes 1000 steps at a time. The least of many rounds is that of a quiet moment.
double nanoseconds_per_step(const Problem& problem, State& x) {
  const taut::Rattle rattle;
  taut::Rattle::Memory<Problem, State> memory(problem, x);
  double best = 1e300;
  for (int round = 0; round < 300; ++round) {
    const auto from = std::chrono::steady_clock::now();
    for (int step = 0; step < 1000; ++step)
      if (const auto solved = rattle.step(problem, x, memory, 0.05); !solved) std::exit(1);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
    best = std::min(best, took.count() / 1000);
  }
  return best;
}

int main(int count, char** words) {
  const Problem problem;
  State x = problem.start();
  const double own = nanoseconds_per_step(problem, x);
  const double position = taut::position_residual(problem, x.q);
  const double momentum = taut::momentum_residual(problem, x.q, x.p);
  std::cerr << "taut " << taut::version << ": |g| = " << position << ", |G H_p| = " << momentum << ", " << own
            << " ns a step";
  if (count > 1) std::cerr << ", " << own / std::atof(words[1]) << " times that inside the tree";
  std::cerr << '\n';
  std::cout << own << '\n';
  return position < 1e-15 && momentum < 1e-15 ? 0 : 1;  // both are sums of two terms of order 1
}
