// Steps and projections that go through clusters of rods eight at a time, and through chains block by block,
// for every shape and in every order of the particles. What they must leave is known without another solver:
// g = 0 at q₁ = q₀ + h W p₁ with p₁ = p₀ - G₀ᵀμ, and G W p = 0 with p = p₀ - Gᵀν.

#include <taut/rods/chain_window.hpp>
#include <taut/rods/plan.hpp>
#include <taut/rods/rod_solver.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace {

using namespace taut;

using Edges = std::vector<std::pair<int, int>>;
using Numbers = std::vector<double>;

enum class Order { cluster_by_cluster, member_by_member, shuffled };

enum class Shape { any, bent, straight };

constexpr double tolerance = 1e-12, h = 0.5;

// `copies` of a cluster, and some particles that nothing holds.
class Scene {
 public:
  Scene(int dimension, int members, const Edges& edges, int copies, Order order, Shape shape = Shape::any)
      : d_(dimension), n_(copies * members + free_), random_(7) {
    std::vector<int> place(n_);
    std::iota(place.begin(), place.end(), 0);
    if (order == Order::shuffled) std::shuffle(place.begin(), place.end(), random_);
    const auto particle = [&](int c, int j) {
      return place[order == Order::member_by_member ? j * copies + c : c * members + j];
    };
    q0 = some(1, d_ * n_);
    p0 = some(0.05, d_ * n_);
    q0_low = some(1e-17, d_ * n_);
    p0_low = some(1e-18, d_ * n_);
    if (shape == Shape::bent) bend();
    if (shape == Shape::straight) straighten();
    list = {d_, n_, {}, {}, {}, some(0.2, n_)};
    for (double& w : list.weight) w += 1;
    for (int c = 0; c < copies; ++c)
      for (const auto& [i, j] : edges) {
        list.first.push_back(particle(c, i));
        list.second.push_back(particle(c, j));
        double length2 = 0;
        for (int a = 0; a < d_; ++a) length2 += square(difference(q0, a, particle(c, i), particle(c, j)));
        list.length.push_back(std::sqrt(length2));
      }
    plan = plan_rods(list);
  }

  int rods() const { return list.size(); }
  double difference(const Numbers& q, int a, int i, int j) const { return q[a * n_ + i] - q[a * n_ + j]; }

  double largest_g(const Numbers& q) const {
    double worst = 0;
    for (int k = 0; k < rods(); ++k) {
      double sum = 0;
      for (int a = 0; a < d_; ++a) sum += square(difference(q, a, first(k), second(k)));
      worst = std::max(worst, std::abs(sum - square(list.length[k])) / 2);
    }
    return worst;
  }
  Numbers Gv(const Numbers& q, const Numbers& p) const {
    Numbers out(rods(), 0.0);
    for (int k = 0; k < rods(); ++k)
      for (int a = 0; a < d_; ++a)
        out[k] += difference(q, a, first(k), second(k)) *
                  (weight(first(k)) * p[a * n_ + first(k)] - weight(second(k)) * p[a * n_ + second(k)]);
    return out;
  }
  double largest_Gv(const Numbers& q, const Numbers& p) const {
    double worst = 0;
    for (const double x : Gv(q, p)) worst = std::max(worst, std::abs(x));
    return worst;
  }
  // p₀ - Gᵀmu, in more digits
  std::vector<long double> kicked(const Numbers& p, const Numbers& low, const Numbers& mu) const {
    std::vector<long double> out(p.size());
    for (std::size_t j = 0; j < p.size(); ++j) out[j] = static_cast<long double>(p[j]) + low[j];
    for (int k = 0; k < rods(); ++k)
      for (int a = 0; a < d_; ++a) {
        const long double x = static_cast<long double>(mu[k]) * difference(q0, a, first(k), second(k));
        out[a * n_ + first(k)] -= x;
        out[a * n_ + second(k)] += x;
      }
    return out;
  }
  double weight(int i) const { return list.weight[i]; }
  int particles() const { return n_; }
  Numbers some(double size, int count) {
    std::normal_distribution<double> one(0, size);
    Numbers list(count);
    for (double& x : list) x = one(random_);
    return list;
  }

