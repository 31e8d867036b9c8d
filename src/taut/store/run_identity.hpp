// What a run is, as its files say it: enough to do it again.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/run/schedule.hpp>

#include <map>

namespace taut {

struct RunIdentity {
  std::string version;                       // of taut
  std::string model, title;                  // the path or the name of the model; its title
  std::string text;                          // the model file
  std::vector<std::string> set;              // NAME=VALUE, as typed
  std::map<std::string, std::string> files;  // that the model names: path as written there, bytes
  RunRequest asked;                          // as typed
  std::string method;                        // what was chosen, with its formulation
  Schedule schedule;
  std::vector<std::string> coordinates;
  std::vector<std::string> quantities;  // columns after the usual ones
  std::map<std::string, double> parameters;

  std::vector<std::string> columns() const;  // of a sample: their names
  std::size_t width() const;                 // and how many
  std::string digest() const;                // differs where the run differs
};

std::string to_json(const RunIdentity& identity);
// InputError where the text is none.
RunIdentity run_identity(const std::string& json);

}  // namespace taut
