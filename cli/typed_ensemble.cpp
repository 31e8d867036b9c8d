#include "typed_ensemble.hpp"

#include <taut/ensemble/stored_ensemble.hpp>

#include <fmt/core.h>

#include <cstdio>

namespace taut::cli {

namespace {

std::uint64_t seed_of(const std::string& text) {
  const std::int64_t seed = count_of(text, "--seed");
  if (seed < 0) throw InputError(fmt::format("--seed {}: a seed is not negative.", text));
  return static_cast<std::uint64_t>(seed);
}

}  // namespace

void TypedEnsemble::add_what_varies(Command& command) {
  command.add(option(
      "--size", "N", [this](const std::string& text) { vary.size = count_of(text, "--size"); },
      "number of trajectories; default: that of the lists"));
  command.add(option("--vary", "NAME=VALUES", vary.vary,
                     "what differs: 'L = linspace(1, 2, 100)', 'x ~ normal(0.6, 1e-3)', …"));
  command.add(flag("--grid", vary.grid, "all combinations of the lists; the last name runs fastest"));
  command.add(option("--table", "FILE", table,
                     "starts and parameters of one's own: .csv or .npy, a row for each trajectory"));
  command.add(option(
      "--seed", "S", [this](const std::string& text) { vary.seed = seed_of(text); },
      "of what is drawn at random; default 1"));
}

void TypedEnsemble::add_work(Command& command) {
  command.add(threads_option(layout.threads, "default: as many as there are processors"));
  command.add(lanes_option(layout.lanes));
  command.add(device_option(layout.device));
}

Ensemble TypedEnsemble::made() {
  if (!table.empty()) vary.table = read_table_file(table);
  const RunRequest request = model.request();
  Ensemble ensemble = made_unless_stopped([&](const std::function<bool()>& stop) {
    const EnsembleOptions options{
        .lanes = layout.lanes, .samples = request.every > 0, .device = layout.device, .wants_to_stop = stop};
    return make_ensemble(read_model_run(model.problem, request, model.set), vary, options);
  });
  if (!ensemble.note.empty()) fmt::print(stderr, "taut: {}\n", ensemble.note);
  return ensemble;
}

std::optional<EnsembleFolder> TypedEnsemble::folder_of(const Ensemble& ensemble) const {
  const std::string out = model.request().out;
  if (out.empty()) return std::nullopt;
  return EnsembleFolder::begin(out, manifest_of(ensemble, vary), vary.table);
}

}  // namespace taut::cli
