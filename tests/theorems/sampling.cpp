// Draws have the distribution that is asked for, on manifolds whose marginals are known in closed form.
// Statistics are at fixed seeds; a Kolmogorov-Smirnov distance counts in units of 1/sqrt(effective size).
#include <gtest/gtest.h>
#include <taut/contract/request.hpp>
#include <taut/sample/diagnostics.hpp>
#include <taut/sample/free_energy.hpp>
#include <taut/sample/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace taut {
namespace {

constexpr double pi = std::numbers::pi;
// √n D is above 1.95 with probability 0.001; the effective size is an estimate, so a little more is allowed.
constexpr double agrees = 2.1, differs = 3;  // 3: with probability 3e-8

const std::string torus = R"toml(
[system]
coordinates = ["x", "y", "z"]
mass = 1.0
potential = "0"
constraints = ["(1 - sqrt(x^2 + y^2))^2 + z^2 - 0.25"]
[initial]
x = 1.5
[quantities]
phi = "atan2(z, sqrt(x^2 + y^2) - 1)"
[sampling]
density = "0"
measure = "surface"
)toml";

const std::string ellipse = R"toml(
[parameters]
a = 3.0
[system]
coordinates = ["x", "y"]
mass = [1.0, 100.0]
potential = "0"
constraints = ["x^2/a^2 + y^2 - 1"]
[initial]
x = "a"
[quantities]
angle = "atan2(abs(y), abs(x/a))"
[sampling]
density = "0"
)toml";

// Three beads of mass 1 in the plane, joined by rods of length 1; c is the cosine between the rods.
const std::string trimer = R"toml(
[system]
coordinates = ["x1", "y1", "x2", "y2", "x3", "y3"]
mass = 1.0
potential = "(x2^2 + y2^2)/2"
constraints = ["((x2 - x1)^2 + (y2 - y1)^2 - 1)/2", "((x3 - x2)^2 + (y3 - y2)^2 - 1)/2"]
[initial]
x1 = -1.0
y3 = 1.0
[quantities]
turn = "atan2(abs((x2 - x1)*(y3 - y2) - (y2 - y1)*(x3 - x2)), abs((x2 - x1)*(x3 - x2) + (y2 - y1)*(y3 - y2)))"
[sampling]
temperature = 1.0
)toml";

