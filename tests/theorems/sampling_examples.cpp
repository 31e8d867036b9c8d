// The examples of examples/sampling have known answers, and their draws agree with them.
#include <gtest/gtest.h>
#include <taut/sample/free_energy.hpp>
#include <taut/sample/summary.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace taut {
namespace {

struct Known {
  std::string file, column;
  double mean;
  double sd = 0;  // 0: not known
  std::string kernel = "nuts";
  double step = 0;  // 0: adapted
};

// E cos² t of the density sqrt(4 - cos² t), by the midpoint rule.
double trimer_sd() {
  double above = 0, below = 0;
  for (int k = 0; k < 10000; ++k) {
    const double c = std::cos(3.14159265358979 * (k + 0.5) / 10000), weight = std::sqrt(4 - c * c);
    above += weight * c * c;
    below += weight;
  }
  return std::sqrt(above / below);
}

// E cos² t of the loop of sticky discs.
double loop_sd() {
  double above = 0, below = 0;
  for (int k = 0; k < 10000; ++k) {
    const double t = 3.14159265358979 * (k + 0.5) / 10000;
    const double weight =
        std::exp(-std::pow(2 * std::cos(t / 2), -12) - std::pow(2 * std::sin(t / 2), -12)) / std::sin(t);
    above += weight * std::cos(t) * std::cos(t);
    below += weight;
  }
  return std::sqrt(above / below);
}

// E z of exp(1.5 z + 2 (x² - y²) - z²) on the sphere: I₀ comes from its own integral.
double bingham_mean() {
  double above = 0, below = 0;
  for (int k = 0; k < 2000; ++k) {
    const double z = -1 + (k + 0.5) / 1000;
    double ring = 0;
    for (int j = 0; j < 64; ++j) ring += std::exp(2 * (1 - z * z) * std::cos(3.14159265358979 * j / 32));
    const double weight = std::exp(1.5 * z - z * z) * ring;
    above += weight * z;
    below += weight;
  }
  return above / below;
}

// How often a chain of five links ends within r of its start, for 101 radii up to 5 (Treloar 1946): the
// density is r Σ_k (-1)^k C(5,k) max(5 - r - 2k, 0)³/96.
std::vector<double> within_of_five_links() {
  constexpr int cells = 100, fine = 50;
  const double binomial[] = {1, 5, 10};
  std::vector<double> within{0};
  for (int k = 0; k < cells; ++k) {
    double sum = 0;
    for (int j = 0; j < fine; ++j) {
      const double r = 5 * (k + (j + 0.5) / fine) / cells;
      for (int i = 0; i < 3; ++i)
        sum += (i % 2 == 0 ? 1 : -1) * binomial[i] * r * std::pow(std::max(5 - r - 2 * i, 0.0), 3) / 96;
    }
    within.push_back(within.back() + sum * 5 / cells / fine);
  }
  return within;
}

TEST(SamplingExamples, AFreelyJointedChainHasItsExactDistributionOfEnds) {
  SamplingOptions options{.draws = 5000, .warmup = 500};
  const Sampling sampling = make_sampling(
      read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/freely-jointed-chain.toml", {}, {}),
      {}, options);
  const SamplingResult result = run_sampling(sampling, 2, nullptr, {});
  const std::vector<std::string> names = sampling.columns();
  const auto at =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "end_squared") - names.begin());
  ChainsOfColumn column(4);
  std::vector<double> ends;
  for (int k = 0; k < 4; ++k) {
    column[static_cast<std::size_t>(k)] = result.column(k, at);
    for (const double square : column[static_cast<std::size_t>(k)]) ends.push_back(std::sqrt(square));
  }
  const std::vector<double> within = within_of_five_links();
  EXPECT_NEAR(within.back(), 1, 1e-4);
  double largest = 0, of_gauss = 0;
  for (std::size_t k = 0; k < within.size(); ++k) {
    const double r = 0.05 * static_cast<double>(k);
    const double share =
        static_cast<double>(std::count_if(ends.begin(), ends.end(), [&](double x) { return x <= r; })) /
        static_cast<double>(ends.size());
    largest = std::max(largest, std::abs(share - within[k]));
    // The normal distribution that has the same mean square is another one.
    const double gauss =
        std::erf(r * std::sqrt(0.3)) - 2 * r * std::sqrt(0.3 / 3.14159265358979) * std::exp(-0.3 * r * r);
    of_gauss = std::max(of_gauss, std::abs(share - gauss));
  }
  const double size = std::sqrt(diagnose(column).ess_bulk);
  EXPECT_LT(largest * size, 2.1);
  EXPECT_GT(of_gauss, 2 * largest);
}

