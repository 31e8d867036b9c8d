// What is said of an ensemble as a whole: against plain loops with more digits, against sorting, and with the
// same bits for any order of the units.

#include <taut/contract/request.hpp>
#include <taut/ensemble/export.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/reductions.hpp>
#include <taut/ensemble/totals.hpp>
#include <taut/random/draws.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "support/run_program.hpp"

namespace {

using namespace taut;

constexpr int columns = 3;

// Values of an ensemble of which every seventh trajectory fails. The columns have a large mean, a wide range
// and many equal values.
std::vector<Unit> ensemble(std::int64_t size, bool failures = true) {
  std::vector<Unit> units;
  for (std::int64_t k = 0; k < unit_count(size); ++k) {
    Unit u{.index = k, .columns = columns};
    u.count = static_cast<int>(std::min(unit_size, size - u.first()));
    for (int i = 0; i < u.count; ++i) {
      const auto at = static_cast<std::uint64_t>(u.first() + i);
      const double x = normal({1, at, 1, 0}), y = normal({1, at, 2, 0});
      u.rows.insert(u.rows.end(), {1e6 + x, std::exp(20 * y) * (x < 0 ? -1 : 1), std::floor(4 * x)});
      u.endings.push_back({.kind = failures && at % 7 == 3 ? Ended::jumped : Ended::done});
    }
    units.push_back(std::move(u));
  }
  return units;
}

std::vector<std::vector<double>> good_values(const std::vector<Unit>& units) {
  std::vector<std::vector<double>> out(columns);
  for (const Unit& u : units)
    for (int i = 0; i < u.count; ++i)
      for (int j = 0; j < columns && !u.endings[static_cast<std::size_t>(i)].failed(); ++j)
        out[static_cast<std::size_t>(j)].push_back(u.at(i, j));
  return out;
}

Moments reduced(const std::vector<Unit>& units, std::int64_t size, bool covariances = true) {
  MomentTree tree(size, {0, 1, 2}, covariances);
  for (const Unit& u : units) tree.add(u);
  EXPECT_TRUE(tree.is_complete());
  EXPECT_EQ(tree.waiting(), 1U);
  return tree.result();
}

std::vector<std::uint64_t> bits_of(const Moments& m) {
  std::vector<std::uint64_t> bits{static_cast<std::uint64_t>(m.count)};
  for (const auto* list : {&m.mean, &m.products, &m.least, &m.most})
    for (const double x : *list) bits.push_back(std::bit_cast<std::uint64_t>(x));
  for (const auto* list : {&m.least_at, &m.most_at})
    for (const std::int64_t i : *list) bits.push_back(static_cast<std::uint64_t>(i));
  return bits;
}

TEST(Reductions, MomentsAgreeWithPlainLoops) {
  for (const std::int64_t size : {1, 2, 1000, 1024, 1025, 5000, 8192}) {
    const std::vector<Unit> units = ensemble(size);
    const Moments m = reduced(units, size);
    const auto values = good_values(units);
    const std::size_t n = values[0].size();
    ASSERT_EQ(m.count, static_cast<std::int64_t>(n));
    std::vector<long double> mean(columns);
    for (std::size_t j = 0; j < columns; ++j)
      mean[j] = std::accumulate(values[j].begin(), values[j].end(), 0.0L) / static_cast<long double>(n);
    for (std::size_t j = 0; j < columns; ++j) {
      long double size_of = 0;
      for (const double x : values[j]) size_of = std::max<long double>(size_of, std::abs(x));
      EXPECT_NEAR(m.mean[j], static_cast<double>(mean[j]), static_cast<double>(1e-15L * size_of));
      EXPECT_EQ(m.least[j], *std::min_element(values[j].begin(), values[j].end()));
      EXPECT_EQ(m.most[j], *std::max_element(values[j].begin(), values[j].end()));
      for (std::size_t k = 0; k < columns && n > 1; ++k) {
        long double sum = 0, scale_j = 0, scale_k = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const long double dj = values[j][i] - mean[j], dk = values[k][i] - mean[k];
          sum += dj * dk;
          scale_j += dj * dj;
          scale_k += dk * dk;
        }
        // The differences of the column around 1e6 carry 1e-10 of their size.
        const long double slack = 1e-9L * std::sqrt(scale_j * scale_k) / static_cast<long double>(n - 1);
        EXPECT_NEAR(m.covariance(j, k), static_cast<double>(sum / static_cast<long double>(n - 1)),
                    static_cast<double>(slack));
      }
    }
  }
}

