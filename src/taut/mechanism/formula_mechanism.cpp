// Models of formulas: one problem whose kind is data, with every method of the catalogue.
#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/mechanism/evaluate.hpp>
#include <taut/mechanism/formula_steppers.hpp>
#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/solve/decompositions.hpp>

#include <algorithm>

namespace taut {

namespace {

class FormulaMechanism final : public Mechanism {
 public:
  explicit FormulaMechanism(const std::shared_ptr<const FormulaSystem>& system) : problem_(system) {}

  int coordinates() const override { return problem_.coordinates(); }
  int constraints() const override { return problem_.constraints(); }
  Tier tier() const override { return problem_.tier(); }
  bool parametrised() const override { return problem_.has_parametrisation(); }
  bool timed() const override { return problem_.system()->timed; }
  bool forced() const override { return problem_.system()->forced; }
  Damping damping() const override {
    const Numbers& rates = problem_.damping();
    if (rates.empty()) return Damping::none;
    const bool same =
        std::all_of(rates.begin(), rates.end() - 1, [&](Float128 r) { return r == rates.front(); });
    return same ? Damping::equal : Damping::different;
  }
  int velocity_constraints() const override { return problem_.constraints() - problem_.holonomic(); }
  std::string constraint_name(int k) const override { return problem_.constraint_name(k); }
  PlainState start() const override { return plain_state(problem_.start()); }

  bool fits(const std::string& method) const override { return method_fits(problem_, method); }
  std::vector<std::string> fitting() const override { return fitting_methods(problem_); }
  std::optional<std::string> refusal(const OdeChoice& ode, const PlainState& start) const override {
    return ode_refusal(problem_, ode, state(start));
  }

  StartCheck check(const PlainState& x) const override { return check_start(problem_, state(x)); }
  Expected<Move> project(PlainState& x) const override {
    FormulaPoint moved = state(x);
    const auto move = project_start(problem_, moved);
    if (move) x = plain_state(moved);
    return move;
  }
  bool evaluate(Evaluated what, const StatesToEvaluate& x, double* out) const override {
    return EvaluationOf(problem_, [](int j) { return j; }).at(what, x, out);
  }
  std::vector<int> dependent(const PlainState& x) const override {
    if (problem_.constraints() == 0 || problem_.least_squares()) return {};
    return dependent_constraints(problem_, state(x));
  }
  // All constraints count as connected: models of formulas are small.
  Connection connection(const PlainState& x, int) const override {
    if (problem_.constraints() == 0) return {};
    return {problem_.constraints(), condition_of_gradients(problem_, state(x), problem_.least_squares())};
  }
  std::vector<int> without_gradient(const PlainState& x) const override {
    if (problem_.constraints() == 0) return {};
    auto G = problem_.make_jacobian();
    problem_.G(state(x).q, G);
    return rows_of_zero(dense_rows(problem_, G));
  }

  std::unique_ptr<Machine> bind(const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates) const override {
    if (auto sized = sized_machine(problem_.system(), choice, start, options, plain_updates)) return sized;
    if (plain_updates) {
      if (choice.ode) return nullptr;
      const FormulaPoint x = state(start);
      return machine(x, plain_stepper(problem_, choice.method, x, options));
    }
    const FormulaState x(state(start));
    if (choice.ode)
      if (auto on_form = dae_form_stepper(problem_, choice.method, *choice.ode, x, options))
        return machine(x, std::move(on_form));
    return machine(x, choice.ode ? ode_stepper(problem_, choice.method, *choice.ode, x, options)
                                 : method_stepper(problem_, choice.method, x, options));
  }

 private:
  static FormulaPoint state(const PlainState& x) { return typed_state<FormulaProblem<>>(x); }

  template <class X>
  std::unique_ptr<Machine> machine(const X& x, FormulaStepper<X> stepper) const {
    if (!stepper) return nullptr;
    return std::make_unique<MachineOf<FormulaProblem<>, X>>(problem_, x, std::move(stepper));
  }

  FormulaProblem<> problem_;
};

}  // namespace

std::unique_ptr<Mechanism> make_mechanism(const std::shared_ptr<const FormulaSystem>& system) {
  return std::make_unique<FormulaMechanism>(system);
}

}  // namespace taut
