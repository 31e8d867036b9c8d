// Runs a pendulum from the text of its model, by a library that is linked statically or is inside a shared
// one.
#include "end_of_run.hpp"

#include <cmath>
#include <iostream>

int main() {
  const End end = end_of_run(R"(
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1
[run]
method = "rattle"
step = 0.01
steps = 1000
)");
  std::cout << "(" << end.x << ", " << end.y << "), energy to " << end.energy_error << '\n';
  const bool on_the_circle = std::abs(std::hypot(end.x, end.y) - 1) < 1e-14 && end.position_residual < 1e-15;
  return on_the_circle && end.energy_error > 0 && end.energy_error < 1e-4 ? 0 : 1;
}
