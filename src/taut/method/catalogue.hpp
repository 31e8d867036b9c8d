// The only list of methods. The command line, the docs and the theorem tests iterate over it; a new method is
// one more line here.
#pragma once

#include <taut/method/bdf.hpp>
#include <taut/method/composition.hpp>
#include <taut/method/dae_runge_kutta.hpp>
#include <taut/method/dirac_gauss.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>

#include <charconv>
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
  for (int s = 2; s <= 6; ++s) visit(Lobatto<>{.s = s});
  for (int s = 1; s <= 3; ++s) visit(Projected<DiracGauss>{.psi = {.s = s}});
  for (int s = 2; s <= 3; ++s) {
    visit(DaeRungeKutta<DaeFamily::radau, false>{.s = s});
    visit(DaeRungeKutta<DaeFamily::radau, true>{.s = s});
  }
  visit(DaeRungeKutta<DaeFamily::gauss, true>{.s = 2});
  visit(DaeRungeKutta<DaeFamily::gauss, false>{.s = 2});
  for (int k = 1; k <= 6; ++k) visit(Bdf{.k = k});
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

template <class Visit>
std::optional<NameError> visit_composition(const CompositionScheme& scheme, const MethodName& asked,
                                           Visit&& visit) {
  if (scheme.alternates) {
    if (asked.has_argument && asked.argument != "symplectic-euler")
      return NameError{std::string(asked.name) +
                       " alternates symplectic-euler with its adjoint; it takes no other base"};
    visit(Composition<Projected<SymplecticEuler>>{&scheme});
    return std::nullopt;
  }
  const std::string_view base = asked.has_argument ? asked.argument : "rattle";
  if (base == "rattle")
    visit(Composition<Rattle>{&scheme});
  else if (base == "verlet")
    visit(Composition<Projected<Verlet>>{&scheme});
  else if (base == "midpoint")
    visit(Composition<Projected<ImplicitMidpoint>>{&scheme});
  else if (base == "mixed-midpoint")
    visit(Composition<Projected<MixedMidpoint>>{&scheme});
  else if (base == "impulse")
    visit(Composition<Projected<Impulse>>{&scheme});
  else
    return NameError{
        "a composition needs a symmetric base of order 2: rattle, verlet, midpoint, mixed-midpoint or "
        "impulse, not '" +
        std::string(base) + "'"};
  return std::nullopt;
}

// Reads the number of name(number) into the row. Returns why that cannot be done, if it cannot.
template <Numbered Row>
std::optional<NameError> take_number(const MethodName& asked, Row& row) {
  constexpr MethodNumber range = Row::number();
  int n = 0;
  const char* end = asked.argument.data() + asked.argument.size();
  const auto [stop, error] = std::from_chars(asked.argument.data(), end, n);
  if (error == std::errc{} && stop == end && n >= range.least && n <= range.most) {
    row = row.numbered(n);
    return std::nullopt;
  }
  const std::string name(asked.name), letter(range.letter);
  return NameError{name + "(" + letter + ") needs a whole number " + letter + " of " +
                   std::string(range.means) + " from " + std::to_string(range.least) + " to " +
                   std::to_string(range.most) + ", not '" + std::string(asked.argument) + "'"};
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
  const auto asked = parse_method_name(text);
  if (!asked)
    return NameError{std::string("'").append(text).append("' is not of the form name or name(argument)")};
  if (const CompositionScheme* scheme = find_composition(asked->name))
    return catalogue_names::visit_composition(*scheme, *asked, visit);
  // A name may have brackets of its own, as shake(two-step).
  bool is_whole_name = false;
  for_each_method([&](const auto& row) { is_whole_name = is_whole_name || facts_of(row).name == text; });
  const MethodName wanted = is_whole_name ? MethodName{text, {}, false} : *asked;
  std::optional<NameError> error = NameError{std::string("there is no method '").append(text).append("'")};
  bool found = false;
  for_each_method([&](const auto& row) {
    if (found || facts_of(row).name != wanted.name) return;
    found = true;
    error = catalogue_names::visit_row(row, wanted, visit);
  });
  return error;
}

}  // namespace taut
