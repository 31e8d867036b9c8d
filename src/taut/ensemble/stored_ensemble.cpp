#include <taut/ensemble/stored_ensemble.hpp>
#include <taut/store/run_identity.hpp>
#include <taut/version.hpp>

#include <fmt/format.h>

namespace taut {

Manifest manifest_of(const Ensemble& e, const VaryRequest& vary) {
  Manifest m{.version = std::string(version),
             .model = e.run.name,
             .text = e.run.text,
             .files = {},
             .set = e.run.set,
             .request = Json::object({{"run", json_of_request(e.run.asked)},
                                      {"vary", to_json(vary)},
                                      {"samples", e.samples},
                                      {"backend", name_of(e.machines->used().backend)},
                                      {"title", e.run.title()},
                                      {"method", e.method.choice.label()},
                                      {"step", e.schedule.step},
                                      {"steps", e.schedule.steps},
                                      {"coordinates", e.coordinates()}}),
             .variations = e.variations.text(),
             .size = e.size(),
             .seed = e.variations.seed(),
             .unit = e.unit(),
             .columns = e.columns,
             .sample_columns = e.sample_columns,
             .samples = e.samples_each(),
             .table = {}};
  for (const auto& [path, text] : e.run.model.files) m.files[path] = text->text();
  return m;
}

EnsembleSummary::About about(const EnsembleFolder& folder) {
  const Manifest& m = folder.manifest();
  try {
    return {.model = m.request.at("title").text(),
            .method = m.request.at("method").text(),
            .step = m.request.at("step").number(),
            .steps = m.request.at("steps").whole<std::int64_t>(),
            .size = m.size,
            .unit = m.unit,
            .seed = m.seed,
            .coordinates = m.request.at("coordinates").whole<int>(),
            .backend = m.request.at("backend").text(),
            .columns = m.columns};
  } catch (const JsonError& error) {
    throw InputError(fmt::format("{}: {}.", folder.folder().path_of(manifest_name), error.what()));
  }
}

Ensemble ensemble_in(const EnsembleFolder& folder, int lanes, Device device,
                     std::function<bool()> wants_to_stop) {
  const Manifest& m = folder.manifest();
  RunRequest asked;
  VaryRequest vary;
  EnsembleOptions options{.lanes = lanes, .device = device, .wants_to_stop = std::move(wants_to_stop)};
  std::string backend;
  try {
    asked = request_of_json(m.request.at("run"));
    vary = vary_request(m.request.at("vary"));
    options.samples = m.request.at("samples").boolean();
    backend = m.request.at("backend").text();
  } catch (const JsonError& error) {
    throw InputError(fmt::format("{}: {}.", folder.folder().path_of(manifest_name), error.what()));
  }
  vary.table = folder.table();
  const Backend before = choice_named<Backend>(backend).value_or(Backend::automatic);
  ModelRun run = model_run(m.text, m.model, asked, m.set, stored_files(m.files));
  run.request.backend = before;
  Ensemble e = make_ensemble(std::move(run), vary, options);
  const Backend now = e.machines->used().backend;
  if ((before == Backend::specialise) != (now == Backend::specialise))
    throw InputError(fmt::format("the ensemble was begun by the backend {}, which cannot be had here: {}",
                                 backend, e.note));
  if (e.variations.text() != m.variations || e.columns != m.columns)
    throw InputError(
        fmt::format("{}: this version of taut reads the ensemble otherwise than the one that began it.",
                    folder.folder().path_of(manifest_name)));
  return e;
}

}  // namespace taut
