// Ordinary methods on packs of SIMD lanes: a lane is the run of its own, to the last bit, even if only some
// lanes are projected.

#include <taut/formulation/underlying.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_method.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include "support/after.hpp"

namespace {

using namespace taut;
using taut::test::after;

TEST(OdeMethodLanes, ALaneIsARunOfItsOwn) {
  const OdeMethod<ExplicitRungeKutta, Underlying> method{.scheme = {find_explicit("rk4")},
                                                         .projection = {ProjectionKind::both, 1e-7}};
  const auto start = [](double speed) { return State<double, 2>{{1, 0}, {0, speed}}; };
  const PlanarPendulum<Pack<4>> lanes = PlanarPendulum<>{}.cast<Pack<4>>();
  State<Pack<4>, 2> x{Vector<Pack<4>, 2>::Zero(), Vector<Pack<4>, 2>::Zero()};
  x.q[0] = Pack<4>(1);
  for (int i = 0; i < 4; ++i) x.p[1].set(i, -0.5 * (i + 1));
  const auto together = after(method, lanes, x, 0.025, 400);
  for (int i = 0; i < 4; ++i) {
    const auto alone = after(method, PlanarPendulum<>{}, start(-0.5 * (i + 1)), 0.025, 400);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(together.q[k][i], alone.q[k]) << "lane " << i;
      EXPECT_EQ(together.p[k][i], alone.p[k]) << "lane " << i;
    }
  }
}

}  // namespace
