// The only list of methods. The command line, the docs and the theorem tests iterate over it; a new method is
// one more line here.
#pragma once

#include <taut/method/baselines/bdf.hpp>
#include <taut/method/baselines/bdf_variable.hpp>
#include <taut/method/baselines/dae_runge_kutta.hpp>
#include <taut/method/baselines/half_explicit_runge_kutta.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/conformal.hpp>
#include <taut/method/dirac_gauss.hpp>
#include <taut/method/half_explicit.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/made/composed_steps.hpp>
#include <taut/method/made/own_tableau.hpp>
#include <taut/method/multistep/symmetric_multistep.hpp>
#include <taut/method/nonholonomic.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace taut {

// Calls visit(method) for every row, in the order in which they are listed to people.
template <class Visit>
void for_each_method(Visit&& visit) {
  visit(Shake{});
  visit(ShakeTwoStep{});
  visit(ShakeVelocity{});
  visit(Rattle{});
  visit(Projected<SymplecticEuler>{});
  visit(Projected<Verlet>{});
  visit(Projected<ImplicitMidpoint>{});
  visit(Projected<Impulse>{});
  visit(Projected<MixedMidpoint>{});
  for (const CompositionScheme& scheme : composition_schemes) {
    if (scheme.alternates)
      visit(Composition<Projected<SymplecticEuler>>{&scheme});
    else
      visit(Composition<Rattle>{&scheme});
  }
  for (const MultistepTable& table : multistep_tables) visit(SymmetricMultistep{.k = table.steps});
  for (int s = 2; s <= 6; ++s) visit(Lobatto<>{.s = s});
  for (int s = 1; s <= 3; ++s) visit(Projected<DiracGauss>{.psi = {.s = s}});
  for (int s = 2; s <= 3; ++s) {
    visit(DaeRungeKutta<DaeFamily::radau, false>{.s = s});
    visit(DaeRungeKutta<DaeFamily::radau, true>{.s = s});
  }
  visit(DaeRungeKutta<DaeFamily::gauss, true>{.s = 2});
  visit(DaeRungeKutta<DaeFamily::gauss, false>{.s = 2});
  for (int k = 1; k <= 6; ++k) visit(Bdf{.k = k});
  for (const int k : {2, 4}) visit(BdfVariable{.k = k});
  visit(BdfVariable{.k = 5, .chooses_order = true});
  visit(HalfExplicit{});
  for (int p = 1; p <= 4; ++p) visit(HalfExplicitRungeKutta{.order = p});
  visit(Conformal{});
  visit(Nonholonomic{});
}

// A name as people write it: "name" or "name(argument)".
struct MethodName {
  std::string_view name, argument;
  bool has_argument = false;
};

constexpr std::optional<MethodName> parse_method_name(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return MethodName{text, {}, false};
  if (!text.ends_with(')') || open == 0) return std::nullopt;
  return MethodName{text.substr(0, open), text.substr(open + 1, text.size() - open - 2), true};
}

// Says in a sentence why a name was not understood.
struct NameError {
  std::string message;
};