struct Drawn {
  Sampling sampling;
  SamplingResult result;
  std::size_t place(const std::string& name) const {
    const auto names = sampling.columns();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  ChainsOfColumn column(const std::string& name) const {
    ChainsOfColumn out;
    for (int k = 0; k < result.chain_count(); ++k) out.push_back(result.column(k, place(name)));
    return out;
  }
};

struct Asked {
  std::string kernel = "nuts";
  std::optional<Measure> measure = {};
  bool diagonal = false, check = true;
  std::optional<double> step = {};
  std::int64_t draws = 2000, thin = 1, warmup = 500;
  std::uint64_t seed = 1;
  int chains = 4;
  std::string integrator = {};
};

Drawn draw(const std::string& text, const Asked& asked) {
  SamplingOptions o{.draws = asked.draws, .warmup = asked.warmup, .thin = asked.thin, .chains = asked.chains};
  o.kernel.kernel = kernel_named(asked.kernel);
  o.kernel.mover.check_reverse = asked.check;
  take_integrator(asked.integrator, o.kernel.mover);
  o.adapt_metric = asked.diagonal;
  o.step = asked.step;
  o.seed = asked.seed;
  Drawn drawn{make_sampling(model_run(text, "test.toml"), {.measure = asked.measure}, o), {}};
  drawn.result = run_sampling(drawn.sampling, 2, nullptr, {});
  return drawn;
}

// √ESS times the largest distance between the empirical distribution and `cdf`.
double distance(const ChainsOfColumn& column, const std::function<double(double)>& cdf) {
  std::vector<double> all;
  for (const auto& chain : column) all.insert(all.end(), chain.begin(), chain.end());
  std::sort(all.begin(), all.end());
  double largest = 0;
  const double n = static_cast<double>(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double F = cdf(all[k]);
    largest = std::max(
        {largest, std::abs(F - static_cast<double>(k) / n), std::abs(static_cast<double>(k + 1) / n - F)});
  }
  const ColumnDiagnostics d = diagnose(column);
  return largest * std::sqrt(std::min({n, d.ess_bulk, d.ess_tail}));
}

// The distribution function between two ends of a density that need not be normalised, by the midpoint rule.
std::function<double(double)> cdf_of(const std::function<double(double)>& density, double from, double to) {
  constexpr int cells = 20000;
  auto sums = std::make_shared<std::vector<double>>(1, 0.0);
  for (int k = 0; k < cells; ++k)
    sums->push_back(sums->back() + density(from + (to - from) * (k + 0.5) / cells));
  return [sums, from, to](double x) {
    const double at = (x - from) / (to - from) * cells;
    const int k = std::clamp(static_cast<int>(at), 0, cells - 1);
    const double low = (*sums)[static_cast<std::size_t>(k)], high = (*sums)[static_cast<std::size_t>(k) + 1];
    return (low + (at - k) * (high - low)) / sums->back();
  };
}
std::function<double(double)> on_a_circle(const std::function<double(double)>& density) {
  return cdf_of(density, -pi, pi);
}
// The same for an angle that is folded onto a quarter of the circle.
std::function<double(double)> on_a_quarter(const std::function<double(double)>& density) {
  return cdf_of(density, 0, pi / 2);
}
double speed(double a, double b, double t) {
  return std::sqrt(a * a * std::sin(t) * std::sin(t) + b * b * std::cos(t) * std::cos(t));
}

TEST(Sampling, TheTorusHasItsExactMarginalWithEveryKernel) {
  const auto phi = on_a_circle([](double t) { return 1 + 0.5 * std::cos(t); });
  const auto flat = on_a_circle([](double) { return 1.0; });
  for (const Asked& asked :
       {Asked{}, Asked{.kernel = "hmc(5)"}, Asked{.kernel = "ghmc", .draws = 4000, .thin = 10},
        Asked{.kernel = "random-walk", .draws = 4000, .thin = 10}, Asked{.diagonal = true}}) {
    const Drawn drawn = draw(torus, asked);
    EXPECT_LT(distance(drawn.column("phi"), phi), agrees) << asked.kernel << asked.diagonal;
    EXPECT_GT(distance(drawn.column("phi"), flat), differs) << asked.kernel << asked.diagonal;
  }
}

// A composition of rattle has smaller errors of the energy and the same distribution: its parts are checked
// one by one.
TEST(Sampling, CompositionsKeepTheDistributionAndTheEnergyBetter) {
  std::string text = ellipse;
  text.replace(text.find("density = \"0\""), 13, "density = \"-2*y^2 + x\"");
  const auto right = on_a_quarter([](double t) {
    return speed(3, 1, t) * std::exp(-2 * std::sin(t) * std::sin(t)) * std::cosh(3 * std::cos(t));
  });
  double refused[2];
  for (const bool composed : {false, true}) {
    Asked asked{.kernel = "hmc(4)", .measure = Measure::surface, .step = 0.2, .draws = 5000, .warmup = 100};
    asked.integrator = composed ? "kahan-li8" : "rattle";
    const Drawn drawn = draw(text, asked);
    EXPECT_LT(distance(drawn.column("angle"), right), agrees) << composed;
    refused[composed] =
        static_cast<double>(drawn.result.chains[0].counts[static_cast<std::size_t>(Outcome::refused)]);
  }
  EXPECT_LT(refused[1], refused[0] / 20);
  EXPECT_THROW(draw(text, {.integrator = "yoshida5"}), InputError);
}

TEST(Sampling, EachMeasureHasItsMarginalOnAnEllipseAndNotThatOfAnother) {
  const std::vector<std::function<double(double)>> marginals = {
      on_a_quarter([](double t) { return speed(3, 1, t); }), on_a_quarter([](double) { return 1.0; }),
      on_a_quarter([](double t) { return speed(3, 10, t); })};
  for (const bool diagonal : {false, true})
    for (std::size_t measure = 0; measure < 3; ++measure) {
      const Drawn drawn =
          draw(ellipse, {.measure = static_cast<Measure>(measure), .diagonal = diagonal, .draws = 4000});
      for (std::size_t other = 0; other < 3; ++other) {
        const double d = distance(drawn.column("angle"), marginals[other]);
        if (other == measure)
          EXPECT_LT(d, agrees) << measure << diagonal;
        else
          EXPECT_GT(d, differs) << measure << other << diagonal;
      }
    }
}

TEST(Sampling, RigidRodsAreNotConditionedOnes) {
  const auto rigid = on_a_quarter([](double t) { return std::sqrt(4 - std::cos(t) * std::cos(t)); });
  const auto flat = on_a_quarter([](double) { return 1.0; });
  const Drawn stiff = draw(trimer, {.measure = Measure::rigid, .draws = 10000});
  EXPECT_LT(distance(stiff.column("turn"), rigid), agrees);
  EXPECT_GT(distance(stiff.column("turn"), flat), differs);
  const Drawn limit = draw(trimer, {.measure = Measure::conditioned, .draws = 10000});
  EXPECT_LT(distance(limit.column("turn"), flat), agrees);
  EXPECT_GT(distance(limit.column("turn"), rigid), differs);
}

// Masses that are a matrix, depend on q, or stand in a Hamiltonian with a magnetic field are integrated out:
// the measure is the length in their metric, the potential V = x alone.
TEST(Sampling, MomentaAreIntegratedOutOfAnyQuadraticHamiltonian) {
  const std::string given = "mass = [1.0, 100.0]\npotential = \"0\"";
  const std::vector<std::pair<std::string, std::function<double(double, double, double)>>> cases = {
      {"mass = [[2, 1.2], [1.2, 1]]\npotential = \"x\"",
       [](double, double dx, double dy) { return 2 * dx * dx + 2.4 * dx * dy + dy * dy; }},
      {"mass = [[\"1\", \"0.5\"], [\"0.5\", \"1 + 9*x^2\"]]\npotential = \"x\"",
       [](double x, double dx, double dy) { return dx * dx + dx * dy + (1 + 9 * x * x) * dy * dy; }},
      {"hamiltonian = \"((p_x + 3*y)^2/(1 + x^2) + 0.01*(p_y - 3*x)^2)/2 + x\"",
       [](double x, double dx, double dy) { return (1 + x * x) * dx * dx + 100 * dy * dy; }}};
  for (const auto& [mechanics, square] : cases) {
    std::string text = ellipse;
    text.replace(text.find(given), given.size(), mechanics);
    text.replace(text.find("density = \"0\""), 13, "temperature = 2");
    text.replace(text.find("atan2(abs(y), abs(x/a))"), 23, "atan2(y, x/a)");
    const auto marginal = [&, &square = square](bool rigid) {
      return on_a_circle([&, rigid](double t) {
        const double x = 3 * std::cos(t), dx = -3 * std::sin(t), dy = std::cos(t);
        return std::exp(-x / 2) * (rigid ? std::sqrt(square(x, dx, dy)) : speed(3, 1, t));
      });
    };
    const ChainsOfColumn angle =
        draw(text, {.measure = Measure::rigid, .step = 0.4, .draws = 5000}).column("angle");
    EXPECT_LT(distance(angle, marginal(true)), agrees) << mechanics;
    EXPECT_GT(distance(angle, marginal(false)), differs) << mechanics;
  }
}

// Without the check, long steps favour points to which several ways lead. (On a convex curve a step along a
// geodesic always finds its way back: Newton's iteration comes from outside, and ends at the nearer root in
// both directions. So a force is needed on the ellipse.)
TEST(Sampling, LongStepsOnAnEllipseNeedTheReverseCheck) {
  std::string text = ellipse;
  text.replace(text.find("density = \"0\""), 13, "density = \"-y^2/2\"");
  const auto right =
      on_a_quarter([](double t) { return speed(3, 1, t) * std::exp(-std::sin(t) * std::sin(t) / 2); });
  Asked asked{
      .kernel = "hmc(1)", .measure = Measure::surface, .step = 1.5, .draws = 20000, .thin = 4, .warmup = 0};
  const Drawn checked = draw(text, asked);
  EXPECT_LT(distance(checked.column("angle"), right), agrees);
  EXPECT_GT(checked.result.chains[0].counts[static_cast<std::size_t>(Outcome::other_solution)], 1000);
  asked.check = false;
  EXPECT_GT(distance(draw(text, asked).column("angle"), right), differs);
}

TEST(Sampling, TheBiasOfGeodesicBaoabIsOfSecondOrder) {
  const std::string text = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[sampling]
density = "3*x"
measure = "surface"
)toml";
  const double exact = 0.8099856;  // I₁(3)/I₀(3)
  const auto bias = [&](double h) {
    const Drawn drawn = draw(text, {.kernel = "g-baoab(1)", .step = h, .draws = 250000, .warmup = 100});
    const ColumnDiagnostics d = diagnose(drawn.column("x"));
    return std::pair{d.mean - exact, d.mcse};
  };
  const auto [coarse, coarse_error] = bias(0.6);
  const auto [fine, fine_error] = bias(0.3);
  EXPECT_GT(std::abs(coarse), 10 * coarse_error);
  EXPECT_NEAR(coarse / 4, fine, 4 * (coarse_error / 4 + fine_error));  // measured -0.0154 and -0.0038
  EXPECT_GT(std::abs(coarse / 2 - fine), 4 * fine_error);              // so the order is not 1
}

