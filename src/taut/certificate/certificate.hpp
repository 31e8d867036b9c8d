// The certificate: the claims in the facts row of a method, measured on the user's own model with the
// user's own step.
#pragma once

#include <taut/run/model_run.hpp>
#include <taut/run/telling.hpp>

namespace taut {

struct Check {
  std::string name;
  std::optional<double> claimed = {};   // nothing if it is not claimed, and hence not judged
  std::optional<double> measured = {};  // nothing if it could not be measured; the note says why
  bool pass = true;
  std::string uncertainty = {};  // "± 0.01", for people
  std::string note = {};
};

struct Certificate {
  std::string model, method;
  double step = 0;
  std::vector<Check> checks;
  std::optional<StartMove> moved = {};
  std::string warning = {};  // rounding of far coordinates limits what was measured
  std::string error = {};    // why a step of the long run failed; empty if none did

  bool pass() const;
};

// Measures the claims. The residuals, the drift and the iterations are those of a run of the model's
// length, but of no fewer than 2000 steps and no more than 20 000 unless `length_typed`. Throws what
// ModelRun::run throws.
// If `further`, rows that nothing is claimed about follow: the modified energy, and the stability of M under
// the formulations.
Certificate certify(const ModelRun& run, bool length_typed, bool further = false,
                    const Telling& telling = {});

// Returns {"model", "method", "pass", "checks": [{"name", "claimed", "measured", "pass"}]}, and a "note" if
// one is needed.
std::string to_json(const Certificate& certificate);

}  // namespace taut
