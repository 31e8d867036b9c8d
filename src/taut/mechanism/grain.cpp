#include <taut/mechanism/grain.hpp>
#include <taut/model/code/confirm.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace taut {

namespace {

// Returns how far the next number is from this one; 0 is exact.
double unit_of(double x) {
  return x == 0 ? 0 : std::nextafter(std::abs(x), std::numeric_limits<double>::infinity()) - std::abs(x);
}

// The k-th displacement of the j-th number, in its units: -2, -1, 1 or 2. Several k are needed, because some
// displacements move the two ends of a rod alike.
double units_moved(int k, std::size_t j) {
  constexpr std::size_t known = 4096;
  static const std::vector<double> units = [] {
    std::vector<double> all(known);
    for (std::size_t i = 0; i < known; ++i) {
      const auto scattered = static_cast<double>(scattered_number(0, static_cast<int>(i)));
      all[i] = std::copysign(std::abs(scattered) < 0.5 ? 1 : 2, scattered);
    }
    return all;
  }();
  return units[(257 * static_cast<std::size_t>(k) + j + 37 * (j / known)) % known];
}

// Moves each coordinate and momentum by so many of its units.
PlainState moved(const PlainState& x, int k, double units) {
  PlainState to = x;
  const std::size_t n = x.q.size();
  for (std::size_t j = 0; j < n; ++j) {
    to.q[j] += units * units_moved(k, j) * unit_of(x.q[j]);
    to.p[j] += units * units_moved(k, n + j) * unit_of(x.p[j]);
  }
  return to;
}

// What H and g say about the motion at a state: the forces, the velocities and the gradients of the
// constraints. Gradients that would fill a large matrix are seen in a few directions.
class Field {
 public:
  explicit Field(const Mechanism& mechanism) : mechanism_(mechanism) {
    constexpr std::size_t large_matrix = 100000;
    const std::size_t n = coordinates();
    const bool in_directions = mechanism.of_particles() || n * rows() > large_matrix;
    for (int k = 0; in_directions && k < 3; ++k) {
      std::vector<double> direction(n);
      for (std::size_t j = 0; j < n; ++j) direction[j] = std::cos(1 + 2.4 * static_cast<double>(j) + 1.7 * k);
      directions_.push_back(std::move(direction));
    }
  }

  std::size_t rows() const { return static_cast<std::size_t>(mechanism_.constraints()); }
  std::size_t parts() const { return 2 * coordinates() + rows(); }
  std::size_t coordinates() const { return static_cast<std::size_t>(mechanism_.coordinates()); }

  // Returns the values at each of some states: the forces come first, then the velocities, then the entries
  // of each gradient. One evaluation serves all states, because each makes its vectors anew.
  std::vector<std::vector<double>> at(const std::vector<PlainState>& states) const {
    std::vector<std::vector<double>> values(states.size());
    std::vector<double> q, p;
    for (const PlainState& x : states) {
      q.insert(q.end(), x.q.begin(), x.q.end());
      p.insert(p.end(), x.p.begin(), x.p.end());
    }
    const auto stride = static_cast<std::int64_t>(coordinates());
    append(values, Evaluated::H_q, q, p.data(), stride, coordinates());
    append(values, Evaluated::H_p, q, p.data(), stride, coordinates());
    if (rows() == 0) return values;
    if (directions_.empty()) append(values, Evaluated::G, q, p.data(), stride, rows() * coordinates());
    for (const auto& direction : directions_) append(values, Evaluated::GHp, q, direction.data(), 0, rows());
    return values;
  }
  std::vector<double> at(const PlainState& x) const { return at(std::vector{x}).front(); }

  // Returns the length of a force, a velocity or a gradient in what at() gives.
  double size(const std::vector<double>& values, std::size_t part) const {
    return length(part, [&](std::size_t e) { return values[e]; });
  }
  double difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t part) const {
    return length(part, [&](std::size_t e) { return a[e] - b[e]; });
  }

