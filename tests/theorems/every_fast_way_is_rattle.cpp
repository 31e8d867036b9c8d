// Every way to a step of RATTLE gives the step of the plain text (support/reference_rattle.hpp), to a few
// units of rounding: sizes known to the compiler or not, every storage of the constraint matrix, rods in
// chains and clusters, lanes, compensated and plain sums, interpreted models, every iteration, and
// compositions.

#include <taut/formulation/manifold.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/problem/ready_made/ready_made.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include "support/particle_models.hpp"
#include "support/reference_rattle.hpp"

#include <limits>

namespace {

using namespace taut;
using Plain = State<double, dynamic>;

// A point on a surface of fourth degree, with a full mass matrix: G is dense, and g has no bend().
struct Surface : Shape<double, 3, 1> {
  FullMass<double, 3> mass =
      *FullMass<double, 3>::from_mass(Eigen::Matrix3d{{2.0, 0.3, 0.1}, {0.3, 1.0, -0.2}, {0.1, -0.2, 1.5}});

  int coordinates() const { return 3; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  double V(const Vec& q) const { return q[2] + q[0] * q[0] * q[1] / 2; }
  void grad_V(const Vec& q, Vec& f) const { f = Vec(q[0] * q[1], q[0] * q[0] / 2, 1); }
  const FullMass<double, 3>& W() const { return mass; }
  void g(const Vec& q, Multiplier& g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] + q[0] * q[1] / 4 + q[2] * q[2] * q[2] * q[2] - 1) / 2;
  }
  void G(const Vec& q, Jacobian& G) const {
    G.entries << q[0] + q[1] / 8, q[1] + q[0] / 8, 2 * q[2] * q[2] * q[2];
  }
  Point start() const { return {Vec(0.6, 0.3, 0.8), Vec(0.4, -0.7, 0.2)}; }
};
static_assert(!Quadratic<Surface>);

template <class P>
StateOf<P> on_manifold(const P& s) {
  StateOf<P> x = s.start();
  EXPECT_TRUE(project_start(s, x));
  return x;
}

