// One run of a problem of any type: the catalogue compiled for it, the start checked, the loop, the summary. Heavy: problems/*.cpp and
// models/*.cpp instantiate it, one file for each type.
#pragma once

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/run/any_formulation.hpp>
#include <taut/run/loop.hpp>
#include <taut/run/methods.hpp>
#include <taut/run/ode_choice.hpp>
#include <taut/run/ready_made_run.hpp>
#include <taut/run/sentences.hpp>

#include <chrono>

namespace taut {

// Plain sums are there to show what compensated ones buy. These methods show it; the others would only add to the time of compilation.
template <class Method>
inline constexpr bool offers_plain_updates = false;
template <>
inline constexpr bool offers_plain_updates<Rattle> = true;
template <>
inline constexpr bool offers_plain_updates<Shake> = true;
template <>
inline constexpr bool offers_plain_updates<Composition<Rattle>> = true;
template <>
inline constexpr bool offers_plain_updates<Projected<ImplicitMidpoint>> = true;

template <class P>
constexpr std::string_view default_method_for() {
  return Natural<P> ? "rattle" : "midpoint";
}

template <class P>
class ProblemRun {
 public:
  explicit ProblemRun(std::string called) : name(std::move(called)) {}
  std::string name;  // in messages

  // InputError when the request makes no sense; a failure on the way is in the summary.
  RunSummary run(const P& s, StateOf<P> start, const RunRequest& request, const Schedule& schedule,
                 RunObserver& observer, std::string_view last_good) const {
    Choice choice{.method = request.method.empty() ? std::string(default_method_for<P>()) : request.method,
                  .ode = {}};
    choice.ode = ode_choice(choice.method, request);
    if (!choice.ode) refuse_unfit(choice.method);
    const auto moved = prepare(request, s, start);
    if (choice.ode) refuse_unfit(*choice.ode, s, start);
    using Plain = StateOf<P>;
    using Compensated = CompensatedState<double, P::n>;
    RunSummary summary =
        request.plain_updates
            ? run_from(s, Plain(start), choice, schedule, request, observer, last_good)
            : run_from(s, Compensated(start), choice, schedule, request, observer, last_good);
    summary.moved = moved;
    return summary;
  }

 private:
  struct Choice {
    std::string method;
    std::optional<OdeChoice> ode;
    std::string label() const { return ode ? method + " on " + ode->formulation : method; }
  };

  void refuse_unfit(const std::string& method) const {
    bool fits = false;
    MethodFacts facts;
    const auto error = with_method(method, [&](const auto& m) {
      fits = std::remove_cvref_t<decltype(m)>::template fits<P>;
      facts = facts_of(m);
    });
    if (error) throw ChoiceError("method", unknown_method_sentence(method, error->message));
    if (fits) return;
    Refusal refusal{.model = name, .method = method, .tier = tier_name(facts.tier), .fitting = {}};
    for_each_method([&](const auto& m) {
      if constexpr (std::remove_cvref_t<decltype(m)>::template fits<P>)
        refusal.fitting.push_back(label(facts_of(m)));
    });
    throw ChoiceError("method", does_not_fit_sentence(refusal));
  }

  static void refuse_unfit(const OdeChoice& ode, const P& s, const StateOf<P>& x) {
    for_each_formulation([&](const auto& row) {
      if (row.facts.name != ode.formulation) return;
      if (const auto reason = formulation_refusal(row, s, x)) throw ChoiceError("formulation", *reason + ".");
    });
  }

  static std::vector<int> dependent(const P& s, const auto& x) {
    if (s.constraints() == 0) return {};  // a free system
    return dependent_constraints(s, x);
  }

  std::vector<std::string> names_of(const P& s, const std::vector<int>& constraints) const {
    std::vector<std::string> names;
    for (const int k : constraints) names.push_back(constraint_name(s, k));
    return names;
  }

  // A start on the manifold, moved there where that was asked for.
  std::optional<StartMove> prepare(const RunRequest& request, const P& s, StateOf<P>& x) const {
    StartCheck check = check_start(s, x);
    if (!check.finite)
      throw InputError(name +
                       ": the start is not finite: q, p, the energy or a residual is infinite or NaN.");
    std::optional<StartMove> moved;
    if (!check.consistent() && request.project_start) {
      const auto move = project_start(s, x);
      if (!move)
        throw InputError(
            name +
            ": --project-start found no point of the manifold near this start. Choose one nearer to it.");
      moved = StartMove{move->q, move->p};
      check = check_start(s, x);
    }
    if (!check.consistent())
      throw InputError(
          inconsistent_start_sentence({.model = name,
                                       .position = check.position,
                                       .momentum = check.momentum,
                                       .on_position = check.on_position,
                                       .on_momentum = check.on_momentum,
                                       .worst_position = constraint_name(s, check.worst_position),
                                       .worst_momentum = constraint_name(s, check.worst_momentum)}));
    if (const auto found = dependent(s, x); !found.empty())
      throw InputError(dependent_start_sentence(name, names_of(s, found)));
    return moved;
  }

