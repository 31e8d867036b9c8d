// A program outside the source tree, built against the installed package alone.
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/version.hpp>

#include <iostream>

int main() {
  using Problem = taut::PlanarPendulum<double>;
  const Problem problem;
  auto x = problem.start();
  const taut::Rattle rattle;
  taut::Rattle::Memory<Problem, taut::StateOf<Problem>> memory(problem, x);
  for (int step = 0; step < 1000; ++step)
    if (const auto solved = rattle.step(problem, x, memory, 0.05); !solved) return 1;
  const double position = taut::position_residual(problem, x.q);
  const double momentum = taut::momentum_residual(problem, x.q, x.p);
  std::cout << "taut " << taut::version << ": |g| = " << position << ", |G H_p| = " << momentum << '\n';
  return position < 1e-15 && momentum < 1e-15 ? 0 : 1;  // both are sums of two terms of order 1
}
