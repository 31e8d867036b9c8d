// The only list of methods. The command line, the docs and the theorem tests iterate it; a new method is one more line here.
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

namespace taut {

// visit(method) for every row, in the order in which they are listed to people.
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

// "name" or "name(argument)".
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

// Why a name was not understood, in a sentence.
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

// The number in name(number), or its default; nothing where it is no whole number from `least` to `most`.
inline std::optional<int> number(const MethodName& asked, int otherwise, int least, int most) {
  if (!asked.has_argument) return otherwise;
  int value = 0;
  const char* end = asked.argument.data() + asked.argument.size();
  const auto [stop, error] = std::from_chars(asked.argument.data(), end, value);
  if (error != std::errc{} || stop != end || value < least || value > most) return std::nullopt;
  return value;
}

// Methods with a number: `assign(n)` gives the method.
struct Numbered {
  std::string_view name, letter, means;
  int otherwise, least, most;
};
inline constexpr Numbered impulse_row{"impulse", "k", "substeps", 4, 1, 1000000};
inline constexpr Numbered lobatto_row{"lobatto", "s", "stages", 3, 2, 32};
inline constexpr Numbered dirac_gauss_row{"dirac-gauss", "s", "stages", 2, 1, 16};
inline constexpr Numbered radau_row{"radau", "s", "stages", 2, 2, 16};
inline constexpr Numbered radau_projected_row{"radau-projected", "s", "stages", 2, 2, 16};
inline constexpr Numbered gauss_projected_row{"gauss-projected", "s", "stages", 2, 1, 16};
inline constexpr Numbered gauss_unprojected_row{"gauss-unprojected", "s", "stages", 2, 1, 16};
inline constexpr Numbered bdf_row{"bdf", "k", "steps", 2, 1, 6};

// True when `row` is the one asked for: then it was visited, or `error` says why not.
template <class Visit, class Make>
bool visited(const Numbered& row, const MethodName& asked, std::optional<NameError>& error, Visit&& visit,
             Make&& make) {
  if (asked.name != row.name) return false;
  if (const auto n = number(asked, row.otherwise, row.least, row.most))
    visit(make(*n));
  else
    error = NameError{std::string(row.name) + "(" + std::string(row.letter) + ") needs a whole number " +
                      std::string(row.letter) + " of " + std::string(row.means) + " from " +
                      std::to_string(row.least) + " to " + std::to_string(row.most) + ", not '" +
                      std::string(asked.argument) + "'"};
  return true;
}

template <class Visit>
bool visit_numbered(const MethodName& asked, std::optional<NameError>& error, Visit&& visit) {
  using enum DaeFamily;
  return visited(impulse_row, asked, error, visit,
                 [](int n) { return Projected<Impulse>{.psi = {.substeps = n}}; }) ||
         visited(lobatto_row, asked, error, visit, [](int n) { return Lobatto<>{.s = n}; }) ||
         visited(dirac_gauss_row, asked, error, visit,
                 [](int n) { return Projected<DiracGauss>{.psi = {.s = n}}; }) ||
         visited(radau_row, asked, error, visit, [](int n) { return DaeRungeKutta<radau, false>{.s = n}; }) ||
         visited(radau_projected_row, asked, error, visit,
                 [](int n) { return DaeRungeKutta<radau, true>{.s = n}; }) ||
         visited(gauss_projected_row, asked, error, visit,
                 [](int n) { return DaeRungeKutta<gauss, true>{.s = n}; }) ||
         visited(gauss_unprojected_row, asked, error, visit,
                 [](int n) { return DaeRungeKutta<gauss, false>{.s = n}; }) ||
         visited(bdf_row, asked, error, visit, [](int n) { return Bdf{.k = n}; });
}

}  // namespace catalogue_names

// visit(method) for the method of that name, or why there is none.
template <class Visit>
std::optional<NameError> with_method(std::string_view text, Visit&& visit) {
  const auto asked = parse_method_name(text);
  if (!asked)
    return NameError{std::string("'").append(text).append("' is not of the form name or name(argument)")};
  if (const CompositionScheme* scheme = find_composition(asked->name))
    return catalogue_names::visit_composition(*scheme, *asked, visit);
  std::optional<NameError> error;
  if (catalogue_names::visit_numbered(*asked, error, visit)) return error;
  bool found = false, named = false;
  for_each_method([&](const auto& method) {
    const std::string_view name = facts_of(method).name;
    named = named || name == asked->name;
    if (name != text || found) return;
    found = true;
    visit(method);
  });
  if (found) return std::nullopt;
  if (named)
    return NameError{std::string(asked->name) + " takes no argument '" + std::string(asked->argument) + "'"};
  return NameError{std::string("there is no method '").append(text).append("'")};
}

}  // namespace taut
