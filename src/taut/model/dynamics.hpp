// What a model may say beyond H, g and a start: how its author wrote the mechanics, forces that are no
// gradient, and events.
#pragma once

#include <taut/model/text/formula.hpp>

#include <string>
#include <vector>

namespace taut {

// One table of [[forces]], or one entry of [damping]: a force on a coordinate, of q, v, p and t.
struct Force {
  int coordinate = 0;
  Formula formula;
  bool damps = false;  // an entry of [damping]: the formula is -rate · p
  Float128 rate = 0;
};

// One table of [[events]]: a formula of q, v, p and t crosses zero.
struct EventRule {
  enum class Action { record, stop, reflect };
  std::string name;
  Formula when;
  int direction = 0;  // 1: up, -1: down, 0: both
  Action action = Action::record;
};

struct Dynamics {
  // The key by which the author gave the mechanics, if H was made from it: lagrangian, kinetic or mass. Empty
  // if the model gives H, or a potential with constant masses.
  std::string written_as = {};
  std::string written = {};  // its text, for reports
  Formula kinetic = {};      // the lagrangian, or the kinetic energy, if it was one of these
  // Something depends on t, or forces act: the last coordinate is the time, and its momentum is minus the
  // work that was done on the system. H is then H(q, p, t) + p_time, which is conserved.
  bool timed = false;
  std::vector<Force> forces = {};
  // So many of the last constraints are on velocities: their formulas are linear in v, A(q) v.
  int velocity_constraints = 0;
  std::vector<EventRule> events = {};
  std::vector<double> at = {};  // times at which the state is wanted, between steps too: `at` in [run]
};

// The name of the coordinate that is the time; formulas call it t.
inline constexpr const char* time_name = "time";

}  // namespace taut