TEST(Reductions, AnyOrderOfUnitsGivesTheSameBits) {
  constexpr std::int64_t size = 13 * 1024 + 77;
  std::vector<Unit> units = ensemble(size);
  const auto bits = bits_of(reduced(units, size));
  std::mt19937 generator(5);
  for (int k = 0; k < 30; ++k) {
    std::shuffle(units.begin(), units.end(), generator);
    EXPECT_EQ(bits_of(reduced(units, size)), bits);
  }
  // A plain sum in the order of arrival does not have this property.
  const auto plain = [&] {
    const auto values = good_values(units);
    return std::accumulate(values[1].begin(), values[1].end(), 0.0);
  };
  const double before = plain();
  std::shuffle(units.begin(), units.end(), generator);
  EXPECT_NE(plain(), before);
}

TEST(Reductions, UnitsInOrderNeedFewNodes) {
  constexpr std::int64_t size = 100 * 1024;
  MomentTree tree(size, {0}, false);
  std::size_t most = 0;
  for (const Unit& u : ensemble(size)) {
    tree.add(u);
    most = std::max(most, tree.waiting());
  }
  EXPECT_LE(most, 8U);
}

// A part of an ensemble has every second unit, or less.
TEST(Reductions, UnitsThatAreLeftOutAreNotWaitedFor) {
  constexpr std::int64_t size = 100 * 1024;
  const std::vector<Unit> units = ensemble(size);
  MomentTree waits(size, {0, 1, 2}, true), knows(size, {0, 1, 2}, true);
  for (std::int64_t k = 0; k < 100; ++k)
    if (k % 2 == 0) knows.leave_out(k);
  for (std::size_t k = 1; k < 100; k += 2) {
    waits.add(units[k]);
    knows.add(units[k]);
  }
  EXPECT_EQ(waits.waiting(), 50U);
  EXPECT_EQ(knows.waiting(), 1U);
  EXPECT_EQ(bits_of(knows.result()), bits_of(waits.result()));
  EXPECT_FALSE(knows.is_complete());
}

std::string digest(const std::vector<Unit>& in_this_order, const std::vector<Unit>& units,
                   std::size_t most_waiting, std::size_t& waited) {
  EnsembleTotals totals(1, static_cast<std::int64_t>(units.size()));
  totals.keep_no_more_than(most_waiting);
  waited = 0;
  for (const Unit& u : in_this_order) {
    totals.add(u);
    waited = std::max(waited, totals.waiting());
  }
  totals.catch_up([&](std::int64_t k) { return units[static_cast<std::size_t>(k)]; });
  return totals.sha256();
}

// Two numbers of each trajectory count: 16 kB for a unit.
TEST(Reductions, FinalStatesWaitForTheDigestUpToALimit) {
  constexpr std::int64_t size = 100 * 1024;
  constexpr std::size_t of_a_unit = std::size_t{1024} * 16, limit = 5 * of_a_unit;
  const std::vector<Unit> units = ensemble(size);
  std::vector<Unit> late = units;
  std::rotate(late.begin(), late.begin() + 1, late.end());
  std::size_t waited = 0;
  const std::string whole = digest(units, units, limit, waited);
  EXPECT_EQ(waited, 0U);
  EXPECT_EQ(digest(late, units, std::size_t{1} << 40U, waited), whole);
  EXPECT_EQ(waited, 99 * of_a_unit);
  EXPECT_EQ(digest(late, units, limit, waited), whole);
  EXPECT_LE(waited, limit);
}

// A part has no digest, and keeps little for one.
TEST(Reductions, APartKeepsNoStates) {
  EnsembleTotals totals(1, 100);
  totals.keep_no_more_than(50000);
  const std::vector<Unit> units = ensemble(std::int64_t{100} * 1024);
  for (std::size_t k = 1; k < 100; k += 2) {
    totals.add(units[k]);
    EXPECT_LE(totals.waiting(), 50000U);
  }
  totals.catch_up([](std::int64_t) -> Unit { throw std::runtime_error("nothing is read"); });
  EXPECT_THROW(static_cast<void>(totals.sha256()), std::logic_error);
}

