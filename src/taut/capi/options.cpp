#include "options.hpp"

#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>

namespace taut::capi {

namespace {

template <class F>
auto reading(std::string_view key, std::string_view wanted, F&& read) {
  try {
    return read();
  } catch (const JsonError&) {
    throw InputError(fmt::format("the option {} takes {}.", key, wanted));
  }
}

std::string as_key(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

std::size_t place_in(std::span<const std::string_view> names, std::string_view key, const Json& value) {
  const std::string text = text_at(key, value);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == text) return k;
  throw InputError(fmt::format("the option {} takes {}, not {}.{}", key, in_words(names, "or"), ticked(text),
                               did_you_mean(text, listed(names))));
}

template <class Choice>
void choose(std::string_view key, const Json& value, Choice& choice) {
  choice = static_cast<Choice>(place_in(choice_names<Choice>, key, value));
}

std::int64_t counted(std::string_view key, const Json& value, std::int64_t least, std::int64_t most) {
  const std::int64_t count = whole_at(key, value);
  if (count < least || count > most)
    throw InputError(fmt::format("the option {} is {}: it lies between {} and {}.", key, count, least, most));
  return count;
}

constexpr std::int64_t many = std::int64_t{1} << 53;
constexpr std::string_view failure_actions[] = {"stop", "halve"};
constexpr std::string_view jump_actions[] = {"stop", "warn"};

using Take = void (*)(std::string_view key, const Json& value, Options& to);

template <class Choice>
void set_choice(std::string_view table, std::string_view key, const Json& value, Options& to) {
  Choice choice{};
  choose(key, value, choice);
  to.set.push_back(fmt::format("{}.{}={}", table, key, name_of(choice)));
}

// Writes an event in the words of --event: {"when": "x", "direction": "up"} is `when=x, direction=up`.
std::string event_text(std::string_view key, const Json& value) {
  if (value.is_text()) return value.text();
  std::string text;
  for (const JsonMember& member :
       *reading(key, R"(texts such as "when=x, do=stop", or objects {"when", "direction", "do", "name"})",
                [&] { return &value.members(); })) {
    const std::string part = text_at(fmt::format("{}.{}", key, member.key), member.value);
    if (member.key != "when" && part.find(',') != std::string::npos)
      throw InputError(
          fmt::format("the option {}.{} is {}: a comma cannot stand there.", key, member.key, ticked(part)));
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", member.key, part);
  }
  return text;
}

void add_events(std::string_view key, const Json& value, std::vector<std::string>& set) {
  if (!value.is_text() && value.is_list()) {
    for (const Json& one : value.items()) set.push_back("events.+=" + event_text(key, one));
    return;
  }
  set.push_back("events.+=" + event_text(key, value));
}

void add_times(std::string_view key, const Json& value, std::vector<std::string>& set) {
  set.push_back(fmt::format("run.at=[{}]", fmt::join(numbers_at(key, value), ", ")));
}

// A formula of the model is read with it.
void set_formula(std::string_view key, const Json& value, Options& to) {
  to.set.push_back(fmt::format("run.{}={}", key, text_at(key, value)));
}

// An empty text says nothing, and the caller means something.
std::string filled_at(std::string_view key, const Json& value) {
  std::string text = text_at(key, value);
  if (text.empty()) throw InputError(fmt::format("the option {} is empty: leave it out, or fill it.", key));
  return text;
}

// Every option of a run: the keys are the flags of the command line.
const std::map<std::string_view, Take>& takers() {
  using K = std::string_view;
  static const std::map<std::string_view, Take> all = {
      {"method", [](K k, const Json& v, Options& o) { o.request.method = filled_at(k, v); }},
      {"formulation", [](K k, const Json& v, Options& o) { o.request.formulation = text_at(k, v); }},
      {"projection",
       [](K k, const Json& v, Options& o) {
         if (v.is_text()) {
           o.request.projection = text_at(k, v);
           return;
         }
         for (const JsonMember& member :
              *reading(k, "a text, or {\"kind\", \"tolerance\"}", [&] { return &v.members(); })) {
           if (member.key == "kind")
             o.request.projection = text_at("projection.kind", member.value);
           else if (member.key == "tolerance")
             o.request.projection_tolerance = number_at("projection.tolerance", member.value);
           else
             throw InputError(fmt::format("the option projection has no key {}.", ticked(member.key)));
         }
       }},
      {"projection-tolerance",
       [](K k, const Json& v, Options& o) { o.request.projection_tolerance = number_at(k, v); }},
      {"step", [](K k, const Json& v, Options& o) { o.request.step = number_at(k, v); }},
      {"steps", [](K k, const Json& v, Options& o) { o.request.steps = whole_at(k, v); }},
      {"until", [](K k, const Json& v, Options& o) { o.request.until = number_at(k, v); }},
      {"every", [](K k, const Json& v, Options& o) { o.request.every = counted(k, v, 1, many); }},
      {"time-transform", set_formula},
      {"tolerance", [](K k, const Json& v, Options& o) { o.request.tolerance = number_at(k, v); }},
      {"solver", [](K k, const Json& v, Options& o) { choose(k, v, o.request.solver); }},
      {"backend", [](K k, const Json& v, Options& o) { choose(k, v, o.request.backend); }},
      {"precision", [](K k, const Json& v, Options& o) { choose(k, v, o.request.precision); }},
      {"threads", [](K k, const Json& v,
                     Options& o) { o.request.threads = static_cast<int>(counted(k, v, 1, most_threads)); }},
      {"project-start", [](K k, const Json& v, Options& o) { o.request.project_start = truth_at(k, v); }},
      {"plain-updates", [](K k, const Json& v, Options& o) { o.request.plain_updates = truth_at(k, v); }},
      {"on-failure", [](K k, const Json& v,
                        Options& o) { o.request.halve_on_failure = place_in(failure_actions, k, v) == 1; }},
      {"on-jump",
       [](K k, const Json& v, Options& o) { o.request.warn_at_jumps = place_in(jump_actions, k, v) == 1; }},
      {"out", [](K k, const Json& v, Options& o) { o.request.out = filled_at(k, v); }},
      {"overwrite", [](K k, const Json& v, Options& o) { o.overwrite = truth_at(k, v); }},
      {"format", [](K k, const Json& v, Options& o) { choose(k, v, o.request.format); }},
      {"checkpoint-every",
       [](K k, const Json& v, Options& o) {
         o.request.checkpoint_every = number_at(k, v);
         if (!(o.request.checkpoint_every >= 0))
           throw InputError("the option checkpoint-every takes seconds, which are not negative.");
       }},
      {"lambda", [](K k, const Json& v, Options& o) { set_choice<MultiplierShown>("output", k, v, o); }},
      {"local-error", [](K k, const Json& v, Options& o) { set_choice<LocalErrorShown>("output", k, v, o); }},
      {"first-guess", [](K k, const Json& v, Options& o) { set_choice<FirstGuess>("run", k, v, o); }},
      {"stop-rule", [](K k, const Json& v, Options& o) { set_choice<StopRule>("run", k, v, o); }},
      {"error-tolerance",
       [](K k, const Json& v, Options& o) {
         o.set.push_back(fmt::format("run.error-tolerance={}", number_at(k, v)));
       }},
      {"step-function",
       [](K k, const Json& v, Options& o) {
         o.request.step_function = text_at(k, v);
         o.set.push_back("run.step-function=" + o.request.step_function);
       }},
      {"shortest-step", [](K k, const Json& v, Options& o) { o.request.shortest_step = number_at(k, v); }},
      {"longest-step", [](K k, const Json& v, Options& o) { o.request.longest_step = number_at(k, v); }},
      {"interval", [](K k, const Json& v, Options& o) { o.request.interval = number_at(k, v); }},
      {"events", [](K k, const Json& v, Options& o) { add_events(k, v, o.set); }},
      {"at", [](K k, const Json& v, Options& o) { add_times(k, v, o.set); }},
      {"set", [](K, const Json& v, Options& o) { add_settings(v, "", o.set); }},
      {"quantities", [](K, const Json& v, Options& o) { add_settings(v, "quantities.", o.set); }},
      {"start", [](K, const Json& v, Options& o) { o.start = v; }},
      {"samples", [](K k, const Json& v, Options& o) { o.samples = truth_at(k, v); }},
  };
  return all;
}

// Tells whether a text of a JSON object has the character 0, at which a name of a file would end.
bool writes_zero(std::string_view json) {
  for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at + 2))
    if (json.substr(at).starts_with("\\u0000")) return true;
  return false;
}

}  // namespace