 private:
  template <class Entry>
  double length(std::size_t part, Entry entry) const {
    const std::size_t two_n = 2 * coordinates();
    if (part < two_n) return std::abs(entry(part));
    const std::size_t row = part - two_n;
    double most = 0;  // no squares: they may be out of range
    if (directions_.empty())
      for (std::size_t j = 0; j < coordinates(); ++j)
        most = std::max(most, std::abs(entry(two_n + row * coordinates() + j)));
    for (std::size_t k = 0; k < directions_.size(); ++k)
      most = std::max(most, std::abs(entry(two_n + k * rows() + row)));
    return most;
  }
  void append(std::vector<std::vector<double>>& values, Evaluated what, const std::vector<double>& q,
              const double* p, std::int64_t p_stride, std::size_t size) const {
    const auto count = static_cast<std::int64_t>(values.size());
    std::vector<double> out(values.size() * size);
    mechanism_.evaluate(what,
                        {.count = count,
                         .q = q.data(),
                         .q_stride = static_cast<std::int64_t>(coordinates()),
                         .p = p,
                         .p_stride = p_stride},
                        out.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto from = out.begin() + static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(size);
      values[k].insert(values[k].end(), from, from + static_cast<std::ptrdiff_t>(size));
    }
  }

  const Mechanism& mechanism_;
  std::vector<std::vector<double>> directions_;
};

constexpr int quick_looks = 3;
constexpr int probes = 11;

// Asks whether anything changes by more than rounding of smooth functions explains, as it does at an
// equilibrium too.
bool is_in_doubt(const Field& field, const PlainState& x) {
  std::vector<PlainState> states = {x};
  for (int k = 0; k < quick_looks; ++k) states.push_back(moved(x, k, 1));
  const std::vector<std::vector<double>> seen = field.at(states);
  for (int k = 1; k <= quick_looks; ++k)
    for (std::size_t c = 0; c < field.parts(); ++c) {
      const double change = field.difference(seen[static_cast<std::size_t>(k)], seen.front(), c);
      if (change > grain_to_name / 4 * field.size(seen.front(), c)) return true;
    }
  return false;
}

// What moving by a unit changes at several places, up to 2³⁰ units away: there a force that is 0 at the
// start shows its size. A gradient is not 0 at a start, and has the size that it has there. The median
// leaves out a single corner, as that of |x| is.
struct Seen {
  std::vector<double> change, size;  // one for each force, velocity, gradient
};
Seen seen_near(const Field& field, const PlainState& x) {
  std::vector<std::vector<double>> changes(field.parts());
  Seen seen{std::vector<double>(field.parts()), std::vector<double>(field.parts())};
  for (int k = 0; k < probes; ++k) {
    const PlainState place = k == 0 ? x : moved(x, k, std::ldexp(1.0, 3 * k));
    const std::vector<double> here = field.at(place), there = field.at(moved(place, k + probes, 1));
    for (std::size_t c = 0; c < field.parts(); ++c) {
      const double change = field.difference(there, here, c), size = field.size(here, c);
      if (!std::isfinite(change) || !std::isfinite(size)) continue;  // outside of the domain
      changes[c].push_back(change);
      if (k == 0 || c < 2 * field.coordinates()) seen.size[c] = std::max(seen.size[c], size);
    }
  }
  for (std::size_t c = 0; c < field.parts(); ++c) {
    if (changes[c].size() <= probes / 2 || !(seen.size[c] > 0)) continue;
    const auto middle = changes[c].begin() + static_cast<std::ptrdiff_t>(changes[c].size() / 2);
    std::nth_element(changes[c].begin(), middle, changes[c].end());
    seen.change[c] = *middle;
  }
  return seen;
}

// Returns the largest part of a force, of a velocity or of a gradient that a unit of rounding changes. A
// gradient is measured by itself. A force is measured by the work that the largest of all does over its
// coordinate, and a velocity by that of its momentum: a force that is all but 0, because others cancel,
// moves nothing.
std::optional<std::pair<std::size_t, double>> worst_of(const Mechanism& mechanism, const Seen& seen,
                                                       const PlainState& x) {
  const std::size_t n = x.q.size();
  const auto over = [&](std::size_t c) { return std::abs(c < n ? x.q[c] : x.p[c - n]); };
  double most_work = 0;
  for (std::size_t c = 0; c < 2 * n; ++c) most_work = std::max(most_work, seen.size[c] * over(c));
  const std::vector<int> vanishing = mechanism.without_gradient(x);
  std::optional<std::pair<std::size_t, double>> worst;
  for (std::size_t c = 0; c < seen.size.size(); ++c) {
    const bool is_row = c >= 2 * n;
    if (is_row &&
        std::find(vanishing.begin(), vanishing.end(), static_cast<int>(c - 2 * n)) != vanishing.end())
      continue;
    const double part = is_row ? seen.change[c] / seen.size[c] : seen.change[c] * over(c) / most_work;
    if (part > grain_to_name && (!worst || part > worst->second)) worst = {c, part};
  }
  return worst;
}

