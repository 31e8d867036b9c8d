// Large and tangled systems of particles stay on their manifold to rounding, keep their momenta to rounding
// and their energy within bounds, and agree with solvers that know nothing of graphs.

#include <taut/formulation/condition.hpp>
#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/rod_network.hpp>

#include <gtest/gtest.h>
#include <Eigen/QR>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <random>

#include "support/allocations.hpp"
#include "support/particle_models.hpp"

namespace {

using namespace taut;
using Problem = ParticleProblem<double>;
using X = StateOf<Problem>;

// Returns a start on the manifold: the velocities of a model text need not be tangent.
X consistent_start(const Problem& s) {
  X x = s.start();
  EXPECT_TRUE(project_start(s, x));
  return x;
}

struct Motion {
  double position = 0, momentum = 0;  // largest residuals
  double energy = 0;                  // largest |H - H₀|, relative to the kinetic energy at the start
  X x;
};

template <class Method>
Motion run(const Method& method, const Problem& s, X x, double h, int steps,
           const SolveOptions& options = {}) {
  Motion motion;
  const double start = H(s, x.q, x.p), kinetic = start - s.V(x.q);
  const auto stepper = bind(method, s, x, options);
  for (int k = 0; k < steps; ++k) {
    const auto stepped = stepper->step(x, h);
    if (!stepped) {
      ADD_FAILURE() << "step " << k << ": residual " << stepped.error().residual << " at "
                    << s.constraint_name(stepped.error().constraint);
      break;
    }
    motion.position = std::max(motion.position, position_residual(s, x.q));
    motion.momentum = std::max(motion.momentum, momentum_residual(s, x.q, x.p));
    motion.energy = std::max(motion.energy, std::abs(H(s, x.q, x.p) - start) / kinetic);
  }
  motion.x = x;
  return motion;
}

// Expects small residuals, relative to the largest coordinate, whose rounding they carry: a chain of 10⁵ rods
// is 8·10⁴ long.
void stays(const std::string& text, double h, int steps, double energy, bool free) {
  const Problem s(test::particles_of(text));
  const X x = consistent_start(s);
  const Motion motion = run(Rattle{}, s, x, h, steps);
  const double size = 1 + largest_entry(x.q), speed = largest_entry(x.p);
  EXPECT_LE(motion.position, 8 * epsilon<double>() * size);
  EXPECT_LE(motion.momentum, 64 * epsilon<double>() * (1 + speed));
  EXPECT_LE(motion.energy, energy);
  if (!free) return;
  const double rounding = 1e-15 * static_cast<double>(x.p.size()) * speed;
  EXPECT_LE((test::total_momentum(motion.x, 3) - test::total_momentum(x, 3)).norm(), rounding);
  EXPECT_LE((test::angular_momentum(motion.x) - test::angular_momentum(x)).norm(), rounding * size * 4);
}

TEST(Particles, AChainOfAHundredThousandRods) { stays(test::zigzag_chain, 0.05, 5, 1e-3, true); }
TEST(Particles, AHundredThousandWaters) { stays(test::waters, 0.1, 4, 0.02, true); }
TEST(Particles, ANetOfRods) { stays(test::net, 0.05, 40, 0.02, false); }
TEST(Particles, Rings) { stays(test::rings, 0.05, 200, 0.02, true); }
TEST(Particles, APolymerWithSideGroups) { stays(test::polymer, 0.01, 200, 0.02, true); }
TEST(Particles, OnAGyroid) { stays(test::gyroid, 0.02, 300, 0.02, false); }

// The truncated icosahedron has the even permutations of (0, ±1, ±3φ), (±1, ±(2+φ), ±2φ), (±φ, ±2, ±(2φ+1)),
// and 90 edges of length 2.
TEST(Particles, ACageOfSixty) {
  const double phi = (1 + std::sqrt(5.0)) / 2;
  const double base[3][3] = {{0, 1, 3 * phi}, {1, 2 + phi, 2 * phi}, {phi, 2, 2 * phi + 1}};
  std::vector<std::array<double, 3>> corners;
  for (const auto& b : base)
    for (int turn = 0; turn < 3; ++turn)
      for (int signs = 0; signs < 8; ++signs) {
        std::array<double, 3> v{};
        for (int a = 0; a < 3; ++a) v[(a + turn) % 3] = (signs >> a & 1) != 0 ? -b[a] : b[a];
        const auto near = [&](const auto& w) {
          return std::hypot(v[0] - w[0], v[1] - w[1], v[2] - w[2]) < 1e-9;
        };
        if (std::none_of(corners.begin(), corners.end(), near)) corners.push_back(v);
      }
  ASSERT_EQ(corners.size(), 60U);
  std::string positions, edges;
  int count = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    char line[120];
    std::snprintf(line, sizeof line, "[%.17g, %.17g, %.17g],\n", corners[i][0], corners[i][1], corners[i][2]);
    positions += line;
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(std::hypot(corners[i][0] - corners[j][0], corners[i][1] - corners[j][1],
                              corners[i][2] - corners[j][2]) -
                   2) < 1e-9) {
        edges += "[" + std::to_string(j) + ", " + std::to_string(i) + "],";
        ++count;
      }
  }
  ASSERT_EQ(count, 90);
  stays("[particles]\ncount = 60\nposition = [" + positions +
            "]\nvelocity = [\"0.1*sin(i)\", \"0.1*cos(2*i)\", \"0.1*sin(3*i)\"]\n" + "[[rods]]\nbetween = [" +
            edges + "]\n",
        0.05, 100, 0.02, true);
}

