#include <taut/model/code/graph.hpp>

#include <taut/contract/reading_time.hpp>
#include <taut/model/text/functions.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <queue>

namespace taut {

int Graph::intern(Node node) {
  ReadingTime::spend();
  const auto part = [](int k) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(k + 1)) & 0xFFFFFFF;
  };
  const std::uint64_t key = static_cast<std::uint64_t>(node.op) << 56 | part(node.a) << 28 | part(node.b);
  const auto [at, fresh] = known_.try_emplace(key, size());
  if (fresh) {
    nodes_.push_back(node);
    knowledge_.push_back(learn(node));
  }
  return at->second;
}

Graph::Knowledge Graph::learn(const Node& node) const {
  if (node.op == Op::input) return {.total = true};
  if (node.op == Op::constant) {
    const Float128 x = constants_[static_cast<std::size_t>(node.a)];
    return {.total = finite(x), .positive = x > 0, .not_negative = x >= 0};
  }
  const Knowledge& a = known(node.a);
  const Knowledge& b = known(node.b < 0 ? node.a : node.b);
  const bool total = a.total && b.total, positive = a.positive && b.positive,
             not_negative = a.not_negative && b.not_negative;
  switch (node.op) {
    case Op::add:
      return {.total = total,
              .positive = not_negative && (a.positive || b.positive),
              .not_negative = not_negative};
    case Op::multiply:
      return {.total = total, .positive = positive, .not_negative = not_negative || node.a == node.b};
    case Op::divide: {
      const bool divides = b.positive || (is_constant(node.b) && !is_constant(node.b, 0));
      return {.total = total && divides, .positive = positive, .not_negative = not_negative};
    }
    case Op::power:
      return {.total = total && a.positive, .positive = a.positive, .not_negative = a.not_negative};
    case Op::sqrt:
      return {.total = total && a.not_negative, .positive = a.positive, .not_negative = true};
    case Op::log:
      return {.total = total && a.positive};
    case Op::exp:
    case Op::cosh:
    case Op::erfc:
      return {.total = total, .positive = true, .not_negative = true};
    case Op::absolute:
      return {.total = total, .positive = a.positive, .not_negative = true};
    case Op::erf:
    case Op::cbrt:
      return {.total = total, .positive = a.positive, .not_negative = a.not_negative};
    case Op::negate:
    case Op::subtract:
    case Op::sin:
    case Op::cos:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::sign:
    case Op::atan2:
      return {.total = total};
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::constant:
    case Op::input:
      return {};
  }
  return {};
}

int Graph::constant(Float128 x) {
  if (x == 0) x = 0;  // -0 and 0 are one node
  std::string bits(sizeof x, '\0');
  std::memcpy(bits.data(), &x, sizeof x);
  const auto [at, fresh] = known_constants_.try_emplace(bits, static_cast<int>(constants_.size()));
  if (fresh) constants_.push_back(x);
  return intern({Op::constant, at->second, -1});
}

int Graph::make(Op op, int a, int b) {
  const bool binary = b >= 0;
  if (op != Op::constant && op != Op::input && is_constant(a) && (!binary || is_constant(b)))
    return constant(apply(op, value(a), binary ? value(b) : Float128(0)));
  switch (op) {
    case Op::negate:
      return negate(a);
    case Op::add:
      return sum(a, b);
    case Op::subtract:
      return difference(a, b);
    case Op::multiply:
      return product(a, b);
    case Op::divide:
      return quotient(a, b);
    case Op::power:
      return power(a, b);
    default:
      return intern({op, a, b});
  }
}

int Graph::negate(int a) {
  const Node at = (*this)[a];
  if (at.op == Op::constant) return constant(-value(a));
  if (at.op == Op::negate) return at.a;
  if (at.op == Op::subtract) return difference(at.b, at.a);
  if (at.op == Op::multiply && is_constant(at.a)) return product(constant(-value(at.a)), at.b);
  return intern({Op::negate, a, -1});
}

int Graph::sum(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) + value(b));
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (a == b) return product(constant(2), a);
  if ((*this)[b].op == Op::negate) return difference(a, (*this)[b].a);
  if ((*this)[a].op == Op::negate) return difference(b, (*this)[a].a);
  return intern({Op::add, std::min(a, b), std::max(a, b)});
}

int Graph::difference(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(value(a) - value(b));
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (a == b && may_drop(a)) return constant(0);
  if ((*this)[b].op == Op::negate) return sum(a, (*this)[b].a);
  if ((*this)[a].op == Op::negate) return negate(sum((*this)[a].a, b));
  return intern({Op::subtract, a, b});
}

