// The only list of methods. The command line, the docs and the theorem tests iterate it; a new method is one more line here.
#pragma once

#include <taut/method/composition.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/method/projected.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/shake.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace taut {

template <class Method>
MethodFacts facts_of(const Method& method) {
  if constexpr (requires { method.facts(); })
    return method.facts();
  else
    return Method::facts;
}

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

template <class Visit>
std::optional<NameError> visit_impulse(const MethodName& asked, Visit&& visit) {
  Projected<Impulse> method;
  if (asked.has_argument) {
    const char* end = asked.argument.data() + asked.argument.size();
    const auto [stop, error] = std::from_chars(asked.argument.data(), end, method.psi.substeps);
    if (error != std::errc{} || stop != end || method.psi.substeps < 1)
      return NameError{"impulse(k) needs a whole number k of substeps, at least 1, not '" +
                       std::string(asked.argument) + "'"};
  }
  visit(method);
  return std::nullopt;
}

}  // namespace catalogue_names

// visit(method) for the method of that name, or why there is none.
template <class Visit>
std::optional<NameError> with_method(std::string_view text, Visit&& visit) {
  const auto asked = parse_method_name(text);
  if (!asked) return NameError{"'" + std::string(text) + "' is not of the form name or name(argument)"};
  if (const CompositionScheme* scheme = find_composition(asked->name))
    return catalogue_names::visit_composition(*scheme, *asked, visit);
  if (asked->name == Impulse::facts.name) return catalogue_names::visit_impulse(*asked, visit);
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
  return NameError{"there is no method '" + std::string(text) + "'"};
}

}  // namespace taut
