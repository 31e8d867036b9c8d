// Which formulation and projection an ordinary method was asked to use.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/formulation/chart_rule.hpp>
#include <taut/method/projection_kind.hpp>

#include <optional>
#include <string>

namespace taut {

struct OdeChoice {
  std::string formulation, kind;  // kind: the projection by name
  Projection projection;
  ChartRule charts = {};  // of state-space
};

// Nothing for a method that solves the constrained equations themselves. ChoiceError for a name that does not exist, a number that makes
// no sense, and a formulation or projection beside a method that takes none.
std::optional<OdeChoice> ode_choice(const std::string& method, const RunRequest& request);

// Methods that integrate an ordinary differential equation, and so need a formulation.
bool needs_formulation(const std::string& method);

}  // namespace taut
