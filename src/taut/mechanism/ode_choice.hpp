// The formulation and the projection that an ordinary method was asked to use.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/formulation/chart_rule.hpp>
#include <taut/method/projection_kind.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace taut {

struct OdeChoice {
  std::string formulation, kind;  // kind: the projection by name
  Projection projection;
  ChartRule charts = {};               // used by state-space
  std::array<double, 2> numbers = {};  // those of the formulation, written or usual
  std::string arguments = {};          // what was written in brackets, with them
  std::string written() const { return formulation + arguments; }
};

// Gives nothing for a method that solves the constrained equations themselves. Throws ChoiceError if a name
// does not exist, if a number makes no sense, or if a formulation or a projection is given to a method that
// takes none.
std::optional<OdeChoice> ode_choice(const std::string& method, const RunRequest& request);

// Returns true if the method is offered on this formulation, or, without one, if it needs one.
bool takes_formulation(const std::string& method, std::string_view formulation);

// Returns true if the method integrates an ordinary differential equation and so needs a formulation.
bool needs_formulation(const std::string& method);

}  // namespace taut