// The same chain of rods and springs, as a problem with envelope storage, has the same trajectory.
TEST(Particles, AgreeWithTheOtherStorage) {
  constexpr int links = 130;
  const Problem s(test::particles_of(
      "[parameters]\nlinks = 130\n[particles]\ndimension = 2\ncount = \"links\"\n"
      "position = [\"i + 1\", \"0\"]\n[[surface]]\nof = 0\nformula = \"(x^2 + y^2 - 1)/2\"\n"
      "[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = \"i in 0..links-2\"\n[[field]]\npotential = \"m*y\"\n"));
  RodNetwork<double> other;
  other.particles = links;
  other.gravity = 1;
  other.length.assign(links, 1.0);
  for (int k = 0; k < links; ++k) other.rods.push_back({k - 1, k});
  State<double, dynamic> y{Vector<double, dynamic>::Zero(2 * links),
                           Vector<double, dynamic>::Zero(2 * links)};
  for (int i = 0; i < links; ++i) y.q[2 * i] = i + 1;
  for (const Iteration iteration : {Iteration::full_newton, Iteration::symmetric}) {
    const Motion motion = run(Rattle{}, s, s.start(), 0.02, 50, {.iteration = iteration});
    auto end = y;
    ASSERT_TRUE(flow(Rattle{}, other, end, 0.02, 50));
    double apart = 0;
    for (int i = 0; i < links; ++i)
      for (int a = 0; a < 2; ++a)
        apart = std::max(apart, std::abs(motion.x.q[a * links + i] - end.q[2 * i + a]));
    EXPECT_LT(apart, 1e-10);
  }
}

TEST(Particles, HigherOrderMethodsRunThroughTheSameText) {
  const Problem s(test::particles_of(test::polymer));
  const X x = consistent_start(s);
  const double crude = run(Rattle{}, s, x, 0.01, 40).energy;
  const Motion fourth = run(Composition<Rattle>{find_composition("suzuki4")}, s, x, 0.01, 40);
  const Motion lobatto = run(Lobatto<>{.s = 3}, s, x, 0.01, 40);
  EXPECT_LT(fourth.energy, crude / 20);
  EXPECT_LT(lobatto.energy, crude / 20);
  EXPECT_LE(std::max(fourth.position, lobatto.position), 1e-13);
}

