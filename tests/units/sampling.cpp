// The parts of a sampling: diagnostics as the R package posterior computes them, Stan's windows, determinants
// and their gradients, draws that do not depend on threads or on kills, sentences about wrong input.
#include <gtest/gtest.h>
#include <taut/contract/request.hpp>
#include <taut/sample/band_lu.hpp>
#include <taut/sample/export.hpp>
#include <taut/sample/mover.hpp>
#include <taut/sample/summary.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace taut {
namespace {

const std::string ellipse = R"toml(
[parameters]
a = 3.0
[system]
coordinates = ["x", "y", "z"]
mass = [1.0, 4.0, 2.0]
potential = "x + y*z"
constraints = ["x^2/a^2 + y^2 + z^2 - 1", "x + sin(y) - z"]
[initial]
x = 0.5
y = 0.1
z = 0.8
[sampling]
density = "x - y^2"
measure = "surface"
)toml";

Sampling sampling_of(const std::string& text, SamplingOptions options = {},
                     const TargetOptions& target = {}) {
  return make_sampling(model_run(text, "test.toml"), target, options);
}

// A folder that is gone when the test is over.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("taut-sampling-" + std::to_string(getpid()));
  ~Scratch() { std::filesystem::remove_all(path); }
};

TEST(Diagnostics, AgreeWithTheRPackagePosterior) {
  ChainsOfColumn column(3);
  for (int c = 1; c <= 3; ++c)
    for (int k = 0; k <= 100; ++k)
      column[static_cast<std::size_t>(c - 1)].push_back(std::sin(0.37 * k * c) + 0.1 * (k * k % 7));
  const ColumnDiagnostics d = diagnose(column);  // posterior 1.4 of Debian 12
  EXPECT_NEAR(d.mean, 0.2044871861042, 1e-11);
  EXPECT_NEAR(d.sd, 0.7239619791003, 1e-11);
  EXPECT_NEAR(d.mcse, 0.0640598966063, 1e-10);
  EXPECT_NEAR(d.rhat, 0.9913620695412, 1e-10);
  EXPECT_NEAR(d.ess_bulk, 137.3137656025313, 1e-7);
  EXPECT_NEAR(d.ess_tail, 240.0292620887066, 1e-7);
}

TEST(Adaptation, HasTheWindowsOfStan) {
  const Windows windows(1000);
  std::vector<int> ends;
  for (int k = 0; k < 1000; ++k)
    if (windows.ends(k)) ends.push_back(k);
  EXPECT_EQ(ends, (std::vector<int>{99, 149, 249, 449, 949}));
  EXPECT_FALSE(windows.learns_metric(74));
  EXPECT_TRUE(windows.learns_metric(75));
  EXPECT_FALSE(windows.learns_metric(950));
}

// The gradient of U, determinants included, against central differences of its values, which lose 1e-16/δ =
// 1e-10 to rounding and gain δ² = 1e-12 of error.
TEST(Targets, GradientsOfDeterminantsAreExact) {
  for (const Measure measure : {Measure::surface, Measure::conditioned, Measure::rigid}) {
    const auto code =
        std::make_shared<const TargetCode>(make_target(model_run(ellipse, "t").model, {.measure = measure}));
    Target target(code);
    target.set_metric({0.7, 2.0, 1.3});
    Phase x(*code);
    ASSERT_TRUE(target.refresh(x, Need::gradient));
    for (std::size_t j = 0; j < 3; ++j) {
      const double delta = 1e-6;
      Phase up = x, down = x;
      up.q[j] += delta;
      down.q[j] -= delta;
      ASSERT_TRUE(target.refresh(up, Need::value) && target.refresh(down, Need::value));
      EXPECT_NEAR(x.gradient[j], (up.U - down.U) / (2 * delta), 1e-8) << static_cast<int>(measure) << j;
    }
  }
}

