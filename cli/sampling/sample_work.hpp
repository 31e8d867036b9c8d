// Samples as the command line does it: shown while it goes, kept in its folder if it has one, ended by a
// signal, its summary printed.
#pragma once

#include <taut/report/run_report.hpp>
#include <taut/sample/summary.hpp>

#include <functional>
#include <optional>
#include <string>

#include "../watcher.hpp"

namespace taut::cli {

struct SampleWanted {
  bool json = false, strict = false;  // strict: a warning is a failure
  std::optional<ReportWanted> page = {};
};

// All return the exit status.
int sample_and_print(const Sampling& sampling, const DrawsFolder* folder, int threads,
                     const SampleWanted& wanted);
// `add` may add to the summary before it is printed.
int print_sampling(const Sampling& sampling, const SamplingResult& result, const SampleWanted& wanted,
                   const std::function<void(SamplingSummary&)>& add);
int resume_sampling(const std::string& path, int threads, const SampleWanted& wanted);
int describe_sampling(const std::string& path);

// Says on standard error which chains that were read are damaged, and how many draws are still to be made.
// Returns whether there are any such draws.
bool say_what_is_missing(const Sampling& sampling, const SamplingResult& result);

}  // namespace taut::cli
