#include <taut/bytes/byte_text.hpp>
#include <taut/bytes/json.hpp>
#include <taut/store/name_list.hpp>
#include <taut/store/run_identity.hpp>

#include <fmt/format.h>

#include <type_traits>

namespace taut {

namespace {

template <class Choice>
Choice choice_of(const Json& name) {
  if (const auto choice = choice_named<Choice>(name.text())) return *choice;
  throw InputError(fmt::format("`{}` is not known here", name.text()));
}

template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_floating_point_v<T>)
    object[key] = json_of(*value);
  else
    object[key] = *value;
}
template <class T>
std::optional<T> optional_of(const Json& object, const char* key) {
  const Json* value = object.find(key);
  if (value == nullptr) return std::nullopt;
  if constexpr (std::is_integral_v<T>)
    return value->whole<T>();
  else
    return real(*value);
}

// Returns what decides the bits of the run; where and how its samples are kept does not.
Json deciding_part(const RunRequest& r) {
  Json object =
      Json::object({{"method", r.method}, {"formulation", r.formulation}, {"projection", r.projection}});
  put(object, "projection_tolerance", r.projection_tolerance);
  put(object, "step", r.step);
  put(object, "steps", r.steps);
  put(object, "until", r.until);
  object["every"] = r.every;
  if (!r.step_function.empty()) object["step_function"] = r.step_function;
  put(object, "shortest_step", r.shortest_step);
  put(object, "longest_step", r.longest_step);
  put(object, "interval", r.interval);
  object["tolerance"] = json_of(r.tolerance);
  object["solver"] = name_of(r.solver);
  object["backend"] = name_of(r.backend);
  if (r.precision != Precision::double_precision) object["precision"] = name_of(r.precision);
  object["plain_updates"] = r.plain_updates;
  object["project_start"] = r.project_start;
  return object;
}

Json files_as_text(const std::map<std::string, std::string>& files) {
  Json object = Json::object();
  for (const auto& [name, bytes] : files) object[name] = text_of_bytes(bytes);
  return object;
}

}  // namespace

Json json_of_request(const RunRequest& r) {
  Json object = deciding_part(r);
  object["halve_on_failure"] = r.halve_on_failure;
  object["warn_at_jumps"] = r.warn_at_jumps;
  object["threads"] = r.threads;
  object["format"] = name_of(r.format);
  object["checkpoint_every"] = json_of(r.checkpoint_every);
  return object;
}

RunRequest request_of_json(const Json& object) {
  RunRequest r;
  r.method = object.at("method").text();
  r.formulation = object.at("formulation").text();
  r.projection = object.at("projection").text();
  r.projection_tolerance = optional_of<double>(object, "projection_tolerance");
  r.step = optional_of<double>(object, "step");
  r.steps = optional_of<std::int64_t>(object, "steps");
  r.until = optional_of<double>(object, "until");
  r.every = object.at("every").whole<std::int64_t>();
  if (const Json* function = object.find("step_function")) r.step_function = function->text();
  r.shortest_step = optional_of<double>(object, "shortest_step");
  r.longest_step = optional_of<double>(object, "longest_step");
  r.interval = optional_of<double>(object, "interval");
  r.tolerance = real(object.at("tolerance"));
  r.solver = choice_of<Iteration>(object.at("solver"));
  r.backend = choice_of<Backend>(object.at("backend"));
  if (const Json* precision = object.find("precision")) r.precision = choice_of<Precision>(*precision);
  r.plain_updates = object.at("plain_updates").boolean();
  r.project_start = object.at("project_start").boolean();
  r.halve_on_failure = object.at("halve_on_failure").boolean();
  r.warn_at_jumps = object.find("warn_at_jumps") != nullptr && object.at("warn_at_jumps").boolean();
  r.threads = optional_of<int>(object, "threads").value_or(0);
  r.format = choice_of<SampleFormat>(object.at("format"));
  r.checkpoint_every = real(object.at("checkpoint_every"));
  return r;
}

std::size_t RunIdentity::width() const { return 4 + 2 * coordinates.size() + quantities.size(); }

std::vector<std::string> RunIdentity::columns() const {
  std::vector<std::string> names = {"t"};
  names.reserve(width());
  for (const std::string& q : coordinates) names.push_back(q);
  for (const std::string& q : coordinates) names.push_back("p_" + q);
  for (const char* measured : {"energy", "position_residual", "momentum_residual"})
    names.emplace_back(measured);
  names.insert(names.end(), quantities.begin(), quantities.end());
  return names;
}

std::string RunIdentity::digest() const {
  Json deciding = Json::object({{"text", text}, {"set", set}, {"asked", deciding_part(asked)}});
  if (!files.empty()) deciding["files"] = files_as_text(files);
  const std::string all = deciding.to_text();
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : all) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string to_json(const RunIdentity& r) {
  Json numbers = Json::object();
  for (const auto& [name, value] : r.parameters) numbers[name] = json_of(value);
  Json object = Json::object({{"taut", r.version},
                              {"run", r.digest()},
                              {"model", r.model},
                              {"title", r.title},
                              {"method", r.method},
                              {"step", json_of(r.schedule.step)},
                              {"steps", r.schedule.steps},
                              {"every", r.schedule.every},
                              {"columns", folded(r.columns())},
                              {"coordinates", folded(r.coordinates)},
                              {"quantities", folded(r.quantities)},
                              {"parameters", numbers},
                              {"model_text", r.text},
                              {"files", files_as_text(r.files)},
                              {"set", r.set},
                              {"asked", json_of_request(r.asked)}});
  if (r.schedule.varies) object["steps_vary"] = true;
  put(object, "end", r.schedule.end);
  put(object, "interval", r.schedule.interval);
  return object.to_text(1);
}

RunIdentity run_identity(const std::string& json) {
  try {
    const Json object = Json::parse(json);
    RunIdentity r;
    r.version = object.at("taut").text();
    r.model = object.at("model").text();
    r.title = object.at("title").text();
    r.text = object.at("model_text").text();
    r.set = object.at("set").texts();
    if (const Json* files = object.find("files"))
      for (const auto& [name, text] : files->members()) r.files[name] = bytes_of_text(text.text());
    r.asked = request_of_json(object.at("asked"));
    r.method = object.at("method").text();
    r.schedule = {real(object.at("step")),
                  object.at("steps").whole<std::int64_t>(),
                  object.at("every").whole<std::int64_t>(),
                  object.find("steps_vary") != nullptr,
                  optional_of<double>(object, "end"),
                  optional_of<double>(object, "interval")};
    r.coordinates = unfolded(object.at("coordinates"));
    if (const Json* quantities = object.find("quantities")) r.quantities = unfolded(*quantities);
    for (const auto& [name, value] : object.at("parameters").members()) r.parameters[name] = real(value);
    return r;
  } catch (const JsonError& error) {
    throw InputError(fmt::format("its description of the run is not as taut writes it: {}", error.what()));
  }
}

}  // namespace taut