// Rows and columns of a chain, an arrow and a full pattern: K and its logarithm against elimination in the
// dense matrix.
TEST(Gram, FactorsInsideItsEnvelope) {
  constexpr int m = 6, n = 8;
  std::vector<int> begin{0}, column;
  std::vector<double> G;
  for (int i = 0; i < m; ++i) {
    for (int j : {i, i + 1, i + 2 < n && i % 2 == 0 ? i + 2 : -1, i == 5 ? 0 : -1})
      if (j >= 0) {
        column.push_back(j);
        G.push_back(std::cos(3 * i + 5 * j) + 2 * (i == j));
      }
    begin.push_back(static_cast<int>(column.size()));
  }
  const std::vector<double> W{1, 2, 0.5, 1.5, 3, 1, 0.2, 1.1};
  const GramPattern pattern(m, n, begin, column);
  Gram gram(pattern);
  ASSERT_TRUE(gram.factor(pattern, G.data(), W.data()));
  std::vector<double> dense(static_cast<std::size_t>(m * n), 0.0), K(static_cast<std::size_t>(m * m), 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (int e = begin[i]; e < begin[i + 1]; ++e)
      dense[i * n + static_cast<std::size_t>(column[static_cast<std::size_t>(e)])] =
          G[static_cast<std::size_t>(e)];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t j = 0; j < n; ++j) K[i * m + k] += dense[i * n + j] * W[j] * dense[k * n + j];
  std::vector<double> x{1, -2, 3, 0.5, 1, 2}, b(m, 0.0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < m; ++k) b[i] += K[i * m + k] * x[k];
  gram.solve(pattern, b.data());
  for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
  double log_det = 0;
  for (std::size_t k = 0; k < m; ++k) {
    log_det += std::log(K[k * m + k]);
    for (std::size_t i = k + 1; i < m; ++i)
      for (std::size_t j = k + 1; j < m; ++j) K[i * m + j] -= K[i * m + k] * K[k * m + j] / K[k * m + k];
  }
  EXPECT_NEAR(gram.log_det(pattern), log_det, 1e-12);
}

// K = G W G₀ᵀ of a ring and of rows that all share a column: solutions against products with the dense
// matrix. The first pivot of each vanishes, so that rows must change places.
TEST(BandLu, SolvesWithTheNormalsOfTwoPoints) {
  constexpr int m = 20;
  for (const bool all_coupled : {false, true}) {
    std::vector<int> begin{0}, column;
    std::vector<double> G, G0;
    for (int i = 0; i < m; ++i) {
      for (const int j : {i, all_coupled ? m : (i + 1) % m}) {
        column.push_back(j);
        G.push_back(std::cos(3 * i + 5 * j));
        G0.push_back(std::sin(2 * i + j) + 0.3);
      }
      begin.push_back(static_cast<int>(column.size()));
    }
    const std::vector<double> W(m + 1, 1.0);
    const GramPattern pattern(m, m + 1, begin, column);
    const auto first = std::find(pattern.place.begin(), pattern.place.end(), 0) - pattern.place.begin();
    const std::size_t head = all_coupled ? 0 : 2 * static_cast<std::size_t>(first);
    G0[head] = -G[head + 1] * G0[head + 1] / G[head];
    std::vector<double> dense(static_cast<std::size_t>(m * (m + 1)), 0.0), dense0 = dense;
    for (std::size_t e = 0; e < G.size(); ++e) {
      const std::size_t at = e / 2 * (m + 1) + static_cast<std::size_t>(column[e]);
      dense[at] = G[e];
      dense0[at] = G0[e];
    }
    std::vector<double> x(m), b(m, 0.0);
    for (std::size_t i = 0; i < m; ++i) x[i] = std::cos(7.0 * static_cast<double>(i));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t j = 0; j <= m; ++j) b[i] += dense[i * (m + 1) + j] * dense0[k * (m + 1) + j] * x[k];
    BandLu lu(pattern);
    EXPECT_EQ(lu.width(), all_coupled ? m - 1 : 2);
    ASSERT_TRUE(lu.factor(pattern, G.data(), W.data(), G0.data()));
    lu.solve(b.data());
    for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(b[i], x[i], 1e-10) << i << all_coupled;
    std::fill(G.begin(), G.begin() + 2, 0.0);  // a row of zeros
    EXPECT_FALSE(lu.factor(pattern, G.data(), W.data(), G0.data()));
  }
}