double apart(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (!(a - b).allFinite()) return std::numeric_limits<double>::infinity();
  return (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}

// The states after each of some steps by the plain text, a step being made of the parts `gamma`.
constexpr int some_steps = 8;
template <class P>
std::vector<Plain> plain_steps(const P& s, const StateOf<P>& start, double h,
                               const std::vector<double>& gamma = {1}) {
  std::vector<Plain> states;
  Plain x{start.q, start.p};
  for (int k = 0; k < some_steps; ++k) {
    for (const double part : gamma) x = test::reference_rattle(s, x, part * h);
    states.push_back(x);
  }
  return states;
}

// Returns the largest difference from the plain text, relative to the largest coordinate and momentum, in
// units of rounding. A step of either text rounds each number a few times, and the steps after it amplify
// that.
template <class P, class X, class Method>
double units_apart(const P& s, const X& start, double h, const Method& method,
                   const std::vector<Plain>& reference) {
  X x = start;
  auto memory = [&] {
    if constexpr (requires { method.scheme; })
      return typename Method::template Memory<P, X>(s, x, method);
    else
      return typename Method::template Memory<P, X>(s, x);
  }();
  double largest = 0;
  for (const Plain& there : reference) {
    const auto made = method.step(s, x, memory, h);
    EXPECT_TRUE(made);
    if (!made) return std::numeric_limits<double>::quiet_NaN();  // fails every comparison
    largest = std::max({largest, apart(x.q, there.q), apart(x.p, there.p)});
  }
  return largest / epsilon<double>();
}

// A step of either text rounds each number a few times, and the steps after it amplify that. The worst that
// was measured, over eight steps, is 5.0 for up to 20 coordinates and 9.4 for rods: the momenta of rods
// also feel the rounding of coordinates that are a hundred times as large. AndOthersAreNot shows what is
// outside of this bound.
constexpr double few_units = 30;

// A tolerance on |g| that can be met: rods are differences of coordinates that are rounded.
template <class X>
double tight_tolerance(const X& x) {
  return 2e-15 * (1 + x.q.cwiseAbs().maxCoeff());
}

// Both kinds of sums, every iteration, both stop rules.
template <class P>
void compare(const std::string& name, const P& s, double h, bool all_iterations = true) {
  const auto x = on_manifold(s);
  using Compensated = CompensatedState<double, P::n>;
  const std::vector<Plain> plain = plain_steps(s, x, h);
  const auto both = [&](const SolveOptions& options, const std::string& how) {
    EXPECT_LT(units_apart(s, x, h, Rattle{.solve = options}, plain), few_units) << name << ' ' << how;
    EXPECT_LT(units_apart(s, Compensated(x), h, Rattle{.solve = options}, plain), few_units)
        << name << ' ' << how << ", compensated";
  };
  both({}, "to rounding");
  both({.tolerance = tight_tolerance(x)}, "to a tolerance");
  if (!all_iterations) return;
  both({.iteration = Iteration::symmetric}, "symmetric");
  both({.iteration = Iteration::sweep}, "by sweeps");
}

TEST(EveryFastWayIsRattle, SizesThatTheCompilerKnows) {
  compare("pendulum", PlanarPendulum<>{}, 0.05);
  compare("spherical pendulum", SphericalPendulum<>{}, 0.05);
  compare("double pendulum", DoublePendulum<>{}, 0.05);
  compare("six nodes, a pattern", SixNodeChain<>{}, 0.01);
  compare("four-bar, a loop", FourBar<>{}, 0.05);
  compare("rigid body", RigidBody<>{}, 0.05);
  compare("surface, dense", Surface{}, 0.05);
}

TEST(EveryFastWayIsRattle, SizesKnownAtRunTime) {
  compare("six nodes, an envelope", SixNodeChainDynamic<>{}, 0.01);
  compare("ten links, an envelope", NLinkPendulum<>(10), 0.02, false);
}

// One lane for each of eight pendulums; each is compared with its own reference.
TEST(EveryFastWayIsRattle, Lanes) {
  using Lanes = Pack<8>;
  const PlanarPendulum<Lanes> s;
  const auto compare_lanes = [&]<class X>(std::type_identity<X>, const SolveOptions& options) {
    StateOf<PlanarPendulum<Lanes>> start{Vector<Lanes, 2>::Constant(Lanes(0)),
                                         Vector<Lanes, 2>::Constant(Lanes(0))};
    std::vector<Plain> reference;
    for (int i = 0; i < 8; ++i) {
      const double angle = 0.3 + 0.3 * i;
      reference.push_back({Eigen::Vector2d(std::sin(angle), -std::cos(angle)), Eigen::Vector2d::Zero()});
      for (int j = 0; j < 2; ++j) start.q[j].set(i, reference.back().q[j]);
    }
    X x(start);
    const Rattle method{.solve = options};
    Rattle::Memory<PlanarPendulum<Lanes>, X> memory(s, x);
    for (int k = 0; k < some_steps; ++k) {
      ASSERT_TRUE(method.step(s, x, memory, Lanes(0.05)));
      for (int i = 0; i < 8; ++i) {
        reference[i] = test::reference_rattle(PlanarPendulum<>{}, reference[i], 0.05);
        const Eigen::Vector2d q(x.q[0][i], x.q[1][i]), p(x.p[0][i], x.p[1][i]);
        EXPECT_LT(apart(q, reference[i].q) / epsilon<double>(), few_units) << i;
        EXPECT_LT(apart(p, reference[i].p) / epsilon<double>(), few_units) << i;
      }
    }
  };
  for (const SolveOptions& options : {SolveOptions{}, SolveOptions{.tolerance = 4e-15}}) {
    compare_lanes(std::type_identity<StateOf<PlanarPendulum<Lanes>>>{}, options);
    compare_lanes(std::type_identity<CompensatedState<Lanes, 2>>{}, options);
  }
}

Model model_of(const std::string& text) {
  const ReadModel read = read_model(text, "test.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model.value();
}
const std::string two_links = R"toml([system]
coordinates = ["x1", "y1", "x2", "y2"]
MASS
potential = "y1 + y2 + 0.1*x1*x2"
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"]
[initial]
x1 = 1.0
y1 = 0.0
x2 = 1.0
y2 = 1.0
p_x1 = 0.0
p_y1 = 0.2
p_x2 = -0.3
p_y2 = 0.2
)toml";
std::string two_links_of(const std::string& mass) {
  std::string text = two_links;
  return text.replace(text.find("MASS"), 4, mass);
}
void compare_model(const std::string& name, const std::string& mass) {
  compare(name, FormulaProblem<>(model_of(two_links_of(mass))), 0.02);
}
TEST(EveryFastWayIsRattle, InterpretedModels) {
  compare_model("a model, an envelope", "mass = [1.0, 2.0, 3.0, 4.0]");
  compare_model("a model with a full mass, dense",
                "mass = [[2, 0.5, 0, 0], [0.5, 2, 0, 0], [0, 0, 1, 0.1], [0, 0, 0.1, 1]]");
}

const std::string bent_chain = R"toml([parameters]
N = 130
a = 0.6
[particles]
count = "N"
mass = "1 + 0.5*sin(i)"
position = ["i*cos(a)", "sin(a)*(1 - cos(pi*i))/2", "0"]
velocity = ["0.2*cos(3*i)", "0.2*sin(2*i)", "0.3*sin(0.1*i)"]
[[rods]]
between = ["i", "i+1"]
for = "i in 0..N-2"
[[field]]
potential = "0.1*z^2 + 0.02*y"
)toml";
const std::string some_waters = R"toml([parameters]
N = 21
[particles]
count = "3*N"
mass = "1 + 15*(1 + 2*cos(2*pi*i/3))/3"
position = ["0.3*i + (1 + 2*cos(2*pi*(i-1)/3))/3", "0.8*(1 + 2*cos(2*pi*(i-2)/3))/3", "0"]
velocity = ["0.1*cos(i)", "0.1*sin(2*i)", "0.1*cos(3*i)"]
[[rods]]
between = ["3*i", "3*i+1"]
for = "i in 0..N-1"
[[rods]]
between = ["3*i", "3*i+2"]
for = "i in 0..N-1"
[[rods]]
between = ["3*i+1", "3*i+2"]
for = "i in 0..N-1"
[[field]]
potential = "0.1*z^2 + 0.02*y"
)toml";
// Four particles in a row, and one that nothing holds.
const std::string some_clusters = R"toml([parameters]
N = 13
[particles]
for = "c in 0..N-1, k in 0..4"
position = ["6*c + 0.8*k", "0.6*(1 - cos(pi*k))/2 + 0.1*c", "0.05*k^2"]
velocity = ["0.1*cos(i)", "0.1*sin(2*i)", "0.1*cos(3*i)"]
[[rods]]
between = ["5*c + k", "5*c + k + 1"]
for = "c in 0..N-1, k in 0..2"
)toml";
const std::string small_net = R"toml([parameters]
n = 5
[particles]
for = "row in 0..n-1, column in 0..n-1"
position = ["row", "column", "0.2*sin(row + 2*column)"]
velocity = ["0.05*sin(i)", "0.05*cos(i)", "0.1*sin(3*i)"]
[[rods]]
between = ["n*row + column", "n*row + column + 1"]
for = "row in 0..n-1, column in 0..n-2"
[[rods]]
between = ["n*row + column", "n*row + n + column"]
for = "row in 0..n-2, column in 0..n-1"
[[field]]
potential = "0.01*z^2"
)toml";