// Puts a constant factor first, and keeps at most one.
int Graph::product(int a, int b) {
  if (is_constant(b)) std::swap(a, b);
  const Node left = (*this)[a], right = (*this)[b];
  if (left.op == Op::constant) {
    const Float128 c = value(a);
    if (right.op == Op::constant) return constant(c * value(b));
    if (c == 0) return may_drop(b) ? a : intern({Op::multiply, a, b});
    if (c == 1) return b;
    if (c == -1) return negate(b);
    if (right.op == Op::negate) return product(constant(-c), right.a);
    if (right.op == Op::multiply && is_constant(right.a))
      return product(constant(c * value(right.a)), right.b);
    if (right.op == Op::divide && is_constant(right.b) && known(right.b).total && !is_constant(right.b, 0))
      return product(constant(c / value(right.b)), right.a);
    if (right.op == Op::divide && is_constant(right.a))
      return quotient(constant(c * value(right.a)), right.b);
    return intern({Op::multiply, a, b});
  }
  // |x|² is x², which has its derivatives at 0 too.
  if (left.op == Op::absolute && a == b) return product(left.a, left.a);
  if (left.op == Op::negate && right.op == Op::negate) return product(left.a, right.a);
  if (left.op == Op::negate) return negate(product(left.a, b));
  if (right.op == Op::negate) return negate(product(a, right.a));
  if (left.op == Op::multiply && is_constant(left.a)) return product(left.a, product(left.b, b));
  if (right.op == Op::multiply && is_constant(right.a)) return product(right.a, product(a, right.b));
  // √a·√a is a wherever √a has a value: the second term is 0 there, and no number elsewhere.
  if (a == b && left.op == Op::sqrt)
    return domain_is_free_ || known(left.a).not_negative ? left.a : sum(left.a, product(constant(0), a));
  return intern({Op::multiply, std::min(a, b), std::max(a, b)});
}

int Graph::quotient(int a, int b) {
  const Node left = (*this)[a], right = (*this)[b];
  if (left.op == Op::constant && right.op == Op::constant) return constant(value(a) / value(b));
  if (right.op == Op::constant) {
    const Float128 c = value(b);
    if (c == 1) return a;
    if (c == -1) return negate(a);
    int exponent = 0;
    // Division by a power of two is an exact product; a second constant absorbs the first.
    if (c != 0 && finite(c) && magnitude(std::frexp(static_cast<double>(c), &exponent)) == 0.5 &&
        Float128(static_cast<double>(c)) == c)
      return product(constant(1 / c), a);
    const bool absorbs = finite(c) && c != 0;
    if (absorbs && left.op == Op::multiply && is_constant(left.a))
      return product(constant(value(left.a) / c), left.b);
    if (absorbs && left.op == Op::divide && is_constant(left.b))
      return quotient(left.a, constant(value(left.b) * c));
  }
  if (is_constant(a, 0)) return may_divide_by(b) ? a : product(a, quotient(constant(1), b));
  if (a == b) return may_divide_by(b) ? constant(1) : sum(constant(1), quotient(constant(0), b));
  if (left.op == Op::negate && right.op == Op::negate) return quotient(left.a, right.a);
  if (left.op == Op::negate) return negate(quotient(left.a, b));
  if (right.op == Op::negate) return negate(quotient(a, right.a));
  return intern({Op::divide, a, b});
}

int Graph::whole_power_of(int a, long n) {
  if (n == 0) return sum(constant(1), product(constant(0), a));  // has a value only if a has one
  if (n == 1) return a;
  if (n % 2 == 0) {
    const int half = whole_power_of(a, n / 2);
    return product(half, half);
  }
  return product(whole_power_of(a, n - 1), a);
}

int Graph::power(int a, int b) {
  if (is_constant(a) && is_constant(b)) return constant(apply(Op::power, value(a), value(b)));
  if (is_constant(b)) {
    const Float128 y = value(b);
    // x^-n = (1/x)^n takes one division, which all negative powers of x share.
    const auto signed_power = [&](long n) {
      return n < 0 ? whole_power_of(quotient(constant(1), a), -n) : whole_power_of(a, n);
    };
    if (const auto n = whole_exponent(y)) return signed_power(*n);
    if (const auto twice = whole_exponent(2 * y)) {  // x^(k + ½) = x^k √x
      const int root = make(Op::sqrt, a);
      if (*twice == 1) return root;
      if (*twice == -1) return quotient(constant(1), root);
      if (*twice > 0) return product(signed_power((*twice - 1) / 2), root);
      return quotient(signed_power((*twice + 1) / 2), root);  // x^-(k + ½) = x^-k / √x
    }
  }
  if (is_constant(a, 1)) return whole_power_of(b, 0);
  return intern({Op::power, a, b});
}

int Graph::add(const Formula& formula, const std::function<int(std::string_view)>& node_of) {
  return add_parts(formula, node_of).back();
}

