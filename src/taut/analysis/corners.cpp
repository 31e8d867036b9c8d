#include <taut/analysis/corners.hpp>
#include <taut/model/model.hpp>

#include <cmath>
#include <map>

namespace taut {

namespace {

// Calls visit(formula) for what H and g are made of.
template <class Visit>
void for_each_formula(const Model& model, Visit visit) {
  if (model.particles) return;
  visit(model.form == Model::Form::hamiltonian ? model.hamiltonian : model.potential);
  for (const Formula& mass : model.mass) visit(mass);
  visit(model.dynamics.kinetic);
  for (const Formula& g : model.constraints) visit(g);
}

template <class Visit>
void for_each_corner(const Model& model, Visit visit) {
  for_each_formula(model, [&](const Formula& f) {
    for (const FormulaNode& node : f.nodes)
      if (node.op == Op::absolute) visit(f, node);
  });
}

std::map<std::string, Float128, std::less<>> names_at(const Model& model, const PlainState& x) {
  std::map<std::string, Float128, std::less<>> known;
  for (const NamedFormula& a : model.parameters) known.emplace(a.name, a.value);
  for (std::size_t j = 0; j < model.coordinates.size(); ++j) {
    const std::string& name = model.coordinates[j];
    known[name] = x.q[j];
    known["p_" + name] = x.p[j];
    if (name == time_name) known.emplace("t", x.q[j]);
  }
  return known;
}

}  // namespace

Corners::Corners(const Model& model) {
  for_each_corner(model, [&](const Formula& f, const FormulaNode& node) {
    corners_.push_back({.text = std::string(f.part(node.span))});
  });
  if (!corners_.empty()) model_ = &model;
}

void Corners::look(const PlainState& x) {
  if (model_ == nullptr || !crossed_.empty()) return;
  const auto known = names_at(*model_, x);
  std::size_t at = 0;
  for_each_formula(*model_, [&](const Formula& f) {
    std::vector<Float128> values;
    for (const FormulaNode& node : f.nodes) {
      if (node.op != Op::absolute) continue;
      Corner& corner = corners_[at++];
      // A velocity in a kinetic energy, which no state has, is left out.
      if (values.empty())
        values = evaluate(f, [&](std::string_view name) {
          const auto value = known.find(name);
          return value == known.end() ? Float128(0) : value->second;
        });
      const Float128 u = values[static_cast<std::size_t>(node.a)];
      corner.was_positive |= u > 0;
      corner.was_negative |= u < 0;
      if (corner.was_positive && corner.was_negative) crossed_ = corner.text;
    }
  });
}

}  // namespace taut
