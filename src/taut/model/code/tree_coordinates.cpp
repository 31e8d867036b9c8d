// Coordinates for constraints that follow each other like the rods of an open chain: parametrisation.hpp.
#include <taut/model/code/parametrisation.hpp>

#include <taut/model/code/confirm.hpp>

#include <algorithm>
#include <array>

namespace taut {

namespace {

class Tree {
 public:
  Tree(const System& system, const Model& model) : s_(system), graph_(system.graph) {
    for (const NamedFormula& x : model.q) q_.push_back(x.value);
    names_ = model.coordinates;
    known_.assign(static_cast<std::size_t>(s_.n), false);
    // φ uses the inputs of δ from here on, until all of it is known.
    first_ = 4 * s_.n;
    phi_.assign(static_cast<std::size_t>(s_.n), -1);
  }

  std::optional<Parametrisation> grow(int& stuck) {
    std::vector<int> left(static_cast<std::size_t>(s_.m));
    for (int i = 0; i < s_.m; ++i) left[static_cast<std::size_t>(i)] = i;
    while (!left.empty()) {
      std::stable_sort(left.begin(), left.end(),
                       [&](int a, int b) { return unknowns(a).size() < unknowns(b).size(); });
      const auto next = std::find_if(left.begin(), left.end(), [&](int i) { return take(i); });
      if (next == left.end()) {
        stuck = left.front();
        return std::nullopt;
      }
      left.erase(next);
    }
    for (int j = 0; j < s_.n; ++j) make_free(j);
    return finished();
  }

 private:
  // The coordinates of constraint i that nothing gives so far.
  std::vector<int> unknowns(int i) const {
    std::vector<int> found;
    const auto row = static_cast<std::size_t>(i);
    for (int e = s_.begin[row]; e < s_.begin[row + 1]; ++e)
      if (const int j = s_.column[static_cast<std::size_t>(e)]; !known_[static_cast<std::size_t>(j)])
        found.push_back(j);
    std::sort(found.begin(), found.end());
    return found;
  }

  // Lets constraint i give three, two or one of its unknown coordinates, those that come last in the list.
  // The others become parameters.
  bool take(int i) {
    const std::vector<int> open = unknowns(i);
    for (const std::size_t size : {3U, 2U, 1U}) {
      if (open.size() < size) continue;
      std::vector<bool> chosen(open.size(), false);
      std::fill(chosen.end() - static_cast<std::ptrdiff_t>(size), chosen.end(), true);
      int tried = 0;
      do {
        std::vector<int> group;
        for (std::size_t k = 0; k < open.size(); ++k)
          if (chosen[k]) group.push_back(open[k]);
        if (size == 1 ? is_given(i, group[0]) : is_rod(i, group)) return true;
      } while (++tried < most_groups && std::next_permutation(chosen.begin(), chosen.end()));
    }
    return false;
  }

  int without(int node, const std::vector<int>& group) {
    return graph_.replace(node, [&](int k) {
      return std::find(group.begin(), group.end(), k) != group.end() ? graph_.constant(0) : -1;
    });
  }

  // Asks whether g = c (|r - A|² - L²) in the coordinates of the group, with constant c and L > 0 and with A
  // of other coordinates; takes the group if so.
  bool is_rod(int i, const std::vector<int>& group) {
    const Graph::FreeDomain free(graph_);
    const int g = s_.g[static_cast<std::size_t>(i)];
    const std::vector<int> gradient = graph_.gradient(g, group);
    Float128 twice_c = 0;
    for (std::size_t a = 0; a < group.size(); ++a) {
      const std::vector<int> row = graph_.gradient(gradient[a], group);
      for (std::size_t b = 0; b < group.size(); ++b) {
        if (!graph_.is_constant(row[b])) return false;
        const Float128 value = graph_.value(row[b]);
        if (a != b && value != 0) return false;
        if (a == 0 && b == 0) twice_c = value;
        if (a == b && (value != twice_c || value == 0)) return false;
      }
    }
    std::vector<int> centre;
    int square = graph_.constant(0);
    for (const int slope : gradient) {
      centre.push_back(graph_.make(Op::multiply, without(slope, group), graph_.constant(-1 / twice_c)));
      square = graph_.make(Op::add, square, graph_.make(Op::multiply, centre.back(), centre.back()));
    }
    const int radius_squared = graph_.make(
        Op::subtract, square, graph_.make(Op::multiply, without(g, group), graph_.constant(2 / twice_c)));
    const auto length = constant_value(radius_squared);
    if (!length || !(*length > 0)) return false;
    free_others(i, group);
    place(group, centre, sqrt(*length));
    return true;
  }

