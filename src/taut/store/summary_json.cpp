#include <taut/contract/summary.hpp>

#include <nlohmann/json.hpp>

namespace taut {

std::string to_json(const RunSummary& s) {
  nlohmann::ordered_json object = {
      {"model", s.model},
      {"method", s.method},
      {"step", s.step},
      {"steps", s.steps},
      {"time", s.time},
      {"q", s.q},
      {"p", s.p},
      {"lambda", s.lambda},
      {"energy", {{"initial", s.energy_initial}, {"final", s.energy_final}, {"max_error", s.energy_error}}},
      {"residual", {{"position_max", s.position_max}, {"momentum_max", s.momentum_max}}},
      {"newton", {{"iterations_mean", s.iterations_mean}, {"iterations_max", s.iterations_max}}},
      {"projections", {{"position", s.position_projections}, {"momentum", s.momentum_projections}}},
      {"seconds", s.seconds},
      {"steps_per_second", s.steps_per_second()}};
  if (!s.formulation.empty()) {
    object["formulation"] = s.formulation;
    object["projection"] = s.projection;
  }
  if (s.trend) object["energy"]["drift"] = {{"total", s.trend->total}, {"error", s.trend->error}};
  if (s.moved) object["start_moved"] = {{"q", s.moved->q}, {"p", s.moved->p}};
  if (s.halved > 0) object["halved"] = {{"steps", s.halved}, {"parts_max", s.parts_max}};
  if (!s.error.empty()) object["error"] = s.error;
  return object.dump(2);
}

}  // namespace taut
