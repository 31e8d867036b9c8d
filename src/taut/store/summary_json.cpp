#include <taut/bytes/json.hpp>
#include <taut/contract/summary.hpp>

namespace taut {

std::string to_json(const RunSummary& s) {
  Json energy =
      Json::object({{"initial", s.energy_initial}, {"final", s.energy_final}, {"max_error", s.energy_error}});
  if (s.trend) energy["drift"] = Json::object({{"total", s.trend->total}, {"error", s.trend->error}});
  Json object = Json::object(
      {{"model", s.model},
       {"method", s.method},
       {"step", s.step},
       {"steps", s.steps},
       {"time", s.time},
       {"q", s.q},
       {"p", s.p},
       {"lambda", s.lambda},
       {"energy", std::move(energy)},
       {"residual", Json::object({{"position_max", s.position_max}, {"momentum_max", s.momentum_max}})},
       {"newton",
        Json::object({{"iterations_mean", s.iterations_mean}, {"iterations_max", s.iterations_max}})},
       {"projections",
        Json::object({{"position", s.position_projections}, {"momentum", s.momentum_projections}})},
       {"seconds", s.seconds},
       {"steps_per_second", s.steps_per_second()}});
  if (!s.backends.empty()) object["backend"] = name_of(s.backends.back().backend);
  if (s.backends.size() > 1) {
    Json all = Json::list();
    for (const BackendUse& use : s.backends)
      all.push_back(Json::object({{"backend", name_of(use.backend)}, {"after_step", use.from}}));
    object["backends"] = std::move(all);
  }
  if (!s.formulation.empty()) {
    object["formulation"] = s.formulation;
    object["projection"] = s.projection;
  }
  if (s.moved) object["start_moved"] = Json::object({{"q", s.moved->q}, {"p", s.moved->p}});
  if (s.jumps > 0)
    object["jumps"] =
        Json::object({{"steps", s.jumps}, {"first", s.first_jump}, {"largest", s.largest_jump}});
  if (s.first_unexplained > 0) object["first_step"] = Json::object({{"unexplained", s.first_unexplained}});
  if (s.least_pivot < 1)
    object["smallest_pivot"] = Json::object({{"ratio", s.least_pivot}, {"time", s.least_pivot_time}});
  if (s.halved > 0) object["halved"] = Json::object({{"steps", s.halved}, {"parts_max", s.parts_max}});
  if (!s.error.empty()) object["error"] = s.error;
  return object.to_text(2);
}

}  // namespace taut
