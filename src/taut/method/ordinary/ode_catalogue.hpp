// The list of ordinary methods, the list of formulations, and the way from their names to a method.
#pragma once

#include <taut/formulation/baumgarte.hpp>
#include <taut/formulation/charts.hpp>
#include <taut/formulation/dirac.hpp>
#include <taut/formulation/dirac_simplified.hpp>
#include <taut/formulation/dirac_weak.hpp>
#include <taut/formulation/hamilton_dirac.hpp>
#include <taut/formulation/impetus_striction.hpp>
#include <taut/formulation/linear.hpp>
#include <taut/formulation/parametrised.hpp>
#include <taut/formulation/penalty.hpp>
#include <taut/formulation/underlying.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/ordinary/explicit_runge_kutta.hpp>
#include <taut/method/ordinary/ode_gauss.hpp>
#include <taut/method/ordinary/ode_method.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace taut {

// Calls visit(formulation) for every row, in the order in which they are listed to people.
template <class Visit>
void for_each_formulation(Visit&& visit) {
  visit(Underlying{});
  visit(Dirac{});
  visit(DiracSimplified{});
  visit(DiracWeak{});
  visit(HamiltonDirac{});
  visit(Charts{});
  visit(Parametrised{});
  visit(ParametrisedVelocity{});
  visit(Linear{});
  visit(Baumgarte{});
  visit(Penalty{});
  visit(ImpetusStriction{});
}

template <class Visit>
void for_each_ode_scheme(Visit&& visit) {
  for (const ExplicitScheme& scheme : explicit_schemes) visit(ExplicitRungeKutta{&scheme});
  visit(OdeGauss{.s = 1, .is_midpoint = true});
  for (int s = 1; s <= 4; ++s) visit(OdeGauss{.s = s});
}

namespace ode_names {

inline std::string listed(auto&& for_each) {
  std::string names, last;
  for_each([&](const auto& row) {
    std::string_view name;
    if constexpr (requires { row.facts(); })
      name = row.facts().name;
    else
      name = row.facts.name;
    if (name == last) return;
    names += (names.empty() ? "" : ", ") + std::string(name);
    last = name;
  });
  return names;
}

template <class Visit>
std::optional<NameError> with_scheme(std::string_view text, Visit&& visit) {
  const auto asked = parse_method_name(text);
  if (!asked)
    return NameError{std::string("'").append(text).append("' is not of the form name or name(argument)")};
  std::optional<NameError> error;
  bool found = false;
  for_each_ode_scheme([&](const auto& row) {
    if (found || row.facts().name != asked->name) return;
    found = true;
    error = catalogue_names::visit_row(row, *asked, visit);
  });
  if (found) return error;
  return NameError{
      std::string("'").append(text).append("' does not integrate a formulation; those that do are ") +
      listed([](auto&& f) { for_each_ode_scheme(f); })};
}

}  // namespace ode_names

// Asks whether the name needs a formulation; without one it means the first of the list.
inline bool is_ode_method(std::string_view text) {
  const auto asked = parse_method_name(text);
  bool found = false;
  if (asked) for_each_ode_scheme([&](const auto& row) { found = found || row.facts().name == asked->name; });
  return found;
}

// Calls visit(OdeMethod) for the method, formulation and projection of these names, or returns why there is
// none.
template <class Visit>
std::optional<NameError> with_ode_method(std::string_view name, std::string_view formulation,
                                         const Projection& projection, Visit&& visit) {
  if (!(projection.tolerance >= 0))
    return NameError{"the tolerance of a projection must be 0 (every step) or positive"};
  if (projection.kind == ProjectionKind::none && projection.tolerance > 0)
    return NameError{"projection 'none' takes no tolerance; say position, momentum or both"};
  std::optional<NameError> error;
  bool found = false;
  for_each_formulation([&](const auto& row) {
    using Formulation = std::decay_t<decltype(row)>;
    if (Formulation::facts.name != formulation) return;
    found = true;
    error = ode_names::with_scheme(name, [&](const auto& scheme) {
      visit(OdeMethod<std::decay_t<decltype(scheme)>, Formulation>{
          .scheme = scheme, .formulation = row, .projection = projection});
    });
  });
  if (!found)
    return NameError{"there is no formulation '" + std::string(formulation) + "'; there are " +
                     ode_names::listed([](auto&& f) { for_each_formulation(f); })};
  return error;
}

// Does the same with the projection given by its name.
template <class Visit>
std::optional<NameError> with_ode_method(std::string_view name, std::string_view formulation,
                                         std::string_view kind, double tolerance, Visit&& visit) {
  const auto known = choice_named<ProjectionKind>(kind);
  if (!known)
    return NameError{"there is no projection '" + std::string(kind) + "'; there are " +
                     in_words(choice_names<ProjectionKind>, "and")};
  return with_ode_method(name, formulation, Projection{*known, tolerance}, visit);
}

// Says why this formulation does not fit this problem and start, with an alternative; says nothing if it
// fits.
template <class Formulation, class P>
std::optional<std::string> formulation_refusal(const Formulation& formulation, const P& s,
                                               const StateOf<P>& x) {
  if (auto reason = refusal_by_type<Formulation, P>()) return reason;
  if constexpr (requires { formulation.refusal(s, x); })
    return formulation.refusal(s, x);
  else
    return std::nullopt;
}

}  // namespace taut