// From (1, 0) the line that is parallel to the normal meets the circle up to a distance of 1 from it, and
// touches it there. Beyond that Newton's iteration leaps to and fro with small residuals, and there is no
// solution.
TEST(Steps, NextToAFoldEndOnTheManifoldOrAreRefused) {
  const auto code = std::make_shared<const TargetCode>(make_target(model_run(R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[sampling]
density = "0"
measure = "surface"
)toml",
                                                                             "t")
                                                                       .model,
                                                                   {}));
  Target target(code);
  Mover mover(target, {.check_reverse = false});  // the way back would refuse them, too
  int refused = 0;
  for (int k = -1000; k <= 1000; ++k) {
    Phase x(*code);
    ASSERT_TRUE(target.refresh(x, Need::gradient));
    x.p = {0, 1 + 1e-15 * k};
    if (mover.step(x, 1, false) != Outcome::done) {
      ++refused;
      continue;
    }
    double g = 0;
    target.g(x.q.data(), &g);
    EXPECT_LT(std::abs(g), 2e-15) << k;
  }
  EXPECT_GT(refused, 900);
  Phase x(*code);
  ASSERT_TRUE(target.refresh(x, Need::gradient));
  x.p = {0, 0.5};
  EXPECT_EQ(mover.step(x, 1, false), Outcome::done);
}

TEST(Draws, DoNotDependOnThreadsOrOnAKill) {
  const SamplingOptions options{.draws = 400, .warmup = 300, .chains = 3, .adapt_metric = true};
  const Sampling sampling = sampling_of(ellipse, options);
  const std::string one = summarise(sampling, run_sampling(sampling, 1, nullptr, {})).sha256;
  EXPECT_EQ(one, summarise(sampling, run_sampling(sampling, 3, nullptr, {})).sha256);
  const Scratch scratch;
  const SamplingObserver often{.longest_wait = 0};  // many blocks
  {
    const DrawsFolder folder = DrawsFolder::begin(scratch.path, manifest_of(sampling));
    EXPECT_EQ(one, summarise(sampling, run_sampling(sampling, 2, &folder, often)).sha256);
  }
  // A kill leaves the files as they were at some moment: cut anywhere, also inside a block.
  const std::filesystem::path first = scratch.path / "chain-1.draws", second = scratch.path / "chain-2.draws";
  const std::uintmax_t length = std::filesystem::file_size(first);
  for (const double part : {0.9, 0.5, 0.2, 0.0}) {
    std::filesystem::resize_file(first, static_cast<std::uintmax_t>(part * static_cast<double>(length)));
    std::ofstream(second, std::ios::app) << "torn";
    const DrawsFolder folder = DrawsFolder::open(scratch.path);
    const std::int64_t left = folder.read(0).draws;
    EXPECT_LT(left, options.draws);
    if (part == 0.9) {
      EXPECT_GT(left, 0);
    }
    EXPECT_EQ(one, summarise(sampling, run_sampling(sampling_in(folder), 2, &folder, often)).sha256) << part;
    EXPECT_EQ(one, summarise(sampling, stored_sampling(sampling, folder)).sha256) << part;
  }
  const SamplingOptions other{.draws = 400, .warmup = 300, .chains = 3, .seed = 2, .adapt_metric = true};
  const Sampling reseeded = sampling_of(ellipse, other);
  EXPECT_NE(one, summarise(reseeded, run_sampling(reseeded, 2, nullptr, {})).sha256);
}

