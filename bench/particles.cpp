// Measures what a constraint solve of a large system costs: taut's general path against solvers written for
// the case, in one binary:
//   cmake --build build/release --target bench_particles && build/release/bench/bench_particles
// It times the position solve of one step from a random start without forces, in ns per constraint, and
// prints the largest relative error of a length and the number of corrections. Every solver gets the same
// starts and stops at the tolerance its row names, on |g| = |r² - L²|/2 with L = 1.
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/rod_constraint_solver.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/parallel/workers.hpp>

#include <fmt/core.h>
#include <Eigen/SparseCholesky>

#include <chrono>
#include <cstring>
#include <ctime>
#include <random>

using namespace taut;

namespace {

using Problem = ParticleProblem<double>;
using Vec = Problem::Vec;
using Edges = std::vector<std::pair<int, int>>;

// Particles joined by unit rods, moving freely.
struct Case {
  std::string name;
  int dimension = 3, count = 0;
  std::vector<Edges> groups;  // rods, as a model file would list them
  Vec q;                      // component by component
  double speed = 0.03;        // spread of each momentum component, in rods per step
};

std::shared_ptr<const ParticleModel> model_of(const Case& c) {
  auto model = std::make_shared<ParticleModel>();
  model->dimension = c.dimension;
  model->count = c.count;
  model->mass.assign(c.count, 1);
  for (const Edges& edges : c.groups) {
    TermGroup<Program> group{
        .what = "rod", .rods = true, .particle = {}, .number = {}, .value = {}, .gradient = {}};
    std::vector<int> first, second;
    std::vector<double> length;
    for (const auto& [i, j] : edges) {
      first.push_back(i);
      second.push_back(j);
      double sum = 0;
      for (int a = 0; a < c.dimension; ++a) {
        const double r = c.q[a * c.count + i] - c.q[a * c.count + j];
        sum += r * r;
      }
      length.push_back(std::sqrt(sum));
    }
    group.particle.emplace_back(std::move(first));
    group.particle.emplace_back(std::move(second));
    group.add_number(std::move(length));
    model->constraints.push_back(std::make_shared<const TermGroup<Program>>(std::move(group)));
  }
  model->q.assign(c.q.data(), c.q.data() + c.q.size());
  model->p.assign(c.q.size(), 0);
  model->make_rows();
  return model;
}

// Sets momenta in the tangent space, so that the position solve starts from what a run would give it.
State<double, dynamic> moving(const Problem& s, const Case& c) {
  std::mt19937 random(1);
  std::normal_distribution<double> some(0, c.speed);
  auto x = s.start();
  for (Eigen::Index j = 0; j < x.p.size(); ++j) x.p[j] = some(random);
  auto G = s.make_jacobian();
  s.G(x.q, G);
  Problem::Multiplier nu = zero_multiplier(s);
  if (!SolverOf<Problem>(s).project(s, ToRounding{}, x, G, nu))
    fmt::print("  the start cannot be projected\n");
  return x;
}

// Returns the processor time of this thread in ns: other programs on the machine do not count.
double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

// Returns the least of several runs, in ns: noise only ever adds. before() does what is not to be counted.
template <class Before, class F>
double least_time(double at_least, Before&& before, F&& f) {
  double best = 1e300, total = 0;
  for (int k = 0; k < 3 || (total < at_least && k < 200); ++k) {
    before();
    const double from = processor_time();
    f();
    const double took = processor_time() - from;
    best = std::min(best, took);
    total += took;
  }
  return best;
}
template <class F>
double least_time(double at_least, F&& f) {
  return least_time(at_least, [] {}, f);
}
constexpr double patience = 0.3e9;

struct Row {
  std::string name;
  double ns;  // per constraint
  double error = 0;
  int corrections = 0;
};

double length_error(const Case& c, const Problem& s, const Vec& q) {
  double worst = 0;
  std::size_t which = 0;
  for (const Edges& edges : c.groups) {
    const auto& length = s.system()->constraints[which++]->number[0];
    for (std::size_t k = 0; k < edges.size(); ++k) {
      double sum = 0;
      for (int a = 0; a < c.dimension; ++a) {
        const double r = q[a * c.count + edges[k].first] - q[a * c.count + edges[k].second];
        sum += r * r;
      }
      worst = std::max(worst, std::abs(std::sqrt(sum) / length[k] - 1));
    }
  }
  return worst;
}

// Times taut's own solve, as RATTLE calls it: q₁(μ) = q₀ + W (p₀ - G₀ᵀμ).
Row general_path(const Case& c, const Problem& s, const State<double, dynamic>& x,
                 const SolveOptions& options, const std::string& name) {
  auto G = s.make_jacobian();
  s.G(x.q, G);
  SolverOf<Problem> solver(s);
  State<double, dynamic> moved = x;
  Displacement<State<double, dynamic>> work(x.q);
  Problem::Multiplier mu = zero_multiplier(s);
  Row row{name, 0};
  row.ns = least_time(patience, [&] {
    KickAndDrift drift{moved, x, G, s.W(), 1.0, work};
    const auto solved = solver.land(s, options, x.q, G, drift, mu);
    row.corrections = solved ? *solved : -solved.error().iterations;
  });
  row.ns /= s.constraints();
  row.error = length_error(c, s, moved.q);
  return row;
}

// Times the second half of RATTLE.
Row momentum_path(const Problem& s, const State<double, dynamic>& x, const SolveOptions& options,
                  const std::string& name) {
  auto G = s.make_jacobian();
  s.G(x.q, G);
  SolverOf<Problem> solver(s);
  Problem::Multiplier nu = zero_multiplier(s);
  std::mt19937 random(2);
  std::normal_distribution<double> some(0, 1);
  State<double, dynamic> off = x;
  for (Eigen::Index j = 0; j < off.p.size(); ++j) off.p[j] += 0.01 * some(random);
  State<double, dynamic> y = off;
  Row row{name, 0};
  row.ns = least_time(
      patience, [&] { y.p = off.p; },
      [&] {
        const auto solved = solver.project(s, options, y, G, nu);
        row.corrections = solved ? *solved : -1;
      });
  row.ns /= s.constraints();
  row.error = momentum_residual(s, y.q, y.p);
  return row;
}

// Baselines -----------------------------------------------------------------------------------------------

struct Bond {
  int i, j;
  double length2;
};
std::vector<Bond> bonds_of(const Case& c, const Problem& s) {
  std::vector<Bond> bonds;
  std::size_t which = 0;
  for (const Edges& edges : c.groups) {
    const auto& length = s.system()->constraints[which++]->number[0];
    for (std::size_t k = 0; k < edges.size(); ++k)
      bonds.push_back({edges[k].first, edges[k].second, length[k] * length[k]});
  }
  return bonds;
}
// Stores x y z of a particle side by side, as is usual.
std::vector<double> interleaved(const Case& c, const Vec& v) {
  std::vector<double> out(v.size());
  for (int a = 0; a < c.dimension; ++a)
    for (int i = 0; i < c.count; ++i) out[i * c.dimension + a] = v[a * c.count + i];
  return out;
}
Vec apart(const Case& c, const std::vector<double>& v) {
  Vec out(static_cast<Eigen::Index>(v.size()));
  for (int a = 0; a < c.dimension; ++a)
    for (int i = 0; i < c.count; ++i) out[a * c.count + i] = v[i * c.dimension + a];
  return out;
}

// Times SHAKE: one bond after the other along the old directions, until all are within the tolerance. It
// works in space, with unit masses.
Row shake(const Case& c, const Problem& s, const State<double, dynamic>& x, double tolerance,
          const std::string& name) {
  const auto bonds = bonds_of(c, s);
  const auto q0 = interleaved(c, x.q), free = interleaved(c, Vec(x.q + x.p));
  auto q = free;
  Row row{name, 0};
  row.ns = least_time(patience, [&] {
    q = free;
    bool done = false;
    int sweeps = 0;
    for (; !done && sweeps < 20000; ++sweeps) {
      done = true;
      for (const Bond& b : bonds) {
        double r[3], old[3], r2 = 0, along = 0;
        for (int a = 0; a < 3; ++a) {
          r[a] = q[3 * b.i + a] - q[3 * b.j + a];
          old[a] = q0[3 * b.i + a] - q0[3 * b.j + a];
          r2 += r[a] * r[a];
          along += r[a] * old[a];
        }
        const double g = (r2 - b.length2) / 2;
        if (std::abs(g) <= tolerance) continue;
        done = false;
        const double mu = g / (2 * along);
        for (int a = 0; a < 3; ++a) {
          q[3 * b.i + a] -= mu * old[a];
          q[3 * b.j + a] += mu * old[a];
        }
      }
    }
    row.corrections = done ? sweeps : -sweeps;
  });
  row.ns /= static_cast<double>(bonds.size());
  row.error = length_error(c, s, apart(c, q));
  return row;
}

// Times Newton for one chain 0-1-2-…, the tridiagonal system by Thomas's recursion: what one writes by hand
// for this case alone.
Row thomas(const Case& c, const Problem& s, const State<double, dynamic>& x, double tolerance) {
  const auto bonds = bonds_of(c, s);
  const int m = static_cast<int>(bonds.size());
  const auto q0 = interleaved(c, x.q), free = interleaved(c, Vec(x.q + x.p));
  auto q = free;
  std::vector<double> old(3 * m), now(3 * m), g(m), mu(m), pivot(m), above(m);
  for (int k = 0; k < m; ++k)
    for (int a = 0; a < 3; ++a) old[3 * k + a] = q0[3 * k + a] - q0[3 * k + 3 + a];
  const auto dot = [](const double* u, const double* v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
  Row row{"tridiagonal Newton by hand, 1e-12", 0};
  row.ns = least_time(patience, [&] {
    q = free;
    row.corrections = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      double worst = 0;
      for (int k = 0; k < m; ++k) {
        for (int a = 0; a < 3; ++a) now[3 * k + a] = q[3 * k + a] - q[3 * k + 3 + a];
        g[k] = (dot(&now[3 * k], &now[3 * k]) - bonds[k].length2) / 2;
        worst = std::max(worst, std::abs(g[k]));
      }
      if (worst <= tolerance) break;
      ++row.corrections;
      for (int k = 0; k < m; ++k) {
        double d = 2 * dot(&now[3 * k], &old[3 * k]), r = g[k];
        if (k > 0) {
          const double below = -dot(&now[3 * k], &old[3 * k - 3]) * pivot[k - 1];
          d -= below * above[k - 1];
          r -= below * mu[k - 1];
        }
        if (k + 1 < m) above[k] = -dot(&now[3 * k], &old[3 * k + 3]);
        pivot[k] = 1 / d;
        mu[k] = r;
      }
      mu[m - 1] *= pivot[m - 1];
      for (int k = m - 2; k >= 0; --k) mu[k] = (mu[k] - above[k] * mu[k + 1]) * pivot[k];
      for (int k = 0; k < m; ++k)
        for (int a = 0; a < 3; ++a) {
          q[3 * k + a] -= mu[k] * old[3 * k + a];
          q[3 * k + 3 + a] += mu[k] * old[3 * k + a];
        }
    }
  });
  row.ns /= m;
  row.error = length_error(c, s, apart(c, q));
  return row;
}

// Times Eigen's SimplicialLDLT: G₀WG₀ᵀ is factored once per step, its pattern analysed beforehand, and used
// in every iteration.
Row eigen_ldlt(const Case& c, const Problem& s, const State<double, dynamic>& x, double tolerance) {
  const auto bonds = bonds_of(c, s);
  const int m = static_cast<int>(bonds.size()), d = c.dimension;
  const auto q0 = interleaved(c, x.q), free = interleaved(c, Vec(x.q + x.p));
  auto q = free;
  std::vector<std::vector<int>> at(c.count);
  for (int k = 0; k < m; ++k) at[bonds[k].i].push_back(k), at[bonds[k].j].push_back(k);
  struct Entry {
    int row, column;
    double sign;
  };
  std::vector<Entry> entries;
  for (int i = 0; i < c.count; ++i)
    for (const int k : at[i])
      for (const int l : at[i])
        if (k >= l)
          entries.push_back({k, l, (bonds[k].i == i ? 1.0 : -1.0) * (bonds[l].i == i ? 1.0 : -1.0)});
  std::vector<double> old(d * m);
  for (int k = 0; k < m; ++k)
    for (int a = 0; a < d; ++a) old[d * k + a] = q0[d * bonds[k].i + a] - q0[d * bonds[k].j + a];
  const auto value = [&](const Entry& e) {
    double sum = 0;
    for (int a = 0; a < d; ++a) sum += old[d * e.row + a] * old[d * e.column + a];
    return e.sign * sum;
  };
  std::vector<Eigen::Triplet<double>> list;
  for (const Entry& e : entries) list.emplace_back(e.row, e.column, value(e));
  Eigen::SparseMatrix<double> K(m, m);
  K.setFromTriplets(list.begin(), list.end());
  std::vector<int> place;
  for (const Entry& e : entries) {
    const int* from = K.innerIndexPtr() + K.outerIndexPtr()[e.column];
    const int* to = K.innerIndexPtr() + K.outerIndexPtr()[e.column + 1];
    place.push_back(static_cast<int>(std::lower_bound(from, to, e.row) - K.innerIndexPtr()));
  }
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
  ldlt.analyzePattern(K);
  Eigen::VectorXd g(m);
  Row row{"Eigen SimplicialLDLT quasi-Newton, 1e-12", 0};
  row.ns = least_time(patience, [&] {
    q = free;
    std::fill_n(K.valuePtr(), K.nonZeros(), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) K.valuePtr()[place[e]] += value(entries[e]);
    ldlt.factorize(K);
    row.corrections = 0;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double worst = 0;
      for (int k = 0; k < m; ++k) {
        double r2 = 0;
        for (int a = 0; a < d; ++a) {
          const double r = q[d * bonds[k].i + a] - q[d * bonds[k].j + a];
          r2 += r * r;
        }
        g[k] = (r2 - bonds[k].length2) / 2;
        worst = std::max(worst, std::abs(g[k]));
      }
      if (worst <= tolerance) break;
      ++row.corrections;
      const Eigen::VectorXd mu = ldlt.solve(g);
      for (int k = 0; k < m; ++k)
        for (int a = 0; a < d; ++a) {
          q[d * bonds[k].i + a] -= mu[k] * old[d * k + a];
          q[d * bonds[k].j + a] += mu[k] * old[d * k + a];
        }
    }
  });
  row.ns /= m;
  row.error = length_error(c, s, apart(c, q));
  return row;
}

