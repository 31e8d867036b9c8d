// The time loop: fixed step, time = index × h. Every step is measured, on the state the method would put out there.
#pragma once

#include <taut/formulation/manifold.hpp>
#include <taut/method/stepper.hpp>
#include <taut/run/block_averages.hpp>

namespace taut {

// Measures states of a problem without allocating.
template <Hamiltonian P>
class Gauge {
 public:
  explicit Gauge(const P& s) : G_(s.make_jacobian()), v_(zero_vector(s)), g_(zero_multiplier(s)), f_(g_) {}

  Reading read(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
    s.g(q, g_);
    s.G(q, G_);
    H_p(s, q, p, v_);
    G_.times(v_, f_);
    Reading r;
    if constexpr (Natural<P>)
      r.energy = lane(p.dot(v_) / 2 + s.V(q), 0);
    else
      r.energy = lane(s.H(q, p), 0);
    r.position = lane(largest_entry(g_), 0);
    r.momentum = lane(largest_entry(f_), 0);
    return r;
  }

 private:
  typename P::Jacobian G_;
  typename P::Vec v_;
  typename P::Multiplier g_, f_;
};

template <class X>
struct LoopResult {
  X last;                  // the last good state, as put out
  std::int64_t steps = 0;  // done; its time is steps × h
  Reading first = {}, at_end = {};
  double energy_error = 0, position_max = 0, momentum_max = 0;
  std::int64_t iterations = 0;
  int iterations_max = 0;
  std::optional<Trend> trend = {};
  std::optional<Failure> failure = {};  // of step number steps + 1
  bool energy_not_finite = false;       // that step ended on the constraints, but where H has no value
};

// Steps x from x(0), `steps` times or until a step fails. watch(index, x, reading) sees every mesh point, the first and the last
// included; the loop ends early when it returns false.
template <Hamiltonian P, class X, class Watch>
LoopResult<X> integrate(const P& s, Stepper<P, X>& stepper, X x, double h, std::int64_t steps,
                        Watch&& watch) {
  Gauge<P> gauge(s);
  LoopResult<X> result{.last = x};
  result.first = result.at_end = gauge.read(s, x.q, x.p);
  result.position_max = result.first.position;
  result.momentum_max = result.first.momentum;
  BlockAverages blocks(steps);
  X mesh = x;
  bool go_on = watch(std::int64_t{0}, x, result.first);
  for (std::int64_t index = 1; go_on && index <= steps; ++index) {
    const auto solved = stepper.step(x, h);
    if (!solved) {
      result.failure = solved.error();
      break;
    }
    mesh = x;
    if (const auto put_out = stepper.output(mesh, h); !put_out) {
      result.failure = put_out.error();
      break;
    }
    const Reading now = gauge.read(s, mesh.q, mesh.p);
    const double error = now.energy - result.first.energy;
    if (!finite(error)) {
      result.energy_not_finite = true;
      break;
    }
    result.last = mesh;
    result.steps = index;
    result.at_end = now;
    result.energy_error = std::max(result.energy_error, std::abs(error));
    result.position_max = std::max(result.position_max, now.position);
    result.momentum_max = std::max(result.momentum_max, now.momentum);
    result.iterations += *solved;
    result.iterations_max = std::max(result.iterations_max, *solved);
    blocks.add(error);
    go_on = watch(index, mesh, now);
  }
  result.trend = blocks.trend(result.steps);
  return result;
}

}  // namespace taut
