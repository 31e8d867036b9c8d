#include <taut/model/code/momenta_of.hpp>

#include <taut/model/code/confirm.hpp>
#include <taut/model/code/velocity_nodes.hpp>

#include <numeric>
#include <unordered_map>

namespace taut {

namespace {

// A start that is less off than this in velocities of its own size is one that its author means as it stands.
constexpr double start_tolerance = 1e-8;

// Solves A x = b by elimination with exchanges of rows; A is row by row. Returns false if A is singular.
bool solve_in_place(Numbers A, Numbers& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t best = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (magnitude(A[i * n + j]) > magnitude(A[best * n + j])) best = i;
    if (!(magnitude(A[best * n + j]) > 0)) return false;
    for (std::size_t k = 0; k < n; ++k) std::swap(A[best * n + k], A[j * n + k]);
    std::swap(b[best], b[j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      const Float128 factor = A[i * n + j] / A[j * n + j];
      for (std::size_t k = j; k < n; ++k) A[i * n + k] -= factor * A[j * n + k];
      b[i] -= factor * b[j];
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t k = j + 1; k < n; ++k) b[j] -= A[j * n + k] * b[k];
    b[j] /= A[j * n + j];
  }
  return true;
}

}  // namespace

std::optional<Numbers> momenta_of(const Model& model, const Numbers& v) {
  const int n = static_cast<int>(model.coordinates.size());
  const std::size_t moving = v.size() - (model.dynamics.timed ? 1 : 0);
  Graph graph;
  std::unordered_map<std::string, int> nodes;
  for (int i = 0; i < n; ++i) {
    nodes[model.coordinates[static_cast<std::size_t>(i)]] = graph.input(i);
    nodes["p_" + model.coordinates[static_cast<std::size_t>(i)]] = graph.input(n + i);
  }
  for (const NamedFormula& a : model.parameters) nodes[a.name] = graph.constant(a.value);
  std::vector<int> momenta(moving);
  std::iota(momenta.begin(), momenta.end(), n);
  const int H =
      graph.add(model.hamiltonian, [&](std::string_view name) { return nodes.at(std::string(name)); });
  const std::vector<int> slope = graph.gradient(H, momenta);
  std::vector<int> second;
  for (const int row : slope)
    for (const int entry : graph.gradient(row, momenta)) second.push_back(entry);
  Numbers p(v.size(), Float128(0));
  const auto input = [&](int k) {
    return k < n ? model.q[static_cast<std::size_t>(k)].value : p[static_cast<std::size_t>(k - n)];
  };
  constexpr int most_corrections = 60;
  for (int round = 0; round < most_corrections; ++round) {
    Numbers off = node_values(graph, slope, input);
    Float128 size = 0, moved = 0;
    for (std::size_t i = 0; i < moving; ++i) off[i] = v[i] - off[i];
    if (!solve_in_place(node_values(graph, second, input), off)) return std::nullopt;
    for (std::size_t i = 0; i < moving; ++i) {
      p[i] += off[i];
      size += magnitude(p[i]);
      moved += magnitude(off[i]);
    }
    if (!finite(size)) return std::nullopt;
    if (moved <= Float128(1e-28) * size) return p;
  }
  return std::nullopt;
}

// The rows of G v + g_t = 0 are made orthonormal one after the other, over the free velocities alone, and
// each is met on the way. A row that has no free velocity left is kept by the given ones, or by nothing.
bool complete_velocities(const Model& model, const std::vector<bool>& given, Numbers& v) {
  const std::size_t n = model.coordinates.size();
  const Float128 as_good_as_zero = 1e-50;
  Graph graph;
  std::unordered_map<std::string, int> nodes;
  std::vector<int> coordinates(n);
  std::iota(coordinates.begin(), coordinates.end(), 0);
  for (const int i : coordinates) {
    nodes[model.coordinates[static_cast<std::size_t>(i)]] = graph.input(i);
    nodes.try_emplace("v_" + model.coordinates[static_cast<std::size_t>(i)],
                      graph.input(static_cast<int>(n) + i));
  }
  for (const NamedFormula& a : model.parameters) nodes[a.name] = graph.constant(a.value);
  const auto square = [&](const Numbers& x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), Float128(0));
  };
  struct Row {
    Numbers direction;
    Float128 rate;
  };
  std::vector<Row> met;
  bool off = false;
  const Float128 speed = 1 + square(v);
  const std::size_t holonomic =
      model.constraints.size() - static_cast<std::size_t>(model.dynamics.velocity_constraints);
  for (std::size_t c = 0; c < model.constraints.size(); ++c) {
    const int root =
        graph.add(model.constraints[c], [&](std::string_view name) { return nodes.at(std::string(name)); });
    std::vector<int> slope;
    if (c < holonomic) {
      slope = graph.gradient(root, coordinates);
    } else {
      LinearInVelocities linear = linear_in_velocities(graph, root, static_cast<int>(n), static_cast<int>(n));
      if (model.dynamics.timed) linear.row.back() = linear.rest;
      slope = std::move(linear.row);
    }
    Numbers a = node_values(graph, slope, [&](int k) { return model.q[static_cast<std::size_t>(k)].value; });
    Float128 rate = model.dynamics.timed ? -a[n - 1] : Float128(0);
    for (std::size_t i = 0; i < n; ++i) rate -= a[i] * v[i];
    off = off || rate * rate > Float128(start_tolerance * start_tolerance) * square(a) * speed;
    for (std::size_t i = 0; i < n; ++i)
      if (given[i]) a[i] = 0;
    const Float128 before = square(a);
    for (const Row& row : met) {
      const Float128 part = std::inner_product(a.begin(), a.end(), row.direction.begin(), Float128(0));
      for (std::size_t i = 0; i < n; ++i) a[i] -= part * row.direction[i];
      rate -= part * row.rate;
    }
    if (!(square(a) > as_good_as_zero * before)) continue;
    const Float128 length = sqrt(square(a));
    for (Float128& x : a) x /= length;
    met.push_back({std::move(a), rate / length});
  }
  if (!off) return false;
  for (const Row& row : met)
    for (std::size_t i = 0; i < n; ++i) v[i] += row.rate * row.direction[i];
  return true;
}

void add_momentum_of_time(Formula& H) {
  const std::string name = std::string("p_") + time_name;
  const std::size_t begin = H.text.size() + H.defined.size();
  const int whole = static_cast<int>(H.nodes.size()) - 1;
  H.defined += name;
  H.nodes.push_back({.op = Op::input, .span = {begin, begin + name.size()}});
  H.nodes.push_back({.op = Op::add, .a = whole, .b = whole + 1, .span = {0, H.text.size()}});
}

}  // namespace taut