std::vector<int> Graph::add_parts(const Formula& formula,
                                  const std::function<int(std::string_view)>& node_of) {
  std::vector<int> at;
  at.reserve(formula.nodes.size());
  for (const FormulaNode& node : formula.nodes) {
    if (node.op == Op::constant)
      at.push_back(constant(node.value));
    else if (node.op == Op::input)
      at.push_back(node_of(formula.part(node.span)));
    else
      at.push_back(make(node.op, at[static_cast<std::size_t>(node.a)],
                        node.b < 0 ? -1 : at[static_cast<std::size_t>(node.b)]));
  }
  return at;
}

std::vector<int> Graph::below(const std::vector<int>& roots) const {
  // A node is made after its parts, so the nodes come from a heap in falling order, each as often as it is
  // used. The work is that of the nodes below, however large the graph is.
  std::vector<int> found;
  std::priority_queue<int> open(std::less<int>(), roots);
  while (!open.empty()) {
    const int k = open.top();
    open.pop();
    ReadingTime::spend();
    if (!found.empty() && found.back() == k) continue;
    found.push_back(k);
    const Node& node = (*this)[k];
    if (node.op == Op::constant || node.op == Op::input) continue;
    open.push(node.a);
    if (node.b >= 0) open.push(node.b);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<int> Graph::inputs_of(int f) const {
  std::vector<int> list;
  for (const int k : below({f}))
    if ((*this)[k].op == Op::input) list.push_back((*this)[k].a);
  std::sort(list.begin(), list.end());
  return list;
}

int Graph::operations(const std::vector<int>& roots) const {
  const auto nodes = below(roots);
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [&](int k) {
    return (*this)[k].op != Op::constant && (*this)[k].op != Op::input;
  }));
}

Graph::Slopes Graph::slopes(int node, int w, bool wanted_a, bool wanted_b) {
  const Node at = (*this)[node];
  const int a = at.a, b = at.b;
  const int one = constant(1);
  const auto square = [&](int x) { return product(x, x); };
  switch (at.op) {
    case Op::constant:
    case Op::input:
    case Op::sign:
      return {};
    case Op::negate:
      return {negate(w), -1};
    case Op::add:
      return {w, w};
    case Op::subtract:
      return {w, wanted_b ? negate(w) : -1};
    case Op::multiply:
      return {wanted_a ? product(w, b) : -1, wanted_b ? product(w, a) : -1};
    case Op::divide: {
      const int part = is_constant(a, 1) ? product(w, node) : quotient(w, b);
      return {part, wanted_b ? negate(product(part, node)) : -1};
    }
    case Op::power: {
      Slopes s;
      if (wanted_a) s.a = product(w, product(b, power(a, difference(b, one))));
      if (wanted_b) s.b = product(w, product(node, make(Op::log, a)));
      return s;
    }
    case Op::sqrt:
      return {quotient(product(constant(Float128(1) / 2), w), node), -1};
    case Op::exp:
      return {product(w, node), -1};
    case Op::log:
      return {quotient(w, a), -1};
    case Op::sin:
      return {product(w, make(Op::cos, a)), -1};
    case Op::cos:
      return {negate(product(w, make(Op::sin, a))), -1};
    case Op::tan:
      return {product(w, sum(one, square(node))), -1};
    case Op::asin:
      return {quotient(w, make(Op::sqrt, difference(one, square(a)))), -1};
    case Op::acos:
      return {negate(quotient(w, make(Op::sqrt, difference(one, square(a))))), -1};
    case Op::atan:
      return {quotient(w, sum(one, square(a))), -1};
    case Op::sinh:
      return {product(w, make(Op::cosh, a)), -1};
    case Op::cosh:
      return {product(w, make(Op::sinh, a)), -1};
    case Op::tanh:
      return {product(w, difference(one, square(node))), -1};
    case Op::erf:
    case Op::erfc: {
      const int slope =
          product(constant(1 / sqrt(atan(Float128(1)))), make(Op::exp, negate(square(a))));  // 2/√π
      return {at.op == Op::erf ? product(w, slope) : negate(product(w, slope)), -1};
    }
    case Op::cbrt:
      return {quotient(product(constant(Float128(1) / 3), w), square(node)), -1};
    case Op::absolute:
      return {product(w, make(Op::sign, a)), -1};
    case Op::atan2: {  // a is y, b is x
      const int part = quotient(w, sum(square(a), square(b)));
      return {wanted_a ? product(part, b) : -1, wanted_b ? negate(product(part, a)) : -1};
    }
  }
  return {};
}

