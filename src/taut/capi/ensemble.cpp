// Ensembles whose ends and samples stay in memory.
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/stored_ensemble.hpp>
#include <taut/ensemble/summary.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "border.hpp"
#include "open_model.hpp"
#include "views.hpp"
#include "watch.hpp"

struct taut_ensemble {
  explicit taut_ensemble(taut::EnsembleSummary of) : summary(std::move(of)) {}

  taut::EnsembleSummary summary;
  std::size_t size = 0, n = 0, samples = 0;
  std::vector<std::string> columns, sample_columns, names;
  std::vector<double> ends, sampled, values;
  std::vector<taut::Ending> endings;
};

namespace taut::capi {

namespace {

// Puts the units in their places, and into a folder if there is one.
class Gatherer final : public EnsembleObserver {
 public:
  Gatherer(const Ensemble& ensemble, taut_ensemble& made, const EnsembleFolder* folder,
           const taut_watch* watch)
      : ensemble_(ensemble), made_(made), folder_(folder), watch_(watch) {}

  std::optional<std::int64_t> next_unit() override {
    return next_ < ensemble_.units() ? std::optional(next_++) : std::nullopt;
  }
  void take(const Unit& unit) override {
    if (folder_ != nullptr) folder_->write(unit);
    made_.summary.add(unit);
    const auto first = static_cast<std::size_t>(unit.first());
    std::copy(unit.rows.begin(), unit.rows.end(), made_.ends.begin() + place(first * made_.columns.size()));
    std::copy(unit.sampled.begin(), unit.sampled.end(),
              made_.sampled.begin() + place(first * made_.samples * made_.sample_columns.size()));
    std::copy(unit.endings.begin(), unit.endings.end(), made_.endings.begin() + place(first));
  }
  void progress(const EnsembleProgress& now) override {
    watch_.progress(now.steps, ensemble_.size() * ensemble_.schedule.steps);
  }
  bool wants_to_stop() override { return watch_.wants_stop(); }

 private:
  static std::ptrdiff_t place(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }

