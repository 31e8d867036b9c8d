// Backward differentiation and Radau IIA on forms of the constrained equations of index 2: with 0 = G H_p in
// place of 0 = g, or with both, stabilised. The method and the form are data: one type is compiled for a
// problem. Labels: docs/theory/dae-forms.md.
#pragma once

#include <taut/method/baselines/bdf.hpp>
#include <taut/method/baselines/dae_form_stages.hpp>
#include <taut/method/facts.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace taut {

enum class DaeFormFamily { bdf, radau };

struct DaeFormMethod {
  DaeFormFamily family = DaeFormFamily::bdf;
  int number = 2;  // steps or stages
  DaeForm form{};
  SolveOptions solve{};

  static constexpr int starting_stages = 3;  // radau(3), of order 5, makes the first steps of bdf(k), k <= 6

  MethodFacts facts() const {
    const bool bdf = family == DaeFormFamily::bdf;
    return {.name = bdf ? "bdf" : "radau",
            .argument = number,
            .base = form.position ? GearGuptaLeimkuhler::facts.name : Index2::facts.name,
            .what = form.position ? GearGuptaLeimkuhler::facts.what : Index2::facts.what,
            .source = form.position ? GearGuptaLeimkuhler::facts.source : Index2::facts.source,
            .theory = "dae-forms",
            .order = bdf ? number : 2 * number - 1,
            .keeps = form.position ? Keeps::position_and_momentum : Keeps::momentum,
            .tier = Tier::dirac,
            .work = 20 * (bdf ? 1 : number),
            .solve_limit = 2 * stage_newton_limit};
  }

  template <class P>
  static constexpr bool fits = Smooth<P> && is_float<typename P::Scalar>;

  template <Smooth P, class X>
  struct Memory {
    Memory(const P& s, const X& x, const DaeFormMethod& method)
        : stages(s, method.tableau(), method.form),
          q_sum(zero_vector(s)),
          p_sum(q_sum),
          before(x),
          past(method.family == DaeFormFamily::bdf ? static_cast<std::size_t>(method.number) - 1 : 0, x) {
      if (past.empty()) return;
      starter.emplace_back(s, radau_tableau(starting_stages), method.form);
    }
    DaeFormStages<P> stages;
    std::vector<DaeFormStages<P>> starter;  // one, if a start is needed
    typename P::Vec q_sum, p_sum;
    X before;
    std::vector<X> past;  // x_{n-1}, x_{n-2}, …, x_{n-k+1}
    int known = 0;        // how many of them are known

    template <class Carry>
    void carry(Carry& c) {
      c(past);
      c(known);
    }
    void remember() {
      std::rotate(past.begin(), past.end() - (past.empty() ? 0 : 1), past.end());
      if (!past.empty()) past.front() = before;
      known = std::min(known + 1, static_cast<int>(past.size()));
    }
    typename P::Multiplier last_multiplier(const typename P::Scalar& h) const { return stages.last().L / h; }
  };

  template <Smooth P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.before = x;
    const bool starts = at.known < static_cast<int>(at.past.size());
    const auto moved = family == DaeFormFamily::radau ? by_stages(s, x, at.stages, h)
                       : starts                       ? by_stages(s, x, at.starter.front(), h)
                                                      : by_differences(s, x, at, h);
    if (moved) at.remember();
    return moved;
  }

 private:
  Tableau<Float128> tableau() const {
    return family == DaeFormFamily::radau ? radau_tableau(number) : collocation({Float128(1)});
  }

  // The last stage of Radau IIA is the end of the step.
  template <Smooth P, class X>
  Expected<int> by_stages(const P& s, X& x, DaeFormStages<P>& stages, const typename P::Scalar& h) const {
    const auto solved = stages.solve(s, x.q, x.p, h, solve);
    if (!solved) return solved;
    drift(x, typename P::Vec(stages.last_Z()));
    kick(x, typename P::Vec(stages.last_Y()));
    return solved;
  }

  // Σ αᵢ y_{n+1-i} = h y', one stage from the sum of the past ones.                                    (DX7)
  template <Smooth P, class X>
  Expected<int> by_differences(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const std::vector<Float128> alpha = Bdf::coefficients(number);
    const auto share = [&](std::size_t i) { return coefficient<T>(alpha[i] / alpha[0]); };
    at.q_sum = -share(1) * x.q;
    at.p_sum = -share(1) * x.p;
    for (std::size_t i = 0; i < at.past.size(); ++i) {
      at.q_sum -= share(i + 2) * at.past[i].q;
      at.p_sum -= share(i + 2) * at.past[i].p;
    }
    const auto solved = at.stages.solve(s, at.q_sum, at.p_sum, h * coefficient<T>(1 / alpha[0]), solve);
    if (!solved) return solved;
    x = X(StateOf<P>{at.stages.last().q, at.stages.last().p});
    return solved;
  }
};

// Returns the method of these facts on the form of that name. Returns nothing if there is no such form, or if
// the method is not offered on forms.
inline std::optional<DaeFormMethod> dae_form_method(const MethodFacts& facts, std::string_view formulation) {
  std::optional<DaeFormMethod> found;
  for_each_dae_form([&](const auto& row, const DaeForm& form) {
    if (row.facts.name != formulation) return;
    for (const DaeFormFamily family : {DaeFormFamily::bdf, DaeFormFamily::radau})
      if (const DaeFormMethod method{.family = family, .number = facts.argument, .form = form};
          method.facts().name == facts.name)
        found = method;
  });
  return found;
}

}  // namespace taut
