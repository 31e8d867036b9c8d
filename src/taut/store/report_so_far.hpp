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
  std::string figures_path(const std::string& folder) const;
  // Returns what a checkpoint of the run in `folder` holds: paths inside that folder relative to it, so that
  // it can be moved, and all others from the root.
  ReportWanted kept_in(const std::string& folder) const;
};

// Asks whether a path of a checkpoint names a place inside the folder of its run, and none of the files there
// that are not for a report.
bool is_inside(const std::string& path);

struct ReportSoFar {
  ReportWanted wanted = {};
  std::string command = {};  // the words that began the run, for the reader of the page
  RunRecord record = {};

  std::string bytes(std::size_t coordinates) const;  // for a system with this many
};

// Reads it back. Throws InputError if the bytes are not of such a report.
ReportSoFar report_so_far(std::string_view bytes, std::size_t coordinates);

}  // namespace taut
