// What the commands share that say what kind of motion a run is.
#pragma once

#include <taut/analysis/discrete_map.hpp>
#include <taut/ensemble/variation.hpp>
#include <taut/report/report.hpp>

#include "../typed.hpp"
#include "../watcher.hpp"

namespace taut::cli {

struct TypedAnalysis {
  TypedModel model;
  TypedReport report;
  bool json = false;

  ModelRun read() const { return read_with({}); }
  // Reads the model with further settings, NAME=VALUE.
  ModelRun read_with(const std::vector<std::string>& more) const;
  // Adds PROBLEM, the method, the length, --set, --json, --report and --figures.
  void add(Command& command);
  // Writes the page, if one was asked for.
  void write_page(const ModelRun& run, const std::string& method, Report page) const;
};

// The settings of each trajectory of --vary, all combinations of the lists, the last name running fastest.
struct Settings {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // one list for each trajectory
  std::vector<std::string> of(std::size_t k) const;
};
Settings settings_of(const ModelRun& run, const std::vector<std::string>& vary);

// Calls what makes an analysis; a failure inside it is a sentence and the status 1.
int analysed(const std::function<void()>& make);

// Prints what a reader of the results has to know, on standard error.
void warn(const std::vector<std::string>& warnings);

// Returns the parts of a text between commas, without spaces around them.
std::vector<std::string> between_commas(const std::string& text);

// Returns an option for a whole number from 1 to `most`.
Option whole_option(std::string name, std::string value_name, std::int64_t& into, std::int64_t most,
                    std::string help);

}  // namespace taut::cli
