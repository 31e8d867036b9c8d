// Free energies over level sets that hang together only where the coordinate is free, the rule of the
// profile, and what is warned of.
#include <gtest/gtest.h>
#include <taut/contract/request.hpp>
#include <taut/sample/free_energy.hpp>

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

const std::string torus = R"toml(
[system]
coordinates = ["x", "y", "z"]
mass = 1.0
potential = "0"
constraints = ["(1 - sqrt(x^2 + y^2))^2 + z^2 - 0.25"]
[initial]
x = 1.5
[quantities]
height = "z"
[sampling]
temperature = 1.0
measure = "surface"
)toml";

FreeEnergyOptions along(const std::string& name, std::vector<double> values) {
  FreeEnergyOptions o{.coordinate = name, .values = std::move(values), .direct = false};
  o.sampling = {.draws = 1000, .warmup = 300};
  return o;
}
bool warns(const FreeEnergy& A, const std::string& part) {
  return std::any_of(A.warnings.begin(), A.warnings.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

// The plane z = const cuts a torus in two circles, which no chain on it joins. The area between z and z +
// dz is 2π·2R·r/sqrt(r² - z²) dz, and each circle alone has another force.
TEST(FreeEnergies, ComponentsThatNeverMeetHaveTheirShares) {
  const FreeEnergy A = free_energy(model_run(torus, "t"), along("height", {0.3, 0.4}), 2, {});
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    const double z = A.values[k], h = std::sqrt(0.25 - z * z), exact = -z / (h * h);
    EXPECT_NEAR(A.mean_force[k], exact, 4 * A.error[k]);
    EXPECT_LT(A.error[k], 0.3);
    for (const double side : {-1.0, 1.0}) {
      const double of_one_circle = exact + side * z / (h * (1 + side * h));
      EXPECT_GT(std::abs(A.mean_force[k] - of_one_circle), 3 * A.error[k]) << z << side;
    }
  }
  EXPECT_TRUE(warns(A, "chains stay in the component"));
}

// A coordinate along a curve leaves points, whose shares are those of free draws. The density of x on the
// circle with the density exp(y) is cosh(sqrt(1 - x²))/sqrt(1 - x²).
TEST(FreeEnergies, PointsThatACoordinateLeavesHaveTheirShares) {
  const std::string circle = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "0"
constraints = ["x^2 + y^2 - 1"]
[initial]
x = 1.0
[quantities]
along = "x"
[sampling]
density = "y"
measure = "surface"
)toml";
  FreeEnergyOptions options = along("along", {0.0, 0.6});
  options.sampling.draws = 4000;
  const FreeEnergy A = free_energy(model_run(circle, "t"), options, 2, {});
  const double x = 0.6, y = 0.8, of_one_point = x / y - x / (y * y),
               exact = x / y * std::tanh(y) - x / (y * y);
  EXPECT_NEAR(A.mean_force[0], 0, 1e-12);
  EXPECT_NEAR(A.mean_force[1], exact, 4 * A.error[1]);
  EXPECT_LT(A.error[1], 0.05);
  EXPECT_GT(std::abs(A.mean_force[1] - of_one_point), 5 * A.error[1]);
  EXPECT_FALSE(warns(A, "never moved"));
  options.sampling.kernel.kernel = kernel_named("g-baoab(1)");  // nothing chooses its step
  EXPECT_THROW(free_energy(model_run(circle, "t"), options, 2, {}), InputError);
}

// Two wells with a barrier of 8 kT, whose forces differ: draws do not cross it, and no error bar knows.
TEST(FreeEnergies, WellsThatAreNotLeftAreWarnedOf) {
  const std::string wells = R"toml(
[system]
coordinates = ["x", "y"]
mass = 1.0
potential = "8*(y^2 - 1)^2 + x^2/2 + x*y"
[quantities]
width = "x"
[sampling]
temperature = 1.0
measure = "conditioned"
)toml";
  FreeEnergyOptions options = along("width", {0, 0.3});
  options.sampling.spread = 1;  // the chains with x free begin on both sides
  const FreeEnergy A = free_energy(model_run(wells, "t"), options, 2, {});
  EXPECT_TRUE(warns(A, "chains stay in the component or the well"));
  EXPECT_TRUE(warns(A, "the effective size of the force"));
  const std::string one = [&] {
    std::string text = wells;
    return text.replace(text.find("8*(y^2 - 1)^2"), 13, "8*(y - 1)^2");
  }();
  const FreeEnergy B = free_energy(model_run(one, "t"), options, 2, {});
  EXPECT_FALSE(warns(B, "stay in"));
}

TEST(FreeEnergies, ChainsThatNeverMoveAreWarnedOf) {
  FreeEnergyOptions options = along("height", {0.3});
  options.sampling.draws = 50;
  options.sampling.kernel.kernel = kernel_named("random-walk");
  options.sampling.step = 1e9;
  EXPECT_TRUE(warns(free_energy(model_run(torus, "t"), options, 2, {}), "never moved"));
  options.sampling.step = 0.1;
  EXPECT_FALSE(warns(free_energy(model_run(torus, "t"), options, 2, {}), "never moved"));
}

TEST(FreeEnergies, AValueThatIsNotReachedIsSaidToBeOne) {
  for (const double value : {0.5, 0.7}) try {  // the top of the torus, and above it
      free_energy(model_run(torus, "t"), along("height", {value}), 2, {});
      ADD_FAILURE() << value;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("may be an end of what the coordinate reaches"),
                std::string::npos)
          << error.what();
    }
}

// The integral of cos(3ξ), also over values that are not even: four times as many have an error 256 times
// smaller.
TEST(Profiles, AreOfFourthOrder) {
  const auto worst = [](int count, double bend) {
    std::vector<double> values, force;
    for (int k = 0; k < count; ++k) {
      const double t = -3 + 6.0 * k / (count - 1);
      values.push_back(t + bend * std::sin(t));
      force.push_back(std::cos(3 * values.back()));
    }
    const Profile A = integrated(values, force, std::vector<double>(values.size(), 0.0));
    double off = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      off = std::max(off, std::abs(A.A[k] - (std::sin(3 * values[k]) - std::sin(3 * values[0])) / 3));
    return off;
  };
  for (const double bend : {0.0, 0.3}) {
    EXPECT_LT(worst(121, bend), worst(31, bend) / 150) << bend;
    EXPECT_LT(worst(31, bend), 0.01) << bend;
  }
}

TEST(Profiles, TakeValuesInAnyOrderAndCarryErrors) {
  const auto force = [](double x) { return 1 + 2 * x - 3 * x * x; };  // the integral of x + x² - x³
  for (const std::vector<double>& values :
       {std::vector<double>{0, 1, 3, 4}, {2, 0.5, -1}, {0, 1, 2, 2, 1.5, 0.5, 0}, {1}, {0, 2}}) {
    std::vector<double> f;
    for (const double x : values) f.push_back(force(x));
    const Profile A = integrated(values, f, std::vector<double>(values.size(), 0.1));
    ASSERT_EQ(A.A.size(), values.size());
    const auto exact = [](double x) { return x + x * x - x * x * x; };
    for (std::size_t k = 0; k < values.size() && values.size() > 2; ++k)
      EXPECT_NEAR(A.A[k], exact(values[k]) - exact(values[0]), 1e-12) << k;
    if (values.size() == 2) {  // a line through two values, of weight 1 each
      EXPECT_NEAR(A.error[1], 0.1 * std::sqrt(2.0), 1e-12);
    }
  }
}

}  // namespace
}  // namespace taut