  Numbers q0, p0, q0_low, p0_low;
  RodList list;
  std::shared_ptr<const RodPlan> plan;

 private:
  static double square(double x) { return x * x; }
  // Round and round three corners, so that no rod of many is very short.
  void bend() {
    constexpr double corner[3][2] = {{0, 0}, {1, 0}, {0.5, 0.9}};
    for (int a = 0; a < d_; ++a)
      for (int i = 0; i < n_; ++i) q0[a * n_ + i] = 0.05 * q0[a * n_ + i] + (a < 2 ? corner[i % 3][a] : 0.0);
  }
  // A line of particles 0.002 apart, bent by some 0.05, and slow.
  void straighten() {
    for (int a = 0; a < d_; ++a)
      for (int i = 0; i < n_; ++i) q0[a * n_ + i] = a == 0 ? 0.002 * i : 5e-5 * q0[a * n_ + i];
    for (double& p : p0) p *= 1e-4;
    for (double& p : p0_low) p *= 1e-4;
  }
  int first(int k) const { return list.first[k]; }
  int second(int k) const { return list.second[k]; }

  static constexpr int free_ = 3;
  int d_, n_;
  std::mt19937 random_;
};

double error(const Numbers& x, const Numbers& low, const std::vector<long double>& exact) {
  long double worst = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    worst = std::max(worst, std::abs(static_cast<long double>(x[j]) + low[j] - exact[j]));
  return static_cast<double>(worst);
}

// The largest error of q₁ + q₁_low = q₀ + q₀_low + h W (p₁ + p₁_low), but for the rounding of h W p₁ itself.
// Low parts that nobody carries are 0. All differences here are exact, or nearly so.
double drift_error(const Scene& scene, const Numbers& q_low, const Numbers& p1, const Numbers& p1_low,
                   const Numbers& q1, const Numbers& q1_low) {
  long double worst = 0;
  for (std::size_t j = 0; j < q1.size(); ++j) {
    const double hw = h * scene.weight(static_cast<int>(j) % scene.particles());
    if (std::abs(scene.q0[j]) < std::abs(hw * p1[j])) continue;  // there compensated_sum.hpp promises less
    const long double moved = static_cast<long double>(q1[j]) - scene.q0[j] - hw * p1[j];
    const long double low =
        static_cast<long double>(q1_low[j]) - q_low[j] - static_cast<long double>(hw) * p1_low[j];
    worst = std::max(worst, std::abs(moved + low));
  }
  return static_cast<double>(worst);
}

// Lengths are random, so that some clusters are nearly flat: short impulses. Sums of a few numbers below 1
// round by less than `rounding`.
constexpr double rounding = 1e-15;

