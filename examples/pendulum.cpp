// A problem of your own in C++: what moves (V, its gradient, the mass)
// and what holds it (g and its Jacobian G).
#include <taut/formulation/manifold.hpp>
#include <taut/method/rattle.hpp>

#include <cmath>
#include <iostream>

struct Pendulum : taut::Shape<double, 2, 1> {  // two coordinates, one constraint
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }

  double V(const Vec& q) const { return q[1]; }  // unit mass, unit gravity
  void grad_V(const Vec&, Vec& f) const { f << 0, 1; }
  taut::ScalarMass<double> W() const { return {1.0}; }  // H = p'Wp/2 + V(q)

  void g(const Vec& q, Multiplier& g) const { g[0] = (q.squaredNorm() - 1) / 2; }  // the rod
  void G(const Vec& q, Jacobian& G) const { G.entries = q.transpose(); }
};

int main() {
  const Pendulum problem;
  const double h = 0.05;
  taut::State<double, 2> x{{1, 0}, {0, 0}};  // horizontal, at rest: H = 0

  const taut::Rattle rattle;
  taut::Rattle::Memory<Pendulum, taut::State<double, 2>> memory(problem, x);
  double energy_error = 0;
  for (int step = 1; step <= 100000; ++step) {
    if (const auto solved = rattle.step(problem, x, memory, h); !solved) {
      std::cerr << "step " << step << " failed: |g| = " << solved.error().residual << '\n';
      return 1;
    }
    energy_error = std::max(energy_error, std::abs(taut::H(problem, x.q, x.p)));
  }
  std::cout << "after t = " << 100000 * h << ": |g| < 1e-15 is "
            << (taut::position_residual(problem, x.q) < 1e-15 ? "true" : "false") << ", energy error at most "
            << energy_error << '\n';
  return 0;
}