// Finds the coordinate, or the momentum, that changes part c most. In large systems it is the one with the
// largest unit.
void find_reason(const Field& field, const PlainState& x, std::size_t c, Grain& grain) {
  const std::size_t n = x.q.size();
  constexpr std::size_t most_tried = 64;
  const std::vector<double> here = field.at(x);
  double most = -1;
  for (std::size_t j = 0; j < 2 * n; ++j) {
    const bool momentum = j >= n;
    const double value = momentum ? x.p[j - n] : x.q[j], unit = unit_of(value);
    double by = momentum ? 0 : unit;
    if (n <= most_tried) {
      PlainState to = x;
      (momentum ? to.p[j - n] : to.q[j]) += unit;
      by = field.difference(field.at(to), here, c);
    }
    if (!(by > most)) continue;
    most = by;
    grain.coordinate = static_cast<int>(momentum ? j - n : j);
    grain.of_momentum = momentum, grain.value = value, grain.unit = unit;
  }
}

// Particles of many thousands are looked at only if their extent, divided by their number, is not far above
// the rounding of their positions: each look costs as much as a step.
bool is_fine_grained(const Mechanism& mechanism, const PlainState& x) {
  constexpr int many = 20000;
  if (!mechanism.of_particles() || mechanism.coordinates() <= many) return false;
  const auto [least, most] = std::minmax_element(x.q.begin(), x.q.end());
  const double far = std::max(std::abs(*least), std::abs(*most));
  return (*most - *least) / static_cast<double>(x.q.size()) * grain_to_name > unit_of(far);
}

}  // namespace

std::optional<Grain> grain_of(const Mechanism& mechanism, const PlainState& x) {
  if (is_fine_grained(mechanism, x)) return std::nullopt;
  const Field field(mechanism);
  if (!is_in_doubt(field, x)) return std::nullopt;
  const Seen seen = seen_near(field, x);
  const auto worst = worst_of(mechanism, seen, x);
  if (!worst) return std::nullopt;
  const std::size_t n = x.q.size();
  const std::size_t part = worst->first;
  Grain grain{.part = worst->second};
  grain.of = part < n ? Grain::Of::force : part < 2 * n ? Grain::Of::velocity : Grain::Of::gradient;
  grain.which = static_cast<int>(part < 2 * n ? part % n : part - 2 * n);
  find_reason(field, x, part, grain);
  return grain;
}

std::optional<EnergyGrain> energy_grain_of(const Mechanism& mechanism, const PlainState& x, double kinetic) {
  if (!(kinetic > 0) || is_fine_grained(mechanism, x)) return std::nullopt;
  std::vector<double> force(x.q.size()), beside(x.q.size());
  const auto see = [&](const PlainState& at) {
    mechanism.evaluate(Evaluated::H_q, {.count = 1, .q = at.q.data(), .p = at.p.data()}, beside.data());
    for (std::size_t j = 0; j < force.size(); ++j) force[j] = std::max(force[j], std::abs(beside[j]));
  };
  see(x);
  see(moved(x, 0, 1));  // if x is as near to an equilibrium as it can be, there is a force beside it
  EnergyGrain worst;
  double most_work = 0;
  for (std::size_t j = 0; j < x.q.size(); ++j) {
    most_work = std::max(most_work, std::abs(force[j] * x.q[j]));
    const double part = std::abs(force[j]) * unit_of(x.q[j]) / kinetic;
    if (part > worst.part) worst = {part, static_cast<int>(j), x.q[j], unit_of(x.q[j])};
  }
  // What is at rest but for its own rounding has no kinetic energy to speak of.
  const bool rests = kinetic < 0x1p-60 * most_work;
  if (rests || !(worst.part > energy_grain_to_name)) return std::nullopt;
  return worst;
}

}  // namespace taut