TEST(Particles, AResumedRunHasTheSameBits) {
  const Problem s(test::particles_of(test::polymer));
  const X x = consistent_start(s);
  const Motion whole = run(Rattle{}, s, x, 0.01, 60), half = run(Rattle{}, s, x, 0.01, 30);
  const Problem fresh(test::particles_of(test::polymer));
  const Motion rest = run(Rattle{}, fresh, half.x, 0.01, 30);
  EXPECT_TRUE(whole.x.q == rest.x.q);
  EXPECT_TRUE(whole.x.p == rest.x.p);
}

// The same system with particle i listed at place[i].
std::shared_ptr<const ParticleModel> renumbered(const ParticleModel& model, const std::vector<int>& place) {
  auto other = std::make_shared<ParticleModel>(model);
  const int n = model.count;
  for (int i = 0; i < n; ++i) {
    other->mass[place[i]] = model.mass[i];
    for (int a = 0; a < model.dimension; ++a) {
      other->q[a * n + place[i]] = model.q[a * n + i];
      other->p[a * n + place[i]] = model.p[a * n + i];
    }
  }
  for (auto& group : other->constraints) {
    TermGroup<Program> moved = *group;
    for (Places& particle : moved.particle) {
      std::vector<int> numbers(particle.size());
      for (int k = 0; k < particle.size(); ++k) numbers[k] = place[particle[k]];
      particle = Places(std::move(numbers));
    }
    group = std::make_shared<const TermGroup<Program>>(std::move(moved));
  }
  other->make_rows();
  return other;
}

// The solver of rods numbers particles for itself, so a chain has the same motion in whatever order a model
// lists them.
TEST(Particles, TheOrderOfParticlesDoesNotMatter) {
  std::string text = test::zigzag_chain;
  text.replace(text.find("100001"), 6, "1201");
  const auto model = test::particles_of(text);
  std::vector<int> place(model->count);
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), std::mt19937(5));
  const Problem s(model), shuffled(renumbered(*model, place));
  const Motion motion = run(Rattle{}, s, consistent_start(s), 0.05, 20),
               other = run(Rattle{}, shuffled, consistent_start(shuffled), 0.05, 20);
  for (int a = 0; a < 3; ++a)
    for (int i = 0; i < model->count; ++i) {
      const int from = a * model->count + i, to = a * model->count + place[i];
      ASSERT_EQ(motion.x.q[from], other.x.q[to]) << "particle " << i;
      ASSERT_EQ(motion.x.p[from], other.x.p[to]) << "particle " << i;
    }
}

// Three links and a bend in the plane give the 2-form on a manifold of dimension 10.
TEST(Particles, TheStepIsSymplecticOnM) {
  const Problem s(test::particles_of(
      "[particles]\ndimension = 2\ncount = 4\nposition = [\"i\", \"0.3*sin(2*i)\"]\n"
      "velocity = [\"0.2*sin(i)\", \"0.3*cos(2*i)\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\n"
      "for = \"i in 0..2\"\n[[bends]]\nbetween = [0, 1, 2]\nstiffness = 2.0\nangle = 2.0\n"
      "[[pairs]]\npotential = \"0.2/r^2\"\ncutoff = 9.0\nexclude_bonded = 1\n"));
  const X x = consistent_start(s);
  constexpr int tangents = 10;
  using Tangent = Dual<double, tangents>;
  const auto along = s.cast<Tangent>();
  const Eigen::MatrixXd before = tangent_basis(s, x, Keeps::position_and_momentum);
  ASSERT_EQ(before.cols(), tangents);
  const auto defect = [&](const SolveOptions& options) {
    StateOf<ParticleProblem<Tangent>> y{zero_vector(along), zero_vector(along)};
    for (Eigen::Index i = 0; i < x.q.size(); ++i) {
      y.q[i] = Tangent(x.q[i]);
      y.p[i] = Tangent(x.p[i]);
    }
    seed_tangents(before, y);
    EXPECT_TRUE(flow(Rattle{}, along, y, Tangent(0.1), 20, options));
    return form_change(before, read_tangents(y, before.cols()));
  };
  EXPECT_LT(defect({}), 1e-12);
  // With the hypothesis broken, the constraints hold to 1e-3 only.
  EXPECT_GT(defect({.iteration = Iteration::symmetric, .tolerance = 1e-3}), 1e-8);
}

