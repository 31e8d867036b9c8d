// The examples of examples/sampling have known answers, and their draws agree with them.
#include <gtest/gtest.h>
#include <taut/sample/free_energy.hpp>
#include <taut/sample/summary.hpp>

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

// Five rods hold four beads, and the dihedral is held in addition. Given the constraints its free energy is
// its own potential; that of rigid rods has Fixman's term.
TEST(SamplingExamples, TheDihedralOfButaneHasItsPotentialAsFreeEnergy) {
  const ModelRun run = read_model_run(std::string(TAUT_SOURCE_DIR) + "/examples/sampling/butane.toml", {},
                                      {"quantities.dihedral=phi"});
  FreeEnergyOptions options{.coordinate = "dihedral", .values = {1, 2.2}};
  options.sampling = {.draws = 800, .warmup = 300};
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

}  // namespace
}  // namespace taut
