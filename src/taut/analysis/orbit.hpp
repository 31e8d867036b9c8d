// A periodic orbit of a run's method near its start, by Newton's iteration on T*M, and its multipliers.
#pragma once

#include <taut/analysis/discrete_map.hpp>

#include <complex>
#include <functional>
#include <string>
#include <vector>

namespace taut {

struct Orbit {
  std::string model, method;
  double period = 0, step = 0;  // the period is a whole number of steps
  std::int64_t steps = 0;
  PlainState x = {};
  double energy = 0;
  std::vector<std::complex<double>> multipliers = {};  // from the largest
  double reciprocal_defect = 0;                        // how far they are from pairs μ, 1/μ
  double closure = 0;                                  // the largest |Φ(x) - x| of a coordinate or momentum
  int corrections = 0;
  int turns = 1;                           // the orbit closes already after this part of the period
  std::vector<std::string> warnings = {};  // why it, or its multipliers, may not be that of the model

  // The names are those of the run, and are not carried.
  void carry(Carry& c);
};

// Looks for an orbit of a period near `period`, with the energy of the start. Throws AnalysisError if there
// is none near.
Orbit periodic_orbit(const ModelRun& run, double period, const Telling& telling = {});

// Looks for the orbit of another model with the energy of this one, near it and near its period. Throws
// AnalysisError if there is none near.
Orbit periodic_orbit_beside(const ModelRun& run, const Orbit& other);

// Orbits one after the other along a family, on which the energy changes. Where it turns, at a fold, the
// family goes on all the same.
struct OrbitFamily {
  std::vector<Orbit> members = {};
  // The energies, or the values of the parameter, of members at which it turned, between their neighbours.
  std::vector<double> folds = {};
  std::string parameter = {};       // if the model changes and not the energy: what changes in it,
  std::vector<double> values = {};  // and its value for each member
  std::string ended = {};           // why there are fewer members than were asked for
};

// Follows the family of the orbit near the start for `count` more orbits. `arc` is the length between two of
// them in phase space and period; if it is negative the energy falls at first.
OrbitFamily orbit_family(const ModelRun& run, double period, int count, double arc,
                         const Keeping& keeping = {});

// A parameter of a model, and the model for each value of it.
struct OfParameter {
  std::string name;
  double value = 0;  // at the start
  std::function<ModelRun(double)> model = {};
};

// Follows the orbit near the start through values of a parameter, at one energy. Where the parameter turns,
// at a fold, the family goes on all the same. `arc` is the length in phase space, period and parameter; if it
// is negative the parameter falls at first.
OrbitFamily orbit_family_along(const OfParameter& parameter, double period, int count, double arc,
                               const Keeping& keeping = {});

std::string to_json(const Orbit& orbit);
std::string to_json(const OrbitFamily& family);

}  // namespace taut