TEST(Sampling, TwoCirclesHaveTheirShareOfTheLengthIfStepsReachAcross) {
  const std::string circles = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["(x^2 + y^2 - 1)*((x - 2)^2 + y^2 - 0.25)"]
[initial]
x = 1.0
[quantities]
right = "(1 + (x - 1.3)/abs(x - 1.3))/2"
[sampling]
density = "0"
measure = "surface"
)toml";
  const Asked asked{.kernel = "random-walk", .step = 1.5, .draws = 20000, .thin = 4, .warmup = 0};
  const ColumnDiagnostics d = diagnose(draw(circles, asked).column("right"));
  EXPECT_NEAR(d.mean, 1.0 / 3, 4 * d.mcse);
  EXPECT_LT(d.mcse, 0.01);
  const ColumnDiagnostics stuck =
      diagnose(draw(circles, {.kernel = "random-walk", .step = 0.1}).column("right"));
  EXPECT_EQ(stuck.mean, 0.0);  // short steps never leave their circle
}

// A reversible kernel goes from cell i to cell j as often as back.
double imbalance(const ChainsOfColumn& column, int cells) {
  std::vector<double> count(static_cast<std::size_t>(cells * cells), 0.0);
  const auto cell = [&](double t) {
    return std::clamp(static_cast<int>((t + pi) / (2 * pi) * cells), 0, cells - 1);
  };
  for (const auto& chain : column)
    for (std::size_t k = 1; k < chain.size(); ++k)
      ++count[static_cast<std::size_t>(cell(chain[k - 1]) * cells + cell(chain[k]))];
  double chi = 0;
  int pairs = 0;
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = count[static_cast<std::size_t>(i * cells + j)],
                   b = count[static_cast<std::size_t>(j * cells + i)];
      if (a + b < 10) continue;
      chi += (a - b) * (a - b) / (a + b);
      ++pairs;
    }
  return (chi - pairs) / std::sqrt(2.0 * pairs);  // about normal if the kernel is reversible
}

