// What kind of motion a run is: the objects that the commands of the program print with --json.
#include <taut/analysis/frequencies.hpp>
#include <taut/analysis/indicators.hpp>
#include <taut/analysis/lyapunov.hpp>
#include <taut/analysis/orbit.hpp>
#include <taut/analysis/section.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "border.hpp"
#include "open_model.hpp"
#include "watch.hpp"

namespace taut::capi {

namespace {

// The further options of all analyses; each takes those that belong to it.
struct Further {
  int exponents = 0, count = 4, window = 2, vectors = 2;
  std::int64_t block = 5, seed = 1;
  double period = 0;
  std::vector<std::string> of = {};
};

struct Analysis {
  std::string_view name;
  std::vector<std::string_view> keys;
  std::string (*make)(const ModelRun& run, const Further& more, const Telling& telling);
};

double period_of(const ModelRun& run, const Further& more) {
  const Schedule schedule = schedule_of(run.request);
  return more.period != 0 ? more.period : static_cast<double>(schedule.steps) * schedule.step;
}

const std::vector<Analysis>& analyses() {
  using F = const Further&;
  using T = const Telling&;
  static const std::vector<Analysis> all = {
      {"section", {}, [](const ModelRun& run, F, T telling) { return to_json(section_of(run, telling)); }},
      {"lyapunov",
       {"exponents", "block"},
       [](const ModelRun& run, F f, T telling) {
         return to_json(lyapunov_exponents(run, f.exponents, f.block, telling));
       }},
      {"orbit",
       {"period"},
       [](const ModelRun& run, F f, T telling) {
         return to_json(periodic_orbit(run, period_of(run, f), telling));
       }},
      {"spectrum",
       {"of", "count", "window"},
       [](const ModelRun& run, F f, T telling) {
         return to_json(spectrum_of(run, f.of, f.count, f.window, telling));
       }},
      {"indicators", {"vectors", "block", "seed"}, [](const ModelRun& run, F f, T telling) {
         return to_json(
             indicators_of(run, {f.vectors, f.block, static_cast<std::uint64_t>(f.seed)}, telling));
       }}};
  return all;
}

std::int64_t whole_between(std::string_view key, const Json& value, std::int64_t least, std::int64_t most) {
  const std::int64_t k = whole_at(key, value);
  if (k < least || k > most)
    throw InputError("the option " + std::string(key) + " is " + std::to_string(k) + ": it lies between " +
                     std::to_string(least) + " and " + std::to_string(most) + ".");
  return k;
}

Further further_of(const Options& options, const Analysis& which) {
  Further more;
  for (const auto& [key, value] : options.others) {
    if (std::find(which.keys.begin(), which.keys.end(), key) == which.keys.end())
      throw InputError("the option " + key + " is not one of " + std::string(which.name) + ".");
    constexpr std::int64_t many = 1'000'000'000;
    if (key == "exponents") more.exponents = static_cast<int>(whole_between(key, value, 0, 400));
    if (key == "count") more.count = static_cast<int>(whole_between(key, value, 1, 100));
    if (key == "window") more.window = static_cast<int>(whole_between(key, value, 1, 8));
    if (key == "vectors") more.vectors = static_cast<int>(whole_between(key, value, 2, 400));
    if (key == "block") more.block = whole_between(key, value, 1, many);
    if (key == "seed") more.seed = whole_between(key, value, 0, many);
    if (key == "period") more.period = number_at(key, value);
    if (key == "period" && more.period <= 0)
      throw InputError(fmt::format("the option period is {}: a period is positive.", more.period));
    if (key != "of") continue;
    if (value.is_text())
      more.of = {value.text()};
    else if (value.is_list())
      for (const Json& name : value.items()) more.of.push_back(text_at(key, name));
    else
      throw InputError("the option of takes a column, or a list of two for x + i y.");
  }
  return more;
}

int analyse(taut_model* model, std::string_view what, const char* options_json, const taut_watch* of_caller,
            char** json) {
  std::vector<std::string> names;
  const Analysis* which = nullptr;
  for (const Analysis& one : analyses()) {
    names.emplace_back(one.name);
    if (one.name == what) which = &one;
  }
  if (which == nullptr)
    throw InputError("there is no analysis " + ticked(what) + ". " +
                     known_names("There are", std::string(what), names));
  const Options options = read_options(
      options_json, {"exponents", "block", "period", "of", "count", "window", "vectors", "seed"});
  const Further more = further_of(options, *which);
  const ModelRun run = model->open->fresh(options);
  run.check_precision();
  const Watch watch(of_caller);
  try {
    *json = handed_out(which->make(run, more, telling_to(watch)));
  } catch (const AnalysisError& error) {
    return remember(TAUT_FAILED, "analysis", in_options(error.what()));
  }
  return TAUT_OK;
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_analyse(taut_model* model, const char* what, const char* options_json, const taut_watch* watch,
                 char** json) {
  return guarded([&] {
    need(model, "model");
    need(what, "what");
    need(json, "json");
    return analyse(model, what, options_json, watch, json);
  });
}
