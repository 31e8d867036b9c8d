#include <taut/model/code/parametrisation.hpp>

#include <taut/model/code/confirm.hpp>
#include <taut/model/text/number_text.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace taut {

namespace {

// What φ may leave in a constraint, in the constraint's own units: numbers that are typed with the digits of
// a double pass, and a map beside the manifold does not.
constexpr double most_missed = 1e-13;
// Below this part of the largest singular value the smallest one counts as zero: half the digits are lost.
constexpr double least_rank = 1e-8;
// φ is looked at in so many points about the start, at these distances.
constexpr std::array<double, 8> distances{0, 1, 0.125, 3, 1e-3, 0.5, 1e-6, 2};
constexpr int enough_points_of_map = 4;
constexpr int most_corrections = 60, most_starts = 40;

std::vector<int> slopes_of(Graph& graph, const std::vector<int>& phi, std::size_t k) {
  std::vector<int> inputs(k), slopes;
  std::iota(inputs.begin(), inputs.end(), 0);
  for (const int f : phi) {
    const std::vector<int> row = graph.gradient(f, inputs);
    slopes.insert(slopes.end(), row.begin(), row.end());
  }
  return slopes;
}

bool all_finite(const Numbers& x) {
  return std::all_of(x.begin(), x.end(), [](Float128 v) { return finite(v); });
}

Numbers about(const Numbers& start, double distance, int number) {
  Numbers x = start;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += Float128(distance) * scattered_number(number, static_cast<int>(i));
  return x;
}

Float128 length(const Numbers& v) {
  Float128 sum = 0;
  for (const Float128 x : v) sum += x * x;
  return sqrt(sum);
}

std::string point_text(const Parametrisation& map, const Numbers& delta) {
  std::string text;
  for (std::size_t i = 0; i < delta.size() && i < 4; ++i)
    text += (i == 0 ? "" : ", ") + map.names[i] + " = " + number_text(static_cast<double>(delta[i]));
  return delta.size() > 4 ? text + ", ..." : text;
}

// Evaluates φ and φ' at many points.
class MapValues {
 public:
  explicit MapValues(const Parametrisation& map)
      : graph_(map.graph),
        phi_(map.phi),
        slopes_(slopes_of(graph_, map.phi, map.parameters())),
        n_(map.phi.size()),
        k_(map.parameters()) {}

  void look_at(const Numbers& delta) {
    std::vector<int> roots = phi_;
    roots.insert(roots.end(), slopes_.begin(), slopes_.end());
    const Numbers values =
        node_values(graph_, roots, [&](int i) { return delta[static_cast<std::size_t>(i)]; });
    q.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_));
    slope.assign(values.begin() + static_cast<std::ptrdiff_t>(n_), values.end());
  }
  Numbers column(std::size_t j) const {
    Numbers v(n_);
    for (std::size_t i = 0; i < n_; ++i) v[i] = slope[i * k_ + j];
    return v;
  }
  // Returns the ratio of the least to the greatest length that is left when the columns of φ', scaled to
  // length 1, are made orthogonal one by one, the longest first.
  double rank_ratio() const {
    std::vector<Numbers> columns;
    for (std::size_t j = 0; j < k_; ++j) {
      columns.push_back(column(j));
      const Float128 size = length(columns.back());
      if (!(size > 0)) return 0;
      for (Float128& x : columns.back()) x /= size;
    }
    Float128 least = 1;
    while (!columns.empty()) {
      const auto longest = std::max_element(
          columns.begin(), columns.end(), [](const auto& a, const auto& b) { return length(a) < length(b); });
      const Float128 size = length(*longest);
      least = std::min(least, size);
      if (!(size > 0)) return 0;
      Numbers unit = *longest;
      for (Float128& x : unit) x /= size;
      columns.erase(longest);
      for (Numbers& other : columns) {
        const Float128 along = std::inner_product(unit.begin(), unit.end(), other.begin(), Float128(0));
        for (std::size_t i = 0; i < n_; ++i) other[i] -= along * unit[i];
      }
    }
    return static_cast<double>(least);
  }

  Numbers q, slope;  // φ, and φ' row by row

 private:
  Graph graph_;
  std::vector<int> phi_, slopes_;
  std::size_t n_, k_;
};

// Improves δ by Gauss-Newton, with shorter steps if the residual grows; returns max |φ(δ) - q|.
Float128 improve(MapValues& map, const Numbers& q, Numbers& delta) {
  const std::size_t k = delta.size();
  const auto distance = [&](const Numbers& at) {
    map.look_at(at);
    Numbers off = q;
    for (std::size_t i = 0; i < q.size(); ++i) off[i] -= map.q[i];
    return off;
  };
  Numbers off = distance(delta);
  for (int round = 0; round < most_corrections && all_finite(off) && all_finite(map.slope); ++round) {
    Numbers gram(k * k, 0), step(k, 0), right(k, 0);
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t i = 0; i < q.size(); ++i) {
        right[a] += map.slope[i * k + a] * off[i];
        for (std::size_t b = 0; b < k; ++b) gram[a * k + b] += map.slope[i * k + a] * map.slope[i * k + b];
      }
    const auto inverse = inverse_of_positive(gram, k);
    if (!inverse) break;
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b) step[a] += (*inverse)[a * k + b] * right[b];
    bool better = false;
    for (double part = 1; part > 1e-3 && !better; part /= 2) {
      Numbers next = delta;
      for (std::size_t a = 0; a < k; ++a) next[a] += Float128(part) * step[a];
      Numbers there = distance(next);
      better = all_finite(there) && length(there) < length(off);
      if (!better) continue;
      delta = next;
      off = there;
    }
    if (!better) break;
  }
  Float128 largest = 0;
  for (const Float128 x : off) largest = finite(x) ? larger(largest, magnitude(x)) : Float128(1e300);
  return largest;
}

