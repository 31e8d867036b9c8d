#include <taut/report/comparison.hpp>
#include <taut/report/cost.hpp>

namespace taut {

namespace {

Json json_of_rungs(const ErrorLadder::Method& method) {
  Json rungs = Json::list();
  for (const Rung& rung : method.rungs)
    rungs.push_back(Json::object({{"step", rung.h},
                                  {"steps", rung.steps},
                                  {"error", rung.error},
                                  {"cpu_seconds", rung.seconds},
                                  {"gradients", rung.gradients}}));
  return rungs;
}

}  // namespace

Json comparison_as_json(const std::vector<RecordedRun>& done, const ErrorLadder& ladder) {
  const RunSummary& first = done.front().summary;
  Json methods = Json::list();
  for (std::size_t k = 0; k < done.size(); ++k) {
    Json method = Json::parse(to_json(done[k].summary));
    method["label"] = done[k].name;
    method["result"] = result_of(done[k].summary);
    if (done[k].step_seconds > 0) method["cpu_seconds_per_step"] = done[k].step_seconds;
    if (k < ladder.methods.size()) method["ladder"] = json_of_rungs(ladder.methods[k]);
    methods.push_back(std::move(method));
  }
  Json all = Json::object({{"model", first.model}, {"step", first.step}, {"steps", first.wanted}});
  if (ladder.refusal.empty())
    all["ladder"] = Json::object(
        {{"time", ladder.time}, {"reference", ladder.reference}, {"reference_error", ladder.doubt}});
  else
    all["ladder"] = Json::object({{"refusal", ladder.refusal}});
  all["methods"] = std::move(methods);
  return all;
}

void add_costs(const std::vector<ModelRun>& runs, std::vector<RecordedRun>& done) {
  std::vector<RunSummary> summaries;
  for (const RecordedRun& run : done) summaries.push_back(run.summary);
  const std::vector<double> costs = costs_of_steps(runs, summaries);
  for (std::size_t k = 0; k < done.size(); ++k) done[k].step_seconds = costs[k];
}

}  // namespace taut