  const Ensemble& ensemble_;
  taut_ensemble& made_;
  const EnsembleFolder* folder_;
  Watch watch_;
  std::int64_t next_ = 0;
};

void take_vary(const Json& value, std::vector<std::string>& vary) {
  if (value.is_list()) {
    for (const Json& one : value.items()) vary.push_back(text_at("vary", one));
    return;
  }
  try {
    for (const JsonMember& member : value.members())
      vary.push_back(fmt::format("{} = {}", member.key,
                                 member.value.is_text() ? member.value.text() : member.value.to_text()));
  } catch (const JsonError&) {
    throw InputError("the option vary takes {NAME: \"linspace(1, 2, 100)\" or a list of numbers}.");
  }
}

struct EnsembleAsked {
  Options run;
  VaryRequest vary;
  EnsembleOptions how;
  bool covariance = false;
};

EnsembleAsked asked_of(const char* options_json) {
  EnsembleAsked asked;
  asked.run = read_options(options_json, {"vary", "size", "seed", "grid", "lanes", "covariance", "device"});
  for (const auto& [key, value] : asked.run.others) {
    if (key == "vary") {
      take_vary(value, asked.vary.vary);
    } else if (key == "grid") {
      asked.vary.grid = truth_at(key, value);
    } else if (key == "covariance") {
      asked.covariance = truth_at(key, value);
    } else if (key == "device") {
      const auto device = choice_named<Device>(text_at(key, value));
      if (!device)
        throw InputError(fmt::format("the option device is {}: it is {}.", value.to_text(),
                                     in_words(choice_names<Device>, "or")));
      asked.how.device = *device;
    } else {
      const std::int64_t count = whole_at(key, value);
      if (count < 0) throw InputError(fmt::format("the option {} is {}; it cannot be negative.", key, count));
      if (key == "size") asked.vary.size = count;
      if (key == "seed") asked.vary.seed = static_cast<std::uint64_t>(count);
      if (key == "lanes") {
        if (count != 1 && count != 4 && count != 8 && count != 16)
          throw InputError(
              fmt::format("lanes is {}: 1, 4, 8 or 16 trajectories can run side by side.", count));
        asked.how.lanes = static_cast<int>(count);
      }
    }
  }
  asked.how.samples = asked.run.request.every > 0;
  return asked;
}

TableFile table_of(const char* const* column_names, std::int64_t columns, const double* table,
                   std::int64_t rows) {
  need(column_names, "column_names");
  if (columns < 1 || rows < 1)
    throw CallError(fmt::format("a table of {} columns and {} rows holds no start.", columns, rows));
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < columns; ++k) {
    need(column_names[k], "a name in column_names");
    names.emplace_back(column_names[k]);
    if (!is_name(names.back()))
      throw InputError(
          fmt::format("column {} of the table is called {}, which is no name.", k, ticked(names.back())));
  }
  std::string bytes = npy_header(names, rows);
  const std::int64_t count = columns * rows;
  bytes.reserve(bytes.size() + static_cast<std::size_t>(count) * sizeof(double));
  for (std::int64_t k = 0; k < count; ++k) {
    if (!std::isfinite(table[k]))
      throw InputError(fmt::format("row {}, column {} of the table is not finite.", k / columns,
                                   ticked(names[static_cast<std::size_t>(k % columns)])));
    put_number(bytes, table[k]);
  }
  return {"table.npy", std::move(bytes)};
}

int work_on(const Ensemble& ensemble, const EnsembleFolder* folder, const taut_watch* watch, int threads,
            taut_ensemble& made) {
  made.size = static_cast<std::size_t>(ensemble.size());
  made.n = static_cast<std::size_t>(ensemble.coordinates());
  made.columns = ensemble.columns;
  made.sample_columns = ensemble.sample_columns;
  made.samples = static_cast<std::size_t>(ensemble.samples_each());
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  made.ends.assign(made.size * made.columns.size(), none);
  made.sampled.assign(made.size * made.samples * made.sample_columns.size(), none);
  made.endings.resize(made.size);
  made.names = ensemble.variations.names();
  made.values.resize(made.size * made.names.size());
  for (std::size_t k = 0; k < made.size && !made.names.empty(); ++k)
    ensemble.variations.values(static_cast<std::int64_t>(k),
                               std::span(made.values).subspan(k * made.names.size(), made.names.size()));
  made.summary.threads = threads > 0 ? threads : usual_threads();
  Gatherer gatherer(ensemble, made, folder, watch);
  const auto began = std::chrono::steady_clock::now();
  const EnsembleProgress done = run_ensemble(ensemble, made.summary.threads, gatherer);
  made.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  made.summary.busy = done.busy;
  made.summary.steps_made = done.steps;
  if (gatherer.wants_to_stop() && !made.summary.totals.is_complete())
    return remember(TAUT_STOPPED, "stopped",
                    fmt::format("stopped by the caller: {} of {} trajectories are there.",
                                made.summary.totals.trajectories(), made.size));
  const EnsembleTotals& totals = made.summary.totals;
  if (totals.trajectories() == 0 || totals.ended(Ended::done) > 0) return TAUT_OK;
  std::string sentence =
      made.size == 1 ? "the trajectory failed" : fmt::format("all {} trajectories failed", made.size);
  if (const auto& first = totals.first_failed()) {
    sentence += fmt::format("{}: {}", made.size == 1 ? "" : "; the first", words_for(first->ending.kind));
    if (first->ending.kind == Ended::start_refused)
      sentence += ", " + Trajectories(ensemble).ready(first->trajectory).refusal;
  }
  if (!sentence.ends_with('.')) sentence += '.';
  return remember(TAUT_FAILED, "failed", std::move(sentence));
}

int make_ensemble_of(taut_model* model, EnsembleAsked asked, const taut_watch* watch,
                     taut_ensemble** result) {
  if (model->open->has_functions())
    throw InputError(
        "a model with functions of the caller has no ensembles: its trajectories would not run side by side. "
        "Call the run once for each.");
  const int threads = asked.run.request.threads;
  asked.run.request.threads = 0;
  ModelRun run = model->open->fresh(asked.run);
  refuse_events(asked.run, run, "an ensemble");
  const Watch watched(watch);
  asked.how.wants_to_stop = [&watched] {
    watched.progress(0, 0);  // Python hears of Ctrl-C when it is called
    return watched.wants_stop();
  };
  const Ensemble ensemble = make_ensemble(std::move(run), asked.vary, asked.how);
  if (!ensemble.note.empty()) Watch(watch).note(ensemble.note);
  std::optional<EnsembleFolder> folder;
  std::optional<EnsembleLock> alone;
  if (!asked.run.request.out.empty()) {
    folder.emplace(
        EnsembleFolder::begin(asked.run.request.out, manifest_of(ensemble, asked.vary), asked.vary.table));
    alone.emplace(*folder);
  }
  auto made = std::make_unique<taut_ensemble>(EnsembleSummary(about(ensemble), asked.covariance));
  const int status = work_on(ensemble, folder ? &*folder : nullptr, watch, threads, *made);
  *result = made.release();
  return status;
}

Json failures_of(const taut_ensemble& e) {
  Json list = Json::list();
  for (std::size_t k = 0; k < e.endings.size(); ++k) {
    const Ending& ending = e.endings[k];
    if (!ending.failed()) continue;
    list.push_back(Json::object({{"trajectory", k},
                                 {"kind", name_of(ending.kind)},
                                 {"words", words_for(ending.kind)},
                                 {"time", ending.time},
                                 {"steps", ending.steps},
                                 {"residual", ending.residual},
                                 {"constraint", ending.constraint}}));
  }
  return list;
}

void show(taut_ensemble& e, std::string_view name, taut_view& view) {
  const std::size_t width = e.columns.size();
  if (name == "q" || name == "p") {
    set_view(view, e.ends.data() + (name == "q" ? 0 : e.n), e.size, e.n);
    view.strides[0] = static_cast<std::int64_t>(width * sizeof(double));
    return;
  }
  if (name == "ends") return set_view(view, e.ends.data(), e.size, width);
  if (name == "values") return set_view(view, e.values.data(), e.size, e.names.size());
  if (name == "samples") {
    if (e.samples == 0) throw CallError("the ensemble has kept no samples: give \"every\" to keep some.");
    return set_view(view, e.sampled.data(), e.size, e.samples, e.sample_columns.size());
  }
  if (const auto at = std::find(e.columns.begin(), e.columns.end(), name); at != e.columns.end())
    return set_column(view, e.ends.data(), e.size, width, static_cast<std::size_t>(at - e.columns.begin()));
  throw CallError(
      fmt::format("the ensemble has no column {}.{}", ticked(name), did_you_mean(name, e.columns)));
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_ensemble_make(taut_model* model, const char* options_json, const char* const* column_names,
                       int64_t columns, const double* table, int64_t rows, const taut_watch* watch,
                       taut_ensemble** ensemble) {
  return guarded([&] {
    need(ensemble, "ensemble");
    *ensemble = nullptr;
    need(model, "model");
    EnsembleAsked asked = asked_of(options_json);
    if (table != nullptr) asked.vary.table = table_of(column_names, columns, table, rows);
    return make_ensemble_of(model, std::move(asked), watch, ensemble);
  });
}

void taut_ensemble_free(taut_ensemble* ensemble) { delete ensemble; }

int taut_ensemble_summary(taut_ensemble* ensemble, char** json) {
  return guarded([&] {
    need(ensemble, "ensemble");
    need(json, "json");
    *json = handed_out(to_json(ensemble->summary));
    return TAUT_OK;
  });
}

int taut_ensemble_columns(taut_ensemble* ensemble, char** json) {
  return guarded([&] {
    need(ensemble, "ensemble");
    need(json, "json");
    *json = handed_out(taut::Json::object({{"columns", ensemble->columns},
                                           {"sample_columns", ensemble->sample_columns},
                                           {"values", ensemble->names}})
                           .to_text());
    return TAUT_OK;
  });
}

int taut_ensemble_failures(taut_ensemble* ensemble, char** json) {
  return guarded([&] {
    need(ensemble, "ensemble");
    need(json, "json");
    *json = handed_out(failures_of(*ensemble).to_text());
    return TAUT_OK;
  });
}

int taut_ensemble_view(taut_ensemble* ensemble, const char* name, taut_view* view) {
  return guarded([&] {
    need(ensemble, "ensemble");
    need(name, "name");
    need(view, "view");
    taut::capi::show(*ensemble, name, *view);
    return TAUT_OK;
  });
}