TEST(Sampling, KernelsAreInDetailedBalanceOnADiscretisedCircle) {
  const std::string circle = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[quantities]
angle = "atan2(y, x)"
[sampling]
density = "1.5*x + y^3"
measure = "surface"
)toml";
  for (const std::string kernel : {"hmc(2)", "random-walk", "nuts"}) {
    const Drawn drawn = draw(circle, {.kernel = kernel, .step = 0.7, .draws = 20000, .warmup = 0});
    EXPECT_LT(std::abs(imbalance(drawn.column("angle"), 12)), 3.5) << kernel;
  }
  const Drawn broken =
      draw(torus, {.kernel = "random-walk", .check = false, .step = 0.8, .draws = 20000, .warmup = 0});
  EXPECT_GT(imbalance(broken.column("phi"), 12), 10);
}

// Geweke (2004): alternate between a draw of the data given the state and a transition given the data; the
// state must then have its prior distribution. Here the prior is uniform on the circle, and y ~ N(x, 0.5²).
TEST(Sampling, PassesGewekesJointDistributionTest) {
  const std::string text = R"toml(
[parameters]
y0 = 0.0
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[sampling]
density = "-(y0 - x)^2/(2*0.25)"
measure = "surface"
)toml";
  for (const bool right : {true, false}) {
    Randomness data(7, 0);
    std::vector<double> q{1, 0}, xs;
    for (int k = 0; k < 1500; ++k) {
      data.begin(k);
      const double y0 = q[0] + 0.5 * data.normal() + (right ? 0 : 0.4);  // wrong data must be seen
      SamplingOptions o{.draws = 1,
                        .warmup = 0,
                        .thin = 3,
                        .chains = 1,
                        .seed = static_cast<std::uint64_t>(k),
                        .step = 0.5};
      o.kernel.kernel = kernel_named("hmc(4)");
      TargetCode code = make_target(model_run(text, "t", {}, {"y0=" + std::to_string(y0)}).model, {});
      code.start = q;
      Chain chain(std::make_shared<const TargetCode>(std::move(code)), o, 0);
      chain.start();
      chain.advance();
      q = chain.phase().q;
      xs.push_back(q[0]);
    }
    const double d = distance({xs}, [](double x) { return 1 - std::acos(std::clamp(x, -1.0, 1.0)) / pi; });
    if (right)
      EXPECT_LT(d, agrees);
    else
      EXPECT_GT(d, differs);
  }
}

