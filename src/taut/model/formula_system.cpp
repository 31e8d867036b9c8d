#include <taut/model/formula_system.hpp>

#include <taut/model/code/parametrisation.hpp>
#include <taut/model/known_size.hpp>
#include <taut/model/text/functions.hpp>
#include <taut/solve/matrix/narrow_order.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

// A full mass matrix is taken as sparse if it has so many rows, and its factor less than this part of them.
constexpr int least_sparse_mass = 16, part_of_a_full_mass = 8;

std::vector<int> order_of_mass(const FormulaSystem& s) {
  if (s.diagonal_mass || s.n < least_sparse_mass) return {};
  Neighbours of(static_cast<std::size_t>(s.n));
  for (int i = 0; i < s.n; ++i)
    for (int j = 0; j < s.n; ++j)
      if (i != j && s.mass[mass_entry(s, i, j)] != 0) of[static_cast<std::size_t>(i)].push_back(j);
  std::vector<int> order = narrow_order(of);
  const std::vector<int> first = envelope_of(of, places_in(order));
  std::int64_t entries = 0;
  for (int i = 0; i < s.n; ++i) entries += i - first[static_cast<std::size_t>(i)] + 1;
  return part_of_a_full_mass * entries < std::int64_t{s.n} * s.n ? order : std::vector<int>{};
}

}  // namespace

Float128 lost_by_damping(Float128 rate, Float128 time) { return exp(-rate * time) - 1; }

void plan_elimination(FormulaSystem& s) {
  s.elimination.reset();
  if (s.kind != System::Kind::hamiltonian && s.diagonal_mass && !s.least_squares)
    s.elimination = std::make_shared<const EnvelopePlan>(s.begin, s.column);
}

std::shared_ptr<const FormulaSystem> compile(const Model& model) {
  System s = model.derived ? *model.derived : derive(model);
  auto out = std::make_shared<FormulaSystem>();
  const auto code = [&](const std::vector<int>& nodes) {
    return std::make_shared<const Program>(linearise(s.graph, nodes, s.n));
  };
  out->kind = s.kind;
  out->timed = model.dynamics.timed;
  out->forced = !model.dynamics.forces.empty();
  const auto damps = [](const Force& force) { return force.damps; };
  if (std::any_of(model.dynamics.forces.begin(), model.dynamics.forces.end(), damps)) {
    out->damping.assign(model.coordinates.size(), Float128(0));
    for (const Force& force : model.dynamics.forces)
      if (force.damps) out->damping[static_cast<std::size_t>(force.coordinate)] += force.rate;
    Model rest = model;
    rest.derived.reset();
    std::erase_if(rest.dynamics.forces, damps);
    out->undamped = compile(rest);
  }
  out->n = s.n;
  out->m = s.m;
  out->least_squares = model.run.least_squares;
  out->holonomic = s.m - model.dynamics.velocity_constraints;
  out->g = code(s.g);
  out->G = code(s.G);
  out->begin = s.begin;
  out->column = s.column;
  if (s.kind == System::Kind::hamiltonian) {
    out->H = code({s.H});
    out->H_q = code(s.H_q);
    out->H_p = code(s.H_p);
    out->H_pp_v = code(s.H_pp_v);
  } else {
    out->V = code({s.V});
    out->grad_V = code(s.grad_V);
    out->inverse_mass = s.inverse_mass;
    out->mass = s.mass;
    out->diagonal_mass = s.inverse_mass.size() == static_cast<std::size_t>(s.n);
    out->mass_order = order_of_mass(*out);
    plan_elimination(*out);
  }
  if (has_known_size(*out)) {
    std::vector<int> whole(static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n),
                           s.graph.constant(0));
    for (int i = 0; i < s.m; ++i)
      for (int k = s.begin[static_cast<std::size_t>(i)]; k < s.begin[static_cast<std::size_t>(i) + 1]; ++k)
        whole[static_cast<std::size_t>(i) * s.n + s.column[static_cast<std::size_t>(k)]] =
            s.G[static_cast<std::size_t>(k)];
    out->whole_G = code(whole);
  }
  if (s.kind == System::Kind::split) {
    out->V_fast = code({s.V_fast});
    out->grad_V_fast = code(s.grad_V_fast);
    out->grad_V_slow = code(s.grad_V_slow);
  }
  if (const auto& map = model.parametrisation) {
    out->phi =
        std::make_shared<const Program>(linearise(map->graph, map->phi, static_cast<int>(map->parameters())));
    out->delta = map->start;
  }
  for (const NamedFormula& x : model.q) out->q.push_back(x.value);
  for (const NamedFormula& x : model.p) out->p.push_back(x.value);
  for (std::size_t k = 0; k < model.constraints.size(); ++k)
    out->constraint_names.push_back("constraint " + std::to_string(k + 1) + " (" +
                                    shown(model.constraints[k].text) + ")");
  return out;
}

}  // namespace taut
