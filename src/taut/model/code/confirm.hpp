// Confirms by evaluation what is concluded about a model by calculus. A derivative can be silent: that of a
// sign is zero wherever it exists. So each conclusion is also tried in 128 bits at random points near the
// start and far from it, with the formulas as their author wrote them. A conclusion that fails at one of the
// points, or that cannot be tried at any, is not used.
#pragma once

#include <taut/model/code/system.hpp>

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace taut {

// Returns the values of nodes of a graph whose inputs are x.
Numbers node_values(const Graph& graph, const std::vector<int>& roots, const std::function<Float128(int)>& x);

// Returns a number between -1 and 1 that shows no pattern in k and slot (splitmix64).
Float128 scattered_number(int k, int slot);

class Confirmation {
 public:
  // The start of the model may not be known yet; then it counts as 0.
  explicit Confirmation(const Model& model);

  // Asks whether H(q, p) = ½ pᵀWp + H(q, 0).
  bool is_natural(const Numbers& W) const;
  // Asks whether g(q + v) = g(q) + G(q) v + bend(v), for the nodes of `system`.
  bool has_bend(const System& system, const std::vector<int>& bend) const;
  // Asks whether f takes its value from these coordinates alone (their numbers, sorted).
  bool depends_only_on(const Formula& f, const std::vector<int>& coordinates) const;
  // Asks whether f = factor · g.
  bool is_multiple(const Formula& f, const Formula& g, int factor) const;

 private:
  struct Value {
    Float128 value = 0;
    Float128 size = 0;  // the magnitudes of all parts, to which its rounding error is proportional
  };
  // What each name stands for, by its slot: q, p, a direction v, and the parameters.
  using Point = std::function<Float128(int)>;
  // A formula whose names are looked up once.
  struct Resolved {
    const Formula* formula;
    std::vector<int> slots;  // the slot of each node that is a name
    Value operator()(const Point& x) const;
  };
  Resolved resolve(const Formula& f) const;
  // Returns the value of a slot at point k. Later points lie closer to the start, so that a narrow domain is
  // met too. A value costs the same however many names the model has.
  Float128 at(int k, int slot) const;
  Point point(int k) const {
    return [this, k](int slot) { return at(k, slot); };
  }

  const Model& model_;
  int n_;
  std::unordered_map<std::string_view, int> slots_;
};

}  // namespace taut
