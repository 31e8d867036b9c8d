// Rounding moves the energy of a long run to both sides alike: a random walk, no drift. Sixteen pendulums of
// different amplitudes, in the lanes of a pack, make 3·10⁸ steps together, in which a mean change of 3e-22 a
// step shows. It was that large when Newton's iteration looked at a q₁ that was a rounding off the one at
// which the sums arrive. The bits are those of any machine: after the start there are only + - * / and sqrt.
// The same is looked for, less sharply, in an interpreted model of dynamic size and in a chain of rods.
#undef TAUT_NO_FLATTEN  // the steps are many

#include <taut/formulation/manifold.hpp>
#include <taut/formulation/rod_constraint_solver.hpp>
#include <taut/measure/smooth_window.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/model/model.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include "support/particle_models.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taut;

constexpr int lanes = 16;
using Lanes = Pack<lanes>;
using Bobs = PlanarPendulum<Lanes>;
using Plain = StateOf<Bobs>;
using Compensated = CompensatedState<Lanes, 2>;

// The energy is read every 10 steps, 5000 times in a block: after 60 periods the window has averaged the
// oscillation away. Between two blocks there are this many times 10 steps without a reading; none under
// sanitizers, with which a step takes a hundred times as long.
constexpr int blocks = 12, stride = 10, looks = 5000;
constexpr int long_pause = flattened ? 140'000 : 0;
constexpr int model_pause = flattened ? 55'000 : 0, chain_pause = flattened ? 5'000 : 0;  // dearer steps

// The pendulums are released at rest, this many radians from the lowest point: evenly from just above the
// first to the last.
struct Swings {
  double from, to, h;
};
constexpr Swings usual{1, 1.8, 0.01};
constexpr Swings telling{0.9, 1.54, 0x1p-5};  // a power of two for a step, at which h W p_low counts

Plain start(const Swings& swings) {
  Plain x{Bobs::Vec::Constant(Lanes(0)), Bobs::Vec::Constant(Lanes(0))};
  for (int i = 0; i < lanes; ++i) {
    const double angle = swings.from + (swings.to - swings.from) / lanes * (i + 1);
    x.q[0].set(i, std::sin(angle));
    x.q[1].set(i, -std::cos(angle));
  }
  return x;
}

struct Drift {
  double mean = 0, error = 0;  // change of the energy a step, over all lanes, and its standard error
  double largest_lane = 0;     // the drift of one lane alone, in its standard errors
};

// The energies of independent pendulums, averaged over a block.
using Energies = std::vector<double>;

// Finds the drift from the changes between blocks that are so many steps apart.
Drift drift_of(const std::vector<Energies>& average, double steps) {
  const double changes = static_cast<double>(average.size() - 1);
  const std::size_t count = average.front().size();
  const double all = static_cast<double>(count);
  Drift drift;
  double variance = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double mean = (average.back()[i] - average.front()[i]) / changes;
    double squares = 0;
    for (std::size_t b = 1; b < average.size(); ++b) {
      const double off = average[b][i] - average[b - 1][i] - mean;
      squares += off * off;
    }
    const double lane_variance = squares / (changes - 1) / changes;
    drift.mean += mean / all / steps;
    variance += lane_variance;
    drift.largest_lane = std::max(drift.largest_lane, std::abs(mean) / std::sqrt(lane_variance));
  }
  drift.error = std::sqrt(variance) / all / steps;
  return drift;
}

// Measures the drift from x on; energies(x) gives those of the pendulums. `disturb` is applied to the state
// every 10 steps.
template <class P, class X, class Disturb, class EnergiesOf>
Drift measured_from(const P& s, X x, double h, const SolveOptions& options, int pause, Disturb disturb,
                    EnergiesOf energies) {
  const Rattle rattle{.solve = options};
  Rattle::Memory<P, X> memory(s, x);
  int failed = 0;
  const auto go_on = [&] {
    for (int i = 0; i < stride; ++i) failed += !rattle.step(s, x, memory, typename P::Scalar(h));
    disturb(x);
  };
  const Energies at_start = energies(x);
  const std::vector<double> window = smooth_window(looks);
  std::vector<Energies> average(blocks, Energies(at_start.size(), 0));
  for (Energies& sum : average) {
    for (const double weight : window) {
      go_on();
      const Energies now = energies(x);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * (now[i] - at_start[i]);
    }
    for (int i = 0; i < pause; ++i) go_on();
  }
  EXPECT_EQ(failed, 0);
  return drift_of(average, stride * (looks + pause));
}

// The energy of each lane.
template <class P>
auto lane_energies(const P& s) {
  return [&s](const auto& x) {
    const auto all = H(s, x.q, x.p);
    Energies each;
    for (int i = 0; i < ScalarTraits<typename P::Scalar>::lanes; ++i) each.push_back(lane(all, i));
    return each;
  };
}

