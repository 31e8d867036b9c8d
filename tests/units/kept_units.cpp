// A solve is judged in units of the state that it leaves behind, also in loops of one's own over a stepper,
// in which no machine looks at the steps.
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/rod_constraint_solver.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/particles/particles.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

namespace taut {
namespace {

// A bead on xy = 1 with V = -y/x, or with V = -x y³: the constraint has to cancel a force that grows without
// end.
template <class T, bool cubic = false>
struct Hyperbola : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec;
  using typename Shape<T, 2, 1>::Multiplier;
  using typename Shape<T, 2, 1>::Jacobian;

  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& out) const { out[0] = q[0] * q[1] - T(1); }
  void G(const Vec& q, Jacobian& G) const {
    G(0, 0) = q[1];
    G(0, 1) = q[0];
  }
  T V(const Vec& q) const { return cubic ? T(-q[0] * q[1] * q[1] * q[1]) : T(-q[1] / q[0]); }
  void grad_V(const Vec& q, Vec& out) const {
    out[0] = cubic ? T(-q[1] * q[1] * q[1]) : T(q[1] / (q[0] * q[0]));
    out[1] = cubic ? T(T(-3) * q[0] * q[1] * q[1]) : T(T(-1) / q[0]);
  }
  const DiagonalMass<T, 2>& W() const { return mass; }
  DiagonalMass<T, 2> mass{Vec::Constant(T(1))};
};

template <class T>
State<T, 2> start() {
  State<T, 2> x;
  x.q << T(1), T(1);
  x.p << T(-0.5), T(0.5);
  return x;
}

struct Ended {
  std::optional<Failure> failure;
  int steps = 0;
  double position = 0, momentum = 0;  // the largest residuals of states that were kept
};

template <class Method, class P>
Ended run(const Method& method, const P& s, StateOf<P> x, double h, int steps) {
  const auto stepper = bind(method, s, x);
  Ended ended;
  for (; ended.steps < steps; ++ended.steps) {
    if (const auto made = stepper->step(x, typename P::Scalar(h)); !made) {
      ended.failure = made.error();
      return ended;
    }
    ended.position = std::max(ended.position, lane(position_residual(s, x.q), 0));
    ended.momentum = std::max(ended.momentum, lane(momentum_residual(s, x.q, x.p), 0));
  }
  return ended;
}

template <class Method>
void expect_failure(const Method& method) {
  const Ended one = run(method, Hyperbola<double>{}, start<double>(), 1.0, 16);
  ASSERT_TRUE(one.failure);
  EXPECT_LT(one.position, 1e-6);
  const Ended lanes = run(method, Hyperbola<Pack<4>>{}, start<Pack<4>>(), 1.0, 16);
  ASSERT_TRUE(lanes.failure);
  EXPECT_EQ(lanes.steps, one.steps);
  EXPECT_EQ(lanes.failure->kind, one.failure->kind);
  EXPECT_EQ(lanes.failure->residual, one.failure->residual);
}

TEST(ALanding, ThatCancelsMoreThanTheSystemIsLargeFails) {
  expect_failure(Rattle{});
  expect_failure(Shake{});
  expect_failure(ShakeVelocity{});
  const Ended ended = run(Rattle{}, Hyperbola<double>{}, start<double>(), 1.0, 16);
  EXPECT_EQ(ended.failure->kind, FailureKind::off_constraint);
  EXPECT_EQ(ended.failure->constraint, 0);
  EXPECT_GT(ended.failure->residual, ended.failure->allowed);
}
TEST(AProjection, IsJudgedByTheVelocitiesThatOccurInIt) {
  const Ended ended = run(Rattle{}, Hyperbola<double, true>{}, start<double>(), 1.0, 40);
  ASSERT_TRUE(ended.failure);
  EXPECT_EQ(ended.failure->stage, SolveStage::momentum);
  EXPECT_LT(ended.momentum, 1e-4);
}
TEST(ALane, FailsByItself) {
  using T = Pack<4>;
  State<T, 2> x = start<T>();
  x.q << T(1), T(1);
  x.p << T(0), T(0);
  x.p[0].set(2, -0.5);
  x.p[1].set(2, 0.5);
  const Ended ended = run(Rattle{}, Hyperbola<T>{}, x, 1.0, 16);
  ASSERT_TRUE(ended.failure);
}