  static SolveOptions solve_options(const RunRequest& request) {
    SolveOptions options{.tolerance = request.tolerance};
    if (request.solver == Solver::symmetric) options.iteration = Iteration::symmetric;
    if (request.solver == Solver::sweep) options.iteration = Iteration::sweep;
    return options;
  }

  template <class X>
  static std::unique_ptr<Stepper<P, X>> stepper_for(const Choice& choice, const P& s, const X& x,
                                                    const SolveOptions& options) {
    std::unique_ptr<Stepper<P, X>> stepper;
    constexpr bool plain = std::is_same_v<X, StateOf<P>>;
    if (!choice.ode) {
      with_method(choice.method, [&](const auto& m) {
        if constexpr (!plain || offers_plain_updates<std::remove_cvref_t<decltype(m)>>)
          stepper = bind(m, s, x, options);
      });
    } else if constexpr (!plain) {
      ode_names::with_scheme(choice.method, [&](const auto& scheme) {
        using Scheme = std::remove_cvref_t<decltype(scheme)>;
        const OdeChoice& ode = *choice.ode;
        if (ode.formulation == Charts::facts.name)
          stepper =
              bind(OdeMethod<Scheme, Charts>{.scheme = scheme, .projection = ode.projection}, s, x, options);
        else
          stepper = bind(
              OdeMethod<Scheme, AnyFormulation>{
                  .scheme = scheme, .formulation = {ode.formulation}, .projection = ode.projection},
              s, x, options);
      });
    }
    return stepper;
  }

  template <class X>
  RunSummary run_from(const P& s, const X& start, const Choice& choice, const Schedule& schedule,
                      const RunRequest& request, RunObserver& observer, std::string_view last_good) const {
    using Clock = std::chrono::steady_clock;
    const auto stepper = stepper_for(choice, s, start, solve_options(request));
    if (!stepper)
      throw InputError(
          "--plain-updates works with shake, rattle, midpoint and compositions of rattle, not with " +
          choice.method + ".");
    const auto began = Clock::now();
    auto told = began;
    std::string write_error;
    const auto watch = [&](std::int64_t index, const X& x, const Reading& reading) {
      if (index % schedule.every == 0 || index == schedule.steps) {
        const auto n = static_cast<std::size_t>(x.q.size());
        try {
          observer.sample(static_cast<double>(index) * schedule.step, {x.q.data(), n}, {x.p.data(), n},
                          reading);
        } catch (const WriteError& error) {
          write_error = error.what();
          return false;
        }
      }
      if (index % 64 == 0) {
        if (const auto now = Clock::now(); now - told > std::chrono::milliseconds(100)) {
          told = now;
          observer.progress(index, schedule.steps);
        }
      }
      return true;
    };
    const auto loop = integrate(s, *stepper, start, schedule.step, schedule.steps, watch);

    RunSummary result;
    result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    result.model = name;
    result.method = choice.method;
    if (choice.ode) {
      result.formulation = choice.ode->formulation;
      result.projection = choice.ode->kind;
      const ProjectionCount count = stepper->projections();
      result.position_projections = count.position;
      result.momentum_projections = count.momentum;
    }
    result.step = schedule.step;
    result.steps = loop.steps;
    result.wanted = schedule.steps;
    result.time = static_cast<double>(loop.steps) * schedule.step;
    result.q.assign(loop.last.q.data(), loop.last.q.data() + loop.last.q.size());
    result.p.assign(loop.last.p.data(), loop.last.p.data() + loop.last.p.size());
    if (const auto lambda = multiplier(s, loop.last.q, loop.last.p))
      result.lambda.assign(lambda->data(), lambda->data() + lambda->size());
    result.energy_initial = loop.first.energy;
    result.energy_final = loop.at_end.energy;
    result.energy_error = loop.energy_error;
    result.trend = loop.trend;
    result.position_max = loop.position_max;
    result.momentum_max = loop.momentum_max;
    if (loop.steps > 0)
      result.iterations_mean = static_cast<double>(loop.iterations) / static_cast<double>(loop.steps);
    result.iterations_max = loop.iterations_max;
    result.error = write_error;
    if (loop.failure || loop.energy_not_finite) {
      const Failure failure = loop.failure.value_or(Failure{.kind = FailureKind::not_finite});
      const std::string label = choice.label();
      FailedStep at{.method = label,
                    .failure = failure,
                    .energy_not_finite = loop.energy_not_finite,
                    .is_ode = choice.ode.has_value(),
                    .step = loop.steps + 1,
                    .h = schedule.step,
                    .solver = request.solver,
                    .tolerance = request.tolerance,
                    .constraint = {},
                    .dependent = names_of(s, dependent(s, loop.last))};
      if (failure.constraint >= 0 && failure.constraint < s.constraints() &&
          failure.stage != SolveStage::inner)
        at.constraint = constraint_name(s, failure.constraint);
      result.error = failure_sentence(at, last_good);
    }
    return result;
  }
};

}  // namespace taut