double number_at(std::string_view key, const Json& value) {
  const double x = reading(key, "a number", [&] { return value.number(); });
  if (!std::isfinite(x)) throw InputError(fmt::format("the option {} takes a finite number.", key));
  return x;
}

std::int64_t whole_at(std::string_view key, const Json& value) {
  try {
    return value.whole<std::int64_t>();
  } catch (const JsonError&) {  // 1e6 is written as a whole number too
    const double x = reading(key, "a whole number", [&] { return value.number(); });
    if (x == std::floor(x) && std::abs(x) < static_cast<double>(many)) return static_cast<std::int64_t>(x);
    throw InputError(fmt::format("the option {} takes a whole number, not {}.", key, x));
  }
}

std::string text_at(std::string_view key, const Json& value) {
  return reading(key, "a text", [&] { return value.text(); });
}

bool truth_at(std::string_view key, const Json& value) {
  return reading(key, "true or false", [&] { return value.boolean(); });
}

std::vector<double> numbers_at(std::string_view key, const Json& value) {
  std::vector<double> numbers;
  const Json::List& items = *reading(key, "a list of numbers", [&] { return &value.items(); });
  numbers.reserve(items.size());
  for (const Json& item : items) numbers.push_back(number_at(key, item));
  return numbers;
}

void add_settings(const Json& object, std::string_view prefix, std::vector<std::string>& set) {
  const std::string_view key = prefix.empty() ? "set" : "quantities";
  for (const JsonMember& member :
       *reading(key, "an object {NAME: number or formula}", [&] { return &object.members(); })) {
    if (member.key.empty() || member.key.find('=') != std::string::npos)
      throw InputError(
          fmt::format("the option {} has the name {}, which no model has.", key, ticked(member.key)));
    set.push_back(fmt::format("{}{}={}", prefix, member.key,
                              member.value.is_text() ? member.value.text() : member.value.to_text()));
  }
}

