// Carries out all studies, or some of them: published beside measured.
#pragma once

#include <taut/study/measure.hpp>

#include <functional>

namespace taut {

struct StudyRow {
  std::string study, quantity, published;
  Measured measured;
  StudyVerdict verdict = StudyVerdict::not_reproduced, expected = StudyVerdict::reproduced;
  std::string reading;      // or the reason why it is not reproduced
  std::string independent;  // what another computation of the same found; empty if there is none
  bool differs = false;     // ours does not agree with that one

  bool as_expected() const { return verdict == expected && !differs; }
};

struct StudyResult {
  Study study;
  StudyRuns runs;
  std::vector<StudyRow> rows;
};

// Carries out the studies; the results are the same for any number of threads. `progress(done, wanted)` is
// called from any thread, by one at a time.
std::vector<StudyResult> reproduce(std::vector<Study> studies, int threads,
                                   const std::function<void(std::size_t, std::size_t)>& progress);

// Returns a list of objects, one for each row.
std::string to_json(const std::vector<StudyResult>& results);

// Returns two digits more than were published and at least six, or the text.
std::string measured_text(const StudyRow& row);

}  // namespace taut