// Times Newton for triangles 3w, 3w+1, 3w+2, one after the other, the 3×3 system by elimination.
Row water_newton(const Case& c, const Problem& s, const State<double, dynamic>& x, double tolerance) {
  const int waters = c.count / 3;
  const auto q0 = interleaved(c, x.q), free = interleaved(c, Vec(x.q + x.p));
  auto q = free;
  const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2};
  const auto& groups = s.system()->constraints;
  Row row{"scalar 3×3 Newton, 1e-12", 0};
  row.ns = least_time(patience, [&] {
    q = free;
    row.corrections = 0;
    for (int w = 0; w < waters; ++w) {
      double* at = &q[9 * w];
      const double* before = &q0[9 * w];
      double old[3][3], length2[3];
      for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a) old[k][a] = before[3 * first[k] + a] - before[3 * second[k] + a];
        length2[k] = groups[k]->number[0][w] * groups[k]->number[0][w];
      }
      for (int iteration = 0; iteration < 50; ++iteration) {
        double now[3][3], g[3], worst = 0;
        for (int k = 0; k < 3; ++k) {
          double r2 = 0;
          for (int a = 0; a < 3; ++a) {
            now[k][a] = at[3 * first[k] + a] - at[3 * second[k] + a];
            r2 += now[k][a] * now[k][a];
          }
          g[k] = (r2 - length2[k]) / 2;
          worst = std::max(worst, std::abs(g[k]));
        }
        if (worst <= tolerance) break;
        row.corrections = std::max(row.corrections, iteration + 1);
        double K[3][3];
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) {
            const double weight = (first[k] == first[l]) + (second[k] == second[l]) -
                                  (first[k] == second[l]) - (second[k] == first[l]);
            K[k][l] = weight * (now[k][0] * old[l][0] + now[k][1] * old[l][1] + now[k][2] * old[l][2]);
          }
        for (int k = 0; k < 3; ++k)
          for (int l = k + 1; l < 3; ++l) {
            const double f = K[l][k] / K[k][k];
            for (int j = k; j < 3; ++j) K[l][j] -= f * K[k][j];
            g[l] -= f * g[k];
          }
        for (int k = 2; k >= 0; --k) {
          for (int j = k + 1; j < 3; ++j) g[k] -= K[k][j] * g[j];
          g[k] /= K[k][k];
        }
        for (int k = 0; k < 3; ++k)
          for (int a = 0; a < 3; ++a) {
            at[3 * first[k] + a] -= g[k] * old[k][a];
            at[3 * second[k] + a] += g[k] * old[k][a];
          }
      }
    }
  });
  row.ns /= 3 * waters;
  row.error = length_error(c, s, apart(c, q));
  return row;
}