void refuse_asked_events(const Options& options, std::string_view who) {
  for (const std::string& one : options.set)
    if (one.starts_with("events.") || one.starts_with("run.at="))
      throw InputError(fmt::format(
          "{} does not look for events or for times between its steps: leave out `{}`, or use a run.", who,
          one.starts_with("run.") ? "at" : "events"));
}

void refuse_events(const Options& options, const ModelRun& run, std::string_view who) {
  refuse_asked_events(options, who);
  for (const EventRule& event : run.model.dynamics.events)
    if (event.action != EventRule::Action::record)
      throw InputError(fmt::format(
          "{} does not stop or reflect at events, and the model has one, {}. Leave the event out, or use a "
          "run.",
          who, ticked(event.name)));
}

Json object_of(const char* json) {
  if (json == nullptr || *json == '\0') return Json::object();
  if (writes_zero(json))
    throw InputError("the options have a text with the character of number 0, at which texts end.");
  try {
    Json object = Json::parse(json);
    object.members();
    return object;
  } catch (const JsonError& error) {
    throw InputError(fmt::format("the options are not a JSON object: {}", error.what()));
  }
}

Options read_options(const char* json, std::initializer_list<std::string_view> others) {
  Options options;
  if (json == nullptr || *json == '\0') return options;
  const Json object = object_of(json);
  for (const JsonMember& member : object.members()) {
    const std::string key = as_key(member.key);
    if (std::find(others.begin(), others.end(), key) != others.end()) {
      options.others.push_back({key, member.value});
      continue;
    }
    const auto at = takers().find(key);
    if (at == takers().end()) {
      std::vector<std::string> known(others.begin(), others.end());
      for (const auto& [name, take] : takers()) known.emplace_back(name);
      throw InputError(
          fmt::format("there is no option {}. {}", ticked(member.key), known_names("known:", key, known)));
    }
    at->second(at->first, member.value, options);
  }
  if (options.request.steps && options.request.until)
    throw InputError(
        "steps and until are both given; one of them decides how long the run is. Leave the other out.");
  return options;
}

}  // namespace taut::capi
