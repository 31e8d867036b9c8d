#include <taut/method/catalogue.hpp>
#include <taut/method/method_source.hpp>

#include <fmt/format.h>

namespace taut {

namespace {

MethodSource plain(const char* header, const std::string& type, int stages = 1) {
  return {{header}, type, type + "{}", stages};
}
MethodSource with_number(const char* header, const std::string& type, std::string_view letter, int number,
                         int stages) {
  return {{header}, type, fmt::format("{}{{.{} = {}}}", type, letter, number), stages};
}

MethodSource source_of(const Rattle&) {
  MethodSource rattle = plain("rattle.hpp", "Rattle");
  rattle.short_steps = Rattle::steps_are_short;
  return rattle;
}
MethodSource source_of(const Shake&) { return plain("shake.hpp", "Shake"); }
MethodSource source_of(const ShakeTwoStep&) { return plain("shake.hpp", "ShakeTwoStep"); }
MethodSource source_of(const ShakeVelocity&) { return plain("shake.hpp", "ShakeVelocity"); }

// The maps Ψ that Projected<Ψ> projects.
MethodSource source_of(const SymplecticEuler&) { return plain("explicit_maps.hpp", "SymplecticEuler"); }
MethodSource source_of(const Verlet&) { return plain("explicit_maps.hpp", "Verlet"); }
MethodSource source_of(const ImplicitMidpoint&) {
  return plain("implicit_midpoint.hpp", "ImplicitMidpoint", 4);
}
MethodSource source_of(const MixedMidpoint&) { return plain("implicit_midpoint.hpp", "MixedMidpoint", 4); }
MethodSource source_of(const Impulse& psi) {
  return with_number("explicit_maps.hpp", "Impulse", "substeps", psi.substeps, 2);
}
MethodSource source_of(const DiracGauss& psi) {
  return with_number("dirac_gauss.hpp", "DiracGauss", "s", psi.s, 30 * psi.s);
}
template <class Psi>
MethodSource source_of(const Projected<Psi>& method) {
  MethodSource psi = source_of(method.psi);
  psi.headers.emplace_back("projected.hpp");
  psi.type = fmt::format("Projected<{}>", psi.type);
  psi.value = fmt::format("{}{{.psi = {}}}", psi.type, psi.value);
  return psi;
}

template <class Base>
MethodSource source_of(const Composition<Base>& method) {
  MethodSource base = source_of(Base{});
  base.short_steps = false;
  base.headers.emplace_back("composition.hpp");
  base.type = fmt::format("Composition<{}>", base.type);
  base.value = fmt::format("{}{{.scheme = find_composition(\"{}\")}}", base.type, method.scheme->name);
  base.stages *= static_cast<int>(method.scheme->size());
  return base;
}

// Few stages of a small problem P are known to the compiler: a step of the double pendulum is 1.5 times faster. One of the chains of six and seven bodies is not, and
// takes a tenth longer to compile.
MethodSource source_of(const Lobatto<>& method) {
  const std::string type = method.s <= Lobatto<>::most_known
                               ? fmt::format("Lobatto<P::n <= 8 ? {} : dynamic>", method.s)
                               : "Lobatto<>";
  return with_number("lobatto.hpp", type, "s", method.s, 5 * method.s);
}
template <DaeFamily family, bool projected>
MethodSource source_of(const DaeRungeKutta<family, projected>& method) {
  const std::string type = fmt::format("DaeRungeKutta<DaeFamily::{}, {}>",
                                       family == DaeFamily::radau ? "radau" : "gauss", projected);
  return with_number("dae_runge_kutta.hpp", type, "s", method.s, 5 * method.s);
}
MethodSource source_of(const Bdf& method) { return with_number("bdf.hpp", "Bdf", "k", method.k, 4); }

}  // namespace

std::optional<MethodSource> method_source(const std::string& name) {
  std::optional<MethodSource> source;
  with_method(name, [&](const auto& method) { source = source_of(method); });
  return source;
}

}  // namespace taut