// Cases ---------------------------------------------------------------------------------------------------

Case freely_jointed_chain(int rods) {
  Case c{fmt::format("freely jointed chain of {} rods", rods), 3, rods + 1, {Edges{}}, {}, 0.03};
  c.q.resize(3 * c.count);
  std::mt19937 random(3);
  std::normal_distribution<double> some(0, 1);
  double at[3] = {0, 0, 0};
  for (int i = 0; i < c.count; ++i) {
    for (int a = 0; a < 3; ++a) c.q[a * c.count + i] = at[a];
    double step[3], size = 0;
    for (double& u : step) {
      u = some(random);
      size += u * u;
    }
    for (int a = 0; a < 3; ++a) at[a] += step[a] / std::sqrt(size);
    if (i + 1 < c.count) c.groups[0].emplace_back(i, i + 1);
  }
  return c;
}

Case waters(int count) {
  Case c{fmt::format("{} rigid waters", count), 3, 3 * count, std::vector<Edges>(3), {}, 0.03};
  c.q.resize(3 * c.count);
  const double shape[3][3] = {{0, 0, 0}, {1, 0, 0}, {-0.333, 0.943, 0}};
  for (int w = 0; w < count; ++w) {
    for (int k = 0; k < 3; ++k)
      for (int a = 0; a < 3; ++a)
        c.q[a * c.count + 3 * w + k] = shape[k][a] + (a == 0 ? 3 * w % 100 : a == 1 ? 3 * w / 100 % 100 : 0);
    c.groups[0].emplace_back(3 * w, 3 * w + 1);
    c.groups[1].emplace_back(3 * w, 3 * w + 2);
    c.groups[2].emplace_back(3 * w + 1, 3 * w + 2);
  }
  return c;
}