// `to`: a tolerance, or 0, to rounding.
void check(int dimension, int members, const Edges& edges, int copies, Order order, bool compensated,
           double to, Shape shape = Shape::any) {
  SCOPED_TRACE(testing::Message() << "to " << to);
  Scene scene(dimension, members, edges, copies, order, shape);
  ASSERT_TRUE(serves(*scene.plan));
  RodSolver solver(scene.plan);
  const double extent = shape == Shape::straight ? 40 : 1;
  const double most = to > 0 ? 1.01 * to : 2e-14;  // rods up to 6 long, some 4 from the origin
  const Numbers none(scene.p0.size(), 0.0);
  const Numbers& q0_low = compensated ? scene.q0_low : none;
  const Numbers& p0_low = compensated ? scene.p0_low : none;

  // onto G W p = 0, first, as in a run
  Numbers p = scene.p0, p_low = p0_low, nu(scene.rods(), 1e9);  // to be written over
  const auto low = [&](Numbers& x) { return compensated ? x.data() : nullptr; };
  const RodSums momenta{p.data(), low(p_low), p.data(), low(p_low)};
  ASSERT_TRUE(solver.project(scene.q0.data(), momenta, to, nu.data()).sound);
  EXPECT_LE(scene.largest_Gv(scene.q0, p), most);
  EXPECT_LT(error(p, p_low, scene.kicked(scene.p0, p0_low, nu)), rounding);

  for (Numbers mu : {Numbers(scene.rods(), 0.0), scene.some(1e-4, scene.rods())}) {
    Numbers q1(p.size(), 1e9), p1 = q1, q1_low(p.size(), 0.0), p1_low = q1_low, q_low = q0_low;
    const RodStep step{{scene.q0.data(), low(q_low), q1.data(), low(q1_low)},
                       {p.data(), low(p_low), p1.data(), low(p1_low)},
                       h,
                       mu.data()};
    ASSERT_TRUE(solver.land(step, to).sound);
    EXPECT_LE(scene.largest_g(q1), most);
    EXPECT_LT(error(p1, p1_low, scene.kicked(p, p_low, mu)), rounding);
    EXPECT_LT(drift_error(scene, q_low, p1, p1_low, q1, q1_low), compensated ? 1e-24 : extent * rounding);
  }
}

struct Graph {
  const char* name;
  int members;
  Edges edges;
  bool in_plane;  // such a cluster has enough freedom in two dimensions
};
const std::vector<Graph> graphs{
    {"a rod", 2, {{0, 1}}, true},
    {"a water", 3, {{0, 1}, {0, 2}, {1, 2}}, true},
    {"a water listed backwards", 3, {{2, 1}, {2, 0}, {1, 0}}, true},
    {"two bonds", 3, {{0, 1}, {0, 2}}, true},
    {"two bonds from the last", 3, {{2, 0}, {1, 2}}, true},
    {"three bonds", 4, {{0, 1}, {0, 2}, {0, 3}}, true},
    {"a short chain", 4, {{0, 1}, {1, 2}, {2, 3}}, true},
    {"four bonds", 5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, true},
    {"a diamond", 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}, true},
    {"a tetrahedron", 4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, false},
    {"six bonds", 7, {{3, 1}, {3, 2}, {3, 0}, {4, 3}, {5, 3}, {6, 3}}, true},
};

TEST(RodClusters, EveryShapeInEveryOrder) {
  for (const Graph& graph : graphs)
    for (const Order order : {Order::cluster_by_cluster, Order::member_by_member, Order::shuffled})
      for (const int copies : {1, 8, 21})
        for (const bool compensated : {false, true})
          for (const double to : {tolerance, 0.0}) {
            SCOPED_TRACE(testing::Message() << graph.name << ", order " << static_cast<int>(order) << ", "
                                            << copies << " copies, compensated " << compensated);
            check(3, graph.members, graph.edges, copies, order, compensated, to);
            if (graph.in_plane) check(2, graph.members, graph.edges, copies, order, compensated, to);
          }
}

Edges chain_of(int rods, bool backwards) {
  Edges edges;
  for (int k = 0; k < rods; ++k) edges.emplace_back(backwards ? k + 1 : k, backwards ? k : k + 1);
  return edges;
}

// Lengths about those where one more block begins, and where the last has lanes without a rod.
TEST(RodChains, EveryLength) {
  for (const int rods : {96, 103, 127, 1000, 1023, 1024, 1030, 2500})
    for (const bool compensated : {false, true})
      for (const double to : {tolerance, 0.0}) {
        SCOPED_TRACE(testing::Message() << rods << " rods, compensated " << compensated);
        check(3, rods + 1, chain_of(rods, compensated), 2, Order::cluster_by_cluster, compensated, to);
        check(2, rods + 1, chain_of(rods, !compensated), 1, Order::cluster_by_cluster, compensated, to);
      }
}