int Graph::exponent(int node, int base, int levels) const {
  if (node == base) return 1;
  if (levels == 0) return 0;
  const Node& at = (*this)[node];
  if (at.op != Op::multiply || node < base) return 0;
  if (at.a == at.b) return 2 * exponent(at.a, base, levels - 1);
  if (at.a == base || at.b == base) {
    const int rest = exponent(at.a == base ? at.b : at.a, base, levels - 1);
    return rest == 0 ? 0 : rest + 1;
  }
  return 0;
}

std::vector<int> Graph::gradient(int f, const std::vector<int>& inputs) {
  const FreeDomain free(*this);
  const std::vector<int> nodes = below({f});
  // These are positions in `nodes`, which is sorted: the graph grows while the sweep runs, the list does not.
  const auto place = [&](int k) {
    return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), k) - nodes.begin());
  };
  std::unordered_map<int, std::size_t> wanted;
  for (std::size_t k = 0; k < inputs.size(); ++k) wanted.emplace(inputs[k], k);
  std::vector<bool> active(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = (*this)[nodes[k]];
    if (node.op == Op::constant) continue;
    active[k] = node.op == Op::input ? wanted.contains(node.a)
                                     : active[place(node.a)] || (node.b >= 0 && active[place(node.b)]);
  }
  std::vector<int> weight(nodes.size(), -1);
  weight.back() = constant(1);
  std::vector<int> result(inputs.size(), constant(0));
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (!active[k] || weight[k] < 0) continue;
    const Node node = (*this)[nodes[k]];
    if (node.op == Op::input) {
      result[wanted.at(node.a)] = weight[k];
      continue;
    }
    const std::size_t a = place(node.a), b = node.b < 0 ? a : place(node.b);
    const bool along_a = active[a], along_b = node.b >= 0 && active[b];
    const auto pass = [&](std::size_t to, int amount) {
      if (amount >= 0) weight[to] = weight[to] < 0 ? amount : sum(weight[to], amount);
    };
    // For x·x all squares of a sum share 2w.
    if (node.op == Op::multiply && node.a == node.b) {
      pass(a, product(product(constant(2), weight[k]), node.a));
      continue;
    }
    // For x^(n-1)·x = x^n the slope n x^(n-1) is made at once, not factor by factor.
    if (node.op == Op::multiply) {
      const int n_a = exponent(node.b, node.a), n_b = exponent(node.a, node.b);
      if (n_a > 1 || n_b > 1) {
        const int n = std::max(n_a, n_b) + 1, rest = n_a > 1 ? node.b : node.a;
        pass(n_a > 1 ? a : b, product(product(constant(n), weight[k]), rest));
        continue;
      }
    }
    const Slopes part = slopes(nodes[k], weight[k], along_a, along_b);
    if (along_a) pass(a, part.a);
    if (along_b) pass(b, part.b);
  }
  return result;
}

std::vector<int> Graph::along(const std::vector<int>& f, const std::function<int(int)>& direction) {
  const FreeDomain free(*this);
  std::unordered_map<int, int> rate;  // the rate of each node; 0 if absent
  const auto rate_of = [&](int k) {
    const auto at = rate.find(k);
    return at == rate.end() ? -1 : at->second;
  };
  for (const int k : below(f)) {
    const Node node = (*this)[k];
    if (node.op == Op::constant) continue;
    int sum_of_parts = -1;
    if (node.op == Op::input) {
      sum_of_parts = direction(node.a);
    } else {
      const int da = rate_of(node.a), db = node.b < 0 ? -1 : rate_of(node.b);
      // slopes() is linear in its weight, so each part is taken with the rate itself as the weight.
      if (da >= 0) sum_of_parts = slopes(k, da, true, false).a;
      if (db >= 0) {
        const int part = slopes(k, db, false, true).b;
        if (part >= 0) sum_of_parts = sum_of_parts < 0 ? part : sum(sum_of_parts, part);
      }
    }
    if (sum_of_parts >= 0 && !is_constant(sum_of_parts, 0)) rate[k] = sum_of_parts;
  }
  std::vector<int> result;
  result.reserve(f.size());
  for (const int k : f) result.push_back(rate_of(k) < 0 ? constant(0) : rate_of(k));
  return result;
}

int Graph::replace(int f, const std::function<int(int)>& by) {
  std::unordered_map<int, int> now;
  for (const int k : below({f})) {
    const Node node = (*this)[k];
    if (node.op == Op::constant) {
      now[k] = k;
    } else if (node.op == Op::input) {
      const int other = by(node.a);
      now[k] = other < 0 ? k : other;
    } else {
      const int a = now.at(node.a), b = node.b < 0 ? -1 : now.at(node.b);
      now[k] = a == node.a && (b < 0 || b == node.b) ? k : make(node.op, a, b);
    }
  }
  return now.at(f);
}

}  // namespace taut
