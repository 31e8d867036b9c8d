#include <taut/bytes/json.hpp>
#include <taut/ensemble/summary.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

namespace taut {

EnsembleSummary::EnsembleSummary(const Ensemble& e)
    : model(e.run.title()),
      method(e.method.choice.label()),
      step(e.schedule.step),
      steps(e.schedule.steps),
      size(e.size()),
      seed(e.variations.seed()),
      backend(e.machines->used().backend),
      totals(e.coordinates(), e.units()) {}

std::string to_text(const EnsembleSummary& s) {
  std::string text =
      fmt::format("{}, {}, step {}: {} trajectories of {} steps in {:.2f} s ({:.2g} steps/s)\n",
                  harmless(s.model), s.method, s.step, s.size, s.steps, s.seconds, s.steps_per_second());
  text += fmt::format("  work      {} thread{}, lanes {:.0f} % busy, {}\n", s.threads,
                      s.threads == 1 ? "" : "s", 100 * s.busy, name_of(s.backend));
  for (int k = 1; k < ended_count; ++k)
    if (const auto kind = static_cast<Ended>(k); s.totals.ended(kind) > 0)
      text += fmt::format("  failed    {}: {}\n", s.totals.ended(kind), words_for(kind));
  if (const auto& first = s.totals.first_failed())
    text += fmt::format("  first     trajectory {} failed at t = {:.6g}: {}\n", first->trajectory,
                        first->ending.time, words_for(first->ending.kind));
  if (s.totals.is_complete()) text += fmt::format("  sha256    {}\n", s.totals.sha256());
  return text;
}

std::string to_json(const EnsembleSummary& s) {
  Json kinds = Json::object();
  for (int k = 1; k < ended_count; ++k)
    if (const auto kind = static_cast<Ended>(k); s.totals.ended(kind) > 0)
      kinds[name_of(kind)] = s.totals.ended(kind);
  Json object = Json::object({{"model", s.model},
                              {"method", s.method},
                              {"step", s.step},
                              {"steps", s.steps},
                              {"size", s.size},
                              {"seed", s.seed},
                              {"failed", s.totals.failed()},
                              {"failures", std::move(kinds)},
                              {"sha256", s.totals.is_complete() ? Json(s.totals.sha256()) : Json()},
                              {"backend", name_of(s.backend)},
                              {"threads", s.threads},
                              {"lanes_busy", s.busy},
                              {"seconds", s.seconds},
                              {"steps_per_second", s.steps_per_second()}});
  return object.to_text();
}

}  // namespace taut
