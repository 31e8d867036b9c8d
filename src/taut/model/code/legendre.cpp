#include <taut/model/code/legendre.hpp>

#include <taut/model/code/confirm.hpp>
#include <taut/model/code/graph_text.hpp>

#include <algorithm>
#include <map>

namespace taut {

Legendre::Legendre(const Model& model)
    : model_(model),
      n_(static_cast<int>(model.coordinates.size())),
      moving_(n_ - (model.dynamics.timed ? 1 : 0)),
      b_(static_cast<std::size_t>(moving_)) {
  for (int i = 0; i < n_; ++i) nodes_[model.coordinates[static_cast<std::size_t>(i)]] = q(i);
  for (int i = 0; i < moving_; ++i)
    nodes_.try_emplace("v_" + model.coordinates[static_cast<std::size_t>(i)], v(i));
  int k = 3 * n_;
  for (const NamedFormula& a : model.parameters) nodes_[a.name] = graph_.input(k++);
  c_ = graph_.constant(0);
  std::fill(b_.begin(), b_.end(), c_);
}

int Legendre::node(const Formula& f) {
  return graph_.add(f, [&](std::string_view name) { return nodes_.at(std::string(name)); });
}

bool Legendre::depends_on_velocity(int f) const {
  const std::vector<int> inputs = graph_.inputs_of(f);
  return std::any_of(inputs.begin(), inputs.end(), [&](int k) { return is_velocity(k); });
}

// A derivative passes over a sign as if it were a number, so that |v|·v would count as quadratic.
bool Legendre::has_sign_of_velocity(int f) const {
  const std::vector<int> nodes = graph_.below({f});
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](int k) { return graph_[k].op == Op::sign && depends_on_velocity(k); });
}

std::optional<NotQuadratic> Legendre::take_lagrangian(const Formula& L) {
  const int whole = node(L);
  std::vector<int> velocities;
  for (int i = 0; i < moving_; ++i) velocities.push_back(2 * n_ + i);
  const std::vector<int> slope = graph_.gradient(whole, velocities);
  for (int i = 0; i < moving_; ++i) {
    const int row = slope[static_cast<std::size_t>(i)];
    if (has_sign_of_velocity(row)) return NotQuadratic{i};
    for (const int entry : graph_.gradient(row, velocities)) {
      if (depends_on_velocity(entry)) return NotQuadratic{i};
      M_.push_back(entry);  // (LG2)
    }
  }
  const Graph::FreeDomain free(graph_);
  const auto at_rest = [&](int k) { return is_velocity(k) ? graph_.constant(0) : -1; };
  c_ = graph_.replace(whole, at_rest);
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = graph_.replace(slope[i], at_rest);
  if (!is_confirmed(L)) return NotQuadratic{0};
  return std::nullopt;
}

void Legendre::take_mass(const std::vector<Formula>& M) {
  const auto n = static_cast<std::size_t>(moving_);
  is_diagonal_ = M.size() != n * n || n == 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_diagonal_) {
      M_.push_back(node(M[M.size() == 1 ? 0 : i]));
      continue;
    }
    // The lower triangle decides, so that M is symmetric to the last bit.
    for (std::size_t j = 0; j < n; ++j) M_.push_back(node(M[std::max(i, j) * n + std::min(i, j)]));
  }
}

void Legendre::subtract_potential(const Formula& V) { c_ = graph_.make(Op::subtract, c_, node(V)); }

Formula Legendre::hamiltonian() {
  std::vector<int> left = M_, y;
  const auto at = [&](int i, int j) -> int& { return left[place(i, j)]; };
  for (int i = 0; i < moving_; ++i)
    y.push_back(graph_.make(Op::subtract, p(i), b_[static_cast<std::size_t>(i)]));
  int twice = graph_.constant(0);
  for (int j = 0; j < moving_; ++j) {
    const int pivot = at(j, j);
    for (int i = j + 1; i < moving_ && !is_diagonal_; ++i) {
      if (graph_.is_constant(at(i, j), 0)) continue;
      const int factor = graph_.make(Op::divide, at(i, j), pivot);  // (LG3)
      for (int k = j + 1; k <= i; ++k)
        if (!graph_.is_constant(at(k, j), 0))
          at(i, k) = graph_.make(Op::subtract, at(i, k), graph_.make(Op::multiply, factor, at(k, j)));
      const auto row = static_cast<std::size_t>(i);
      y[row] = graph_.make(Op::subtract, y[row],
                           graph_.make(Op::multiply, factor, y[static_cast<std::size_t>(j)]));
    }
    const int here = y[static_cast<std::size_t>(j)];
    twice = graph_.make(Op::add, twice,
                        graph_.make(Op::divide, graph_.make(Op::multiply, here, here), pivot));  // (LG4)
  }
  const int kinetic = graph_.make(Op::multiply, graph_.constant(Float128(1) / 2), twice);
  int H = graph_.make(Op::subtract, kinetic, c_);
  if (moving_ < n_) H = graph_.make(Op::add, H, p(n_ - 1));  // (TF1)
  return formula_of(H);
}

