// All formulas of a model as one graph. Equal expressions are one node (hash-consed), so that whatever V, its
// gradient, g and G have in common is computed once. The numbering depends on the formulas alone, so that the
// same model gives the same bits everywhere.
//
// Derivatives are taken on the graph: forward along a direction, in reverse for a gradient, which costs a
// small multiple of the function. Constants are folded in 128 bits; x + 0, 1·x, x - x, x^3 = (x·x)·x and the
// like are simplified as nodes are made.
//
// A formula keeps its domain: √x·√x is not x, and 0·log(x) is not 0, because they have no value at x = -1.
// What is dropped from a formula has a value everywhere. Derivatives need no such care: they are asked for
// where the function has a value, and whoever follows them sees the value too.
#pragma once

#include <taut/model/text/formula.hpp>

#include <functional>
#include <unordered_map>
#include <vector>

namespace taut {

class Graph {
 public:
  struct Node {  // constant: a is its number in constants(); input: a is the input
    Op op;
    int a, b;
  };
  // What is known of a node's values for all values of the inputs. Overflow is not thought of.
  struct Knowledge {
    bool total = false;  // there is a value everywhere
    bool positive = false, not_negative = false;
  };

  int constant(Float128 x);
  int input(int k) { return intern({Op::input, k, -1}); }
  int make(Op op, int a, int b = -1);
  // Adds a parsed formula; `node_of(name)` returns the nodes of its names.
  int add(const Formula& formula, const std::function<int(std::string_view)>& node_of);
  // Does the same and returns the node of every part.
  std::vector<int> add_parts(const Formula& formula, const std::function<int(std::string_view)>& node_of);

  // Returns ∂f/∂(input) for each of `inputs`, by one reverse sweep.
  std::vector<int> gradient(int f, const std::vector<int>& inputs);
  // Returns Σ ∂f/∂(input k) · direction(k) for each f; direction(k) is a node, or -1 for 0.
  std::vector<int> along(const std::vector<int>& f, const std::function<int(int)>& direction);
  // Returns f with some inputs replaced: by(k) is the node for input k, or -1 to leave it. Parts in which
  // nothing is replaced stay as they are.
  int replace(int f, const std::function<int(int)>& by);

  // While it lives, what is made need not keep its domain.
  class FreeDomain {
   public:
    explicit FreeDomain(Graph& graph, bool free = true) : graph_(graph), before_(graph.domain_is_free_) {
      graph_.domain_is_free_ = before_ || free;
    }
    ~FreeDomain() { graph_.domain_is_free_ = before_; }
    FreeDomain(const FreeDomain&) = delete;
    FreeDomain& operator=(const FreeDomain&) = delete;

   private:
    Graph& graph_;
    bool before_;
  };

  const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_constant(int node) const { return (*this)[node].op == Op::constant; }
  bool is_constant(int node, int value) const { return is_constant(node) && this->value(node) == value; }
  Float128 value(int node) const { return constants_[static_cast<std::size_t>((*this)[node].a)]; }

  // Returns the nodes of which `roots` are made, each after what it needs.
  std::vector<int> below(const std::vector<int>& roots) const;
  std::vector<int> inputs_of(int f) const;              // sorted
  int operations(const std::vector<int>& roots) const;  // nodes that compute something

 private:
  int intern(Node node);
  Knowledge learn(const Node& node) const;
  const Knowledge& known(int node) const { return knowledge_[static_cast<std::size_t>(node)]; }
  bool may_drop(int node) const { return domain_is_free_ || known(node).total; }
  bool may_divide_by(int node) const {
    return domain_is_free_ || (known(node).total && known(node).positive);
  }
  int negate(int a);
  int sum(int a, int b);
  int difference(int a, int b);
  int product(int a, int b);
  int quotient(int a, int b);
  int power(int a, int b);
  int whole_power_of(int a, long n);
  // Returns n if node is base^n as whole_power_of makes it, which takes 20 products at most; otherwise 0.
  int exponent(int node, int base, int levels = 20) const;
  // The parts of d(node) = a_slope · da + b_slope · db; -1 if there is none.
  struct Slopes {
    int a = -1, b = -1;
  };
  // Returns `weight` times the slopes, but makes only those that are wanted.
  Slopes slopes(int node, int weight, bool wanted_a, bool wanted_b);

  std::vector<Node> nodes_;
  std::vector<Knowledge> knowledge_;  // what is known of each node
  bool domain_is_free_ = false;       // while derivatives are taken
  std::vector<Float128> constants_;
  std::unordered_map<std::uint64_t, int> known_;
  std::unordered_map<std::string, int> known_constants_;  // by their bits: 0 and -0 differ
};

}  // namespace taut
