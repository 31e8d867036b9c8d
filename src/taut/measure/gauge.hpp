// Measures states of a problem without allocating.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/residual_size.hpp>

#include <array>
#include <limits>

namespace taut {

template <Hamiltonian P>
class Gauge {
 public:
  using Scalar = typename P::Scalar;
  static constexpr int lanes = ScalarTraits<Scalar>::lanes;

  explicit Gauge(const P& s) : G_(s.make_jacobian()), v_(zero_vector(s)), g_(zero_multiplier(s)), f_(g_) {}

  // What was measured, in all lanes at once.
  struct Measured {
    Scalar energy;
    Real<Scalar> position, momentum;
  };
  Measured measure(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
    auto&& G = room(s, G_);
    auto&& v = room(s, v_);
    auto&& g = room(s, g_);
    auto&& f = room(s, f_);
    s.g(q, g);
    s.G(q, G);
    H_p(s, q, p, v);
    G.times(v, f);
    return {H_with_velocity(s, q, p, v), largest_or_infinite(g), largest_or_infinite(f)};
  }

  // One reading for each trajectory: a lane of a pack has its own energy and its own residuals.
  std::array<Reading, lanes> read_lanes(const P& s, const typename P::Vec& q, const typename P::Vec& p) {
    const auto [energy, position, momentum] = measure(s, q, p);
    std::array<Reading, lanes> readings;
    for (int i = 0; i < lanes; ++i) readings[i] = {lane(energy, i), lane(position, i), lane(momentum, i)};
    if constexpr (is_float<Scalar> && !std::is_same_v<Scalar, double>)
      readings[0].energy_rest = static_cast<double>(energy - readings[0].energy);
    return readings;
  }

  // The reading of a single trajectory. There is no such thing for a pack, so that nobody takes one lane for
  // all.
  Reading read(const P& s, const typename P::Vec& q, const typename P::Vec& p)
    requires(lanes == 1)
  {
    return read_lanes(s, q, p)[0];
  }

 private:
  // A maximum may lose a NaN, and a residual that has no value is not small.
  static Real<Scalar> largest_or_infinite(const typename P::Multiplier& r) {
    return select(Mask<Scalar>(all_finite(r)), Real<Scalar>(largest_entry(r)),
                  Real<Scalar>(std::numeric_limits<double>::infinity()));
  }

  typename P::Jacobian G_;
  typename P::Vec v_;
  typename P::Multiplier g_, f_;
};

}  // namespace taut
