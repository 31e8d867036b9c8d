// Carries out all studies, or some of them: published beside measured.
#pragma once

#include <taut/study/measure.hpp>

#include <array>
#include <functional>

namespace taut {

struct StudyRow {
  std::string study, quantity, published;
  Measured measured;
  StudyVerdict verdict = StudyVerdict::not_reproduced, expected = StudyVerdict::reproduced;
  std::string reading;  // or the reason why it is not reproduced
  RowKind kind = RowKind::number;
  std::string statement;    // the statement of the paper that this row belongs to; empty for other kinds
  std::string accepted;     // what would have been accepted
  std::string independent;  // what another computation of the same found; empty if there is none
  std::string independent_by = {};  // the origin of that computation
  bool differs = false;             // ours does not agree with that one

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

// How many were reproduced, reproduced under a reading, and not reproduced.
using VerdictCount = std::array<int, 3>;

// Returns the rows of each statement, in the order of the study.
std::vector<std::vector<const StudyRow*>> statements_of(const StudyResult& result);

// What a study adds up to. A statement of a paper may have several rows: it is as good as the worst of them.
struct StudyTally {
  VerdictCount statements = {}, numbers = {};
  int others = 0;      // controls, rejected readings and structural values
  int unexpected = 0;  // rows whose verdict is not the expected one

  void add(const StudyTally& other);
};
StudyTally tally_of(const StudyResult& result);

// What did not come out: a statement in the paper's words, or a number with its name.
struct Shortfall {
  RowKind kind = RowKind::statement;
  std::string study, what, why;
};
std::vector<Shortfall> shortfalls(const std::vector<StudyResult>& results);

// Returns the verdict in words that also say what the row is: "control, holds".
std::string verdict_text(const StudyRow& row);

// Returns a list of objects, one for each row.
std::string to_json(const std::vector<StudyResult>& results);

// Returns two digits more than were published and at least six, or the text.
std::string measured_text(const StudyRow& row);

}  // namespace taut