// Makes a zigzag whose angles are held by 1-3 distances.
Case strip(int particles) {
  Case c{fmt::format("strip of {} particles with rigid angles", particles),
         3,
         particles,
         std::vector<Edges>(2),
         {},
         0.01};
  c.q = Vec::Zero(3 * particles);
  std::mt19937 random(4);
  std::normal_distribution<double> some(0, 0.2);
  for (int i = 0; i < particles; ++i) {
    c.q[i] = 0.8 * i;
    c.q[particles + i] = i % 2 == 0 ? 0 : 0.6;
    c.q[2 * particles + i] = some(random);
    if (i + 1 < particles) c.groups[0].emplace_back(i, i + 1);
    if (i + 2 < particles) c.groups[1].emplace_back(i, i + 2);
  }
  return c;
}

Case sheet(int side) {
  Case c{
      fmt::format("triangulated sheet of {0} × {0} particles", side), 3, side * side, {Edges{}}, {}, 0.003};
  c.q = Vec::Zero(3 * c.count);
  std::mt19937 random(5);
  std::normal_distribution<double> some(0, 0.15);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int k = side * i + j;
      c.q[k] = i + 0.5 * j;
      c.q[c.count + k] = 0.866 * j;
      c.q[2 * c.count + k] = some(random);
      if (i + 1 < side) c.groups[0].emplace_back(k, k + side);
      if (j + 1 < side) c.groups[0].emplace_back(k, k + 1);
      if (i > 0 && j + 1 < side) c.groups[0].emplace_back(k - side + 1, k);
    }
  return c;
}