namespace catalogue_names {

// Reads the number of name(number). Returns why that cannot be done, if it cannot.
std::optional<NameError> read_number(const MethodName& asked, const MethodNumber& range, int& n);

template <Numbered Row>
std::optional<NameError> take_number(const MethodName& asked, Row& row) {
  int n = 0;
  if (auto error = read_number(asked, Row::number(), n)) return error;
  row = row.numbered(n);
  return std::nullopt;
}

// Splits the name of a row into name and argument. A name may have brackets of its own, as shake(two-step).
// Gives nothing if the text is not of that form.
std::optional<MethodName> name_in_catalogue(std::string_view text);

// Says why a method is no base of compositions.
NameError no_base(std::string_view head, const std::string& base);

// Calls visit(method) with Jay's or Reich's method for a tableau of one's own.
template <class Visit>
std::optional<NameError> visit_tableau(std::string_view text, Visit&& visit) {
  const OwnTableau& own = own_tableau(text);
  if (!own.why_not.empty()) return NameError{own.name + " is refused: " + own.why_not};
  if (own.on_dirac)
    visit(Projected<DiracGauss>{
        .psi = {.s = own.t.stages(), .own = &own.t, .own_order = own.order, .own_name = own.name}});
  else
    visit(Lobatto<>{.s = own.t.stages(), .own = &own.t, .own_name = own.name});
  return std::nullopt;
}

// Calls visit(method) for the composition of that text, or returns why there is none. The schemes are data;
// the innermost base decides the type.
template <class Visit>
std::optional<NameError> visit_composition(std::string_view text, Visit&& visit) {
  const CompositionText asked = read_composition(text);
  if (!asked.why_not.empty()) return NameError{asked.why_not};
  const auto composed = [&](auto method) -> std::optional<NameError> {
    const FoundComposition found = made_composition(asked, facts_of(method.base));
    if (!found.scheme) return NameError{found.why_not};
    method.scheme = found.scheme;
    visit(std::as_const(method));
    return std::nullopt;
  };
  const auto numbered = [&](const MethodName& base, auto method) -> std::optional<NameError> {
    if (base.has_argument)
      if (auto error = take_number(base, method.base)) return error;
    return composed(method);
  };
  const CompositionHead& innermost = asked.heads.back();
  if (innermost.table != nullptr && innermost.table->alternates) {
    if (!asked.base.empty() && asked.base != "symplectic-euler")
      return NameError{innermost.name +
                       " alternates symplectic-euler with its adjoint; it takes no other base"};
    return composed(Composition<Projected<SymplecticEuler>>{});
  }
  const std::string base = asked.base.empty() ? "rattle" : asked.base;
  const MethodName name = parse_method_name(base).value_or(MethodName{base, {}, false});
  if (base == "rattle") return composed(Composition<Rattle>{});
  if (base == "verlet") return composed(Composition<Projected<Verlet>>{});
  if (base == "midpoint") return composed(Composition<Projected<ImplicitMidpoint>>{});
  if (base == "mixed-midpoint") return composed(Composition<Projected<MixedMidpoint>>{});
  if (name.name == "impulse") return numbered(name, Composition<Projected<Impulse>>{});
  if (base == "conformal") return composed(ComposedSteps<Conformal>{});
  if (base == "nonholonomic") return composed(ComposedSteps<Nonholonomic>{});
  if (name.name == "lobatto") return numbered(name, ComposedSteps<Lobatto<>>{});
  if (name.name == "dirac-gauss") return numbered(name, ComposedSteps<Projected<DiracGauss>>{});
  if (is_tableau_text(base)) {
    std::optional<NameError> refused;
    const auto unread = visit_tableau(base, [&](const auto& row) {
      refused = composed(ComposedSteps<std::remove_cvref_t<decltype(row)>>{nullptr, row});
    });
    return unread ? unread : refused;
  }
  return no_base(innermost.name, base);
}

// Calls visit(row), with the number that was asked for if the row has one. Returns why that cannot be done,
// if it cannot.
template <class Row, class Visit>
std::optional<NameError> visit_row(Row row, const MethodName& asked, Visit&& visit) {
  const bool numbered = facts_of(row).argument != 0;
  if (!numbered && asked.has_argument)
    return NameError{std::string(asked.name) + " takes no argument '" + std::string(asked.argument) + "'"};
  if constexpr (Numbered<Row>)
    if (numbered) {
      if constexpr (requires { row.without_number(); })
        row = row.without_number();
      else
        row = Row{};
      if (asked.has_argument)
        if (auto error = take_number(asked, row)) return error;
    }
  visit(std::as_const(row));
  return std::nullopt;
}

}  // namespace catalogue_names

// Calls visit(method) for the method of that name, or returns why there is none.
template <class Visit>
std::optional<NameError> with_method(std::string_view text, Visit&& visit) {
  if (is_composition_text(text)) return catalogue_names::visit_composition(text, visit);
  if (is_tableau_text(text)) return catalogue_names::visit_tableau(text, visit);
  const auto wanted = catalogue_names::name_in_catalogue(text);
  if (!wanted)
    return NameError{std::string("'").append(text).append("' is not of the form name or name(argument)")};
  std::optional<NameError> error = NameError{std::string("there is no method '").append(text).append("'")};
  bool found = false;
  for_each_method([&](const auto& row) {
    if (found || facts_of(row).name != wanted->name) return;
    found = true;
    error = catalogue_names::visit_row(row, *wanted, visit);
  });
  return error;
}

}  // namespace taut