// Chains of several windows, in threes and alone; nearly straight ones feel the cuts, and go without.
TEST(RodChains, Windows) {
  for (const bool compensated : {false, true})
    for (const Shape shape : {Shape::bent, Shape::straight})
      for (const double to : {tolerance, 0.0}) {
        SCOPED_TRACE(testing::Message()
                     << "shape " << static_cast<int>(shape) << ", compensated " << compensated);
        check(3, 20001, chain_of(20000, compensated), 1, Order::cluster_by_cluster, compensated, to, shape);
        check(2, 20001, chain_of(20000, !compensated), 1, Order::cluster_by_cluster, compensated, to, shape);
        check(3, 6001, chain_of(6000, compensated), 3, Order::cluster_by_cluster, compensated, to, shape);
      }
}

// Every window finds the μ of the whole chain in the rods that are its own, or says that it does not.
template <int dimension>
void compare_windows(Shape shape) {
  constexpr int rods = 20000;
  Scene scene(dimension, rods + 1, chain_of(rods, false), 1, Order::cluster_by_cluster, shape);
  RodChain<dimension> whole(scene.list, {0, 0, rods});
  std::vector<ChainWindow<dimension>> windows;
  add_windows(scene.list, whole, 0, windows);
  ASSERT_GT(windows.size(), 8u);

  Numbers mu(rods, 0.0), expected = mu, q1 = scene.q0, nu = mu, nu_expected = mu;
  for (std::size_t j = 0; j < q1.size(); ++j)
    q1[j] += h * scene.weight(static_cast<int>(j) % scene.particles()) * scene.p0[j];
  RodSolver solver(scene.plan);
  ASSERT_TRUE(solver.newton(scene.q0.data(), q1.data(), 0, 1 / h, expected.data()).sound);
  for (int block = 0; block < whole.blocks(); ++block)
    ASSERT_TRUE(whole.eliminate(block, scene.q0.data(), scene.p0.data()));
  ASSERT_TRUE(whole.solve_linear_separators());
  for (int block = 0; block < whole.blocks(); ++block) whole.copy_nu(block, nu_expected.data());

  const RodStep step{{scene.q0.data(), nullptr, nullptr, nullptr},
                     {scene.p0.data(), nullptr, nullptr, nullptr},
                     h,
                     mu.data()};
  for (auto& window : windows) {
    EXPECT_EQ(window.solve(step, {1e-16, 1e-16, 1e-2}).sound, shape == Shape::bent);
    const bool first = &window == &windows.front();  // no cut before it
    EXPECT_EQ(window.cut_fades(whole, scene.q0.data()), shape == Shape::bent || first);
  }
  if (shape == Shape::straight) return;
  for (auto& window : windows) EXPECT_TRUE(window.project(scene.q0.data(), scene.p0.data(), nu.data()));
  double largest = 0, off = 0, nu_largest = 0, nu_off = 0;
  for (int k = 0; k < rods; ++k) {
    largest = std::max(largest, std::abs(expected[k]));
    off = std::max(off, std::abs(mu[k] - expected[k]));
    nu_largest = std::max(nu_largest, std::abs(nu_expected[k]));
    nu_off = std::max(nu_off, std::abs(nu[k] - nu_expected[k]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(off, 1e-13 * largest);
  EXPECT_LT(nu_off, 1e-13 * nu_largest);
}
TEST(RodChains, AWindowIsTheChainOrSaysNo) {
  for (const Shape shape : {Shape::bent, Shape::straight}) {
    compare_windows<3>(shape);
    compare_windows<2>(shape);
  }
}

// A chain whose particles and rods are listed in another order, as the caller sees it.
struct Shuffled {
  std::vector<int> particle, rod;  // new numbers of the old ones

  // The first rod stays the first, so that the solver begins at the same end.
  Shuffled(int particles, int rods, bool also_rods) : particle(particles), rod(rods) {
    std::mt19937 random(11);
    std::iota(particle.begin(), particle.end(), 0);
    std::iota(rod.begin(), rod.end(), 0);
    std::shuffle(particle.begin(), particle.end(), random);
    if (also_rods) std::shuffle(rod.begin() + 1, rod.end(), random);
  }
  Numbers of_rods(const Numbers& x) const {
    Numbers y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) y[rod[k]] = x[k];
    return y;
  }
  Numbers of_particles(const Numbers& x) const {
    Numbers y(x.size());
    const std::size_t n = particle.size();
    for (std::size_t j = 0; j < x.size(); ++j) y[j / n * n + particle[j % n]] = x[j];
    return y;
  }
  RodList of_list(const RodList& list) const {
    RodList y{list.dimension, list.particles,       list.first,
              list.second,    of_rods(list.length), of_particles(list.weight)};
    for (int k = 0; k < list.size(); ++k) {
      y.first[rod[k]] = particle[list.first[k]];
      y.second[rod[k]] = particle[list.second[k]];
      if (k % 3 == 0) std::swap(y.first[rod[k]], y.second[rod[k]]);  // directions do not matter either
    }
    return y;
  }
};

// Whatever the order of particles and rods, the bits are those of a chain in order: alone and in windows.
TEST(RodChains, AnyOrderHasTheSameBits) {
  for (const int rods : {1100, 20000})
    for (const bool also_rods : {false, true}) {
      SCOPED_TRACE(testing::Message() << rods << " rods, also shuffled: " << also_rods);
      Scene scene(3, rods + 1, chain_of(rods, false), 1, Order::cluster_by_cluster, Shape::bent);
      const Shuffled to(scene.particles(), rods, also_rods);
      ASSERT_TRUE(scene.plan->particle_of.empty() && scene.plan->rod_of.empty());
      const auto plan = plan_rods(to.of_list(scene.list));
      ASSERT_TRUE(serves(*plan));
      EXPECT_FALSE(plan->particle_of.empty());
      EXPECT_EQ(plan->rod_of.empty(), !also_rods);
      RodSolver ordered(scene.plan), shuffled(plan);

      Numbers p = scene.p0, p_low = scene.p0_low, nu(rods, 1e9);
      Numbers sp = to.of_particles(p), sp_low = to.of_particles(p_low), snu = nu;
      const Numbers sq = to.of_particles(scene.q0), sq_low = to.of_particles(scene.q0_low);
      ASSERT_TRUE(
          ordered.project(scene.q0.data(), {p.data(), p_low.data(), p.data(), p_low.data()}, 0, nu.data())
              .sound);
      ASSERT_TRUE(
          shuffled.project(sq.data(), {sp.data(), sp_low.data(), sp.data(), sp_low.data()}, 0, snu.data())
              .sound);
      EXPECT_EQ(to.of_particles(p), sp);
      EXPECT_EQ(to.of_particles(p_low), sp_low);
      EXPECT_EQ(to.of_rods(nu), snu);

      Numbers q1(p.size(), 1e9), q1_low = q1, p1 = q1, p1_low = q1, mu(rods, 0.0);
      Numbers sq1 = q1, sq1_low = q1, sp1 = q1, sp1_low = q1, smu = mu;
      ASSERT_TRUE(ordered
                      .land({{scene.q0.data(), scene.q0_low.data(), q1.data(), q1_low.data()},
                             {p.data(), p_low.data(), p1.data(), p1_low.data()},
                             h,
                             mu.data()},
                            0)
                      .sound);
      ASSERT_TRUE(shuffled
                      .land({{sq.data(), sq_low.data(), sq1.data(), sq1_low.data()},
                             {sp.data(), sp_low.data(), sp1.data(), sp1_low.data()},
                             h,
                             smu.data()},
                            0)
                      .sound);
      EXPECT_EQ(to.of_particles(q1), sq1);
      EXPECT_EQ(to.of_particles(q1_low), sq1_low);
      EXPECT_EQ(to.of_particles(p1), sp1);
      EXPECT_EQ(to.of_particles(p1_low), sp1_low);
      EXPECT_EQ(to.of_rods(mu), smu);
    }
}

// Orders that need no copies: rods of each kind in a group of their own, molecules between which others lie.
TEST(RodPlan, EqualDistancesAreInOrder) {
  const auto plan_of = [](int particles, const Edges& edges) {
    RodList list{3, particles, {}, {}, Numbers(edges.size(), 1.0), Numbers(particles, 1.0)};
    for (const auto& [i, j] : edges) {
      list.first.push_back(i);
      list.second.push_back(j);
    }
    return plan_rods(list);
  };
  Edges grouped, spaced, mixed;
  for (const auto& [i, j] : Edges{{0, 1}, {0, 2}, {1, 2}})
    for (int w = 0; w < 20; ++w) grouped.emplace_back(3 * w + i, 3 * w + j);
  for (int w = 0; w < 20; ++w) {
    spaced.emplace_back(5 * w, 5 * w + 3);
    spaced.emplace_back(5 * w + 1, 5 * w);
  }
  for (const int at : {0, 2, 5, 9}) mixed.emplace_back(at, at + 1);
  for (const auto& plan : {plan_of(60, grouped), plan_of(100, spaced)}) {
    EXPECT_TRUE(serves(*plan));
    EXPECT_TRUE(plan->particle_of.empty());
  }
  EXPECT_TRUE(plan_of(60, grouped)->rod_of.empty());
  EXPECT_FALSE(plan_of(11, mixed)->particle_of.empty());
  EXPECT_TRUE(plan_of(11, mixed)->rod_of.empty());
}
TEST(RodPlan, RingsAndNetsNeedAMatrix) {
  Edges ring = chain_of(200, false), net = ring, medium = chain_of(20, false);
  ring.emplace_back(200, 0);
  net.emplace_back(100, 201);
  for (const auto& [members, edges] : {std::pair(201, ring), std::pair(202, net), std::pair(21, medium)})
    EXPECT_FALSE(serves(*Scene(3, members, edges, 1, Order::cluster_by_cluster).plan));
}

// Chains whose rods are listed in another order than they hang together. The last block of the longest has a
// particle, and no rod.
TEST(RodChains, AnyOrderIsSolved) {
  Edges mixed = chain_of(1100, true), few = chain_of(200, false);
  for (Edges* edges : {&mixed, &few})
    std::partition(edges->begin(), edges->end(), [](const auto& edge) { return edge.first % 2 == 0; });
  for (const bool compensated : {false, true})
    for (const double to : {tolerance, 0.0}) {
      SCOPED_TRACE(testing::Message() << "compensated " << compensated);
      check(3, 1101, mixed, 2, Order::shuffled, compensated, to, Shape::any);
      check(2, 201, few, 1, Order::shuffled, compensated, to, Shape::any);
    }
  check(3, 128 * 1024 + 1, chain_of(128 * 1024, false), 1, Order::cluster_by_cluster, false, tolerance,
        Shape::bent);
}
// The same block in a projection without windows.
TEST(RodChains, ABlockWithoutARod) {
  constexpr int rods = 128 * 1024;
  Scene scene(3, rods + 1, chain_of(rods, false), 1, Order::cluster_by_cluster, Shape::straight);
  RodSolver solver(scene.plan);
  Numbers p = scene.p0, nu(rods, 1e9);
  const Numbers none(p.size(), 0.0);
  EXPECT_TRUE(
      solver.project(scene.q0.data(), {p.data(), nullptr, p.data(), nullptr}, tolerance, nu.data()).sound);
  EXPECT_LE(scene.largest_Gv(scene.q0, p), 1.01 * tolerance);
  EXPECT_LT(error(p, none, scene.kicked(scene.p0, none, nu)), rounding);
}

// A rod without extent in the middle: no flight, no projection, and μ is 0 again.
TEST(RodChains, AChainThatFailsSaysSo) {
  Scene scene(3, 2001, chain_of(2000, false), 1, Order::cluster_by_cluster);
  for (int a = 0; a < 3; ++a) scene.q0[a * scene.particles() + 1300] = scene.q0[a * scene.particles() + 1301];
  RodSolver solver(scene.plan);
  Numbers q1(scene.q0.size(), 0.0), p1 = q1, mu(scene.rods(), 0.0), p = scene.p0, nu(scene.rods(), 1e9);
  const Numbers none = mu;
  const RodStep step{{scene.q0.data(), nullptr, q1.data(), nullptr},
                     {scene.p0.data(), nullptr, p1.data(), nullptr},
                     h,
                     mu.data()};
  EXPECT_FALSE(solver.land(step, tolerance).sound);
  EXPECT_EQ(mu, none);
  EXPECT_FALSE(
      solver.project(scene.q0.data(), {p.data(), nullptr, p.data(), nullptr}, tolerance, nu.data()).sound);
  EXPECT_EQ(nu, none);
  EXPECT_EQ(p, scene.p0);
}

// The same in a chain of many windows: the others go on, and momenta have changed by what nu says.
TEST(RodChains, AWindowThatFailsSaysSo) {
  Scene scene(3, 20001, chain_of(20000, false), 1, Order::cluster_by_cluster, Shape::bent);
  for (int a = 0; a < 3; ++a) scene.q0[a * scene.particles() + 9000] = scene.q0[a * scene.particles() + 9001];
  RodSolver solver(scene.plan);
  Numbers p = scene.p0, nu(scene.rods(), 1e9);
  const Numbers none(p.size(), 0.0);
  EXPECT_FALSE(
      solver.project(scene.q0.data(), {p.data(), nullptr, p.data(), nullptr}, tolerance, nu.data()).sound);
  EXPECT_EQ(nu[9000], 0);
  EXPECT_NE(nu[3000], 0);
  EXPECT_LT(error(p, none, scene.kicked(scene.p0, none, nu)), rounding);
}

// One of many waters has no extent: its batch is left as it was, the others arrive.
TEST(RodClusters, ABatchThatFailsIsLeftAlone) {
  Scene scene(3, 3, {{0, 1}, {0, 2}, {1, 2}}, 24, Order::cluster_by_cluster);
  for (int a = 0; a < 3; ++a)
    for (int j = 1; j < 3; ++j)
      scene.q0[a * scene.particles() + 3 * 10 + j] = scene.q0[a * scene.particles() + 3 * 10];
  RodSolver solver(scene.plan);
  Numbers q1(scene.q0.size(), 0.0), p1 = q1, mu(scene.rods(), 0.0), p = scene.p0, nu(scene.rods(), 1e9);
  const RodStep step{{scene.q0.data(), nullptr, q1.data(), nullptr},
                     {scene.p0.data(), nullptr, p1.data(), nullptr},
                     h,
                     mu.data()};
  EXPECT_FALSE(solver.land(step, tolerance).sound);
  EXPECT_FALSE(
      solver.project(scene.q0.data(), {p.data(), nullptr, p.data(), nullptr}, tolerance, nu.data()).sound);
  for (int w = 0; w < 24; ++w) {
    SCOPED_TRACE(w);
    const bool failed = w >= 8 && w < 16;
    EXPECT_EQ(mu[3 * w] == 0, failed);
    EXPECT_EQ(q1[3 * w] == 0, failed);
    EXPECT_EQ(nu[3 * w] == 0, failed);
    EXPECT_EQ(p[3 * w] == scene.p0[3 * w], failed);
  }
}

}  // namespace