TEST(Reductions, UnitsThatAreMissingCountAsEmpty) {
  constexpr std::int64_t size = 5 * 1024;
  const std::vector<Unit> units = ensemble(size);
  std::vector<Unit> failed = units;
  for (Ending& e : failed[3].endings) e.kind = Ended::not_solved;
  MomentTree some(size, {0, 1, 2}, true);
  for (const std::size_t k : {4, 0, 2, 1}) some.add(units[k]);
  EXPECT_FALSE(some.is_complete());
  EXPECT_EQ(bits_of(some.result()), bits_of(reduced(failed, size)));
  EXPECT_EQ(MomentTree(size, {0}, false).result().count, 0);
}

TEST(Reductions, FailuresAreCountedByKind) {
  MomentTree tree(1024, {0}, false);
  tree.add(ensemble(1024)[0]);
  EXPECT_EQ(tree.endings()[static_cast<int>(Ended::jumped)], 146);
  EXPECT_EQ(tree.failed(), 146);
  EXPECT_EQ(tree.result().count, 1024 - 146);
}

TEST(Reductions, ExtremesNameTheFirstTrajectoryThatHasThem) {
  std::vector<Unit> units = ensemble(3000, false);
  for (const int at : {5, 900}) units[1].rows[static_cast<std::size_t>(at * columns)] = 2e6;
  units[2].rows[0] = std::nan("");
  const Moments m = reduced(units, 3000, false);
  EXPECT_EQ(m.most[0], 2e6);
  EXPECT_EQ(m.most_at[0], 1024 + 5);
  EXPECT_TRUE(std::isnan(m.mean[0]));  // a value that is no number is not hidden
  EXPECT_TRUE(std::isfinite(m.mean[1]));
  EXPECT_TRUE(std::isnan(m.covariance(0, 1)));  // not asked for
  EXPECT_TRUE(std::isfinite(m.deviation(1)));
}

TEST(Reductions, OneTrajectoryHasNoVariance) {
  const Moments m = reduced(ensemble(1), 1);
  EXPECT_EQ(m.count, 1);
  EXPECT_TRUE(std::isnan(m.variance(0)));
}

TEST(Reductions, MomentsAsJson) {
  Unit u{.index = 0, .count = 2, .columns = 2};
  u.rows = {1, 2, 3, 0};
  u.endings.resize(2);
  MomentTree tree(2, {0, 1}, true);
  EXPECT_EQ(to_json(tree.result(), {"x", "y"}).to_text(), R"({"count":0})");
  tree.add(u);
  EXPECT_EQ(to_json(tree.result(), {"x", "y"}).to_text(),
            R"({"count":2,"mean":{"x":2.0,"y":1.0},"sd":{"x":1.4142135623730951,"y":1.4142135623730951},)"
            R"("minimum":{"x":1.0,"y":0.0},"minimum_at":{"x":0,"y":1},"maximum":{"x":3.0,"y":2.0},)"
            R"("maximum_at":{"x":1,"y":0},"covariance":[[2.0,-2.0],[-2.0,2.0]]})");
}

EachUnit each(const std::vector<Unit>& units) {
  return [&units](const std::function<void(const Unit&)>& show) {
    for (auto u = units.rbegin(); u != units.rend(); ++u) show(*u);
  };
}

TEST(Reductions, QuantilesAreThoseOfTheSortedValues) {
  const std::vector<double> p{0, 1e-9, 0.025, 0.1, 1.0 / 3, 0.5, 0.975, 0.999999, 1};
  for (const std::int64_t size : {1, 2, 3, 11, 2500}) {
    const std::vector<Unit> units = ensemble(size);
    auto values = good_values(units);
    for (int j = 0; j < columns; ++j) {
      auto& x = values[static_cast<std::size_t>(j)];
      std::sort(x.begin(), x.end());
      const std::vector<double> found = quantiles(each(units), j, p);
      for (std::size_t k = 0; k < p.size(); ++k) {
        const double rank = p[k] * static_cast<double>(x.size() - 1);
        const auto below = static_cast<std::size_t>(rank), above = std::min(below + 1, x.size() - 1);
        const double part = rank - static_cast<double>(below);
        const double expected = x[below] + part * (x[above] - x[below]);
        EXPECT_EQ(found[k], expected) << size << ' ' << j << ' ' << p[k];
      }
    }
  }
}