// A row of G and the unit in which its constraint is judged: |G| times the largest coordinate in it.
struct ConstraintRow {
  std::vector<std::pair<std::size_t, Float128>> entries;
  Float128 gradient = 0;
  double unit = 0;
};
ConstraintRow row_of(const System& system, const Numbers& G, const Numbers& q, int i) {
  ConstraintRow row;
  Float128 reach = 0;
  const auto at = static_cast<std::size_t>(i);
  for (int e = system.begin[at]; e < system.begin[at + 1]; ++e) {
    const auto j = static_cast<std::size_t>(system.column[static_cast<std::size_t>(e)]);
    const Float128 entry = G[static_cast<std::size_t>(e)];
    row.entries.emplace_back(j, entry);
    row.gradient += entry * entry;
    reach = larger(reach, magnitude(q[j]));
  }
  row.gradient = sqrt(row.gradient);
  row.unit = static_cast<double>(row.gradient * (reach > 0 ? reach : Float128(1)));
  return row;
}

}  // namespace

Numbers Parametrisation::at(const Numbers& delta) const {
  return node_values(graph, phi, [&](int i) { return delta[static_cast<std::size_t>(i)]; });
}

Parametrisation parametrisation_of(const Model& model, const std::vector<std::string>& names,
                                   const std::vector<Formula>& formulas) {
  Parametrisation map{names, {}, {}, {}};
  for (const Formula& f : formulas)
    map.phi.push_back(map.graph.add(f, [&](std::string_view name) {
      const auto own = std::find(names.begin(), names.end(), name);
      if (own != names.end()) return map.graph.input(static_cast<int>(own - names.begin()));
      const auto a = std::find_if(model.parameters.begin(), model.parameters.end(),
                                  [&](const NamedFormula& p) { return p.name == name; });
      return map.graph.constant(a->value);
    }));
  map.start.assign(names.size(), 0);
  return map;
}

Float128 find_start(Parametrisation& map, const Numbers& q, const Numbers& near) {
  MapValues values(map);
  Float128 least = -1;
  Float128 size = 1;
  for (const Float128 x : q) size = larger(size, magnitude(x));
  for (int number = 0; number < most_starts && !(least >= 0 && least <= Float128(1e-12) * size); ++number) {
    Numbers delta = about(near, number == 0 ? 0 : number < most_starts / 2 ? 1 : 3.2, number);
    const Float128 off = improve(values, q, delta);
    if (least >= 0 && off >= least) continue;
    least = off;
    map.start = delta;
  }
  return least;
}

bool is_met(const System& system, const Numbers& q, double part) {
  const auto at = [&](int i) { return q[static_cast<std::size_t>(i)]; };
  const Numbers g = node_values(system.graph, system.g, at), G = node_values(system.graph, system.G, at);
  for (int i = 0; i < system.m; ++i)
    if (!(static_cast<double>(magnitude(g[static_cast<std::size_t>(i)])) <=
          part * row_of(system, G, q, i).unit))
      return false;
  return true;
}

std::optional<ParametrisationFault> fault_of(const Parametrisation& map, const System& system) {
  using Kind = ParametrisationFault::Kind;
  MapValues values(map);
  int looked_at = 0;
  for (int number = 0; number < 3 * static_cast<int>(distances.size()); ++number) {
    const Numbers delta =
        about(map.start, distances[static_cast<std::size_t>(number) % distances.size()], number);
    values.look_at(delta);
    if (!all_finite(values.q) || !all_finite(values.slope)) {
      if (number == 0) return ParametrisationFault{Kind::has_no_value, -1, 0, point_text(map, delta)};
      continue;
    }
    const auto q = [&](int i) { return values.q[static_cast<std::size_t>(i)]; };
    const Numbers g = node_values(system.graph, system.g, q), G = node_values(system.graph, system.G, q);
    if (!all_finite(g) || !all_finite(G)) continue;
    ++looked_at;
    for (int i = 0; i < system.m; ++i) {
      const ConstraintRow row = row_of(system, G, values.q, i);
      if (!(row.unit > 0)) continue;
      const double miss = static_cast<double>(magnitude(g[static_cast<std::size_t>(i)])) / row.unit;
      if (!(miss <= most_missed)) return ParametrisationFault{Kind::misses, i, miss, point_text(map, delta)};
      for (std::size_t j = 0; j < map.parameters(); ++j) {
        const Numbers column = values.column(j);
        Float128 across = 0;
        for (const auto& [at, entry] : row.entries) across += entry * column[at];
        const Float128 size = length(column);
        const auto angle = size > 0 ? static_cast<double>(magnitude(across) / (row.gradient * size)) : 0.0;
        if (!(angle <= most_missed))
          return ParametrisationFault{Kind::crosses, i, angle, point_text(map, delta)};
      }
    }
    if (number == 0) {
      const double ratio = values.rank_ratio();
      if (!(ratio > least_rank))
        return ParametrisationFault{Kind::loses_rank, -1, ratio, point_text(map, delta)};
    }
    if (looked_at >= 2 * enough_points_of_map) break;
  }
  if (looked_at < enough_points_of_map)
    return ParametrisationFault{Kind::has_no_value, -1, 0, "points about " + point_text(map, map.start)};
  return std::nullopt;
}

}  // namespace taut
