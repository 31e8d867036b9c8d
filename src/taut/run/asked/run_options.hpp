// What a run was asked for, in the words in which it is asked: with it, the run can be repeated.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/run/model_run.hpp>

namespace taut {

// Returns what the model and its user say together, as the options that decide the digits and the samples of
// a run: keys are those of the command line. Values that are the usual ones are left out, but for the method,
// the step, the length and the samples.
Json options_of(const ModelRun& run);

// Returns the same with what only the user said, so that the model, as it is written, and these options make
// the run again: settings, the events that were added, another start. The backend is not among them, because
// a run that is resumed asks for the one that it had; the summary names it.
Json repeating_options_of(const ModelRun& run);

}  // namespace taut