Numbers Legendre::at(const std::vector<int>& nodes, const Numbers& q) const {
  return node_values(graph_, nodes, [&](int input) -> Float128 {
    if (input < n_) return q[static_cast<std::size_t>(input)];
    if (input < 3 * n_) return 0;
    return model_.parameters[static_cast<std::size_t>(input - 3 * n_)].value;
  });
}

std::optional<int> Legendre::not_positive_at(const Numbers& q) const {
  const Numbers M = at(M_, q);
  Numbers A = M;
  const auto n = static_cast<std::size_t>(moving_);
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t here = place(static_cast<int>(j), static_cast<int>(j));
    const Float128 pivot = A[here];
    // What elimination leaves of a singular matrix is its rounding, 1e-34 of the entry in 128 bits; numbers
    // of the model may have been rounded to doubles, and leave 1e-16.
    if (!(pivot > Float128(1e-14) * magnitude(M[here])) || !(pivot > 0)) return static_cast<int>(j);
    for (std::size_t i = j + 1; i < n && !is_diagonal_; ++i) {
      const Float128 factor = A[i * n + j] / pivot;
      if (factor == 0) continue;
      for (std::size_t k = j + 1; k < n; ++k) A[i * n + k] -= factor * A[j * n + k];
    }
  }
  return std::nullopt;
}

Numbers Legendre::momenta(const Numbers& q, const Numbers& v) const {
  const Numbers A = at(M_, q);
  Numbers p = at(b_, q);
  const auto n = static_cast<std::size_t>(moving_);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_diagonal_) p[i] += A[i] * v[i];
    for (std::size_t j = 0; j < n && !is_diagonal_; ++j) p[i] += A[i * n + j] * v[j];
  }
  p.resize(static_cast<std::size_t>(n_), Float128(0));
  return p;
}

bool Legendre::depends_on_state() const {
  return std::any_of(M_.begin(), M_.end(), [&](int entry) {
    const std::vector<int> inputs = graph_.inputs_of(entry);
    return !inputs.empty() && inputs.front() < n_;
  });
}

// Asks at random points, in 128 bits, whether L = c + b·v + ½ vᵀMv, with L as its author wrote it.
bool Legendre::is_confirmed(const Formula& L) const {
  constexpr int enough = 4, most = 24;
  int tried = 0;
  for (int k = 0; k < most && tried < enough; ++k) {
    const double radius = k % 3 == 0 ? 1 : k % 3 == 1 ? 0.125 : 1e-3;
    std::map<std::string, Float128, std::less<>> value;
    Numbers q, v;
    for (int i = 0; i < n_; ++i) {
      const Float128 start =
          i < static_cast<int>(model_.q.size()) ? model_.q[static_cast<std::size_t>(i)].value : Float128(0);
      q.push_back(start + (1 + magnitude(start)) * radius * scattered_number(k, i));
      v.push_back(scattered_number(k, n_ + i));
      value["v_" + model_.coordinates[static_cast<std::size_t>(i)]] = v.back();
    }
    for (int i = 0; i < n_; ++i)
      value[model_.coordinates[static_cast<std::size_t>(i)]] = q[static_cast<std::size_t>(i)];
    for (const NamedFormula& a : model_.parameters) value[a.name] = a.value;
    const std::vector<Float128> parts =
        evaluate(L, [&](std::string_view name) { return value.find(name)->second; });
    const Numbers A = at(M_, q), b = at(b_, q);
    Float128 sum = at({c_}, q).front(), size = magnitude(sum);
    for (const Float128 part : parts) size += magnitude(part);
    const auto n = static_cast<std::size_t>(moving_);
    for (std::size_t i = 0; i < n; ++i) {
      sum += b[i] * v[i];
      for (std::size_t j = 0; j < n; ++j) sum += v[i] * A[i * n + j] * v[j] / 2;
    }
    if (!finite(parts.back()) || !finite(sum)) continue;
    if (!(magnitude(parts.back() - sum) <= Float128(1e-28) * size)) return false;
    ++tried;
  }
  return tried > 0;
}

std::string Legendre::name_of(int input) const {
  if (input < n_) return model_.coordinates[static_cast<std::size_t>(input)];
  if (input < 2 * n_) return "p_" + model_.coordinates[static_cast<std::size_t>(input - n_)];
  return model_.parameters[static_cast<std::size_t>(input - 3 * n_)].name;
}

Formula Legendre::formula_of(int root) const {
  return formula_of_graph(graph_, root, [this](int input) { return name_of(input); }, "H");
}

}  // namespace taut
