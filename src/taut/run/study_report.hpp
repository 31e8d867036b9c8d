// The page of `taut reproduce`: one table over all studies, then each with its rows and figures.
#pragma once

#include <taut/run/report.hpp>
#include <taut/run/study_set.hpp>

namespace taut {

Report study_report(const std::vector<StudyResult>& results);

}  // namespace taut