// Two beads on a rod in the plane. Once it has turned a little, a force along it pulls them apart.
struct PulledRod : Shape<double, dynamic, dynamic, GroupedJacobian<double>> {
  explicit PulledRod(double strength) : pull(strength) {
    rows = std::make_shared<GroupedRows>();
    rows->add({{0}, {2}, {1}, {3}}, true);
    mass.inverse = Vec::Constant(4, 1);
  }
  int coordinates() const { return 4; }
  int constraints() const { return 1; }
  int dimension() const { return 2; }
  bool least_squares() const { return false; }
  std::vector<double> rod_lengths() const { return {1.0}; }
  Jacobian make_jacobian() const { return Jacobian(rows); }
  void g(const Vec& q, Multiplier& out) const {
    const double x = q[0] - q[1], y = q[2] - q[3];
    out[0] = (x * x + y * y - 1) / 2;
  }
  void G(const Vec& q, Jacobian& G) const {
    const double d[] = {q[0] - q[1], q[2] - q[3]};
    const RowGroup& group = G.groups()[0];
    for (int e = 0; e < 4; ++e) G.entries[group.first_entry + e * group.stride] = e < 2 ? d[e] : -d[e - 2];
  }
  double V(const Vec&) const { return 0; }
  void grad_V(const Vec& q, Vec& out) const {
    const double x = q[0] - q[1], y = q[2] - q[3], k = x < 0.59 ? pull : 0;
    out << -k * x, k * x, -k * y, k * y;
  }
  const DiagonalMass<double, dynamic>& W() const { return mass; }

  double pull;
  std::shared_ptr<GroupedRows> rows;
  DiagonalMass<double, dynamic> mass;
};

Ended run_pulled_rod(double pull, double h) {
  const PulledRod s(pull);
  State<double, dynamic> x{Vector<double, dynamic>::Zero(4), Vector<double, dynamic>::Zero(4)};
  x.q << 0.6, 0, 0.8, 0;
  x.p << -0.4, 0.4, 0.3, -0.3;  // along G = 0
  return run(Rattle{}, s, x, h, 20);
}

// A bead on the wire y = cos(x) + x²/20, under its weight.
template <class T>
struct Wire : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec;
  using typename Shape<T, 2, 1>::Multiplier;
  using typename Shape<T, 2, 1>::Jacobian;

  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& out) const { out[0] = q[1] - cos(q[0]) - q[0] * q[0] / T(20); }
  void G(const Vec& q, Jacobian& G) const {
    G(0, 0) = sin(q[0]) - q[0] / T(10);
    G(0, 1) = T(1);
  }
  T V(const Vec& q) const { return q[1]; }
  void grad_V(const Vec&, Vec& out) const { out << T(0), T(1); }
  const DiagonalMass<T, 2>& W() const { return mass; }
  DiagonalMass<T, 2> mass{Vec::Constant(T(1))};
};

State<double, 2> on_the_wire(double x, double v) {
  State<double, 2> start;
  start.q << x, std::cos(x) + x * x / 20;
  start.p << v, v * (x / 10 - std::sin(x));
  return start;
}

// Whole corrections run past the solution of this step, damped ones do not. A pack has none of these: its
// failure names the lane, and that trajectory can be run alone.
TEST(ALongStep, LandsByADampedIterationIfItIsAlone) {
  const auto thrown = on_the_wire(1.82, 1.63), slow = on_the_wire(1.82, 0.1);
  const Ended alone = run(Rattle{}, Wire<double>{}, thrown, 1.0, 1);
  EXPECT_FALSE(alone.failure);
  EXPECT_LT(alone.position, 1e-14);
  State<Pack<4>, 2> pack;
  for (int j = 0; j < 2; ++j) {
    pack.q[j] = Pack<4>(slow.q[j]);
    pack.p[j] = Pack<4>(slow.p[j]);
  }
  EXPECT_FALSE(run(Rattle{}, Wire<Pack<4>>{}, pack, 1.0, 1).failure);
  for (int j = 0; j < 2; ++j) {
    pack.q[j].set(2, thrown.q[j]);
    pack.p[j].set(2, thrown.p[j]);
  }
  const Ended lanes = run(Rattle{}, Wire<Pack<4>>{}, pack, 1.0, 1);
  ASSERT_TRUE(lanes.failure);
  EXPECT_EQ(lanes.failure->kind, FailureKind::not_converged);
  EXPECT_EQ(lanes.failure->lane, 2);
}

TEST(ARod, ThatCancelsMoreThanTheSystemIsLargeFails) {
  EXPECT_FALSE(run_pulled_rod(1, 0.1).failure);
  EXPECT_FALSE(run_pulled_rod(1000, 0.01).failure);
  for (const double pull : {1e10, 1e12, 1e14, 1e16}) {
    const Ended ended = run_pulled_rod(pull, 0.1);
    ASSERT_TRUE(ended.failure) << pull;
    EXPECT_EQ(ended.failure->stage, SolveStage::momentum);
    EXPECT_LT(ended.momentum, 1e-10) << pull;
  }
}

TEST(AStart, ThatIsProjectedFromFarAwayEndsOnTheConstraint) {
  const Pendulum<double, 2> s;
  State<double, 2> x = s.start();
  x.q << 3e10, 4e10;
  const auto moved = project_start(s, x);
  ASSERT_TRUE(moved);
  EXPECT_LT(position_residual(s, x.q), 1e-14);
}

}  // namespace
}  // namespace taut
