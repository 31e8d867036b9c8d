// Chains of many coupled constraints: steps of any number of them end on g = 0 to rounding, find their way
// back, and draws have the known mean square of the end-to-end distance.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <taut/sample/diagnostics.hpp>
#include <taut/sample/sampling.hpp>

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// N beads in space joined by rods of length 1, the first of them at the origin. Given the constraints, the
// directions of rods are independent, and the mean of R² is N - 1. A chain that is bent has its rods in
// directions that are dense on the sphere.
std::string chain_of(int N, bool bent) {
  std::string names, constraints, initial;
  double end[3] = {0, 0, 0};
  for (int i = 1; i < N; ++i) {
    const double z = bent ? std::fmod(0.618034 * i, 2.0) - 1 : 0, angle = bent ? 2.4 * i : 0;
    const double rod[3] = {std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z};
    std::string square;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string name = fmt::format("{}{}", "xyz"[a], i);
      names += fmt::format("\"{}\", ", name);
      square += fmt::format("{}({} - {})^2", a == 0 ? "" : " + ", name,
                            i == 1 ? "0" : fmt::format("{}{}", "xyz"[a], i - 1));
      end[a] += rod[a];
      initial += fmt::format("{} = {:.17g}\n", name, end[a]);
    }
    constraints += fmt::format("\"({} - 1)/2\", ", square);
  }
  return fmt::format(
      "[system]\ncoordinates = [{}]\nmass = 1.0\npotential = \"0\"\nconstraints = [{}]\n[initial]\n{}"
      "[quantities]\nsquare = \"x{}^2 + y{}^2 + z{}^2\"\n[sampling]\ndensity = \"0\"\nmeasure = "
      "\"conditioned\"\n",
      names, constraints, initial, N - 1, N - 1, N - 1);
}

struct Drawn {
  double accept = 0, worst = 0;  // worst: the largest |g| of any draw
  std::int64_t other_solutions = 0;
  ChainsOfColumn square;
};

Drawn draw(const std::string& model, const SamplingOptions& options) {
  const Sampling sampling = make_sampling(model_run(model, "chain.toml"), {}, options);
  std::vector<double> g(static_cast<std::size_t>(sampling.code->m));
  Drawn drawn;
  SamplingObserver observer;
  observer.draw = [&](Chain& chain, std::int64_t) {  // one thread draws
    chain.target().g(chain.phase().q.data(), g.data());
    for (const double value : g) drawn.worst = std::max(drawn.worst, std::abs(value));
  };
  const SamplingResult result = run_sampling(sampling, 1, nullptr, observer);
  const std::vector<std::string> names = sampling.columns();
  const std::size_t square =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "square") - names.begin());
  for (int k = 0; k < result.chain_count(); ++k) {
    drawn.square.push_back(result.column(k, square));
    for (const double accept : result.column(k, 1))
      drawn.accept += accept / static_cast<double>(options.draws * options.chains);
    drawn.other_solutions +=
        result.chains[static_cast<std::size_t>(k)].counts[static_cast<std::size_t>(Outcome::other_solution)];
  }
  return drawn;
}

TEST(SamplingOfChains, OfAnyLengthMovesAndStaysOnItsManifold) {
  for (const int N : {14, 20, 100, 300})
    for (const bool bent : {false, true}) {
      const std::int64_t few = N < 100 ? 200 : 20;
      SamplingOptions options{.draws = few, .warmup = few, .chains = 1};
      options.kernel.max_depth = 4;
      const Drawn drawn = draw(chain_of(N, bent), options);
      EXPECT_GT(drawn.accept, 0.5) << N << bent;
      EXPECT_EQ(drawn.other_solutions, 0) << N << bent;
      // Rounding of a squared difference of coordinates, which are as long as the chain.
      EXPECT_LT(drawn.worst, bent ? 1e-13 : 1e-13 * std::max(1.0, N / 50.0)) << N << bent;
      EXPECT_GT(std::abs(drawn.square[0].back() - drawn.square[0].front()), 1e-3) << N << bent;
    }
}

// The walk of Zappa, Holmes-Cerfon and Goodman, of which each step is checked by itself.
TEST(SamplingOfChains, WalksOfAThousandBeadsFindTheirWayBack) {
  for (const bool bent : {false, true}) {
    SamplingOptions options{.draws = 60, .warmup = 0, .chains = 1, .step = bent ? 0.03 : 1e-4};
    options.kernel.kernel = kernel_named("random-walk");
    const Drawn drawn = draw(chain_of(1000, bent), options);
    EXPECT_EQ(drawn.other_solutions, 0) << bent;
    EXPECT_GT(drawn.accept, 0.5) << bent;
  }
}

TEST(SamplingOfChains, HasTheMeanSquareOfAFreelyJointedChain) {
  const auto mean_square = [](int N, std::int64_t draws, int depth, bool bent) {
    SamplingOptions options{.draws = draws, .warmup = draws / 2, .chains = 1, .seed = 3};
    options.kernel.max_depth = depth;
    return diagnose(draw(chain_of(N, bent), options).square);
  };
  for (const bool bent : {false, true}) {
    const ColumnDiagnostics d = mean_square(20, 600, 6, bent);
    EXPECT_NEAR(d.mean, 19, 4 * d.mcse) << bent;
    EXPECT_LT(d.mcse, 2) << bent;
  }
  const ColumnDiagnostics d = mean_square(100, 60, 8, true);
  EXPECT_NEAR(d.mean, 99, 4 * d.mcse);
  EXPECT_LT(d.mcse, 25);
}

}  // namespace
}  // namespace taut
