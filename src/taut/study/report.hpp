// The page of `taut reproduce`: one table over all studies, then each with its rows and figures.
#pragma once

#include <taut/report/report.hpp>
#include <taut/study/set.hpp>

namespace taut {

Report study_report(const std::vector<StudyResult>& results);

}  // namespace taut