// For chains, one of them in windows, and waters, a step works in room that was there before it.
TEST(Particles, AStepTouchesNoHeap) {
  const auto shorter = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text : {shorter(test::zigzag_chain, "N = 100001", "N = 301"),
                                  shorter(test::zigzag_chain, "N = 100001", "N = 20001"),
                                  shorter(test::waters, "N = 100000", "N = 100")}) {
    const Problem s(test::particles_of(text));
    const X x = consistent_start(s);
    const CompensatedState<double, dynamic> y(x);
    for (const SolveOptions& options : {SolveOptions{}, SolveOptions{.tolerance = 1e-9}}) {
      EXPECT_EQ(test::allocations_of(Rattle{options}, s, x, 0.05), 0);
      EXPECT_EQ(test::allocations_of(Rattle{options}, s, y, 0.05), 0);
    }
  }
}

// These graphs are hard, but each converges to rounding.
TEST(Particles, HardGraphsConverge) {
  const std::string nearly_straight =
      "[particles]\ncount = 1001\nposition = [\"i\", \"0.02*sin(1.7*i)\", \"0.02*cos(2.3*i)\"]\n"
      "velocity = [\"0\", \"0.05*sin(i)\", \"0.05*cos(3*i)\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = "
      "\"i in 0..999\"\n";
  const std::string diamonds =
      "[particles]\nfor = \"d in 0..49, k in 0..3\"\nposition = [\"3*d + 0.8*cos(pi*k/2)\", \"sin(pi*k/2)\", "
      "\"0\"]\n"
      "velocity = [\"0.1*sin(i)\", \"0.1*cos(i)\", \"0.1*sin(2*i)\"]\n"
      "[[rods]]\nbetween = [\"4*d + k\", \"4*d + k + 1\"]\nfor = \"d in 0..49, k in 0..2\"\n"
      "[[rods]]\nbetween = [\"4*d + 3\", \"4*d\"]\nfor = \"d in 0..49\"\n[[rods]]\nbetween = [\"4*d\", \"4*d "
      "+ 2\"]\nfor = \"d in 0..49\"\n";
  const std::string strip =
      "[particles]\ncount = 300\nposition = [\"0.8*i\", \"0.3*(1 - cos(pi*i))\", \"0.2*sin(1.3*i)\"]\n"
      "velocity = [\"0\", \"0.02*sin(i)\", \"0.05*cos(3*i)\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = "
      "\"i in 0..298\"\n"
      "[[angles]]\nbetween = [\"i\", \"i+1\", \"i+2\"]\nfor = \"i in 0..297\"\n";
  const std::string sheet =
      "[particles]\nfor = \"i in 0..19, j in 0..19\"\nposition = [\"i + 0.5*j\", \"0.866*j\", \"0.2*sin(2*i "
      "+ 3*j)\"]\n"
      "velocity = [\"0\", \"0\", \"0.02*sin(5*i + j)\"]\n[[rods]]\nbetween = [\"20*i + j\", \"20*i + j + "
      "1\"]\n"
      "for = \"i in 0..19, j in 0..18\"\n[[rods]]\nbetween = [\"20*i + j\", \"20*i + 20 + j\"]\nfor = \"i in "
      "0..18, j in 0..19\"\n"
      "[[rods]]\nbetween = [\"20*i + 20 + j\", \"20*i + j + 1\"]\nfor = \"i in 0..18, j in 0..18\"\n";
  struct Graph {
    std::string text;
    double condition;  // at least this; relaxation pays for it
  };
  for (const auto& [text, condition] : {Graph{nearly_straight, 1000}, Graph{test::rings, 1},
                                        Graph{diamonds, 1}, Graph{strip, 200}, Graph{sheet, 5000}}) {
    const Problem s(test::particles_of(text));
    const X x = consistent_start(s);
    EXPECT_GE(connection_of(s, x, 0).condition, condition);
    for (const Iteration iteration : {Iteration::full_newton, Iteration::symmetric}) {
      const Motion motion = run(Rattle{}, s, x, 0.05, 20, {.iteration = iteration});
      EXPECT_LE(motion.position, 16 * epsilon<double>() * (1 + largest_entry(x.q)));
      EXPECT_LE(motion.energy, 0.05);
    }
  }
}