std::string refusal(const std::string& text, const SamplingOptions& options = {},
                    const TargetOptions& target = {}) {
  try {
    const Sampling sampling = sampling_of(text, options, target);
    run_sampling(sampling, 1, nullptr, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(WrongInput, IsRefusedInASentence) {
  EXPECT_TRUE(says(refusal(replaced(ellipse, "measure = \"surface\"", "")), "with respect to which measure"));
  EXPECT_TRUE(says(refusal(replaced(ellipse, "density = \"x - y^2\"", "")), "what is to be sampled"));
  EXPECT_TRUE(says(refusal(replaced(ellipse, "\"x - y^2\"", "\"log(x - 10)\"")), "not finite at the start"));
  EXPECT_TRUE(says(refusal(replaced(ellipse, "\"surface\"", "\"area\"")), "unknown measure"));
  EXPECT_TRUE(says(refusal(ellipse, {.kernel = {.kernel = kernel_named("g-baoab(1)")}}), "--step"));
  const std::string timed = replaced(ellipse, "constraints = [\"", "constraints = [\"0.1*sin(t) + ");
  EXPECT_TRUE(says(refusal(timed), "a constraint depends on t"));
  const Sampling endless = sampling_of(ellipse, {.draws = std::int64_t{1} << 50});
  EXPECT_THROW(run_sampling(endless, 1, nullptr, {}), InputError);  // before the first draw
  EXPECT_THROW(kernel_named("nutz"), InputError);
  EXPECT_THROW(kernel_named("hmc(0)"), InputError);
  const std::string held =
      replaced(ellipse, "[sampling]", "[quantities]\nxi = \"x + sin(y) - z + 1\"\n[sampling]");
  EXPECT_TRUE(says(refusal(held, {}, {.held = "xi", .held_value = 1}), "depend on each other"));
}

TEST(Components, ThatNeverMeetAreNamed) {
  const std::string circles = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["(x^2 + y^2 - 1)*((x - 4)^2 + y^2 - 1)"]
[initial]
x = 1.0
[sampling]
density = "0"
measure = "surface"
)toml";
  SamplingOptions options{.draws = 200, .warmup = 100, .chains = 6, .step = 0.1, .spread = 3};
  const Sampling sampling = sampling_of(circles, options);
  const SamplingSummary summary = summarise(sampling, run_sampling(sampling, 2, nullptr, {}));
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_TRUE(says(summary.warnings.front(), "never meet in x")) << summary.warnings.front();
}

// The ranges of circles within circles overlap in every coordinate, and their chains never meet all the same.
TEST(Components, WithinEachOtherAreNamedByTheirNeighbours) {
  const std::string rings = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["(x^2 + y^2 - 1)*(x^2 + y^2 - 4)"]
[initial]
x = 0.8
[sampling]
density = "0"
measure = "surface"
)toml";
  SamplingOptions options{.draws = 500, .warmup = 100, .chains = 6, .step = 0.1, .spread = 0.8};
  options.kernel.kernel = kernel_named("hmc(20)");
  const Sampling sampling = sampling_of(rings, options);
  const SamplingResult result = run_sampling(sampling, 2, nullptr, {});
  const SamplingSummary summary = summarise(sampling, result);
  ASSERT_EQ(summary.components.size(), 2U);
  for (const auto& group : summary.components)
    for (const int chain : group) {
      const auto radius = [&](int k) {
        return std::hypot(result.column(k, 7).back(), result.column(k, 8).back());
      };
      EXPECT_NEAR(radius(chain), radius(group.front()), 1e-12);
    }
  EXPECT_TRUE(says(summary.warnings.front(), "never meet in space")) << summary.warnings.front();
  // Chains of one circle have met.
  SamplingOptions together = options;
  together.spread = 0;
  const Sampling inner = sampling_of(rings, together);
  EXPECT_EQ(summarise(inner, run_sampling(inner, 2, nullptr, {})).components.size(), 1U);
}

// The matrices with QᵀQ = 1 are rotations and reflections. All of their entries have the same distributions,
// so that R-hat sees nothing.
TEST(Components, ThatRHatDoesNotSeeAreNamed) {
  const std::string orthogonal = R"toml(
[system]
coordinates = ["a", "b", "c", "d"]
mass = 1.0
potential = "0"
constraints = ["a^2 + b^2 - 1", "c^2 + d^2 - 1", "a*c + b*d"]
[initial]
a = 1.0
d = 1.0
[sampling]
density = "0"
measure = "surface"
)toml";
  SamplingOptions options{.draws = 500, .warmup = 100, .chains = 4, .step = 0.3, .spread = 1};
  options.kernel.kernel = kernel_named("hmc(8)");
  const Sampling sampling = sampling_of(orthogonal, options);
  const SamplingSummary s = summarise(sampling, run_sampling(sampling, 2, nullptr, {}));
  for (const ColumnDiagnostics& d : s.of) EXPECT_LT(d.rhat, 1.05);
  ASSERT_EQ(s.components.size(), 2U);
  EXPECT_TRUE(says(s.warnings.front(), "never meet in space")) << s.warnings.front();
}

