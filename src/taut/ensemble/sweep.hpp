// A sweep: an ensemble with a row of the summary of `taut run` for each set of values.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/ensemble/ensemble.hpp>

#include <string>
#include <vector>

namespace taut {

struct SweepRow {
  std::vector<double> values = {};                                // one for each name that varies
  double energy_initial = 0, energy_final = 0, energy_error = 0;  // the last is max |H - H0|
  double position = 0, momentum = 0;                              // max |g|, max |G H_p|
  std::vector<double> quantities = {}, q = {}, p = {};            // at the end
  Ending ending = {};
};

struct Sweep {
  std::vector<std::string> names = {}, quantities = {}, coordinates = {}, momenta = {};
  std::vector<SweepRow> rows = {};  // in the order of the trajectories

  explicit Sweep(const Ensemble& ensemble);
  void add(const Unit& unit);  // in any order
};

std::string to_csv(const Sweep& sweep);
Json to_json(const Sweep& sweep);                           // a list of objects
std::string to_text(const Sweep& sweep, std::size_t most);  // a table of that many rows at most

}  // namespace taut