TEST(Reductions, QuantilesOfDifficultValues) {
  Unit u{.index = 0, .count = 8, .columns = 1};
  u.rows = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 5e-324, -5e-324, std::nan(""), 1.7976931348623157e308};
  u.endings.resize(8);
  const std::vector<Unit> units{u};
  const std::vector<double> p{0, 1.0 / 6, 2.0 / 6, 3.0 / 6, 4.0 / 6, 5.0 / 6, 1};
  const std::vector<double> found = quantiles(each(units), 0, p);
  EXPECT_EQ(found[0], -HUGE_VAL);
  EXPECT_EQ(found[1], -5e-324);
  EXPECT_EQ(found[3], 0);
  EXPECT_EQ(found[6], HUGE_VAL);
  Unit none = u;
  for (Ending& e : none.endings) e.kind = Ended::singular;
  EXPECT_TRUE(std::isnan(quantiles(each({none}), 0, p)[0]));
  EXPECT_THROW(quantiles(each(units), 0, std::vector{1.5}), InputError);
}

TEST(Reductions, HistogramsCountEveryValueOnce) {
  Histogram h({0, 1, 2, 4});
  for (const double x : {0.0, 0.5, 1.0, 2.0, 3.9, 4.0, -1e-300, 4.1, std::nan("")}) h.add(x);
  EXPECT_EQ(h.counts(), (std::vector<std::int64_t>{2, 1, 3}));
  EXPECT_EQ(h.below, 1);
  EXPECT_EQ(h.above, 1);
  EXPECT_EQ(h.not_numbers, 1);
  const std::vector<Unit> units = ensemble(3000);
  const Moments m = reduced(units, 3000);
  Histogram even = Histogram::even(m.least[0], m.most[0], 10);
  for (const Unit& u : units) even.add(u, 0);
  EXPECT_EQ(std::accumulate(even.counts().begin(), even.counts().end(), std::int64_t{0}), m.count);
  EXPECT_EQ(even.edges().back(), m.most[0]);
  EXPECT_EQ(Histogram::even(3, 3, 2).edges(), (std::vector<double>{3, 3, 3}));
  EXPECT_THROW(Histogram({1, 0}), InputError);
  EXPECT_THROW(Histogram({1}), InputError);
  EXPECT_THROW(Histogram::even(0, 1, 0), InputError);
}

// --- what other programs get

class Exports : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  EnsembleFolder made(std::int64_t size, std::int64_t samples) const {
    Manifest m;
    m.size = size;
    m.columns = {"x", "y", "z"};
    m.samples = samples;
    if (samples > 0) m.sample_columns = {"t", "x"};
    EnsembleFolder folder = EnsembleFolder::begin(at("ensemble"), m);
    for (Unit u : ensemble(size)) {
      u.samples = static_cast<int>(samples);
      u.sample_columns = samples > 0 ? 2 : 0;
      for (int k = 0; k < u.count * 2 * samples; ++k) u.sampled.push_back(k + 0.5);
      folder.write(u);
    }
    return folder;
  }
  static std::string text(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  test::OwnFolder folder_;
};

TEST_F(Exports, ArraysHaveARowForEachTrajectory) {
  const EnsembleFolder folder = made(1500, 0);
  EXPECT_TRUE(export_npy(folder, at("ends.npy"), EnsemblePart::ends).empty());
  const std::string bytes = text(at("ends.npy"));
  EXPECT_EQ((bytes.size() - 1500 * 3 * 8) % 64, 0U);  // numpy aligns the numbers
  const NpyArray array = read_npy(bytes, "ends.npy");
  ASSERT_EQ(array.columns, 3U);
  ASSERT_EQ(array.values.size(), 4500U);
  const std::vector<Unit> units = ensemble(1500);
  EXPECT_EQ(array.values[0], units[0].at(0, 0));
  EXPECT_EQ(array.values[1499 * 3 + 2], units[1].at(1499 - 1024, 2));
  EXPECT_THROW(export_npy(folder, at("samples.npy"), EnsemblePart::samples), InputError);
}

