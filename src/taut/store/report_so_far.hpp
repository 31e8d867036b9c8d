// The report that a run will make at its end: what was asked for, and what the run has for it so far. A
// checkpoint holds it, so that the page of an interrupted run shows all of it.
#pragma once

#include <taut/store/run_record.hpp>

#include <string>
#include <string_view>

namespace taut {

struct ReportWanted {
  bool page = false;         // a page; otherwise the figures alone
  std::string path = {};     // for the page; empty: report.html in the folder of the run
  std::string figures = {};  // folder for the plots as SVG files; empty: none

  std::string page_path(const std::string& folder) const;
  ReportWanted absolute() const;  // the same from any working directory
};

struct ReportSoFar {
  ReportWanted wanted = {};
  RunRecord record = {};

  std::string bytes(std::size_t coordinates) const;  // for a system with this many
};

// Reads it back. Throws InputError if the bytes are not of such a report.
ReportSoFar report_so_far(std::string_view bytes, std::size_t coordinates);

}  // namespace taut
