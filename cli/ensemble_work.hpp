// Works on an ensemble as the command line does it: shown while it goes, kept in its folder if it has one,
// ended by a signal, its summary printed.
#pragma once

#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/ensemble/run_ensemble.hpp>
#include <taut/ensemble/summary.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"

namespace taut::cli {

// What is wanted beside the trajectories.
struct EnsembleWanted {
  bool json = false;
  bool covariance = false;
  std::vector<double> quantiles = {};
  int bins = 0;  // a histogram has so many; 0: no histograms

  bool goes_through_again() const { return !quantiles.empty() || bins > 0; }
  bool reduces() const { return covariance || goes_through_again(); }
};

// Adds the options of the summary: --json, --covariance, --quantile, --histogram.
void add_reductions(Command& command, EnsembleWanted& wanted);
// Throws InputError if a reduction is wanted of what is not the folder of an ensemble.
void refuse_reductions(const EnsembleWanted& wanted, const std::string& name);

// The part K of M equal parts of an ensemble.
struct Part {
  std::int64_t number = 1, of = 1;
};
Part part_of(const std::string& text);  // "2/8"; throws InputError

// Who computes, and how. Results do not depend on it.
struct Layout {
  int threads = 0;  // in each process; 0: as many as the workforce has by itself
  int lanes = 0;    // in each thread; 0: as many as pay
  Device device = Device::cpu;
};

// What is to be done: the units that the observer hands out, and takes back.
struct EnsembleWork {
  const Ensemble& ensemble;
  const EnsembleFolder* folder;  // null if nothing is kept
  Layout layout;
  EnsembleObserver& observer;
  std::function<void(const Unit&)> count;  // for units that are in the folder already
};

// Makes an ensemble. A signal ends the compiler that works for it: `make` is given what asks for one. Throws
// StoppedWhileCompiling if one came.
Ensemble made_unless_stopped(const std::function<Ensemble(const std::function<bool()>&)>& make);

EnsembleProgress work_in_threads(const EnsembleWork& work);

// Whoever does it: the threads of this process, or other processes as well.
struct Workforce {
  std::function<EnsembleProgress(const EnsembleWork&)> work = work_in_threads;
  int processes = 1;
  int threads = usual_threads();  // in each process, if nothing else is asked for
};

// What came of it.
struct Worked {
  EnsembleSummary summary;
  int signal = 0;  // the one that stopped it; a sentence has said so
};
// Works on all units of the part that the folder lacks. `each`, if there is one, gets every unit, also those
// that were there, in any order and one at a time.
Worked get_done(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part,
                const Layout& layout, bool covariance, const Workforce& workforce,
                const std::function<void(const Unit&)>& each = {});

// Says why the first trajectory could not start, if that is what failed first.
void explain_refusal(const Ensemble& ensemble, const EnsembleSummary& summary);

// Returns the exit status, in which `written` is that of writing the output. Some trajectories may fail. If
// all do, there is nothing to go on with, and it is 1. If none could even start, the input is wrong: 2.
int status_of(const EnsembleSummary& summary, int written);

// Works on all units of the part that the folder lacks, and prints the summary. Returns the exit status.
int work_on(const Ensemble& ensemble, const EnsembleFolder* folder, const Part& part, const Layout& layout,
            const EnsembleWanted& wanted, const Workforce& workforce = {});

// Makes the trajectories that an ensemble's folder lacks, and prints the summary. Returns the exit status.
int resume_ensemble(const std::string& path, const Layout& layout, const EnsembleWanted& wanted,
                    const Workforce& workforce = {});

// Adds the command `ensemble`, whose units the workforce makes.
void add_ensemble(Program& program, const Workforce& workforce);

// Says on standard error what is wrong with a unit or a chain of a folder that can be resumed.
void say_damage(const std::string& damage, const std::string& path);

// Prints the summary of what a folder holds.
int describe_ensemble(const std::string& path, const EnsembleWanted& wanted);

}  // namespace taut::cli