TEST_F(Exports, SamplesHaveThreeDimensions) {
  const EnsembleFolder folder = made(1030, 4);
  EXPECT_TRUE(export_npy(folder, at("samples.npy"), EnsemblePart::samples).empty());
  const std::string bytes = text(at("samples.npy"));
  EXPECT_NE(bytes.find("'shape': (1030, 4, 2)"), bytes.npos);
  EXPECT_EQ((bytes.size() - 1030 * 4 * 2 * 8) % 64, 0U);
  EXPECT_TRUE(export_csv(folder, at("samples.csv"), EnsemblePart::samples).empty());
  const std::string csv = text(at("samples.csv"));
  EXPECT_EQ(csv.substr(0, csv.find("0,2,")), "trajectory,sample,t,x\n0,0,0.5,1.5\n0,1,2.5,3.5\n");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 1030 * 4);
}

// Runs a program of Python, with numpy as np; says whether it came to its end.
bool python(const std::string& program) {
  return std::system(("/usr/bin/python3 -c \"import numpy as np\n" + program + "\"").c_str()) == 0;
}

TEST_F(Exports, NumpyReadsTheArrays) {
  const EnsembleFolder folder = made(1500, 4);
  export_npy(folder, at("ends.npy"), EnsemblePart::ends);
  export_npy(folder, at("samples.npy"), EnsemblePart::samples);
  const std::string value = fmt::format("{}", ensemble(1500)[1].at(475, 1));
  EXPECT_TRUE(python("a = np.load('" + at("ends.npy") +
                     "')\nassert a.shape == (1500, 3) and a.dtype == '<f8'\n" +
                     "assert a[1499, 1] == " + value));
  EXPECT_TRUE(python("a = np.load('" + at("samples.npy") + "')\nassert a.shape == (1500, 4, 2)\n" +
                     "assert a[1, 2, 1] == 13.5"));
}

TEST_F(Exports, ArraysThatNumpyWritesAreRead) {
  ASSERT_TRUE(
      python("a = np.array([(1.5, 2, -3), (4, 5, 6)], dtype=[('x', '>f8'), ('y', 'f4'), ('L', 'i2')])\n"
             "np.save('" +
             at("named.npy") +
             "', a)\n"
             "np.save('" +
             at("plain.npy") +
             "', np.arange(12.).reshape(3, 4))\n"
             "np.save('" +
             at("fortran.npy") + "', np.asfortranarray(np.arange(12.).reshape(3, 4)))"));
  const NpyArray named = read_npy(text(at("named.npy")), "named.npy");
  EXPECT_EQ(named.names, (std::vector<std::string>{"x", "y", "L"}));
  EXPECT_EQ(named.values, (std::vector<double>{1.5, 2, -3, 4, 5, 6}));
  std::vector<double> numbers(12);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const char* name : {"plain.npy", "fortran.npy"})
    EXPECT_EQ(read_npy(text(at(name)), name).values, numbers);
}

TEST_F(Exports, MissingUnitsAreNamed) {
  const EnsembleFolder folder = made(1030, 0);
  std::filesystem::remove(at("ensemble/" + EnsembleFolder::unit_path(0)));
  EXPECT_EQ(export_npy(folder, at("ends.npy"), EnsemblePart::ends), (std::vector<std::int64_t>{0}));
  const NpyArray array = read_npy(text(at("ends.npy")), "ends.npy");
  EXPECT_TRUE(std::isnan(array.values[0]));
  EXPECT_TRUE(std::isfinite(array.values[1024 * 3]));
  EXPECT_EQ(export_csv(folder, at("ends.csv"), EnsemblePart::ends), (std::vector<std::int64_t>{0}));
  const std::string csv = text(at("ends.csv"));
  EXPECT_TRUE(
      csv.starts_with("trajectory,ended,steps,ended_at,constraint,residual,x,y,z\n1024,done,0,0,-1,0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
}

}  // namespace
