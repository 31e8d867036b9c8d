// Heavy: compiles the whole catalogue for one type of problem. models/*.cpp instantiate it, one file for each type.
#pragma once

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/mechanism/any_formulation.hpp>
#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/mechanism/sized_machine.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/method/catalogue.hpp>

namespace taut {

// A split problem is compiled only for the methods that need the split; the natural problem it is without it serves the others.
template <class P>
concept KnownWithoutSplit = requires(const P& s) { s.without_split(); };

template <Hamiltonian P>
class MechanismOf final : public Mechanism {
 public:
  explicit MechanismOf(const P& problem) : problem_(problem) {
    if constexpr (KnownWithoutSplit<P>) without_split_ = make_mechanism(problem.without_split());
  }

  int coordinates() const override { return problem_.coordinates(); }
  int constraints() const override { return problem_.constraints(); }
  Tier tier() const override {
    return Split<P> ? Tier::split : Natural<P> ? Tier::natural : Tier::hamiltonian;
  }
  std::string constraint_name(int k) const override { return taut::constraint_name(problem_, k); }
  PlainState start() const override { return plain_state(problem_.start()); }

  bool fits(const std::string& method) const override {
    bool fitting = false;
    with_method(method, [&](const auto& m) { fitting = std::remove_cvref_t<decltype(m)>::template fits<P>; });
    return fitting;
  }
  std::vector<std::string> fitting() const override {
    std::vector<std::string> names;
    for_each_method([&](const auto& m) {
      if constexpr (std::remove_cvref_t<decltype(m)>::template fits<P>) names.push_back(label(facts_of(m)));
    });
    return names;
  }
  std::optional<std::string> refusal(const OdeChoice& ode, const PlainState& start) const override {
    std::optional<std::string> reason;
    if constexpr (KnownWithoutSplit<P>)
      reason = without_split_->refusal(ode, start);
    else
      for_each_formulation([&](const auto& row) {
        if (row.facts.name != ode.formulation) return;
        if (const auto why = formulation_refusal(row, problem_, state(start))) reason = *why + ".";
      });
    return reason;
  }

  StartCheck check(const PlainState& x) const override { return check_start(problem_, state(x)); }
  Expected<Move> project(PlainState& x) const override {
    StateOf<P> moved = state(x);
    const auto move = project_start(problem_, moved);
    if (move) x = plain_state(moved);
    return move;
  }
  std::vector<int> dependent(const PlainState& x) const override {
    if (problem_.constraints() == 0) return {};  // a free system
    return dependent_constraints(problem_, state(x));
  }
  Connection connection(const PlainState& x,
                        int) const override {  // all of them: models of formulas are small
    if (problem_.constraints() == 0) return {};
    return {problem_.constraints(), condition_of_gradients(problem_, state(x))};
  }

  std::unique_ptr<Machine> bind(const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates) const override {
    if constexpr (KnownWithoutSplit<P>)
      if (choice.ode || without_split_->fits(choice.method))
        return without_split_->bind(choice, start, options, plain_updates);
    if constexpr (requires { sized_machine(problem_, choice, start, options, plain_updates); })
      if (auto sized = sized_machine(problem_, choice, start, options, plain_updates)) return sized;
    if (plain_updates) return machine(choice, state(start), options);
    return machine(choice, CompensatedState<double, P::n>(state(start)), options);
  }

 private:
  template <class Method>
  static constexpr bool compiled_here() {
    if constexpr (KnownWithoutSplit<P>)
      return !Method::template fits<decltype(std::declval<P>().without_split())>;
    else
      return true;
  }

  static StateOf<P> state(const PlainState& x) { return typed_state<P>(x); }

  template <class X>
  std::unique_ptr<Machine> machine(const MethodChoice& choice, const X& x,
                                   const SolveOptions& options) const {
    auto stepper = stepper_for(choice, x, options);
    if (!stepper) return nullptr;
    return std::make_unique<MachineOf<P, X>>(problem_, x, std::move(stepper));
  }

  template <class X>
  std::unique_ptr<Stepper<P, X>> stepper_for(const MethodChoice& choice, const X& x,
                                             const SolveOptions& options) const {
    std::unique_ptr<Stepper<P, X>> stepper;
    constexpr bool plain = std::is_same_v<X, StateOf<P>>;
    if (!choice.ode) {
      with_method(choice.method, [&](const auto& m) {
        using Method = std::remove_cvref_t<decltype(m)>;
        if constexpr (compiled_here<Method>() && (!plain || OffersPlainUpdates<Method>))
          stepper = taut::try_bind(m, problem_, x, options);
      });
    } else if constexpr (!plain && !KnownWithoutSplit<P>) {
      ode_names::with_scheme(choice.method, [&](const auto& scheme) {
        using Scheme = std::remove_cvref_t<decltype(scheme)>;
        const OdeChoice& ode = *choice.ode;
        if (ode.formulation == Charts::facts.name)
          stepper = taut::try_bind(
              OdeMethod<Scheme, Charts>{
                  .scheme = scheme, .formulation = {ode.charts}, .projection = ode.projection},
              problem_, x, options);
        else
          stepper = taut::try_bind(
              OdeMethod<Scheme, AnyFormulation>{
                  .scheme = scheme, .formulation = {ode.formulation}, .projection = ode.projection},
              problem_, x, options);
      });
    }
    return stepper;
  }

  P problem_;
  std::unique_ptr<Mechanism> without_split_;  // of a split problem
};

template <class P>
std::unique_ptr<Mechanism> make_mechanism(const P& problem) {
  return std::make_unique<MechanismOf<P>>(problem);
}

}  // namespace taut