using Rods = ParticleProblem<double>;
Rods rods(const std::string& text) { return Rods(test::particles_of(text)); }
bool are_chains_or_clusters(const Rods& s) { return RodsOf<Rods>(s).serve(); }

TEST(EveryFastWayIsRattle, RodsInAChain) {
  EXPECT_TRUE(are_chains_or_clusters(rods(bent_chain)));
  compare("chain", rods(bent_chain), 0.05, false);
}
TEST(EveryFastWayIsRattle, RodsInClusters) {
  EXPECT_TRUE(are_chains_or_clusters(rods(some_waters)));
  EXPECT_TRUE(are_chains_or_clusters(rods(some_clusters)));
  compare("waters", rods(some_waters), 0.05);
  compare("clusters", rods(some_clusters), 0.05);
}
TEST(EveryFastWayIsRattle, ASparseMatrix) {
  EXPECT_FALSE(are_chains_or_clusters(rods(small_net)));
  compare("net", rods(small_net), 0.05);
}

// A composition leaves out the projections between its substeps, and starts each from a guess.
TEST(EveryFastWayIsRattle, Compositions) {
  const Composition<Rattle> method{find_composition("suzuki4")};
  ASSERT_NE(method.scheme, nullptr);
  const auto gamma = coefficients<double>(*method.scheme);
  const auto compared = [&](const auto& s, double h) {
    using P = std::remove_cvref_t<decltype(s)>;
    const auto x = on_manifold(s);
    const std::vector<Plain> plain = plain_steps(s, x, h, gamma);
    return std::max(units_apart(s, x, h, method, plain),
                    units_apart(s, CompensatedState<double, P::n>(x), h, method, plain));
  };
  EXPECT_LT(compared(DoublePendulum<>{}, 0.05), few_units);
  EXPECT_LT(compared(SixNodeChainDynamic<>{}, 0.01), few_units);
  EXPECT_LT(compared(rods(some_waters), 0.05), few_units);
}

// The comparison sees a reference whose step is too long by 1e-12, or by 1e-11 if the particles move slowly
// and far from the origin, and a solve that is stopped at 1e-10.
TEST(EveryFastWayIsRattle, AndOthersAreNot) {
  const auto seen = [](const auto& s, double h, double longer, const SolveOptions& options = {}) {
    const auto x = on_manifold(s);
    return units_apart(s, x, h, Rattle{.solve = options}, plain_steps(s, x, h, {1 + longer}));
  };
  EXPECT_GT(seen(DoublePendulum<>{}, 0.05, 1e-12), 2 * few_units);
  EXPECT_GT(seen(DoublePendulum<>{}, 0.05, 0, {.tolerance = 1e-10}), 2 * few_units);
  EXPECT_GT(seen(SixNodeChainDynamic<>{}, 0.01, 1e-12), 2 * few_units);
  EXPECT_GT(seen(FormulaProblem<>(model_of(two_links_of("mass = 1.0"))), 0.02, 1e-12), 2 * few_units);
  for (const std::string& text : {bent_chain, some_waters, some_clusters, small_net})
    EXPECT_GT(seen(rods(text), 0.05, 1e-11), 2 * few_units) << text;  // the least is 350, for waters
}

}  // namespace
