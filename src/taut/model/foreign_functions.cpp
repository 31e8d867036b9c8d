#include <taut/model/foreign_functions.hpp>

#include <taut/model/code/foreign.hpp>
#include <taut/model/formula_system.hpp>

namespace taut {

namespace {

void check(const FormulaSystem& system, const ForeignFunctions& f) {
  if (f.has_V() && (f.V == nullptr || f.grad_V == nullptr))
    throw InputError("V and grad_V are given together.");
  if (f.has_H() && (f.H == nullptr || f.H_q == nullptr || f.H_p == nullptr || f.H_pp_v == nullptr))
    throw InputError("H, H_q, H_p and H_pp_v are given together.");
  if (f.has_g() && (f.g == nullptr || f.G == nullptr)) throw InputError("g and G are given together.");
  if (f.has_V() && system.kind != System::Kind::natural)
    throw InputError(
        "V and grad_V belong to a model with mass and potential, and this one is of another kind.");
  if (f.has_H() && system.kind != System::Kind::hamiltonian)
    throw InputError(
        "H, H_q, H_p and H_pp_v belong to a model whose hamiltonian is not p'Wp/2 + V(q), and this one is "
        "natural.");
  if (system.phi)
    throw InputError("a model with a parametrisation of its own cannot have functions of the caller.");
}

}  // namespace

Program foreign_program(CompiledProgram function, int n, int blocks, int outputs) {
  Program program;
  program.compiled = function;
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < n; ++i) program.loads[static_cast<std::size_t>(b)].push_back({0, i});
  program.outputs.assign(static_cast<std::size_t>(outputs), 0);
  return program;
}

std::shared_ptr<const FormulaSystem> with_functions(const FormulaSystem& system, const ForeignFunctions& f) {
  check(system, f);
  auto made = std::make_shared<FormulaSystem>(system);
  const int n = system.n, m = system.m;
  const auto put = [&](FormulaSystem::Code& code, ForeignFunction function, int blocks, int outputs) {
    if (function != nullptr)
      code = std::make_shared<const Program>(foreign_program(function, n, blocks, outputs));
  };
  put(made->V, f.V, 1, 1);
  put(made->grad_V, f.grad_V, 1, n);
  put(made->H, f.H, 2, 1);
  put(made->H_q, f.H_q, 2, n);
  put(made->H_p, f.H_p, 2, n);
  put(made->H_pp_v, f.H_pp_v, 3, n);
  if (!f.has_g()) return made;
  put(made->g, f.g, 1, m);
  put(made->G, f.G, 1, m * n);
  if (made->whole_G) put(made->whole_G, f.G, 1, m * n);
  made->begin.assign(1, 0);
  made->column.clear();
  made->constraint_names.clear();
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) made->column.push_back(j);
    made->begin.push_back(static_cast<int>(made->column.size()));
    made->constraint_names.push_back("constraint " + std::to_string(i + 1) + " (a function of the caller)");
  }
  plan_elimination(*made);
  return made;
}

}  // namespace taut