// A square in the plane with both diagonals has six rods where five suffice. All six depend on each other and
// are named; a chain beside it is not.
TEST(Particles, RedundantConstraintsAreNamed) {
  const Problem s(test::particles_of(
      "[particles]\ndimension = 2\ncount = 10\nposition = [\"cos(pi*i/2)\", \"sin(pi*i/2)\"]\n"
      "[[rods]]\nbetween = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3], [4, 5], [6, 7]]\n"));
  const auto named = dependent_constraints(s, s.start());
  EXPECT_EQ(named, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(s.constraint_name(4), "rod 0-2");
  X x = s.start();
  x.p.setConstant(0.1);
  x.p[1] = 0.3;
  const auto stepper = bind(Rattle{}, s, x);
  const auto stepped = stepper->step(x, 0.1);
  ASSERT_FALSE(stepped);
  EXPECT_EQ(stepped.error().kind, FailureKind::singular);
  EXPECT_LE(stepped.error().constraint, 5);
}

// Compares over-braced frames with their redundant rods left in and left out: there is one motion. The
// multipliers are those of least length, as a complete orthogonal decomposition gives them.
void as_without_redundant(const std::string& frame, const std::string& too_many, int count) {
  const Problem with(test::particles_of(frame + too_many), true), without(test::particles_of(frame));
  EXPECT_EQ(with.constraints(), without.constraints() + count);
  EXPECT_TRUE(dependent_constraints(with, with.start()).empty());
  EXPECT_FALSE(dependent_constraints(Problem(with.system()), with.start()).empty());
  const X x = consistent_start(without);
  X y = consistent_start(with);
  EXPECT_LT(largest_entry(Problem::Vec(x.p - y.p)), 1e-13);
  constexpr double h = 0.05;
  const Motion right = run(Rattle{}, without, x, h, 100), motion = run(Rattle{}, with, x, h, 100);
  EXPECT_LT(largest_entry(Problem::Vec(motion.x.q - right.x.q)), 1e-11);
  EXPECT_LE(motion.position, 16 * epsilon<double>() * (1 + largest_entry(x.q)));
  EXPECT_LE(motion.momentum, 1e-13);

  Rattle::Memory<Problem, X> memory(with, x);
  y = x;
  ASSERT_TRUE(Rattle{}.step(with, y, memory, h));
  const auto shortest = [&](const Problem::Vec& q, const Problem::Multiplier& mu) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(with.constraints(), with.coordinates());
    auto G = with.make_jacobian();
    with.G(q, G);
    G.for_each([&](int i, int j, double entry) { rows(i, j) += entry; });
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(1e-8);
    decomposition.compute(rows.transpose());
    return Problem::Multiplier(decomposition.solve(rows.transpose() * mu));
  };
  EXPECT_GT(memory.mu.norm(), 1e-4);
  EXPECT_LT((memory.mu - shortest(x.q, memory.mu)).norm(), 1e-12);
  EXPECT_LT((memory.nu - shortest(y.q, memory.nu)).norm(), 1e-12);
}

