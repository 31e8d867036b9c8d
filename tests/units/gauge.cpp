// A gauge reads every lane of a pack, and the reading of a lane is that of the trajectory alone.

#include <taut/measure/gauge.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace taut;
using Lanes = Pack<4>;

template <class Q>
concept GivesOneReading = requires(Gauge<Q> gauge, Q s, typename Q::Vec q) { gauge.read(s, q, q); };
static_assert(GivesOneReading<SphericalPendulum<double>>);
static_assert(!GivesOneReading<SphericalPendulum<Lanes>>, "one reading of four trajectories is of which?");

// Four trajectories, moved a little apart. In lane 3 the first coordinate is off the manifold by `off`.
template <class P>
void expect_a_reading_for_each_lane(const P& s, double off) {
  const auto packed = s.template cast<Lanes>();
  const StateOf<P> start = s.start();
  StateOf<std::remove_cvref_t<decltype(packed)>> x = packed.start();
  std::array<StateOf<P>, 4> alone;
  for (int i = 0; i < 4; ++i) {
    alone[i] = start;
    alone[i].p *= 1 + 0.1 * i;
    if (i == 3) alone[i].q[0] += off;
    for (int j = 0; j < s.coordinates(); ++j) {
      x.q[j].set(i, alone[i].q[j]);
      x.p[j].set(i, alone[i].p[j]);
    }
  }
  Gauge<P> gauge(s);
  Gauge<std::remove_cvref_t<decltype(packed)>> lanes(packed);
  const std::array<Reading, 4> readings = lanes.read_lanes(packed, x.q, x.p);
  for (int i = 0; i < 4; ++i) {
    const Reading expected = gauge.read(s, alone[i].q, alone[i].p);
    EXPECT_EQ(readings[i].energy, expected.energy) << i;
    EXPECT_EQ(readings[i].position, expected.position) << i;
    EXPECT_EQ(readings[i].momentum, expected.momentum) << i;
    if (i < 3)
      EXPECT_LT(readings[i].position, 1e-15) << i;
    else
      EXPECT_GT(readings[i].position, 0.1 * off);
  }
  EXPECT_NE(readings[0].energy, readings[1].energy);
}

TEST(Gauge, ReadsEveryLaneOfANaturalProblem) { expect_a_reading_for_each_lane(SphericalPendulum<>{}, 0.01); }
TEST(Gauge, ReadsEveryLaneOfAHamiltonianOne) { expect_a_reading_for_each_lane(ChargedParticle<>{}, 0.01); }

// A maximum of |g| that starts with 0 would lose a NaN.
TEST(Gauge, DoesNotLoseAResidualWithoutAValue) {
  const PlanarPendulum<double> s;
  StateOf<PlanarPendulum<double>> x = s.start();
  Gauge<PlanarPendulum<double>> gauge(s);
  x.q[0] = std::numeric_limits<double>::quiet_NaN();
  const Reading reading = gauge.read(s, x.q, x.p);
  EXPECT_EQ(reading.position, std::numeric_limits<double>::infinity());
  EXPECT_EQ(reading.momentum, std::numeric_limits<double>::infinity());
}

}  // namespace
