// Measures states of a problem without allocating.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

template <Hamiltonian P>
class Gauge {
 public:
  explicit Gauge(const P& s) : G_(s.make_jacobian()), v_(zero_vector(s)), g_(zero_multiplier(s)), f_(g_) {}

  Reading read(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
    auto&& G = room(s, G_);
    auto&& v = room(s, v_);
    auto&& g = room(s, g_);
    auto&& f = room(s, f_);
    s.g(q, g);
    s.G(q, G);
    H_p(s, q, p, v);
    G.times(v, f);
    Reading r;
    r.energy = lane(H_with_velocity(s, q, p, v), 0);
    r.position = lane(largest_entry(g), 0);
    r.momentum = lane(largest_entry(f), 0);
    return r;
  }

 private:
  typename P::Jacobian G_;
  typename P::Vec v_;
  typename P::Multiplier g_, f_;
};

}  // namespace taut
