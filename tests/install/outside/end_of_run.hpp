#pragma once

#include <string>

struct End {
  double x, y, energy_error, position_residual;
};

// Runs a model that is given as text.
End end_of_run(const std::string& text);
