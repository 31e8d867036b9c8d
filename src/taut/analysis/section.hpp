// The points at which a formula of a run crosses zero: a Poincaré section.
#pragma once

#include <taut/run/model_run.hpp>
#include <taut/run/telling.hpp>

#include <string>
#include <vector>

namespace taut {

// No momentum of the given name gives a start the energy that is asked for.
struct NoSuchEnergy : InputError {
  using InputError::InputError;
};

struct SectionPoints {
  std::string model, method;
  std::string formula;                           // the formula of the last event
  std::vector<std::string> columns = {};         // t, coordinates, momenta, quantities
  std::size_t coordinates = 0;                   // so many, and as many momenta
  std::vector<std::vector<double>> points = {};  // in the order in which they came, start by start
  std::vector<std::size_t> begin = {};           // the first point of each start
  double time = 0, energy = 0;                   // those of the first run
  std::vector<std::string> errors = {};          // why runs ended early; their points are kept
  std::vector<std::string> warnings = {};        // what the runs warn of
};

// Makes the run and keeps the points of its last event, with the quantities of the model if they are wanted.
// Throws InputError if it has no event.
SectionPoints section_of(const ModelRun& run, const Telling& telling = {}, bool with_quantities = false);

// Adds a column that is the same for all points, unless there is one of that name.
void add_column(SectionPoints& points, const std::string& name, double value);

// Adds the points of another start.
void append(SectionPoints& all, SectionPoints more);

// Returns the start of a run with one momentum changed until H has this value, on the manifold: of the two
// solutions the one in which `column` of the momenta is larger. Throws NoSuchEnergy if there is none.
PlainState start_of_energy(const ModelRun& run, double energy, std::size_t column);

// Returns H_p.
std::vector<double> velocities_at(const ModelRun& run, const PlainState& x);

// Returns H at the start of a run, after the same checks that a run makes.
double energy_of_start(const ModelRun& run);

std::string to_json(const SectionPoints& section);

}  // namespace taut
