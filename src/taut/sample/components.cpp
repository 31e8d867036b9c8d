#include <taut/sample/components.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace taut {

namespace {

constexpr std::size_t most_chains = 100, most_points = 2000;  // in all; their squares are the work

// Points of all chains, each coordinate in units of its deviation.
struct Points {
  std::size_t chains = 0, each = 0, dimension = 0;
  std::vector<double> at;
  const double* of(std::size_t chain, std::size_t k) const {
    return at.data() + (chain * each + k) * dimension;
  }
};

Points points_of(const std::vector<ChainsOfColumn>& coordinates) {
  Points points;
  points.dimension = coordinates.size();
  points.chains = std::min(coordinates.front().size(), most_chains);
  const std::size_t draws = coordinates.front().front().size();
  points.each = std::min(draws, std::max<std::size_t>(20, most_points / points.chains));
  points.at.resize(points.chains * points.each * points.dimension);
  for (std::size_t j = 0; j < points.dimension; ++j) {
    double sum = 0, squares = 0;
    const auto visit = [&](auto&& f) {
      for (std::size_t c = 0; c < points.chains; ++c)
        for (std::size_t k = 0; k < points.each; ++k)
          f(points.at[(c * points.each + k) * points.dimension + j],
            coordinates[j][c][k * draws / points.each]);
    };
    const double count = static_cast<double>(points.chains * points.each);
    visit([&](double&, double x) { sum += x; });
    visit([&](double&, double x) { squares += (x - sum / count) * (x - sum / count); });
    const double scale = squares > 0 ? std::sqrt(squares / count) : 1;
    visit([&](double& to, double x) { to = x / scale; });
  }
  return points;
}

double square_of_distance(const double* a, const double* b, std::size_t dimension) {
  double sum = 0;
  for (std::size_t j = 0; j < dimension; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// Returns for each chain the square of the distance from one point to the nearest other point of that chain.
std::vector<double> nearest(const Points& points, std::size_t chain, std::size_t k) {
  std::vector<double> least(points.chains, std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < points.chains; ++c)
    for (std::size_t i = 0; i < points.each; ++i)
      if (c != chain || i != k)
        least[c] =
            std::min(least[c], square_of_distance(points.of(chain, k), points.of(c, i), points.dimension));
  return least;
}

}  // namespace

ChainGroups groups_by_range(const ChainsOfColumn& column) {
  struct Range {
    double low, high;
    int chain;
  };
  std::vector<Range> ranges;
  for (std::size_t k = 0; k < column.size(); ++k) {
    const auto [low, high] = std::minmax_element(column[k].begin(), column[k].end());
    ranges.push_back({*low, *high, static_cast<int>(k)});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
  ChainGroups groups;
  double reach = 0;
  for (const Range& range : ranges) {
    if (groups.empty() || range.low > reach) {
      groups.emplace_back();
      reach = range.high;
    }
    reach = std::max(reach, range.high);
    groups.back().push_back(range.chain);
  }
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  return groups;
}

ChainGroups groups_by_neighbours(const std::vector<ChainsOfColumn>& coordinates) {
  const Points points = points_of(coordinates);
  std::vector<std::size_t> group(points.chains);
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto join = [&](std::size_t a, std::size_t b) {
    const std::size_t from = std::max(group[a], group[b]), to = std::min(group[a], group[b]);
    for (std::size_t& g : group)
      if (g == from) g = to;
  };
  for (std::size_t c = 0; c < points.chains; ++c)
    for (std::size_t k = 0; k < points.each; ++k) {
      const std::vector<double> least = nearest(points, c, k);
      for (std::size_t other = 0; other < points.chains; ++other)
        if (group[other] != group[c] && least[other] <= least[c]) join(c, other);
    }
  ChainGroups groups;
  for (std::size_t g = 0; g < points.chains; ++g) {
    std::vector<int> members;
    for (std::size_t c = 0; c < points.chains; ++c)
      if (group[c] == g) members.push_back(static_cast<int>(c));
    if (!members.empty()) groups.push_back(std::move(members));
  }
  for (std::size_t c = points.chains; c < coordinates.front().size(); ++c)
    groups.front().push_back(static_cast<int>(c));
  return groups;
}

}  // namespace taut