  // Returns the value of a node that has the same value at all of some points; the graph need not show that
  // it is constant.
  std::optional<Float128> constant_value(int node) {
    std::optional<Float128> first;
    for (int number = 0; number < 6; ++number) {
      const Float128 value = node_values(graph_, {node}, [&](int k) {
        const Float128 at = k < s_.n ? q_[static_cast<std::size_t>(k)] : Float128(0);
        return number == 0 ? at : at + scattered_number(number, k);
      })[0];
      if (!finite(value)) return std::nullopt;
      if (!first) first = value;
      if (magnitude(value - *first) > Float128(1e-25) * (1 + magnitude(*first))) return std::nullopt;
    }
    return first;
  }

  // Asks whether g = c q_j + (something without q_j) with constant c; gives q_j if so.
  bool is_given(int i, int j) {
    const Graph::FreeDomain free(graph_);
    const int g = s_.g[static_cast<std::size_t>(i)];
    const int slope = graph_.gradient(g, {j})[0];
    if (!graph_.is_constant(slope) || graph_.value(slope) == 0) return false;
    free_others(i, {j});
    const int rest = without(g, {j});
    give(j, in_parameters(graph_.make(Op::multiply, rest, graph_.constant(-1 / graph_.value(slope)))));
    return true;
  }

  void free_others(int i, const std::vector<int>& group) {
    for (const int j : unknowns(i))
      if (std::find(group.begin(), group.end(), j) == group.end()) make_free(j);
  }
  void make_free(int j) {
    if (known_[static_cast<std::size_t>(j)]) return;
    give(j, new_parameter(names_[static_cast<std::size_t>(j)], q_[static_cast<std::size_t>(j)]));
  }
  void give(int j, int node) {
    phi_[static_cast<std::size_t>(j)] = node;
    known_[static_cast<std::size_t>(j)] = true;
  }
  int new_parameter(const std::string& name, Float128 start) {
    parameters_.push_back(name);
    start_.push_back(start);
    return graph_.input(first_ + static_cast<int>(parameters_.size()) - 1);
  }
  // Replaces coordinates by their formulas in δ.
  int in_parameters(int node) {
    return graph_.replace(node, [&](int k) { return k < s_.n ? phi_[static_cast<std::size_t>(k)] : -1; });
  }

  // r = A + L u: in the plane u = (sin θ, -cos θ), θ = 0 along the second axis downwards; in space the pole
  // of the two angles is the axis to which the rod is closest to being perpendicular at the start.
  void place(const std::vector<int>& group, const std::vector<int>& centre, Float128 radius) {
    Numbers u;
    for (std::size_t a = 0; a < group.size(); ++a) {
      const Float128 A =
          node_values(graph_, {centre[a]}, [&](int k) { return q_[static_cast<std::size_t>(k)]; })[0];
      u.push_back((q_[static_cast<std::size_t>(group[a])] - A) / radius);
    }
    const std::string name = "angle_" + names_[static_cast<std::size_t>(group[0])];
    const auto put = [&](std::size_t a, int direction) {
      const int part = graph_.make(Op::multiply, graph_.constant(radius), direction);
      give(group[a], graph_.make(Op::add, in_parameters(centre[a]), part));
    };
    if (group.size() == 2) {
      const int angle = new_parameter(name, apply(Op::atan2, u[0], -u[1]));
      put(0, graph_.make(Op::sin, angle));
      put(1, graph_.make(Op::negate, graph_.make(Op::cos, angle)));
      return;
    }
    std::size_t pole = 0;
    for (std::size_t a = 1; a < 3; ++a)
      if (magnitude(u[a]) < magnitude(u[pole])) pole = a;
    const std::size_t first = (pole + 1) % 3, second = (pole + 2) % 3;
    const int turn = new_parameter(name, apply(Op::atan2, u[second], u[first]));
    const Float128 flat = sqrt(u[first] * u[first] + u[second] * u[second]);
    const int lift = new_parameter(name + "_lift", apply(Op::atan2, u[pole], flat));
    const int cosine = graph_.make(Op::cos, lift);
    put(pole, graph_.make(Op::sin, lift));
    put(first, graph_.make(Op::multiply, cosine, graph_.make(Op::cos, turn)));
    put(second, graph_.make(Op::multiply, cosine, graph_.make(Op::sin, turn)));
  }

  // Numbers the parameters from 0.
  std::optional<Parametrisation> finished() {
    Parametrisation map{parameters_, std::move(graph_), {}, start_};
    for (const int node : phi_)
      map.phi.push_back(
          map.graph.replace(node, [&](int k) { return k >= first_ ? map.graph.input(k - first_) : -1; }));
    return map;
  }

  static constexpr int most_groups = 64;
  const System& s_;
  Graph graph_;
  Numbers q_, start_;
  std::vector<std::string> names_, parameters_;
  std::vector<bool> known_;
  std::vector<int> phi_;
  int first_ = 0;
};

}  // namespace

std::optional<Parametrisation> tree_of(const System& system, const Model& model, int& stuck) {
  return Tree(system, model).grow(stuck);
}

}  // namespace taut
