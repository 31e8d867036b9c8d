// What is said of an ensemble as a whole: means, covariances, extremes, histograms and quantiles of the
// columns of its trajectories. Trajectories that failed are left out and counted. Every result depends on the
// values alone: not on who computed them, nor in which order they came.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/ensemble/unit.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taut {

// Count, means and sums of products of deviations of some columns, and their extremes.
struct Moments {
  std::int64_t count = 0;
  std::vector<double> mean = {};
  std::vector<double> products = {};  // Σ (x - mean)(y - mean): row by row, or of each column with itself
  std::vector<double> least = {}, most = {};
  std::vector<std::int64_t> least_at = {}, most_at = {};  // the first trajectory that has it; -1: none

  // Variances and covariances divide by count - 1; they are NaN if there are fewer than two trajectories.
  double variance(std::size_t column) const;
  double deviation(std::size_t column) const;
  double covariance(std::size_t a, std::size_t b) const;  // if all products were asked for
};

// Sums by a fixed tree. Its leaves are the trajectories in the order of their indices, padded with empty ones
// to a power of two; a node joins its two halves (Chan, Golub and LeVeque 1979). So the result has the same
// bits whichever unit comes first. A unit is reduced to its node at once, and waits for its neighbour.
class MomentTree {
 public:
  // Takes `columns` of the rows of units. `covariances`: products of all pairs, not only of each with itself.
  MomentTree(std::int64_t trajectories, std::vector<int> columns, bool covariances,
             std::int64_t size_of_unit = unit_size);

  void add(const Unit& unit);  // in any order, each unit once
  // Says that a unit will not come. It counts as empty, and nothing waits for it.
  void leave_out(std::int64_t unit);
  bool is_complete() const { return units_seen_ == units_; }
  std::size_t waiting() const { return nodes_.size(); }
  // Units that did not come count as empty.
  Moments result() const;
  // How many trajectories ended in each way.
  const std::array<std::int64_t, ended_count>& endings() const { return endings_; }
  std::int64_t failed() const;

 private:
  using Place = std::pair<int, std::int64_t>;  // level (0: units), index in it
  // Fills the first of `room`; those after it, one for each level below, are for its halves.
  void reduce(const Unit& unit, int begin, int size, Moments* room) const;
  void fill(Moments& leaf, const Unit& unit, int trajectory) const;
  void join(Moments& a, const Moments& b) const;  // b comes after a
  void put(Place place, Moments node);
  bool exists(const Place& place) const { return place.second << place.first < units_; }

  std::int64_t units_;
  std::vector<int> columns_;
  bool covariances_;
  std::map<Place, Moments> nodes_;  // those that wait for the other half
  std::int64_t units_seen_ = 0;
  std::array<std::int64_t, ended_count> endings_{};
};

// Returns {"count", "mean": {NAME: x}, "sd", "minimum", "minimum_at", "maximum", "maximum_at"}, and
// "covariance", a list of rows in the order of the names, if all products are there.
Json to_json(const Moments& moments, const std::vector<std::string>& names);

// Counts values between edges. A bin holds its lower edge; the last one its upper edge too. Throws InputError
// if the edges do not ascend.
class Histogram {
 public:
  explicit Histogram(std::vector<double> edges);
  static Histogram even(double least, double most, int bins);  // both ends are edges

  void add(const Unit& unit, int column);
  void add(double x);

  const std::vector<double>& edges() const { return edges_; }
  const std::vector<std::int64_t>& counts() const { return counts_; }
  std::int64_t below = 0, above = 0, not_numbers = 0;

 private:
  std::vector<double> edges_;
  std::vector<std::int64_t> counts_;
};

// Shows every unit of an ensemble to a function, in any order. Exact quantiles go through all units four
// times.
using EachUnit = std::function<void(const std::function<void(const Unit&)>&)>;

// Returns the exact quantiles of a column for probabilities from 0 to 1: the order statistic of rank
// (n - 1) p, counted from 0, and linear between neighbours. NaN if there are no values; values that are not
// numbers are left out. The memory does not depend on the number of trajectories.
std::vector<double> quantiles(const EachUnit& units, int column, std::span<const double> probabilities);

}  // namespace taut