void print(const Row& row, double yardstick) {
  fmt::print("  {:<44} {:>9.1f} {:>8.2f}   {:.0e} {:>6}\n", row.name, row.ns, row.ns / yardstick, row.error,
             row.corrections);
}
void heading(const Case& c, const Problem& s, double set_up) {
  fmt::print("\n{}: {} constraints, set up in {:.3f} s\n  {:<44} {:>9} {:>8}   {:>5} {:>6}\n", c.name,
             s.constraints(), set_up, "", "ns/constr", "ratio", "error", "corr.");
}

void compare(const Case& c, bool chain, bool water, bool slow) {
  const auto from = std::chrono::steady_clock::now();
  const Problem s(model_of(c));
  const SolverOf<Problem> plan(s);
  const std::chrono::duration<double> set_up = std::chrono::steady_clock::now() - from;
  const auto x = moving(s, c);
  heading(c, s, set_up.count());
  const Row newton = general_path(c, s, x, {.tolerance = 1e-12}, "taut, full Newton, 1e-12");
  print(newton, newton.ns);
  print(general_path(c, s, x, {.iteration = Iteration::symmetric, .tolerance = 1e-12},
                     "taut, symmetric, 1e-12"),
        newton.ns);
  print(general_path(c, s, x, {}, "taut, to rounding"), newton.ns);
  print(momentum_path(s, x, {.tolerance = 1e-12}, "momentum projection, 1e-12"), newton.ns);
  print(momentum_path(s, x, {}, "momentum projection, to rounding"), newton.ns);
  if (chain) print(thomas(c, s, x, 1e-12), newton.ns);
  if (water) print(water_newton(c, s, x, 1e-12), newton.ns);
  print(eigen_ldlt(c, s, x, 1e-12), newton.ns);
  print(shake(c, s, x, 1e-4, "SHAKE sweeps, 1e-4"), newton.ns);
  if (!slow) print(shake(c, s, x, 1e-12, "SHAKE sweeps, 1e-12"), newton.ns);
}