TEST(SamplingExamples, HaveTheirKnownAnswers) {
  // Pappus: a torus with R = 1 and r = 1/2 has E z² = r²/2.
  for (const Known& known :
       std::vector<Known>{{"torus", "z", 0, std::sqrt(0.125)},
                          {"von-mises-fisher", "z", 1 / std::tanh(1.8) - 1 / 1.8},
                          {"ellipse", "x_squared", 4.5, 9 / std::sqrt(8.0)},
                          {"two-circles", "right", 1.0 / 3, std::sqrt(2.0 / 9), "random-walk", 1.5},
                          {"level-set", "a_squared", 0.60190723 / 0.42102444},
                          {"freely-jointed-chain", "end_squared", 5},
                          {"so3", "trace", 0, 1},
                          {"bingham", "z", bingham_mean()},
                          {"sticky-loop", "cosine", 0, loop_sd()},
                          {"trimer", "cosine", 0, trimer_sd()}}) {
    SamplingOptions options{.draws = 3000, .warmup = 500, .thin = known.kernel == "nuts" ? 1 : 10};
    options.kernel.kernel = kernel_named(known.kernel);
    if (known.step > 0) options.step = known.step;
    const Sampling sampling = make_sampling(
        read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/" + known.file + ".toml", {}, {}),
        {}, options);
    const SamplingSummary s = summarise(sampling, run_sampling(sampling, 2, nullptr, {}));
    const auto at =
        static_cast<std::size_t>(std::find(s.names.begin(), s.names.end(), known.column) - s.names.begin());
    ASSERT_LT(at, s.of.size()) << known.file;
    const ColumnDiagnostics& d = s.of[at];
    EXPECT_NEAR(d.mean, known.mean, 4 * d.mcse) << known.file;
    EXPECT_LT(d.mcse, 0.1 * d.sd) << known.file;
    // The error of a standard deviation is about sd/√ESS; its own effective size may be a quarter of the
    // mean's.
    if (known.sd > 0) {
      EXPECT_NEAR(d.sd, known.sd, 8 * d.mcse) << known.file;
    }
    EXPECT_LT(d.rhat, 1.02) << known.file;
  }
}

// The trace of a uniform rotation of 11 dimensions has the mean 0 and the variance 1.
TEST(SamplingExamples, TheTraceOfSO11IsNearlyNormal) {
  SamplingOptions options{.draws = 400, .warmup = 100, .chains = 2};
  options.kernel.kernel = kernel_named("hmc(3)");
  const Sampling sampling = make_sampling(
      read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/so11.toml", {}, {}), {}, options);
  const SamplingSummary s = summarise(sampling, run_sampling(sampling, 2, nullptr, {}));
  const auto at =
      static_cast<std::size_t>(std::find(s.names.begin(), s.names.end(), "trace") - s.names.begin());
  EXPECT_NEAR(s.of[at].mean, 0, 4 * s.of[at].mcse);
  EXPECT_NEAR(s.of[at].sd, 1, 0.15);
  EXPECT_GT(s.of[at].ess_bulk, 100);
}

// Five rods hold four beads, and the dihedral is held in addition. Given the constraints its free energy is
// its own potential; that of rigid rods has Fixman's term.
TEST(SamplingExamples, TheDihedralOfButaneHasItsPotentialAsFreeEnergy) {
  const ModelRun run = read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/butane.toml", {},
                                      {"quantities.dihedral=phi"});
  FreeEnergyOptions options{.coordinate = "dihedral", .values = {1, 2.2}, .direct = false};
  options.sampling = {.draws = 1000, .warmup = 300};
  const FreeEnergy A = free_energy(run, options, 2, {});
  options.target.measure = Measure::rigid;
  const FreeEnergy rigid = free_energy(run, options, 2, {});
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    const double phi = A.values[k], exact = -1.5 * std::sin(phi) - 6 * std::sin(3 * phi);
    EXPECT_NEAR(A.mean_force[k], exact, 4 * A.error[k]);
    EXPECT_LT(A.error[k], 0.03);
    EXPECT_GT(std::abs(rigid.mean_force[k] - exact), 0.1);
  }
}

// Beside the integral of the mean force stands a histogram of draws in which the dihedral is free.
TEST(SamplingExamples, DirectDrawsOfTheDihedralAgreeWithTheIntegralOfItsMeanForce) {
  const ModelRun run = read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/butane.toml", {},
                                      {"quantities.dihedral=phi", "sampling.temperature=3"});
  FreeEnergyOptions options{.coordinate = "dihedral", .values = {}};
  for (int k = 0; k < 9; ++k) options.values.push_back(-2 + 0.5 * k);
  options.sampling = {.draws = 120, .warmup = 150};
  const FreeEnergy A = free_energy(run, options, 2, {});
  ASSERT_EQ(A.direct.size(), A.values.size()) << A.direct_note;
  for (std::size_t k = 1; k < A.values.size(); ++k) {
    const auto V = [](double phi) { return 1.5 * std::cos(phi) + 2 * std::cos(3 * phi); };
    EXPECT_NEAR(A.direct[k], V(A.values[k]) - V(A.values[0]), 4 * A.direct_error[k] + 0.02);
    EXPECT_LT(A.direct_error[k], 1);
  }
}

}  // namespace
}  // namespace taut
