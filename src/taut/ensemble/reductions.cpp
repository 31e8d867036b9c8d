#include <taut/contract/request.hpp>
#include <taut/ensemble/reductions.hpp>
#include <taut/ensemble/spacing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace taut {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

// Maps doubles to whole numbers in the same order, -0 just below 0.
std::uint64_t rank_bits(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
double of_rank_bits(std::uint64_t bits) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((bits & sign) != 0 ? bits & ~sign : ~bits);
}

template <class Take>
void each_value(const Unit& unit, int column, Take take) {
  for (int i = 0; i < unit.count; ++i)
    if (!unit.endings[static_cast<std::size_t>(i)].failed()) take(unit.at(i, column));
}

// Finds order statistics by counting: in each pass 16 more bits of every wanted one become known.
class RankSearch {
 public:
  RankSearch(const EachUnit& units, int column) : units_(units), column_(column) {
    units_([&](const Unit& unit) {
      each_value(unit, column_, [&](double x) {
        if (!std::isnan(x)) ++first_[rank_bits(x) >> 48], ++count_;
      });
    });
  }

  std::int64_t count() const { return count_; }

  // Returns the values of these ranks, from 0.
  std::map<std::int64_t, double> find(const std::set<std::int64_t>& ranks) {
    struct Wanted {
      std::uint64_t prefix = 0;  // the bits that are known
      std::int64_t rest = 0;     // its rank among the values that share them
    };
    std::map<std::int64_t, Wanted> wanted;
    for (const std::int64_t rank : ranks) {
      Wanted w{0, rank};
      step(first_, w.prefix, w.rest);
      wanted[rank] = w;
    }
    for (int shift = 32; shift >= 0; shift -= 16) {
      std::map<std::uint64_t, Counts> counts;
      for (const auto& [rank, w] : wanted) counts.try_emplace(w.prefix, Counts(bins));
      units_([&](const Unit& unit) {
        each_value(unit, column_, [&](double x) {
          const std::uint64_t bits = rank_bits(x);
          const auto at = std::isnan(x) ? counts.end() : counts.find(bits >> (shift + 16));
          if (at != counts.end()) ++at->second[bits >> shift & (bins - 1)];
        });
      });
      for (auto& [rank, w] : wanted) step(counts.at(w.prefix), w.prefix, w.rest);
    }
    std::map<std::int64_t, double> out;
    for (const auto& [rank, w] : wanted) out[rank] = of_rank_bits(w.prefix);
    return out;
  }

 private:
  using Counts = std::vector<std::int64_t>;
  static constexpr std::size_t bins = 1U << 16U;

  // Goes into the bin that holds the rank.
  static void step(const Counts& counts, std::uint64_t& prefix, std::int64_t& rest) {
    std::size_t bin = 0;
    while (rest >= counts[bin]) rest -= counts[bin++];
    prefix = prefix << 16 | bin;
  }

  const EachUnit& units_;
  int column_;
  Counts first_ = Counts(bins);
  std::int64_t count_ = 0;
};

}  // namespace

double Moments::covariance(std::size_t a, std::size_t b) const {
  const std::size_t n = mean.size();
  const bool all = products.size() == n * n;
  if (count < 2 || (!all && a != b)) return no_number;
  return products[all ? a * n + b : a] / static_cast<double>(count - 1);
}
double Moments::variance(std::size_t column) const { return covariance(column, column); }
double Moments::deviation(std::size_t column) const { return std::sqrt(variance(column)); }

Json to_json(const Moments& m, const std::vector<std::string>& names) {
  Json json = Json::object({{"count", m.count}});
  if (m.count == 0) return json;
  for (const char* what : {"mean", "sd", "minimum", "minimum_at", "maximum", "maximum_at"})
    json[what] = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) {
    json["mean"][names[k]] = json_of(m.mean[k]);
    json["sd"][names[k]] = json_of(m.deviation(k));
    json["minimum"][names[k]] = json_of(m.least[k]);
    json["minimum_at"][names[k]] = m.least_at[k];
    json["maximum"][names[k]] = json_of(m.most[k]);
    json["maximum_at"][names[k]] = m.most_at[k];
  }
  if (m.products.size() != names.size() * names.size()) return json;
  json["covariance"] = Json::list();
  for (std::size_t j = 0; j < names.size(); ++j) {
    Json row = Json::list();
    for (std::size_t k = 0; k < names.size(); ++k) row.push_back(json_of(m.covariance(j, k)));
    json["covariance"].push_back(std::move(row));
  }
  return json;
}

MomentTree::MomentTree(std::int64_t trajectories, std::vector<int> columns, bool covariances,
                       std::int64_t size_of_unit)
    : units_(unit_count(trajectories, size_of_unit)),
      columns_(std::move(columns)),
      covariances_(covariances) {}

void MomentTree::fill(Moments& m, const Unit& unit, int trajectory) const {
  m.count = 0;
  if (trajectory >= unit.count || unit.endings[static_cast<std::size_t>(trajectory)].failed()) return;
  const std::size_t n = columns_.size();
  m.count = 1;
  m.mean.resize(n);
  m.products.assign(covariances_ ? n * n : n, 0);
  m.least.assign(n, infinite);
  m.most.assign(n, -infinite);
  m.least_at.assign(n, -1);
  m.most_at.assign(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    const double x = unit.at(trajectory, columns_[k]);
    m.mean[k] = x;
    if (std::isnan(x)) continue;
    m.least[k] = m.most[k] = x;
    m.least_at[k] = m.most_at[k] = unit.first() + trajectory;
  }
}