// A column that does not vary has no R-hat, and hides nothing of the others.
TEST(Warnings, SeePastColumnsThatDoNotVary) {
  const std::string text = R"toml(
[system]
coordinates = ["still", "x", "y"]
mass = 1.0
potential = "0"
constraints = ["still - 2", "x^2 + y^2 - 1"]
[initial]
still = 2.0
x = 1.0
[quantities]
wrong = "log(x)"
[sampling]
density = "0"
measure = "surface"
)toml";
  const SamplingOptions slow{.draws = 200, .warmup = 0, .chains = 2, .step = 1e-4};
  SamplingOptions walk = slow;
  walk.kernel.kernel = kernel_named("random-walk");
  const auto warned = [&](const SamplingOptions& options, const std::string& part) {
    const Sampling sampling = sampling_of(text, options);
    const SamplingSummary s = summarise(sampling, run_sampling(sampling, 1, nullptr, {}));
    return std::any_of(s.warnings.begin(), s.warnings.end(), [&](const auto& w) { return says(w, part); });
  };
  EXPECT_TRUE(warned(walk, "the effective size of the bulk of y"));
  EXPECT_TRUE(warned({.draws = 2, .warmup = 0, .chains = 1, .step = 0.1}, "too few for diagnostics"));
  walk.step = 1e9;  // no step of this length lands on the circle
  EXPECT_TRUE(warned(walk, "chain 1 never moved"));
  EXPECT_TRUE(warned({.draws = 200, .warmup = 100}, "wrong is not finite"));
}

// Beyond a number of draws a part of them is diagnosed, and moments take all.
TEST(Summaries, LookAtAPartOfVeryManyDraws) {
  const Sampling sampling = sampling_of(ellipse, {.draws = 3000, .warmup = 100, .chains = 2, .step = 0.1});
  const SamplingResult result = run_sampling(sampling, 2, nullptr, {});
  const SamplingSummary all = summarise(sampling, result), part = summarise(sampling, result, 2000);
  EXPECT_EQ(all.every, 1);
  EXPECT_EQ(part.every, 3);
  EXPECT_EQ(part.sha256, all.sha256);
  for (std::size_t k = 0; k < all.of.size(); ++k) {
    EXPECT_NEAR(part.of[k].mean, all.of[k].mean, 1e-12);
    EXPECT_NEAR(part.of[k].sd, all.of[k].sd, 1e-12);
    EXPECT_LT(part.of[k].ess_bulk, 1.1 * all.of[k].ess_bulk);
    EXPECT_GT(part.of[k].ess_bulk, 0.2 * all.of[k].ess_bulk);
  }
}

}  // namespace
}  // namespace taut