TEST(Particles, RedundantConstraintsInTheLeastSquaresSense) {
  const std::string diamond =
      "[particles]\ndimension = 2\ncount = 6\nmass = \"1 + i\"\nposition = [\"cos(pi*i/2) + 0.2*i\", "
      "\"sin(pi*i/2) + 0.1*i^2\"]\nvelocity = [\"0.3*sin(i)\", \"0.2*cos(3*i)\"]\n[[field]]\npotential = "
      "\"m*y\"\n";
  const auto rods = [](const std::string& between) { return "[[rods]]\nbetween = [" + between + "]\n"; };
  as_without_redundant(diamond + rods("[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [3, 4], [4, 5]"),
                       rods("[1, 3]"), 1);
  // This has three squares in a row, each with both diagonals, and two free particles.
  const std::string net =
      "[particles]\ndimension = 2\nfor = \"k in 0..4, side in 0..1\"\nposition = [\"k + 0.1*side\", "
      "\"side*(1 + 0.1*k) + 0.05*k^2\"]\nvelocity = [\"0.3*sin(i)\", \"0.2*cos(3*i)\"]\n[[field]]\n"
      "potential = \"0.5*x^2 + y\"\n";
  as_without_redundant(
      net + rods("[0, 1], [0, 2], [1, 3], [2, 3], [0, 3], [2, 4], [3, 5], [4, 5], [2, 5], [4, 6], "
                 "[5, 7], [6, 7], [4, 7]"),
      rods("[1, 2], [3, 4], [5, 6]"), 3);
}

// These chains would be long enough to be cut without the redundant constraint: two rods stated twice, and
// rods on a line between two walls, whose matrix is that of a chain to its end.
TEST(Particles, RedundantConstraintsInALongChain) {
  const std::string chain =
      "[particles]\ncount = 151\nposition = [\"0.8*i\", \"0.3*(1 - cos(pi*i))\", \"0.2*sin(1.3*i)\"]\n"
      "velocity = [\"0\", \"0.02*sin(i)\", \"0.05*cos(3*i)\"]\n[[field]]\npotential = \"0.1*z^2\"\n"
      "[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = \"i in 0..149\"\n";
  as_without_redundant(chain, "[[rods]]\nbetween = [[70, 71], [149, 150]]\n", 2);
  const std::string line =
      "[particles]\ndimension = 1\ncount = 123\nmass = \"1 + 0.5*sin(i)\"\nposition = [\"i\"]\n[[field]]\n"
      "potential = \"sin(x) + 0.1*x\"\n[[rods]]\nbetween = [\"i\", \"i+1\"]\nfor = \"i in 0..119\"\n"
      "[[surface]]\nof = \"0\"\nformula = \"x\"\n";
  as_without_redundant(line, "[[surface]]\nof = \"120\"\nformula = \"x - 120\"\n", 1);
}

// Lengths that contradict each other have no solution, whatever is left out.
TEST(Particles, ContradictingRodsAreRefusedAlsoInTheLeastSquaresSense) {
  const Problem s(
      test::particles_of("[particles]\ndimension = 2\ncount = 4\nposition = [\"cos(pi*i/2)\", "
                         "\"sin(pi*i/2)\"]\n[[rods]]\nbetween = [[0, 1], [1, 2], [2, 3], [3, 0], [0, "
                         "2]]\n[[rods]]\nbetween = [[1, 3]]\nlength = 2.1\n"),
      true);
  X x = s.start();
  EXPECT_FALSE(project_start(s, x));
}

