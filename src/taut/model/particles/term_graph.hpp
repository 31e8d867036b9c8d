// The words from which formulas of a term's particles are built. The inputs of a term's graph are
// the coordinates of its particles from 0 on, particle after particle, and the numbers of the term
// from `numbers` on.
#pragma once

#include <taut/model/code/graph.hpp>
#include <taut/problem/particles/particle_system.hpp>

#include <vector>

namespace taut {

struct TermGraph {
  using Vector = std::vector<int>;  // nodes, one for each component
  static constexpr int numbers = most_term_coordinates;

  Graph& graph;
  int dimension;

  int coordinate(int place, int a) const { return graph.input(place * dimension + a); }
  int difference(int x, int y) const { return graph.make(Op::subtract, x, y); }
  int product(int x, int y) const { return graph.make(Op::multiply, x, y); }

  Vector between(int i, int j) const {  // x_i - x_j
    Vector v;
    for (int a = 0; a < dimension; ++a) v.push_back(difference(coordinate(i, a), coordinate(j, a)));
    return v;
  }
  int dot(const Vector& u, const Vector& v) const {
    int sum = graph.constant(0);
    for (std::size_t a = 0; a < u.size(); ++a) sum = graph.make(Op::add, sum, product(u[a], v[a]));
    return sum;
  }
  int length(const Vector& v) const { return graph.make(Op::sqrt, dot(v, v)); }
  Vector cross(const Vector& u, const Vector& v) const {  // in three dimensions
    Vector w;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      w.push_back(difference(product(u[b], v[c]), product(u[c], v[b])));
    }
    return w;
  }
};

}  // namespace taut