template <class X, class Disturb>
Drift measured(const Swings& swings, const SolveOptions& options, int pause, Disturb disturb) {
  const Bobs s;
  return measured_from(s, X(start(swings)), swings.h, options, pause, disturb, lane_energies(s));
}
const auto nothing = [](auto&) {};

// Chance passes 3.5 standard errors once in 2000 times. It passes six of one lane of sixteen, which come from
// eleven changes, once in 500.
TEST(RoundingHasNoBias, WithCompensatedSums) {
  const Drift drift = measured<Compensated>(usual, {}, long_pause, nothing);
  EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error);  // (1 ± 6)e-23
  EXPECT_LT(drift.largest_lane, 6);                    // 5.2
  EXPECT_LT(drift.error, flattened ? 1e-22 : 5e-22);
}

// Above the horizontal, where the rod pushes, the drift was (8 ± 2)e-22 while the weight and the impulse were
// rounded together; below it, with a power of two for a step, (-8 ± 1)e-22 while h p_low was left out.
TEST(RoundingHasNoBias, AtOtherSteps) {
  for (const Swings& swings : {Swings{1.55, 1.87, 0.02}, telling}) {
    const Drift drift = measured<Compensated>(swings, {}, long_pause, nothing);
    EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error) << swings.h;
    EXPECT_LT(drift.largest_lane, 6) << swings.h;
    EXPECT_LT(drift.error, flattened ? 2e-22 : 2e-21) << swings.h;
  }
}

// A drift of 3.1e-22 a step is put in, a stretch of the momentum far below its last bit, and (3.7 ±
// 0.5)e-22 comes out.
TEST(RoundingHasNoBias, AndADriftThatSmallIsSeen) {
  const double stretch = flattened ? 3.9e-21 : 2e-20;
  Lanes given(0);
  const auto disturb = [&](Compensated& x) {
    x.p_low += Lanes(stretch) * x.p;
    given += Lanes(stretch) * x.p.dot(x.p);
  };
  const Drift drift = measured<Compensated>(usual, {}, long_pause, disturb);
  double known = 0;
  for (int i = 0; i < lanes; ++i) known += given[i] / lanes / blocks / (looks + long_pause) / stride;
  EXPECT_NEAR(drift.mean, known, 4 * drift.error);
  EXPECT_GT(drift.mean, 3.5 * drift.error);
}

std::optional<Model> pendulum_model() {
  const ReadModel read = read_model(R"toml([system]
coordinates = ["x", "y"]
mass = 1.0
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
x = 1.0
y = 0.0
p_x = 0.0
p_y = 0.0
)toml",
                                    "pendulum.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model;
}

// An interpreted pendulum in each lane. Without h W p_low the drift is (-5 ± 3)e-22 here, which so few
// steps do not tell from none; BecauseWhatIsBelowTheLastBitOfPMovesQ does.
TEST(RoundingHasNoBias, OfAModelWhoseSizeIsKnownAtRunTime) {
  const auto model = pendulum_model();
  ASSERT_TRUE(model);
  const FormulaProblem<Lanes> s(compile(*model));
  const Plain at = start(telling);
  const CompensatedState<Lanes, dynamic> x(State<Lanes, dynamic>{at.q, at.p});
  const Drift drift = measured_from(s, x, telling.h, {}, model_pause, nothing, lane_energies(s));
  EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error);  // (3.5 ± 2.2)e-22
  EXPECT_LT(drift.largest_lane, 6);
  EXPECT_LT(drift.error, flattened ? 3e-22 : 3e-21);
}

// The light particles of a system in which every other particle, from the first on, is too heavy to move:
// each light one is a pendulum of its own. Gravity acts along the last axis.
Drift measured_bobs(const std::string& particles, int count, int dimension, int pause) {
  const ReadModel read = read_model(particles, "bobs.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  const ParticleProblem<double> s(read.model->particles);
  EXPECT_TRUE(RodsOf<ParticleProblem<double>>(s).serve());
  const auto energies = [&](const auto& x) {
    Energies each;
    for (int i = 1; i < count; i += 2) {
      double twice = 0;
      for (int a = 0; a < dimension; ++a) twice += x.p[a * count + i] * x.p[a * count + i];
      each.push_back(twice / 2 + x.q[(dimension - 1) * count + i]);
    }
    return each;
  };
  const CompensatedState<double, dynamic> x(s.start());
  return measured_from(s, x, telling.h, {}, pause, nothing, energies);
}

// A chain in space, in which each pendulum turns about the line between its heavy neighbours.
TEST(RoundingHasNoBias, OfAChainOfRods) {
  const Drift drift = measured_bobs(R"toml([parameters]
N = 129
from = 0.9
to = 1.54
[particles]
count = "N"
mass = "1 + 1e30*(1 + cos(pi*i))/2"
position = ["0.75*(1 - cos(pi*i/2))",
  "(1 - cos(pi*i))/2*sin(from + (to - from)*(i + 1)/N)",
  "-(1 - cos(pi*i))/2*cos(from + (to - from)*(i + 1)/N)"]
velocity = ["0", "0", "0"]
[[rods]]
between = ["i", "i+1"]
for = "i in 0..N-2"
[[field]]
potential = "z"
)toml",
                                    129, 3, chain_pause);
  EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error);  // (3 ± 4)e-22
  EXPECT_LT(drift.largest_lane, 7);
  EXPECT_LT(drift.error, flattened ? 5e-22 : 3e-21);
}

