// A method as C++ text: the headers that have it, its type and its value. What a unit that is compiled for one method is made of; the names are ours.
#pragma once

#include <taut/method/catalogue.hpp>

#include <optional>
#include <string>
#include <vector>

namespace taut {

struct MethodSource {
  std::vector<std::string> headers;  // below taut/method
  std::string type, value;
  int stages = 1;  // about how many times the work of one step of RATTLE

  static MethodSource plain(std::string header, const std::string& type, int stages = 1) {
    return {{std::move(header)}, type, type + "{}", stages};
  }
};

inline MethodSource source_of(const Rattle&) { return MethodSource::plain("rattle.hpp", "Rattle"); }
inline MethodSource source_of(const Shake&) { return MethodSource::plain("shake.hpp", "Shake"); }
inline MethodSource source_of(const ShakeTwoStep&) {
  return MethodSource::plain("shake.hpp", "ShakeTwoStep");
}
inline MethodSource source_of(const ShakeVelocity&) {
  return MethodSource::plain("shake.hpp", "ShakeVelocity");
}

// The maps Ψ that Projected<Ψ> projects.
inline MethodSource source_of(const SymplecticEuler&) {
  return MethodSource::plain("explicit_maps.hpp", "SymplecticEuler");
}
inline MethodSource source_of(const Verlet&) { return MethodSource::plain("explicit_maps.hpp", "Verlet"); }
inline MethodSource source_of(const ImplicitMidpoint&) {
  return MethodSource::plain("implicit_midpoint.hpp", "ImplicitMidpoint", 4);
}
inline MethodSource source_of(const Impulse& psi) {
  return {{"explicit_maps.hpp"}, "Impulse", "Impulse{.substeps = " + std::to_string(psi.substeps) + "}", 2};
}
inline MethodSource source_of(const MixedMidpoint&) {
  return MethodSource::plain("implicit_midpoint.hpp", "MixedMidpoint", 4);
}
inline MethodSource source_of(const DiracGauss& psi) {
  return {{"dirac_gauss.hpp"}, "DiracGauss", "DiracGauss{.s = " + std::to_string(psi.s) + "}", 30 * psi.s};
}
template <class Psi>
MethodSource source_of(const Projected<Psi>& method) {
  MethodSource psi = source_of(method.psi);
  psi.headers.emplace_back("projected.hpp");
  const std::string type = "Projected<" + psi.type + ">";
  return {psi.headers, type, type + "{.psi = " + psi.value + "}", psi.stages};
}

template <class Base>
MethodSource source_of(const Composition<Base>& method) {
  MethodSource base = source_of(Base{});
  base.headers.emplace_back("composition.hpp");
  const std::string type = "Composition<" + base.type + ">";
  return {base.headers, type,
          type + "{.scheme = find_composition(\"" + std::string(method.scheme->name) + "\")}",
          base.stages * static_cast<int>(method.scheme->size())};
}

template <int stages>
MethodSource source_of(const Lobatto<stages>& method) {
  // Few stages are known to the compiler; more would only take it long.
  const std::string s = std::to_string(method.s), type = method.s <= 4 ? "Lobatto<" + s + ">" : "Lobatto<>";
  return {{"lobatto.hpp"}, type, type + (method.s <= 4 ? "{}" : "{.s = " + s + "}"), 5 * method.s};
}
template <DaeFamily family, bool projected>
MethodSource source_of(const DaeRungeKutta<family, projected>& method) {
  const std::string type = std::string("DaeRungeKutta<DaeFamily::") +
                           (family == DaeFamily::radau ? "radau" : "gauss") +
                           (projected ? ", true>" : ", false>");
  return {{"dae_runge_kutta.hpp"}, type, type + "{.s = " + std::to_string(method.s) + "}", 5 * method.s};
}
inline MethodSource source_of(const Bdf& method) {
  return {{"bdf.hpp"}, "Bdf", "Bdf{.k = " + std::to_string(method.k) + "}", 4};
}

// By the name that people write; none where there is no such method.
inline std::optional<MethodSource> method_source(const std::string& name) {
  std::optional<MethodSource> source;
  with_method(name, [&](const auto& method) { source = source_of(method); });
  return source;
}

}  // namespace taut
