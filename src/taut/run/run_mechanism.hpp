// One run of a mechanism from its start, or from a checkpoint, to its summary.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/run/observer.hpp>
#include <taut/run/pole_watch.hpp>
#include <taut/run/quantities.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace taut {

// Asks whether the energy of a run that came to its end was lost and does not come back in the next steps.
// The machine stays where it is.
bool has_lost_energy(Machine& machine, const Tally& tally, double step);

// The failure of the step after those of the tally, as a sentence and as data. `pole` says what pole the
// step went across, if that is known.
std::string sentence_of(const Tally& tally, const Mechanism& mechanism, const Machine& machine,
                        const MethodChoice& choice, const RunRequest& request, double h,
                        const std::string& pole, std::string_view last_good);
RunFailure failure_of(const Tally& tally, const Mechanism& mechanism, double h);

struct Model;  // model/model.hpp

struct MadeMachine {
  std::unique_ptr<Machine> machine;  // null if plain updates are asked for and the method does not offer them
  BackendUse used = {};
  std::optional<StartMove> moved = {};  // if the machine itself brought the start onto the manifold
};
// Makes the machine of a run of so many steps.
using MakeMachine =
    std::function<MadeMachine(const MethodChoice& choice, const PlainState& start, std::int64_t steps)>;

// Runs to the end or to the first failure, which is then in the summary. `last_good` tells the failure
// sentence where the reader will find the last good state. If `from` is given, continues after that step;
// throws InputError if it is of another run, or of a program or machine that computes other digits. `poles`
// and `events` may be null; `events` is the model whose events are watched.
RunSummary run_mechanism(const Mechanism& mechanism, const MakeMachine& make, const std::string& model,
                         const RunRequest& request, const Quantities& quantities, PoleWatch* poles,
                         const Model* events, RunObserver& observer, std::string_view last_good,
                         const Snapshot* from = nullptr);

}  // namespace taut
