// The run of one ready-made problem: the catalogue compiled for its type. Heavy; problems/*.cpp instantiate it, one file each.
#pragma once

#include <taut/formulation/dependent.hpp>
#include <taut/formulation/multiplier.hpp>
#include <taut/run/loop.hpp>
#include <taut/run/methods.hpp>
#include <taut/run/nearest_name.hpp>
#include <taut/run/parameters.hpp>
#include <taut/run/ready_made_run.hpp>
#include <taut/run/sentences.hpp>

#include <chrono>

namespace taut {

// Applies NAME=VALUE to parameters and start; InputError with the known names for one that is neither.
void refuse_value(const Parameter& parameter, double value);
[[noreturn]] void refuse_name(std::string_view model, const std::string& name,
                              const std::vector<Parameter>& parameters, int coordinates);
// From 0 when `name` is letter followed by a number of 1 … count.
std::optional<int> index_of(std::string_view name, char letter, int count);

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
class ReadyMadeRunOf final : public ReadyMadeRun {
 public:
  ReadyMadeRunOf(std::string_view called, std::string_view what, const P& problem) : problem_(problem) {
    name = called;
    description = what;
  }

  int coordinates() const override { return problem_.coordinates(); }
  int constraints() const override { return problem_.constraints(); }
  std::string_view tier() const override {
    return tier_name(Split<P> ? Tier::split : Natural<P> ? Tier::natural : Tier::hamiltonian);
  }
  std::string default_method() const override { return Natural<P> ? "rattle" : "midpoint"; }
  // A chain of links whips: a tenth of the others' step.
  double default_step() const override { return P::n == dynamic ? 0.001 : 0.01; }
  std::vector<NamedValue> parameters() const override {
    P copy = problem_;
    std::vector<NamedValue> list;
    for (const Parameter& a : parameters_of(copy)) list.push_back({a.name, a.value});
    return list;
  }

  RunSummary run(const RunRequest& request, RunObserver& observer,
                 std::string_view last_good) const override {
    const Schedule schedule = schedule_of(request, default_step());
    P s = problem_;
    StateOf<P> start = apply(request, s);
    const std::string method = request.method.empty() ? default_method() : request.method;
    refuse_unfit(method);
    const auto moved = prepare(request, s, start);
    using Plain = StateOf<P>;
    using Compensated = CompensatedState<double, P::n>;
    RunSummary summary =
        request.plain_updates
            ? run_from(s, Plain(start), method, schedule, request, observer, last_good)
            : run_from(s, Compensated(start), method, schedule, request, observer, last_good);
    summary.moved = moved;
    return summary;
  }

 private:
  // Parameters first, then the start they give, then single values of it.
  StateOf<P> apply(const RunRequest& request, P& s) const {
    for (const auto& [key, value] : request.set) {
      const std::vector<Parameter> known = parameters_of(s);
      for (const Parameter& a : known) {
        if (a.name != key) continue;
        refuse_value(a, value);
        a.set(value);
      }
    }
    StateOf<P> x = s.start();
    for (const auto& [key, value] : request.set) {
      const std::vector<Parameter> known = parameters_of(s);
      if (std::any_of(known.begin(), known.end(), [&k = key](const Parameter& a) { return a.name == k; }))
        continue;
      refuse_value({.name = key, .value = value, .set = {}}, value);
      if (const auto i = index_of(key, 'q', s.coordinates()))
        x.q[*i] = value;
      else if (const auto j = index_of(key, 'p', s.coordinates()))
        x.p[*j] = value;
      else
        refuse_name(name, key, known, s.coordinates());
    }
    return x;
  }

  void refuse_unfit(const std::string& method) const {
    bool fits = false;
    MethodFacts facts;
    const auto error = with_method(method, [&](const auto& m) {
      fits = std::remove_cvref_t<decltype(m)>::template fits<P>;
      facts = facts_of(m);
    });
    if (error) throw InputError(unknown_method_sentence(method, error->message));
    if (fits) return;
    Refusal refusal{.model = name, .method = method, .tier = tier_name(facts.tier), .fitting = {}};
    for_each_method([&](const auto& m) {
      if constexpr (std::remove_cvref_t<decltype(m)>::template fits<P>)
        refusal.fitting.push_back(label(facts_of(m)));
    });
    throw InputError(does_not_fit_sentence(refusal));
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
    if (const auto dependent = dependent_constraints(s, x); !dependent.empty())
      throw InputError(dependent_start_sentence(name, names_of(s, dependent)));
    return moved;
  }

  static SolveOptions solve_options(const RunRequest& request) {
    SolveOptions options{.tolerance = request.tolerance};
    if (request.solver == Solver::symmetric) options.iteration = Iteration::symmetric;
    if (request.solver == Solver::sweep) options.iteration = Iteration::sweep;
    return options;
  }

  template <class X>
  static std::unique_ptr<Stepper<P, X>> stepper_for(const std::string& method, const P& s, const X& x,
                                                    const SolveOptions& options) {
    std::unique_ptr<Stepper<P, X>> stepper;
    with_method(method, [&](const auto& m) {
      if constexpr (!std::is_same_v<X, StateOf<P>> || offers_plain_updates<std::remove_cvref_t<decltype(m)>>)
        stepper = bind(m, s, x, options);
    });
    return stepper;
  }

  template <class X>
  RunSummary run_from(const P& s, const X& start, const std::string& method, const Schedule& schedule,
                      const RunRequest& request, RunObserver& observer, std::string_view last_good) const {
    using Clock = std::chrono::steady_clock;
    const auto stepper = stepper_for(method, s, start, solve_options(request));
    if (!stepper)
      throw InputError(
          "--plain-updates works with shake, rattle, midpoint and compositions of rattle, not with " +
          method + ".");
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
    result.method = method;
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
      FailedStep at{.method = method,
                    .failure = failure,
                    .energy_not_finite = loop.energy_not_finite,
                    .step = loop.steps + 1,
                    .h = schedule.step,
                    .solver = request.solver,
                    .tolerance = request.tolerance,
                    .constraint = {},
                    .dependent = names_of(s, dependent_constraints(s, loop.last))};
      if (failure.constraint >= 0 && failure.constraint < s.constraints() &&
          failure.stage != SolveStage::inner)
        at.constraint = constraint_name(s, failure.constraint);
      result.error = failure_sentence(at, last_good);
    }
    return result;
  }

  P problem_;
};

}  // namespace taut
