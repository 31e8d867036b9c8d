// A ready-made problem with its parameters, and its run.
#pragma once

#include <taut/run/parameters.hpp>
#include <taut/run/problem_run.hpp>

namespace taut {

// Applies NAME=VALUE to parameters and start; InputError with the known names for one that is neither.
void refuse_value(const Parameter& parameter, double value);
[[noreturn]] void refuse_name(std::string_view model, const std::string& name,
                              const std::vector<Parameter>& parameters, int coordinates);
// From 0 when `name` is letter followed by a number of 1 … count.
std::optional<int> index_of(std::string_view name, char letter, int count);

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
  std::string default_method() const override { return std::string(default_method_for<P>()); }
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
    const StateOf<P> start = apply(request, s);
    return ProblemRun<P>(name).run(s, start, request, schedule, observer, last_good);
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

  P problem_;
};

}  // namespace taut