// The condition number of a straight chain of N rods is known: eigenvalues 2 - 2 cos(kπ/(N+1)).
TEST(Particles, TheConditionOfConnectedConstraintsIsEstimated) {
  const auto chain = [](int rods, double bend) {
    return Problem(test::particles_of("[particles]\ncount = " + std::to_string(rods + 1) +
                                      "\nposition = [\"i\", \"" + std::to_string(bend) +
                                      "*(1 - cos(pi*i))/2\", \"0\"]\n[[rods]]\nbetween = [\"i\", \"i+1\"]\n"
                                      "for = \"i in 0.." +
                                      std::to_string(rods - 1) + "\"\n"));
  };
  for (const int rods : {10, 40}) {
    const Problem s = chain(rods, 0);
    const Connection found = connection_of(s, s.start(), 3);
    const double angle = std::numbers::pi / (rods + 1);
    const double right = (1 + std::cos(angle)) / (1 - std::cos(angle));
    EXPECT_EQ(found.constraints, rods);
    EXPECT_NEAR(found.condition / right, 1, 0.1) << rods;
  }
  const Problem bent = chain(40, 1);  // right angles: hardly coupled
  EXPECT_LT(connection_of(bent, bent.start(), 3).condition, 1.1);
}

// Compares derivatives of V, first and second, and of the constraints with differences in 128 bits.
TEST(Particles, DerivativesAgreeWithDifferences) {
  const std::string angles =
      "[particles]\ncount = 5\nposition = [\"i\", \"0.5*sin(2*i)\", \"0.4*cos(3*i)\"]\n[[angles]]\n"
      "between = [\"i\", \"i+1\", \"i+2\"]\nfor = \"i in 0..2\"\n[[constraint]]\nbetween = [0, 4]\nformula = "
      "\"x1*y2 - z1^2 + 0.3\"\n[[bends]]\nbetween = [1, 2, 3]\nstiffness = 3\nangle = 1.9\n";
  for (const std::string& text : {test::polymer, test::gyroid, angles}) {
    const Problem s(test::particles_of(text));
    const auto fine = s.cast<Float128>();
    auto q = fine.start().q;
    auto force = zero_vector(fine);
    fine.grad_V(q, force);
    auto G = fine.make_jacobian();
    fine.G(q, G);
    Matrix<Float128, dynamic, dynamic> dense =
        Matrix<Float128, dynamic, dynamic>::Zero(s.constraints(), s.coordinates());
    G.for_each([&](int i, int j, const Float128& entry) { dense(i, j) += entry; });
    const auto curved = s.cast<Dual<double, 3>>();
    Eigen::MatrixXd second = Eigen::MatrixXd::Zero(s.coordinates(), s.coordinates());
    curved.curvature_fast(curved.start().q, [&](int i, int j, double x) { second(i, j) += x; });
    EXPECT_GT(second.cwiseAbs().maxCoeff(), 1e-3);
    const Float128 step = Float128(0x1p-40);
    auto above = zero_multiplier(fine), below = above;
    auto force_above = force, force_below = force;
    for (int j = 0; j < s.coordinates(); j += 7) {
      const Float128 here = q[j];
      q[j] = here + step;
      const Float128 V_above = fine.V(q);
      fine.g(q, above);
      fine.grad_V(q, force_above);
      q[j] = here - step;
      const Float128 V_below = fine.V(q);
      fine.g(q, below);
      fine.grad_V(q, force_below);
      q[j] = here;
      for (int i = 0; i < s.coordinates(); ++i)
        ASSERT_NEAR(static_cast<double>((force_above[i] - force_below[i]) / (2 * step)), second(i, j), 1e-12)
            << i << ", " << j;
      EXPECT_LT(std::abs(static_cast<double>((V_above - V_below) / (2 * step) - force[j])), 1e-18) << j;
      for (int i = 0; i < s.constraints(); ++i)
        ASSERT_LT(std::abs(static_cast<double>((above[i] - below[i]) / (2 * step) - dense(i, j))), 1e-18)
            << i << ", " << j;
    }
  }
}

}  // namespace
