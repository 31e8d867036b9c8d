// Options as JSON, turned into the requests of the library.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>
#include <taut/run/model_run.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace taut::capi {

// What a caller asks of a run.
struct Options {
  RunRequest request;
  std::vector<std::string> set;  // NAME=VALUE, in the words of --set
  bool overwrite = false;
  bool samples = true;                  // are kept in memory
  Json start = {};                      // null, {"q", "p"} or values by name
  std::vector<JsonMember> others = {};  // keys that a call knows beside those of a run
};

// Returns the object; an empty one for NULL and "". Throws InputError if the text is no object.
Json object_of(const char* json);

// Reads the options of a run. `others` are further keys of the call, which are handed back as they are.
// Throws InputError at an unknown key or a value of the wrong kind.
Options read_options(const char* json, std::initializer_list<std::string_view> others = {});

// Refuses events that the caller asks for, where nothing would look for them. `who` is "a stepper" or the
// like.
void refuse_asked_events(const Options& options, std::string_view who);
// Refuses those, and events of the model that stop or reflect.
void refuse_events(const Options& options, const ModelRun& run, std::string_view who);

// Adds the NAME=VALUE of an object {"L": 2.0, "x": "sqrt(2)"}.
void add_settings(const Json& object, std::string_view prefix, std::vector<std::string>& set);

// Readers of one value, which name the key in their refusals.
double number_at(std::string_view key, const Json& value);
std::int64_t whole_at(std::string_view key, const Json& value);
std::string text_at(std::string_view key, const Json& value);
bool truth_at(std::string_view key, const Json& value);
std::vector<double> numbers_at(std::string_view key, const Json& value);

}  // namespace taut::capi