void MomentTree::join(Moments& a, const Moments& b) const {
  if (b.count == 0) return;
  if (a.count == 0) {
    a = b;
    return;
  }
  const std::size_t n = columns_.size();
  const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count), share = nb / (na + nb);
  const auto apart = [&](std::size_t k) { return b.mean[k] - a.mean[k]; };
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = covariances_ ? 0 : j; k < (covariances_ ? n : j + 1); ++k) {
      const std::size_t at = covariances_ ? j * n + k : j;
      a.products[at] += b.products[at] + apart(j) * apart(k) * (na * share);
    }
  for (std::size_t k = 0; k < n; ++k) {
    a.mean[k] += apart(k) * share;
    // What is equal stays with a, which comes before b.
    if (b.least[k] < a.least[k] || a.least_at[k] < 0) a.least[k] = b.least[k], a.least_at[k] = b.least_at[k];
    if (b.most[k] > a.most[k] || a.most_at[k] < 0) a.most[k] = b.most[k], a.most_at[k] = b.most_at[k];
  }
  a.count += b.count;
}

void MomentTree::reduce(const Unit& unit, int begin, int size, Moments* room) const {
  if (size == 1 || begin >= unit.count) return fill(*room, unit, begin);
  reduce(unit, begin, size / 2, room);
  reduce(unit, begin + size / 2, size / 2, room + 1);
  join(*room, room[1]);
}

void MomentTree::add(const Unit& unit) {
  ++units_seen_;
  for (const Ending& e : unit.endings) ++endings_[static_cast<std::size_t>(e.kind)];
  std::vector<Moments> room(std::bit_width(static_cast<std::uint64_t>(unit_size)));  // one for each level
  reduce(unit, 0, static_cast<int>(unit.size), room.data());
  put({0, unit.index}, room[0].count > 0 ? std::move(room[0]) : Moments{});
}

void MomentTree::leave_out(std::int64_t unit) { put({0, unit}, {}); }

void MomentTree::put(Place place, Moments node) {
  while (units_ > std::int64_t{1} << place.first) {
    const Place other{place.first, place.second ^ 1};
    if (exists(other)) {
      const auto found = nodes_.find(other);
      if (found == nodes_.end()) break;
      if (other < place) std::swap(node, found->second);
      join(node, found->second);
      nodes_.erase(found);
    }
    place = {place.first + 1, place.second / 2};
  }
  nodes_[place] = std::move(node);
}

Moments MomentTree::result() const {
  std::map<Place, Moments> nodes = nodes_;
  while (!nodes.empty()) {  // the lowest level first, and in it the lower half
    auto [place, node] = *nodes.begin();
    nodes.erase(nodes.begin());
    if (units_ <= std::int64_t{1} << place.first) return node;
    if (const auto other = nodes.find({place.first, place.second ^ 1}); other != nodes.end()) {
      join(node, other->second);
      nodes.erase(other);
    }
    nodes[{place.first + 1, place.second / 2}] = std::move(node);
  }
  return {};
}

std::int64_t MomentTree::failed() const {
  std::int64_t sum = 0;
  for (std::size_t k = 1; k < endings_.size(); ++k) sum += endings_[k];
  return sum;
}

Histogram::Histogram(std::vector<double> edges) : edges_(std::move(edges)) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (edges_.size() < 2 || !std::is_sorted(edges_.begin(), edges_.end()) ||
      !std::all_of(edges_.begin(), edges_.end(), finite))
    throw InputError("the edges of a histogram are at least two finite numbers in ascending order.");
  counts_.resize(edges_.size() - 1);
}

Histogram Histogram::even(double least, double most, int bins) {
  if (bins < 1)
    throw InputError(fmt::format("a histogram has at least one bin, and {} are asked for.", bins));
  std::vector<double> edges;
  for (int k = 0; k <= bins; ++k) edges.push_back(evenly(least, most, k, bins + 1));
  return Histogram(std::move(edges));
}

void Histogram::add(double x) {
  if (std::isnan(x))
    ++not_numbers;
  else if (x < edges_.front())
    ++below;
  else if (x > edges_.back())
    ++above;
  else {
    const auto next = std::upper_bound(edges_.begin(), edges_.end(), x) - edges_.begin();
    ++counts_[std::min(static_cast<std::size_t>(next), counts_.size()) - 1];
  }
}

void Histogram::add(const Unit& unit, int column) {
  each_value(unit, column, [this](double x) { add(x); });
}

std::vector<double> quantiles(const EachUnit& units, int column, std::span<const double> probabilities) {
  for (const double p : probabilities)
    if (!(p >= 0 && p <= 1))
      throw InputError(fmt::format("the quantile of {} is asked for: it lies from 0 to 1.", p));
  RankSearch search(units, column);
  const std::int64_t last = search.count() - 1;
  if (last < 0) return std::vector<double>(probabilities.size(), no_number);
  const auto below = [&](double p) {
    return std::min(static_cast<std::int64_t>(std::floor(static_cast<double>(last) * p)), last);
  };
  std::set<std::int64_t> ranks;
  for (const double p : probabilities) ranks.insert({below(p), std::min(below(p) + 1, last)});
  const std::map<std::int64_t, double> found = search.find(ranks);
  std::vector<double> out;
  for (const double p : probabilities) {
    const std::int64_t k = below(p);
    const double a = found.at(k), b = found.at(std::min(k + 1, last));
    const double part = static_cast<double>(last) * p - static_cast<double>(k);
    out.push_back(part == 0 || a == b ? a : a + part * (b - a));
  }
  return out;
}

}  // namespace taut