// Pendulums of one rod each in the plane, which are clusters. With factors kept from one correction to the
// next the drift was (4.6 ± 0.4)e-21.
TEST(RoundingHasNoBias, OfClustersOfRods) {
  const Drift drift = measured_bobs(R"toml([parameters]
N = 128
from = 0.9
to = 1.54
[particles]
dimension = 2
count = "N"
mass = "1 + 1e30*(1 + cos(pi*i))/2"
position = ["(1 - cos(pi*i))/2*sin(from + (to - from)*(i + 1)/N)",
  "-(1 - cos(pi*i))/2*cos(from + (to - from)*(i + 1)/N)"]
velocity = ["0", "0"]
[[rods]]
between = ["2*i", "2*i+1"]
for = "i in 0..N/2-1"
length = 1.0
[[field]]
potential = "y"
)toml",
                                    128, 2, chain_pause);
  EXPECT_LT(std::abs(drift.mean), 3.5 * drift.error);  // (8 ± 3.5)e-22
  EXPECT_LT(drift.largest_lane, 7);
  EXPECT_LT(drift.error, flattened ? 5e-22 : 3e-21);
}

// What lies below the last bit of p moves q: p_low = 2⁻⁶⁰ p moves q_low by h W p_low. Gives that motion in
// parts of the one expected, without the few coordinates that a rounding of the step moves by much more.
template <class P>
double moved_by_p_low(const P& s, State<double, dynamic> at, double h) {
  using X = CompensatedState<double, dynamic>;
  EXPECT_TRUE(project_start(s, at));
  const auto make_step = [&](X& x) {
    Rattle::Memory<P, X> memory(s, x);
    EXPECT_TRUE(Rattle{}.step(s, x, memory, h));
  };
  X plain(at);
  make_step(plain);  // from here on the low parts are not 0
  X with_low = plain;
  const Vector<double, dynamic> p_low = 0x1p-60 * plain.p;
  with_low.p_low += p_low;
  Vector<double, dynamic> v = p_low;
  s.W().times(p_low, v);
  make_step(plain);
  make_step(with_low);
  double moved = 0, expected = 0;
  int same = 0;
  for (int i = 0; i < v.size(); ++i)
    if (with_low.q[i] == plain.q[i] && std::abs(with_low.q_low[i] - plain.q_low[i]) < 0x1p-56) {
      ++same;
      moved += (with_low.q_low[i] - plain.q_low[i]) * v[i];
      expected += h * v[i] * v[i];
    }
  EXPECT_GT(same, v.size() / 2);
  return moved / expected;
}
TEST(RoundingHasNoBias, BecauseWhatIsBelowTheLastBitOfPMovesQ) {
  // Measured: 1, 0.995, 1.02, 1.03; without h W p_low 0, 0.45, 0.73, 1.36, in the order of the text.
  const State<double, dynamic> at{Eigen::Vector2d(0.6, -0.8), Eigen::Vector2d(0.8, 0.6)};
  EXPECT_NEAR(moved_by_p_low(FormulaProblem<>(*pendulum_model()), at, 0.03), 1, 0.1) << "a model";
  for (const auto& [name, text] :
       {std::pair{"chain", test::zigzag_chain}, {"waters", test::waters}, {"net", test::net}}) {
    const ParticleProblem<double> s(test::particles_of(text));
    EXPECT_NEAR(moved_by_p_low(s, s.start(), 0.03), 1, 0.1) << name;
  }
}

TEST(RoundingHasNoBias, ButPlainSumsHave) {
  const Drift drift = measured<Plain>(usual, {}, 0, nothing);
  EXPECT_GT(std::abs(drift.mean), 10 * drift.error);  // (-4.3 ± 0.2)e-19
}

// An iteration that stops at 1e-13 stops at the same side again and again.
TEST(RoundingHasNoBias, ButAnIterationStoppedEarlyHas) {
  const Drift drift = measured<Compensated>(usual, {.tolerance = 1e-13}, 0, nothing);
  EXPECT_GT(std::abs(drift.mean), 10 * drift.error);  // (2.33 ± 0.05)e-20
}

}  // namespace
