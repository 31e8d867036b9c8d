// The certificate of a method on a model, and methods side by side.
#include <taut/certificate/certificate.hpp>
#include <taut/report/comparison.hpp>

#include <fmt/format.h>

#include "border.hpp"
#include "open_model.hpp"
#include "watch.hpp"

namespace taut::capi {

namespace {

// Gives the samples of a run to its record, and ends it if the caller wants that.
class Recorder final : public RunObserver {
 public:
  Recorder(const taut_watch* watch, RunRecord& record) : watch_(watch), record_(record) {}
  void sample(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
              std::span<const double> more) override {
    record_.add(time, q, p, reading, more);
  }
  void progress(std::int64_t done, std::int64_t wanted) override { watch_.progress(done, wanted); }
  void note(const std::string& sentence) override { watch_.note(sentence); }
  std::string stop_reason() override { return watch_.wants_stop() ? "stopped by the caller" : ""; }

 private:
  Watch watch_;
  RunRecord& record_;
};

std::string certificate_of(taut_model* model, const char* options_json, const taut_watch* of_caller) {
  const Options options = read_options(options_json, {"further"});
  bool further = false;
  for (const auto& [key, value] : options.others) further = truth_at(key, value);
  const ModelRun run = model->open->fresh(options);
  run.check_precision();
  const Watch watch(of_caller);
  return to_json(certify(run, options.request.steps || options.request.until, further, telling_to(watch)));
}

struct CompareAsked {
  Options run;
  std::vector<std::string> methods;
  LadderRequest ladder;
};

CompareAsked compared(const char* options_json) {
  CompareAsked asked;
  asked.run = read_options(options_json, {"methods", "steps-ladder", "ladder-time"});
  for (const auto& [key, value] : asked.run.others) {
    if (key == "methods") {
      if (!value.is_list()) throw InputError("the option methods takes a list of names.");
      for (const Json& name : value.items()) asked.methods.push_back(text_at(key, name));
    } else if (key == "ladder-time") {
      asked.ladder.time = number_at(key, value);
    } else {
      asked.ladder.steps = numbers_at(key, value);
      for (const double h : asked.ladder.steps)
        if (h == 0) throw InputError("steps-ladder: a step of 0 leads nowhere.");
    }
  }
  if (asked.methods.empty())
    throw InputError("the option methods names the methods to compare, as in [\"rattle\", \"lobatto(3)\"].");
  return asked;
}

int compare(taut_model* model, const char* options_json, const taut_watch* watch, char** json) {
  const CompareAsked asked = compared(options_json);
  std::vector<ModelRun> runs;
  for (const std::string& method : asked.methods) {
    Options options = asked.run;
    options.request = request_for_method(options.request, method);
    runs.push_back(model->open->fresh(options));
    RunRequest& request = runs.back().request;
    drop_useless_tolerance(request, method);
    request.every = recording_interval(schedule_of(request));
    request.out.clear();
    request.watch_multipliers = true;
    runs.back().check_precision();
  }
  check_ladder(asked.ladder, runs.front());
  std::vector<RecordedRun> done;
  std::vector<std::string> names;
  for (const ModelRun& run : runs) {
    RunRecord record;
    Recorder recorder(watch, record);
    const RunSummary summary = run.run(recorder, "in a run by this method alone");
    if (summary.failure && summary.failure->kind == "stopped")
      return remember(TAUT_STOPPED, "stopped", "stopped by the caller before all methods were compared.");
    names.push_back(method_label(summary));
    done.push_back({names.back(), summary, std::move(record), 0, watched_names(run)});
  }
  add_costs(runs, done);
  *json = handed_out(comparison_as_json(done, climb(runs, names, asked.ladder)).to_text(2));
  return TAUT_OK;
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_check(taut_model* model, const char* options_json, const taut_watch* watch, char** json) {
  return guarded([&] {
    need(model, "model");
    need(json, "json");
    *json = handed_out(certificate_of(model, options_json, watch));
    return TAUT_OK;
  });
}

int taut_compare(taut_model* model, const char* options_json, const taut_watch* watch, char** json) {
  return guarded([&] {
    need(model, "model");
    need(json, "json");
    return taut::capi::compare(model, options_json, watch, json);
  });
}
