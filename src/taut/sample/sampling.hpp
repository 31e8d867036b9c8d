// Samples the distribution of a model: chains in threads, draws that are kept in memory or in a folder.
#pragma once

#include <taut/run/model_run.hpp>
#include <taut/sample/chain.hpp>
#include <taut/sample/diagnostics.hpp>
#include <taut/sample/draws_folder.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct Sampling {
  ModelRun run;
  std::shared_ptr<const TargetCode> code;
  TargetOptions target;
  SamplingOptions options;
  bool step_was_given = false;
  std::vector<std::string> notes = {};       // sentences for the user
  std::vector<std::string> columns() const;  // statistics, coordinates, quantities
};

// What people say in words about a sampling.
struct SamplingWords {
  std::string kernel = {};  // empty: what the model says, or nuts
  std::string metric = {};  // unit or diagonal
  std::string inits = {};   // start or spread
  double spread = 1;
  std::string integrator = {};  // rattle or a symmetric composition of it
};
// Puts them into the options. Throws InputError at a word that means nothing.
void take_words(const SamplingWords& words, const Model& model, SamplingOptions& options);

// Throws InputError at numbers that mean nothing, or nothing together.
void check_options(const SamplingOptions& options);

// Throws InputError or ModelFileError if the model does not say what to sample, or the options do not fit.
Sampling make_sampling(ModelRun run, const TargetOptions& target, const SamplingOptions& options);

// What came of one chain.
struct ChainResult {
  std::vector<double> rows = {};  // draws one behind the other; empty if they are in a folder
  std::int64_t draws = 0;
  double step = 0;
  std::vector<double> metric = {};
  OutcomeCounts counts{};
  std::int64_t gradients = 0;
  double warmup_seconds = 0, seconds = 0;
};

struct SamplingResult {
  std::vector<ChainResult> chains;
  bool stopped = false;  // before all draws were made
  double seconds = 0;    // wall-clock time
  const DrawsFolder* folder = nullptr;
  std::size_t columns = 0;
  std::vector<std::string> damage = {};  // sentences about files of chains that were read and are not whole
  int complete = 0;                      // chains that were read and have all of their draws
  // Returns one column of one chain, from wherever it is kept.
  std::vector<double> column(int chain, std::size_t column) const;
  // Returns several columns of all chains in one reading, one draw of `every`.
  std::vector<ChainsOfColumn> gather(std::span<const std::size_t> places, std::int64_t every = 1) const;
  // Gives the rows of one chain, block by block, as many as all chains have.
  void each_block(int chain, const std::function<void(std::span<const double>)>& take) const;
  std::int64_t draws() const;  // those that all chains have
  int chain_count() const { return static_cast<int>(chains.size()); }
};

struct SamplingObserver {
  double longest_wait = 2;  // seconds until what was drawn is in the file
  bool keeps = true;        // draws stay in memory if there is no folder
  std::function<void(std::int64_t done, std::int64_t wanted)> progress = {};
  std::function<bool()> wants_to_stop = {};
  // Is given each chain after each draw, in the chain's thread.
  std::function<void(Chain& chain, std::int64_t draw)> draw = {};
};

// Runs all chains in so many threads. The draws do not depend on the number. With a folder, chains go on
// where their files end. Throws what a chain throws.
SamplingResult run_sampling(const Sampling& sampling, int threads, const DrawsFolder* folder,
                            const SamplingObserver& observer);

// Reads the result that a folder holds.
SamplingResult stored_sampling(const Sampling& sampling, const DrawsFolder& folder);

SamplingManifest manifest_of(const Sampling& sampling);
Sampling sampling_in(const DrawsFolder& folder);

}  // namespace taut