// Times the memory alone: q and p are copied from one place to another.
double copy_time(const State<double, dynamic>& x) {
  State<double, dynamic> y = x;
  return least_time(patience, [&] { assign(y, x); });
}

// Shows how the cost of a step grows when the system leaves the cache.
void compare_growth() {
  const Rattle method{{.tolerance = 1e-12}};
  fmt::print("\nfreely jointed chains: a step of rattle to 1e-12, ns per constraint\n");
  double first_step = 0, first_copy = 0, step = 0, copy = 0;
  for (const int rods : {10000, 100000, 1000000}) {
    const Case c = freely_jointed_chain(rods);
    const Problem s(model_of(c));
    const auto x = moving(s, c);
    Rattle::Memory<Problem, State<double, dynamic>> memory(s, x);
    auto y = x;
    step = 1e300;
    for (int round = 0; round < 40; ++round) {
      y = x;
      memory.refresh(s, y.q);
      const double from = processor_time();
      if (!method.step(s, y, memory, 1.0)) fmt::print("  a step failed\n");
      step = std::min(step, (processor_time() - from) / rods);
    }
    copy = copy_time(x) / rods;
    if (first_step == 0) first_step = step, first_copy = copy;
    fmt::print("  {:>8} rods {:>8.1f}   a copy of q and p {:>6.2f}\n", rods, step, copy);
  }
  fmt::print("  from 10^4 to 10^6 a step grows {:.1f} times, a copy {:.1f} times\n", step / first_step,
             copy / first_copy);
}

// Times a whole step of RATTLE on the wall clock, the least of many. If other programs hold the processors,
// it shows how those are shared, not what threads gain.
void compare_threads(const Case& c) {
  const Problem s(model_of(c));
  const auto x = moving(s, c);
  fmt::print("\n{}: a step of rattle to 1e-12, ns per constraint on the wall clock\n", c.name);
  const Rattle method{{.tolerance = 1e-12}};
  Rattle::Memory<Problem, State<double, dynamic>> memory(s, x);
  auto y = x;
  double best[3] = {1e300, 1e300, 1e300};
  bool same = true;
  State<double, dynamic> first;
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    const SharedWith shared(&workers);
    for (int round = 0; round < 60; ++round) {
      y = x;
      memory.refresh(s, y.q);
      const auto from = std::chrono::steady_clock::now();
      if (!method.step(s, y, memory, 1.0)) fmt::print("  a step failed\n");
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
      best[threads] = std::min(best[threads], took.count());
      if (round == 0 && threads == 1) first = y;
      same = same && y.q == first.q && y.p == first.p;
    }
  }
  for (const int threads : {1, 2})
    fmt::print("  {} thread{}  {:>8.1f}\n", threads, threads == 1 ? " " : "s",
               best[threads] / s.constraints());
  fmt::print("  two threads are {:.2f} times as fast as one; {}\n", best[1] / best[2],
             same ? "same bits" : "OTHER BITS");
}

}  // namespace

int main(int argc, char** argv) {
  const auto asked = [&](const char* name) { return argc < 2 || std::strcmp(argv[1], name) == 0; };
  fmt::print(
      "Position solve of one step; ratio to taut with full Newton. corr. < 0: not converged after so "
      "many.\n");
  if (asked("chain"))
    for (const int rods : {1000, 10000, 100000, 1000000})
      compare(freely_jointed_chain(rods), true, false, rods > 100000);
  if (asked("growth")) compare_growth();
  if (asked("water")) compare(waters(10000), false, true, false);
  if (asked("strip")) compare(strip(1000), false, false, true);  // longer ones round g above 1e-12
  if (asked("threads")) {
    compare_threads(freely_jointed_chain(100000));
    compare_threads(waters(33333));
  }
  if (asked("sheet")) compare(sheet(71), false, false, true);
}
