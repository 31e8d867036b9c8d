// A generated unit of more precision than a double includes this if it integrates a formulation: the way from
// the names of the formulation and of the ordinary method to a machine. Only the chosen ones are compiled.
#pragma once

#include <taut/formulation/dae_forms.hpp>
#include <taut/mechanism/wide_machine.hpp>
#include <taut/method/baselines/dae_form_method.hpp>
#include <taut/method/ordinary/ode_catalogue.hpp>

#include <string_view>

namespace taut {

// A unit says what was chosen as constants:
//     formulation, method      the names, without numbers
//     number                   that of the method: gauss(3), bdf(2)
//     numbers                  those of the formulation: baumgarte(5, 5)
//     projection, charts
template <class Chosen>
auto chosen_scheme() {
  if constexpr (Chosen::method == "gauss") {
    return OdeGauss{.s = Chosen::number};
  } else if constexpr (Chosen::method == "implicit-midpoint") {
    return OdeGauss{.s = 1, .is_midpoint = true};
  } else {
    ExplicitRungeKutta found;
    for (const ExplicitScheme& scheme : explicit_schemes)
      if (scheme.name == Chosen::method) found.scheme = &scheme;
    return found;
  }
}

template <class Chosen, class Formulation>
Formulation with_chosen(Formulation row) {
  if constexpr (requires { row.rule; }) row.rule = Chosen::charts;
  if constexpr (requires { row.with(Chosen::numbers); }) row = row.with(Chosen::numbers);
  return row;
}

template <class Chosen>
constexpr bool keeps_multipliers() {
  return Chosen::formulation == Index2::facts.name || Chosen::formulation == GearGuptaLeimkuhler::facts.name;
}

// Makes the machine, as make_wide does.
template <class Chosen, class P, class X>
Machine* make_wide_ode(WideStart& from) {
  Machine* made = nullptr;
  if constexpr (keeps_multipliers<Chosen>()) {
    for_each_dae_form([&](const auto& row, const DaeForm& form) {
      if (row.facts.name == Chosen::formulation)
        made = make_wide<P, X>(
            DaeFormMethod{.family = Chosen::method == "bdf" ? DaeFormFamily::bdf : DaeFormFamily::radau,
                          .number = Chosen::number,
                          .form = form},
            from);
    });
  } else {
    for_each_formulation([&](const auto& row) {
      using Formulation = std::remove_cvref_t<decltype(row)>;
      if constexpr (Formulation::facts.name == Chosen::formulation && Formulation::template fits<P>) {
        const auto scheme = chosen_scheme<Chosen>();
        made = make_wide<P, X>(
            OdeMethod<std::remove_cvref_t<decltype(scheme)>, Formulation>{
                .scheme = scheme, .formulation = with_chosen<Chosen>(row), .projection = Chosen::projection},
            from);
      }
    });
  }
  return made;
}

}  // namespace taut
