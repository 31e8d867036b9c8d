#include <taut/model/code/confirm.hpp>

#include <taut/contract/reading_time.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace taut {

namespace {

// A conclusion is tried until it held at so many points that all formulas can take, and at so many in all.
constexpr int enough_points = 4, most_points = 24;

// 113 bits round to 1e-34 of the parts of a formula; 1e-30 leaves room for what functions make of that.
bool agree(Float128 difference, Float128 size) { return magnitude(difference) <= Float128(1e-30) * size; }

// Asks try_point(k) at point after point: it returns -1 if a formula has no value there, otherwise whether
// the conclusion holds.
template <class Try>
bool holds_everywhere(Try try_point) {
  int tried = 0;
  for (int k = 0; k < most_points && tried < enough_points; ++k) {
    const int answer = try_point(k);
    if (answer == 0) return false;
    if (answer > 0) ++tried;
  }
  return tried > 0;
}

}  // namespace

Numbers node_values(const Graph& graph, const std::vector<int>& roots,
                    const std::function<Float128(int)>& x) {
  std::unordered_map<int, Float128> at;
  for (const int k : graph.below(roots)) {
    ReadingTime::spend();
    const Graph::Node& node = graph[k];
    at[k] = node.op == Op::constant ? graph.value(k)
            : node.op == Op::input  ? x(node.a)
                                    : apply(node.op, at[node.a], node.b < 0 ? Float128(0) : at[node.b]);
  }
  Numbers values;
  values.reserve(roots.size());
  for (const int k : roots) values.push_back(at[k]);
  return values;
}

Float128 scattered_number(int k, int slot) {
  std::uint64_t z = (static_cast<std::uint64_t>(k) << 40U) + static_cast<std::uint64_t>(slot) + 1;
  z *= 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
  return Float128(static_cast<std::int64_t>(z ^ (z >> 31U))) / Float128(0x1p63);
}

Confirmation::Confirmation(const Model& model)
    : model_(model), n_(static_cast<int>(model.coordinates.size())) {
  for (int i = 0; i < n_; ++i) slots_[model.coordinates[static_cast<std::size_t>(i)]] = i;
  for (std::size_t i = 0; i < model.p.size(); ++i) slots_[model.p[i].name] = n_ + static_cast<int>(i);
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    slots_[model.parameters[i].name] = 3 * n_ + static_cast<int>(i);
}

Confirmation::Resolved Confirmation::resolve(const Formula& f) const {
  Resolved made{&f, std::vector<int>(f.nodes.size(), -1)};
  for (std::size_t k = 0; k < f.nodes.size(); ++k)
    if (f.nodes[k].op == Op::input) made.slots[k] = slots_.at(f.part(f.nodes[k].span));
  return made;
}

Confirmation::Value Confirmation::Resolved::operator()(const Point& x) const {
  ReadingTime::spend(slots.size());
  Numbers values;
  values.reserve(slots.size());
  Value out;
  const auto of = [&](int k) { return k < 0 ? Float128(0) : values[static_cast<std::size_t>(k)]; };
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const FormulaNode& node = formula->nodes[k];
    values.push_back(node.op == Op::constant ? node.value
                     : node.op == Op::input  ? x(slots[k])
                                             : apply(node.op, of(node.a), of(node.b)));
    out.size += magnitude(values.back());
  }
  out.value = values.back();
  return out;
}

Float128 Confirmation::at(int k, int slot) const {
  if (slot >= 3 * n_) return model_.parameters[static_cast<std::size_t>(slot - 3 * n_)].value;
  // How far the points are from the start, in units of 1 + |x|.
  constexpr std::array<double, 6> radius{1, 0.125, 1e3, 1, 1e-3, 1e-9};
  const Float128 off = radius[static_cast<std::size_t>(k) % radius.size()] * scattered_number(k, slot);
  if (slot >= 2 * n_) return off;
  const std::vector<NamedFormula>& side = slot < n_ ? model_.q : model_.p;
  const auto i = static_cast<std::size_t>(slot < n_ ? slot : slot - n_);
  const Float128 start = i < side.size() ? side[i].value : Float128(0);
  return start + (1 + magnitude(start)) * off;
}

bool Confirmation::is_natural(const Numbers& W) const {
  const Resolved H = resolve(model_.hamiltonian);
  const auto n = static_cast<std::size_t>(n_);
  const bool diagonal = W.size() == n;
  return holds_everywhere([&](int k) {
    const Value whole = H(point(k));
    const Value rest = H([&](int slot) { return slot >= n_ && slot < 2 * n_ ? Float128(0) : at(k, slot); });
    if (!finite(whole.value) || !finite(rest.value)) return -1;
    Numbers p;
    for (int i = 0; i < n_; ++i) p.push_back(at(k, n_ + i));
    Float128 twice = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); ++j) {
        const Float128 part = p[i] * W[diagonal ? i : i * n + j] * p[j];
        twice += part;
        size += magnitude(part);
      }
    return static_cast<int>(agree(whole.value - rest.value - twice / 2, whole.size + rest.size + size));
  });
}

bool Confirmation::has_bend(const System& s, const std::vector<int>& bend) const {
  std::vector<Resolved> g;
  for (const Formula& f : model_.constraints) g.push_back(resolve(f));
  return holds_everywhere([&](int k) {
    const Point x = point(k);
    const auto moved = [&](int slot) { return slot < n_ ? at(k, slot) + at(k, 2 * n_ + slot) : at(k, slot); };
    const Numbers G = node_values(s.graph, s.G, x), second = node_values(s.graph, bend, x);
    for (std::size_t i = 0; i < g.size(); ++i) {
      const Value here = g[i](x), there = g[i](moved);
      Float128 sum = here.value + second[i], size = here.size + there.size + magnitude(second[i]);
      for (auto e = static_cast<std::size_t>(s.begin[i]); e < static_cast<std::size_t>(s.begin[i + 1]); ++e) {
        const Float128 part = G[e] * at(k, 2 * n_ + s.column[e]);
        sum += part;
        size += magnitude(part);
      }
      if (!finite(there.value) || !finite(sum)) return -1;
      if (!agree(there.value - sum, size)) return 0;
    }
    return 1;
  });
}

bool Confirmation::depends_only_on(const Formula& f, const std::vector<int>& coordinates) const {
  const Resolved g = resolve(f);
  return holds_everywhere([&](int k) {
    const Value here = g(point(k)),
                there = g([&](int slot) {
                  const bool kept =
                      slot >= n_ || std::binary_search(coordinates.begin(), coordinates.end(), slot);
                  return at(kept ? k : k + most_points, slot);
                });
    if (!finite(here.value) || !finite(there.value)) return -1;
    return static_cast<int>(agree(here.value - there.value, here.size + there.size));
  });
}

bool Confirmation::is_multiple(const Formula& f, const Formula& g, int factor) const {
  const Resolved left = resolve(f), right = resolve(g);
  return holds_everywhere([&](int k) {
    const Value a = left(point(k)), b = right(point(k));
    if (!finite(a.value) || !finite(b.value)) return -1;
    return static_cast<int>(agree(a.value - factor * b.value, a.size + b.size));
  });
}

}  // namespace taut
