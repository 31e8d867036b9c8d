// Runs whose samples stay in memory.
#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/files/open_file.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/report/computed.hpp>
#include <taut/report/run_report.hpp>
#include <taut/sample/draws_folder.hpp>
#include <taut/store/files.hpp>
#include <taut/store/recording.hpp>
#include <taut/store/run_files.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "border.hpp"
#include "open_model.hpp"
#include "views.hpp"
#include "watch.hpp"

namespace taut::capi {

// All samples of a run, one array for each kind.
struct Samples {
  std::vector<double> t, q, p, energy, residual, more;

  std::size_t count() const { return t.size(); }
  void reserve(std::size_t count, std::size_t n, std::size_t columns) {
    for (std::vector<double>* one : {&t, &energy}) one->reserve(count);
    residual.reserve(2 * count);
    q.reserve(count * n);
    p.reserve(count * n);
    more.reserve(count * columns);
  }
};

namespace {

// Keeps samples in memory, and in a folder if there is a recording.
class Keeper final : public RunObserver {
 public:
  Keeper(const taut_watch* watch, Samples* samples, std::size_t columns, Recording* recording)
      : watch_(watch), samples_(samples), columns_(columns), recording_(recording) {}

  void sample(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
              std::span<const double> more) override {
    if (samples_ != nullptr) {
      samples_->t.push_back(time);
      samples_->q.insert(samples_->q.end(), q.begin(), q.end());
      samples_->p.insert(samples_->p.end(), p.begin(), p.end());
      samples_->energy.push_back(reading.energy);
      samples_->residual.push_back(reading.position);
      samples_->residual.push_back(reading.momentum);
      samples_->more.insert(samples_->more.end(), more.begin(),
                            more.begin() + static_cast<std::ptrdiff_t>(std::min(columns_, more.size())));
    }
    if (recording_ != nullptr) recording_->sample(time, q, p, reading, more);
  }
  void all_digits(const WideState& x) override {
    if (recording_ != nullptr) recording_->all_digits(x);
  }
  void progress(std::int64_t done, std::int64_t wanted) override {
    compiles_ = false;
    watch_.progress(done, wanted);
  }
  void waits_for(const std::string& what) override {
    compiles_ = true;
    watch_.note(what);
  }
  void note(const std::string& sentence) override { watch_.note(sentence); }
  bool wants_checkpoints() const override { return recording_ != nullptr; }
  bool checkpoint_due() override { return recording_ != nullptr && recording_->checkpoint_due(); }
  void checkpoint(const Snapshot& snapshot) override { recording_->checkpoint(snapshot); }
  std::string stop_reason() override {
    // Python hears of Ctrl-C when it is called.
    if (compiles_) watch_.progress(0, 0);
    return watch_.wants_stop() ? "stopped by the caller" : "";
  }

 private:
  Watch watch_;
  bool compiles_ = false;  // a compiler may be at work, and no step has been made
  Samples* samples_;
  std::size_t columns_;
  Recording* recording_;
};

}  // namespace

}  // namespace taut::capi

struct taut_run {
  std::shared_ptr<taut::capi::OpenModel> open;
  taut::capi::Options options;
  std::string options_text;
  taut::RunSummary summary;
  std::vector<std::string> names;    // names of coordinates, then of momenta
  std::vector<std::string> columns;  // names of the further columns
  std::size_t n = 0, m = 0;
  std::size_t lambda_at = 0;  // the place of the multipliers among the columns, if they are there
  bool has_lambda = false;
  taut::capi::Samples samples;
  std::vector<double> lambda;  // λ(q, p) of all samples, once somebody wants to see it
};

