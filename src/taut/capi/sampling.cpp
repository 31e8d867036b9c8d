// Samplings whose draws stay in memory, and free energies.
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/sample/bias.hpp>
#include <taut/sample/free_energy.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "border.hpp"
#include "open_model.hpp"
#include "views.hpp"
#include "watch.hpp"

struct taut_sampling {
  taut::SamplingSummary summary;
  std::vector<std::string> statistics, columns;  // the columns: coordinates, then quantities
  std::size_t chains = 0, draws = 0;
  std::vector<double> rows;  // chain after chain, draw after draw: statistics, then columns
};

namespace taut::capi {

namespace {

struct SamplingAsked {
  Options run;
  TargetOptions target;
  SamplingOptions options;
  SamplingWords words;
  std::string coordinate;
  std::vector<double> values;
};

std::int64_t at_least(std::string_view key, const Json& value, std::int64_t least,
                      std::int64_t most = std::int64_t{1} << 53) {
  const std::int64_t count = whole_at(key, value);
  if (count < least || count > most)
    throw InputError(fmt::format("the option {} is {}: it lies between {} and {}.", key, count, least, most));
  return count;
}

void take_option(std::string_view key, const Json& value, SamplingAsked& asked) {
  SamplingOptions& o = asked.options;
  if (key == "draws") o.draws = at_least(key, value, 1);
  if (key == "warmup") o.warmup = at_least(key, value, 0);
  if (key == "chains") o.chains = static_cast<int>(at_least(key, value, 1, 10000));
  if (key == "thin") o.thin = at_least(key, value, 1);
  if (key == "seed") o.seed = static_cast<std::uint64_t>(at_least(key, value, 0));
  if (key == "max-depth") o.kernel.max_depth = static_cast<int>(at_least(key, value, 1, 20));
  if (key == "friction") o.kernel.friction = number_at(key, value);
  if (key == "accept") o.accept = number_at(key, value);
  if (key == "kernel") asked.words.kernel = text_at(key, value);
  if (key == "metric") asked.words.metric = text_at(key, value);
  if (key == "inits") asked.words.inits = text_at(key, value);
  if (key == "integrator") asked.words.integrator = text_at(key, value);
  if (key == "spread") asked.words.spread = number_at(key, value);
  if (key == "coordinate") asked.coordinate = text_at(key, value);
  if (key == "values") asked.values = numbers_at(key, value);
  if (key == "temperature") {
    asked.target.temperature = number_at(key, value);
    if (!(*asked.target.temperature > 0)) throw InputError("the option temperature is kT, and positive.");
  }
  if (key == "measure") {
    asked.target.measure = choice_named<Measure>(text_at(key, value));
    if (!asked.target.measure)
      throw InputError(fmt::format("the option measure is {}: it is {}.", value.to_text(),
                                   in_words(choice_names<Measure>, "or")));
  }
}

SamplingAsked sampling_asked(const char* options_json) {
  SamplingAsked asked;
  asked.run = read_options(options_json, {"draws", "warmup", "chains", "thin", "seed", "max-depth",
                                          "friction", "accept", "kernel", "metric", "inits", "integrator",
                                          "spread", "temperature", "measure", "coordinate", "values"});
  for (const auto& [key, value] : asked.run.others) take_option(key, value, asked);
  asked.options.step = asked.run.request.step;
  asked.run.request.step.reset();  // it is the kernel's, not that of a run
  return asked;
}

void refuse_functions(const taut_model& model) {
  if (model.open->has_functions())
    throw InputError(
        "a model with functions of the caller cannot be sampled: the gradients of its measure need "
        "formulas.");
}

SamplingObserver observer_of(const Watch& watch) {
  return {.progress = [&watch](std::int64_t done, std::int64_t all) { watch.progress(done, all); },
          .wants_to_stop = [&watch] { return watch.wants_stop(); }};
}

int sample(taut_model* model, SamplingAsked asked, const taut_watch* of_caller, taut_sampling& made) {
  const Watch watch(of_caller);
  const int threads = asked.run.request.threads > 0 ? asked.run.request.threads : usual_threads();
  const std::string out = asked.run.request.out;
  ModelRun run = model->open->fresh(asked.run);
  take_words(asked.words, run.model, asked.options);
  const Sampling sampling = make_sampling(std::move(run), asked.target, asked.options);
  for (const std::string& note : sampling.notes) watch.note(note);
  std::optional<DrawsFolder> folder;
  if (!out.empty()) {
    folder.emplace(DrawsFolder::begin(out, manifest_of(sampling)));
    lock(folder->folder());
  }
  const SamplingObserver observer = observer_of(watch);
  const SamplingResult result = run_sampling(sampling, threads, folder ? &*folder : nullptr, observer);
  const std::vector<std::string> all = sampling.columns();
  made.statistics = statistic_names();
  made.columns.assign(all.begin() + static_cast<std::ptrdiff_t>(made.statistics.size()), all.end());
  made.chains = static_cast<std::size_t>(result.chain_count());
  made.draws = static_cast<std::size_t>(result.draws());
  for (int k = 0; k < result.chain_count(); ++k)
    result.each_block(k, [&](std::span<const double> rows) {
      made.rows.insert(made.rows.end(), rows.begin(), rows.end());
    });
  made.summary = summarise(sampling, result);
  if (result.stopped)
    return remember(TAUT_STOPPED, "stopped",
                    fmt::format("stopped by the caller: {} draws of each chain are there.", made.draws));
  estimate_bias(sampling, threads, observer, made.summary);
  return TAUT_OK;
}

void show(taut_sampling& s, std::string_view name, taut_view& view) {
  const std::size_t before = s.statistics.size(), width = before + s.columns.size();
  const auto part = [&](std::size_t from, std::size_t count) {
    set_view(view, s.rows.data() + from, s.chains, s.draws, count);
    view.strides[0] = static_cast<std::int64_t>(s.draws * width * sizeof(double));
    view.strides[1] = static_cast<std::int64_t>(width * sizeof(double));
  };
  if (name == "draws") return part(before, s.columns.size());
  if (name == "statistics") return part(0, before);
  std::vector<std::string> all = s.statistics;
  all.insert(all.end(), s.columns.begin(), s.columns.end());
  const auto at = std::find(all.begin(), all.end(), name);
  if (at == all.end())
    throw CallError(fmt::format("the sampling has no column {}.{}", ticked(name), did_you_mean(name, all)));
  set_view(view, s.rows.data() + (at - all.begin()), s.chains, s.draws);
  view.strides[0] = static_cast<std::int64_t>(s.draws * width * sizeof(double));
  view.strides[1] = static_cast<std::int64_t>(width * sizeof(double));
}

int free_energy_of(taut_model* model, SamplingAsked asked, const taut_watch* of_caller, char** json) {
  const Watch watch(of_caller);
  if (asked.coordinate.empty())
    throw InputError("a free energy needs the option coordinate, a formula of coordinates and parameters.");
  const int threads = asked.run.request.threads > 0 ? asked.run.request.threads : usual_threads();
  ModelRun run = model->open->fresh(asked.run);
  if (!is_quantity(run.model, asked.coordinate)) {
    asked.run.set.push_back(held_setting(asked.coordinate));
    try {
      run = model->open->fresh(asked.run);
    } catch (const ModelFileError& error) {
      throw in_words_of_coordinate(error);
    }
    asked.coordinate = held_name;
  }
  take_words(asked.words, run.model, asked.options);
  const FreeEnergyOptions options{.coordinate = asked.coordinate,
                                  .values = asked.values,
                                  .target = asked.target,
                                  .sampling = asked.options};
  const FreeEnergy found = free_energy(run, options, threads, observer_of(watch));
  if (found.stopped) return remember(TAUT_STOPPED, "stopped", "stopped by the caller: nothing was kept.");
  *json = handed_out(to_json(found));
  return TAUT_OK;
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_sampling_make(taut_model* model, const char* options_json, const taut_watch* watch,
                       taut_sampling** sampling) {
  return guarded([&] {
    need(sampling, "sampling");
    *sampling = nullptr;
    need(model, "model");
    refuse_functions(*model);
    auto made = std::make_unique<taut_sampling>();
    const int status = sample(model, sampling_asked(options_json), watch, *made);
    *sampling = made.release();
    return status;
  });
}

void taut_sampling_free(taut_sampling* sampling) { delete sampling; }

int taut_sampling_summary(taut_sampling* sampling, char** json) {
  return guarded([&] {
    need(sampling, "sampling");
    need(json, "json");
    *json = handed_out(to_json(sampling->summary));
    return TAUT_OK;
  });
}

int taut_sampling_columns(taut_sampling* sampling, char** json) {
  return guarded([&] {
    need(sampling, "sampling");
    need(json, "json");
    *json = handed_out(
        taut::Json::object({{"columns", sampling->columns}, {"statistics", sampling->statistics}}).to_text());
    return TAUT_OK;
  });
}

int taut_sampling_view(taut_sampling* sampling, const char* name, taut_view* view) {
  return guarded([&] {
    need(sampling, "sampling");
    need(name, "name");
    need(view, "view");
    taut::capi::show(*sampling, name, *view);
    return TAUT_OK;
  });
}

int taut_free_energy(taut_model* model, const char* options_json, const taut_watch* watch, char** json) {
  return guarded([&] {
    need(model, "model");
    need(json, "json");
    refuse_functions(*model);
    return free_energy_of(model, sampling_asked(options_json), watch, json);
  });
}