FreeEnergyOptions along(const std::string& name, std::vector<double> values,
                        std::optional<Measure> measure = {}) {
  FreeEnergyOptions o{.coordinate = name, .values = std::move(values), .target = {.measure = measure}};
  o.sampling = {.draws = 1000, .warmup = 300, .chains = 2};
  return o;
}

TEST(FreeEnergies, TheMeanForceOfARadiusHasItsCurvatureTerm) {
  const std::string plane = R"toml(
[system]
coordinates = ["x", "y", "z"]
mass = 1.0
potential = "x^2 + y^2 + z^2"
[initial]
x = 1.0
[quantities]
radius = "sqrt(x^2 + y^2 + z^2)"
[sampling]
temperature = 0.5
measure = "conditioned"
)toml";
  const FreeEnergy A = free_energy(model_run(plane, "t"), along("radius", {0.5, 1, 2}), 2, {});
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    const double r = A.values[k];
    EXPECT_NEAR(A.mean_force[k], 2 * r - 0.5 * 2 / r, 1e-10);  // V' - (d - 1) kT/r, the same at every point
    EXPECT_NEAR(A.uncorrected[k], 2 * r, 1e-10);
  }
}

// With two rods as further constraints, and for the cosine c between them: A = -kT log of its marginal
// density.
TEST(FreeEnergies, RodsKeepTheirMetricCorrection) {
  for (const Measure measure : {Measure::rigid, Measure::conditioned}) {
    std::string text = trimer;
    text.insert(text.find("[sampling]"), "c = \"(x2 - x1)*(x3 - x2) + (y2 - y1)*(y3 - y2)\"\n");
    const FreeEnergy A = free_energy(model_run(text, "t"), along("c", {-0.6, 0.3, 0.6}, measure), 2, {});
    for (std::size_t k = 0; k < A.values.size(); ++k) {
      const double c = A.values[k];
      // log density: -½ log(1 - c²), and for rigid rods + ½ log(4 - c²)
      const double exact = -c / (1 - c * c) + (measure == Measure::rigid ? c / (4 - c * c) : 0);
      EXPECT_NEAR(A.mean_force[k], exact, 5 * A.error[k] + 1e-9);
      EXPECT_LT(A.error[k], 0.06);
      EXPECT_GT(std::abs(A.uncorrected[k] - exact), 0.1);  // the raw multiplier is wrong
    }
  }
}

TEST(FreeEnergies, TheHeightOnASphereIsUniform) {
  const std::string sphere = R"toml(
[system]
coordinates = ["x", "y", "z"]
mass = 1.0
potential = "3*z"
constraints = ["x^2 + y^2 + z^2 - 1"]
[initial]
x = 1.0
[quantities]
height = "exp(z)"
[sampling]
temperature = 2.0
measure = "surface"
)toml";
  const FreeEnergy A = free_energy(model_run(sphere, "t"), along("height", {0.5, 1, 2}), 2, {});
  for (std::size_t k = 0; k < A.values.size(); ++k)  // p(u) = exp(-3 log u/2)/u, and A' = (3 + kT)/u
    EXPECT_NEAR(A.mean_force[k], 5 / A.values[k], 1e-9);
  EXPECT_NEAR(A.uncorrected[1], 3.0, 1e-9);
}

}  // namespace
}  // namespace taut
