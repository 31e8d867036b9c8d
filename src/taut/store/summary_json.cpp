#include <taut/bytes/json.hpp>
#include <taut/bytes/wide_text.hpp>
#include <taut/contract/driven_step.hpp>
#include <taut/contract/summary.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Writes a number with the digits of the precision; JSON has no word for one that is not finite.
Json digits_of(const Wide& x, Precision precision) {
  return std::isfinite(x.high) ? Json::number_as(text_of(x, precision)) : Json();
}
Json digits_of(const std::vector<Wide>& all, Precision precision) {
  Json list = Json::list();
  for (const Wide& x : all) list.push_back(digits_of(x, precision));
  return list;
}

// Replaces doubles by the numbers with all their digits.
void put_all_digits(const RunSummary& s, Json& object) {
  const WideState& x = *s.wide;
  object["time"] = digits_of(x.time, s.precision);
  object["q"] = digits_of(x.q, s.precision);
  object["p"] = digits_of(x.p, s.precision);
  object["lambda"] = digits_of(x.lambda, s.precision);
  object["energy"]["initial"] = digits_of(s.wide_energy_initial, s.precision);
  object["energy"]["final"] = digits_of(x.energy, s.precision);
  for (std::size_t k = 0; k < std::min(s.quantities.size(), x.quantities.size()); ++k)
    object["quantities"][s.quantities[k].first] = digits_of(x.quantities[k], s.precision);
}

// The time is the last coordinate of a model that depends on it, and is said elsewhere.
std::vector<double> listed_coordinates(std::vector<double> x, const RunSummary& s) {
  if (has_time_coordinate(s) && !x.empty()) x.pop_back();
  return x;
}

Json list_of(const std::vector<EventRecord>& records, const RunSummary& s, bool with_names) {
  Json list = Json::list();
  for (const EventRecord& e : records) {
    Json one = Json::object(
        {{"time", e.time}, {"q", listed_coordinates(e.q, s)}, {"p", listed_coordinates(e.p, s)}});
    if (with_names) one["name"] = e.name;
    list.push_back(std::move(one));
  }
  return list;
}

Json json_of(const RunFailure& failure, const std::string& sentence) {
  Json object = Json::object({{"kind", failure.kind}, {"step", failure.step}, {"time", failure.time}});
  if (!failure.stage.empty()) {
    object["stage"] = failure.stage;
    object["residual"] = failure.residual;
    object["iterations"] = failure.iterations;
  }
  if (failure.constraint >= 0) {
    object["constraint"] = failure.constraint;
    object["constraint_name"] = failure.constraint_name;
  }
  object["sentence"] = sentence;
  return object;
}

}  // namespace

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
       {"q", listed_coordinates(s.q, s)},
       {"p", listed_coordinates(s.p, s)},
       {"lambda", s.lambda},
       {"energy", std::move(energy)},
       {"residual", Json::object({{"position_max", s.position_max}, {"momentum_max", s.momentum_max}})},
       {"newton",
        Json::object({{"iterations_mean", s.iterations_mean}, {"iterations_max", s.iterations_max}})},
       {"gradients", s.gradients},
       {"projections",
        Json::object({{"position", s.position_projections}, {"momentum", s.momentum_projections}})},
       {"seconds", s.seconds},
       {"steps_per_second", s.steps_per_second()}});
  if (s.local_error)
    object["local_error"] = Json::object({{"last", s.local_error->last}, {"max", s.local_error->largest}});
  if (s.sizes)
    object["step_sizes"] = Json::object({{"shortest", s.sizes->shortest},
                                         {"mean", s.sizes->mean},
                                         {"longest", s.sizes->longest},
                                         {"last", s.sizes->last}});
  if (s.stage_multiplier) object["lambda_from"] = name_of(MultiplierShown::stage);
  if (!s.definition.empty()) object["definition"] = s.definition;
  if (!s.backends.empty()) object["backend"] = name_of(s.backends.back().backend);
  if (s.backends.size() > 1) {
    Json all = Json::list();
    for (const BackendUse& use : s.backends)
      all.push_back(Json::object({{"backend", name_of(use.backend)}, {"after_step", use.from}}));
    object["backends"] = std::move(all);
  }
  if (s.precision != Precision::double_precision) object["precision"] = name_of(s.precision);
  if (!s.formulation.empty()) {
    object["formulation"] = s.formulation;
    object["projection"] = s.projection;
  }
  if (!s.quantities.empty()) {
    Json quantities = Json::object();
    for (const auto& [name, value] : s.quantities) quantities[name] = value;
    object["quantities"] = std::move(quantities);
  }
  if (s.watches_events) {
    object["events"] = list_of(s.events, s, true);
    if (!s.at.empty()) object["at"] = list_of(s.at, s, false);
    if (!s.stopped_by.empty()) object["stopped_by"] = s.stopped_by;
  }
  if (s.work) object["work"] = *s.work;
  if (s.moved) object["start_moved"] = Json::object({{"q", s.moved->q}, {"p", s.moved->p}});
  if (s.jumps > 0)
    object["jumps"] =
        Json::object({{"steps", s.jumps}, {"first", s.first_jump}, {"largest", s.largest_jump}});
  if (s.energy_lost)
    object["energy_lost"] = Json::object({{"max_error", s.energy_error},
                                          {"in_a_step", s.change_max},
                                          {"kinetic_max", s.kinetic_max},
                                          {"for_a_while", s.energy_off_for_a_while},
                                          {"stays", s.energy_stays_lost}});
  if (s.first_unexplained > 0) object["first_step"] = Json::object({{"unexplained", s.first_unexplained}});
  if (s.least_pivot < 1)
    object["smallest_pivot"] = Json::object({{"ratio", s.least_pivot}, {"time", s.least_pivot_time}});
  if (s.halved > 0) object["halved"] = Json::object({{"steps", s.halved}, {"parts_max", s.parts_max}});
  if (!s.warnings.empty()) object["warnings"] = s.warnings;
  if (!s.error.empty()) object["error"] = s.error;
  if (s.failure) object["failure"] = json_of(*s.failure, s.error);
  if (!s.options.empty()) object["options"] = Json::parse(s.options);
  if (s.wide) put_all_digits(s, object);
  return object.to_text(2);
}

}  // namespace taut
