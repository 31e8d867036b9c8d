// Identifies a run as its files do: enough to make it again.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/contract/request.hpp>
#include <taut/run/schedule.hpp>

#include <map>

namespace taut {

// What is asked of a run as JSON and back; the second throws JsonError. The folder --out is no part of it.
Json json_of_request(const RunRequest& request);
RunRequest request_of_json(const Json& object);

struct RunIdentity {
  std::string version;                       // taut's version
  std::string model, title;                  // the path or the name of the model; its title
  std::string text;                          // the model file
  std::vector<std::string> set;              // NAME=VALUE, as typed
  std::map<std::string, std::string> files;  // named by the model: the path there, the bytes
  RunRequest asked;                          // as typed
  std::string method;                        // what was chosen, with its formulation
  Schedule schedule;
  std::vector<std::string> coordinates;
  std::vector<std::string> quantities;  // columns after the usual ones
  std::map<std::string, double> parameters;

  std::vector<std::string> columns() const;  // the names of the columns of a sample
  std::size_t width() const;                 // their number
  std::string digest() const;                // differs if the run differs
};

std::string to_json(const RunIdentity& identity);
// Reads it back. Throws InputError if the text is not one.
RunIdentity run_identity(const std::string& json);

}  // namespace taut