namespace taut::capi {

namespace {

int status_of(const RunSummary& summary) {
  if (summary.error.empty()) return TAUT_OK;
  const bool stopped = summary.failure && summary.failure->kind == "stopped";
  Json more = Json::object();
  if (summary.failure) more["failure"] = summary.failure->kind;
  return remember(stopped ? TAUT_STOPPED : TAUT_FAILED, stopped ? "stopped" : "failed", summary.error,
                  std::move(more));
}

// Samples that no memory holds are refused before the run, and not when it has gone on for hours.
void refuse_too_many_samples(const ModelRun& run, const Schedule& schedule, std::size_t columns) {
  for (const EventRule& event : run.model.dynamics.events)
    if (event.action == EventRule::Action::stop) return;  // it may end at any time
  const auto numbers =
      static_cast<double>(4 + 2 * run.mechanism->coordinates()) + static_cast<double>(columns);
  const double needed = schedule.samples() * numbers * sizeof(double);
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!(needed > there)) return;
  throw InputError(
      fmt::format("{:.3g} samples need {:.2g} GB, and this machine has {:.2g} GB of memory: make them fewer "
                  "with a larger `every`, or keep them in a folder alone, with `out` and \"samples\": false.",
                  schedule.samples(), needed / 1e9, there / 1e9));
}

int make_run(taut_model* model, const char* options_json, const taut_watch* watch, taut_run** run) {
  auto made = std::make_unique<taut_run>();
  made->open = model->open;
  made->options = read_options(options_json);
  made->options_text = options_json == nullptr ? "" : options_json;
  const auto lease = model->open->reading(made->options);
  ModelRun& reading = *lease;
  reading.request.watch_multipliers = made->has_lambda = reading.shows_stage_multiplier();
  const Schedule schedule = schedule_of(reading.request);
  made->names = reading.columns();
  made->n = made->names.size() / 2;
  made->m = static_cast<std::size_t>(reading.mechanism->constraints());
  made->columns = reading.watched().watched(reading.coordinates());
  made->lambda_at = made->columns.size() - (made->has_lambda ? made->m : 0);
  std::optional<Recording> recording;
  if (!reading.request.out.empty())
    recording.emplace(reading, schedule, made->options.overwrite, std::shared_ptr<ReportSoFar>());
  if (made->options.samples) {
    refuse_too_many_samples(reading, schedule, made->columns.size());
    constexpr double most_reserved = 1 << 20;
    const double count = std::min(schedule.samples() + 2, most_reserved);
    made->samples.reserve(static_cast<std::size_t>(count), made->n, made->columns.size());
  }
  Keeper keeper(watch, made->options.samples ? &made->samples : nullptr, made->columns.size(),
                recording ? &*recording : nullptr);
  made->summary = reading.run(keeper, "in the result");
  if (recording && recording->saved() && recording->folder() != nullptr)
    write_summary(*recording->folder(), made->summary);
  const int status = status_of(made->summary);
  *run = made.release();
  return status;
}

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

struct ResumeAsked {
  GoingOn how;
  bool previous = false, new_samples = false;
};

ResumeAsked resume_asked(const char* options_json) {
  const Options options = read_options(options_json, {"previous", "new-samples"});
  ResumeAsked asked;
  for (const auto& [key, value] : options.others)
    (key == "previous" ? asked.previous : asked.new_samples) = truth_at(key, value);
  const Json object = object_of(options_json);
  for (const auto& [written, value] : object.members()) {
    std::string key = written;
    std::replace(key.begin(), key.end(), '_', '-');
    if (!is_one_of(key, {"previous", "new-samples", "checkpoint-every", "on-failure", "on-jump", "threads",
                         "backend"}))
      throw InputError(
          fmt::format("a run goes on as it was begun: leave out the option {}.", ticked(written)));
    if (key == "checkpoint-every") asked.how.checkpoint_every = options.request.checkpoint_every;
    if (key == "on-failure") asked.how.halves = options.request.halve_on_failure;
    if (key == "on-jump") asked.how.warns = options.request.warn_at_jumps;
  }
  asked.how.threads = options.request.threads;
  asked.how.backend = options.request.backend;
  return asked;
}

int resume_run(const std::string& folder, const char* options_json, const taut_watch* watch, char** json) {
  const ResumeAsked asked = resume_asked(options_json);
  if (is_ensemble_folder(folder) || is_sampling_folder(folder))
    throw InputError(fmt::format("{} holds no run, but {}: `taut resume {}` goes on with it.", folder,
                                 is_ensemble_folder(folder) ? "an ensemble" : "a sampling", folder));
  FoundRun found = find_run(folder, asked.previous);
  if (!found.note.empty()) Watch(watch).note(found.note);
  if (found.checkpoint.snapshot.status == RunStatus::finished && found.has_summary) {
    *json = handed_out(text_of(*found.folder, summary_name));
    return TAUT_OK;
  }
  if (found.checkpoint.report)
    throw InputError(fmt::format(
        "the run in {} draws a report while it goes: `taut resume {}` goes on with both.", folder, folder));
  change(found, asked.how);
  const Snapshot from = found.checkpoint.snapshot;
  Recording recording(found, asked.new_samples);
  Keeper keeper(watch, nullptr, 0, &recording);
  const RunSummary summary = found.run.run(keeper, fmt::format("in {}", folder), &from);
  if (recording.saved() && recording.folder() != nullptr) write_summary(*recording.folder(), summary);
  *json = handed_out(to_json(summary));
  return status_of(summary);
}

void fill_lambda(taut_run& run) {
  if (!run.lambda.empty() || run.m == 0) return;
  std::vector<double> lambda(run.samples.count() * run.m);
  const auto reading = run.open->reading(run.options.set);
  const auto n = static_cast<std::int64_t>(run.n);
  reading->mechanism->evaluate(Evaluated::lambda,
                               {.count = static_cast<std::int64_t>(run.samples.count()),
                                .q = run.samples.q.data(),
                                .q_stride = n,
                                .p = run.samples.p.data(),
                                .p_stride = n},
                               lambda.data());
  run.lambda = std::move(lambda);
}

void view_of(taut_run& run, std::string_view name, taut_view& view) {
  Samples& s = run.samples;
  if (!run.options.samples) throw CallError("the run was made with \"samples\": false, and has kept none.");
  const std::size_t count = s.count();
  if (name == "t") return set_view(view, s.t.data(), count);
  if (name == "energy") return set_view(view, s.energy.data(), count);
  if (name == "q") return set_view(view, s.q.data(), count, run.n);
  if (name == "p") return set_view(view, s.p.data(), count, run.n);
  if (name == "residual") return set_view(view, s.residual.data(), count, 2);
  if (name == "lambda") {
    if (run.has_lambda) {
      set_view(view, s.more.data() + run.lambda_at, count, run.m);
      view.strides[0] = static_cast<std::int64_t>(run.columns.size() * sizeof(double));
      return;
    }
    fill_lambda(run);
    return set_view(view, run.lambda.data(), count, run.m);
  }
  if (const auto at = std::find(run.columns.begin(), run.columns.end(), name); at != run.columns.end())
    return set_column(view, s.more.data(), count, run.columns.size(),
                      static_cast<std::size_t>(at - run.columns.begin()));
  if (const auto at = std::find(run.names.begin(), run.names.end(), name); at != run.names.end()) {
    const auto k = static_cast<std::size_t>(at - run.names.begin());
    return set_column(view, k < run.n ? s.q.data() : s.p.data(), count, run.n, k % run.n);
  }
  std::vector<std::string> known = {"t", "energy", "q", "p", "residual", "lambda"};
  known.insert(known.end(), run.columns.begin(), run.columns.end());
  known.insert(known.end(), run.names.begin(), run.names.end());
  throw CallError(fmt::format("the run has no column {}.{}", ticked(name), did_you_mean(name, known)));
}

RecordedRun recorded(const taut_run& run) {
  const Samples& s = run.samples;
  if (s.count() == 0) throw CallError("the run has kept no samples to draw.");
  RecordedRun made{
      .name = method_label(run.summary), .summary = run.summary, .record = {}, .quantities = run.columns};
  const std::size_t columns = run.columns.size();
  for (std::size_t k = 0; k < s.count(); ++k) {
    const Reading reading{
        .energy = s.energy[k], .position = s.residual[2 * k], .momentum = s.residual[2 * k + 1]};
    made.record.add(s.t[k], std::span(s.q).subspan(k * run.n, run.n),
                    std::span(s.p).subspan(k * run.n, run.n), reading,
                    std::span(s.more).subspan(k * columns, columns));
  }
  return made;
}

std::string page_of(const taut_run& run) {
  const auto lease = run.open->reading(run.options);
  const std::vector<RecordedRun> runs = {recorded(run)};
  lease->request.out.clear();
  ModelRun reading = *lease;
  Report report = report_of_runs(drawing_hints(reading.model), runs, climb({reading}, {runs.front().name}));
  report.computed =
      computed_by({&reading}, {run.summary}, {"taut_run_make " + run.options_text, date_of_report()});
  return to_html(report);
}

Json figures_of(const taut_run& run) {
  const std::vector<RecordedRun> runs = {recorded(run)};
  Json object = Json::object({{"energy", to_svg(energy_figure(runs))}});
  for (const Figure& figure : residual_figures(runs)) object["residual"] = to_svg(figure);
  return object;
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_run_make(taut_model* model, const char* options_json, const taut_watch* watch, taut_run** run) {
  return guarded([&] {
    need(run, "run");
    *run = nullptr;
    need(model, "model");
    return make_run(model, options_json, watch, run);
  });
}

int taut_run_resume(const char* folder, const char* options_json, const taut_watch* watch, char** json) {
  return guarded([&] {
    need(json, "json");
    *json = nullptr;
    need(folder, "folder");
    return resume_run(folder, options_json, watch, json);
  });
}

void taut_run_free(taut_run* run) { delete run; }

int taut_run_summary(taut_run* run, char** json) {
  return guarded([&] {
    need(run, "run");
    need(json, "json");
    *json = handed_out(to_json(run->summary));
    return TAUT_OK;
  });
}

int taut_run_columns(taut_run* run, char** json) {
  return guarded([&] {
    need(run, "run");
    need(json, "json");
    const auto n = static_cast<std::ptrdiff_t>(run->n);
    const auto begin = run->names.begin();
    *json = handed_out(taut::Json::object({{"coordinates", std::vector(begin, begin + n)},
                                           {"momenta", std::vector(begin + n, run->names.end())},
                                           {"columns", run->columns}})
                           .to_text());
    return TAUT_OK;
  });
}

int taut_run_view(taut_run* run, const char* name, taut_view* view) {
  return guarded([&] {
    need(run, "run");
    need(name, "name");
    need(view, "view");
    view_of(*run, name, *view);
    return TAUT_OK;
  });
}

int taut_run_report(taut_run* run, char** html) {
  return guarded([&] {
    need(run, "run");
    need(html, "html");
    *html = handed_out(page_of(*run));
    return TAUT_OK;
  });
}

int taut_run_figures(taut_run* run, char** json) {
  return guarded([&] {
    need(run, "run");
    need(json, "json");
    *json = handed_out(taut::capi::figures_of(*run).to_text());
    return TAUT_OK;
  });
}
