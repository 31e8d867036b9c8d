#include <taut/files/whole_file.hpp>
#include <taut/study/report.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "commands.hpp"

namespace taut::cli {

namespace {

struct ReproduceFlags {
  std::string study;            // as reich/table1, or reich, or the path of a file; empty: all
  std::string report, figures;  // folders; empty: none
  int threads = 0;              // 0: one for each core
  bool json = false;
};

// Prints a line that counts the runs done: overwritten on a terminal, now and then a new one elsewhere.
class RunCount {
 public:
  void operator()(std::size_t done, std::size_t wanted) {
    if (terminal_)
      fmt::print(stderr, "\r{} of {} runs\033[K{}", done, wanted, done == wanted ? "\r\033[K" : "");
    else if (done == wanted || done >= told_ + std::max<std::size_t>(1, wanted / 10))
      fmt::print(stderr, "{} of {} runs\n", told_ = done, wanted);
    std::fflush(stderr);
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::size_t told_ = 0;
};

// Returns the width of a text; columns are counted in characters, not in bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}
std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

void print_study(const StudyResult& result) {
  fmt::print("{}  {}\n  {}\n", result.study.name, result.study.title, result.study.place);
  std::size_t name_width = 8, published_width = 9, measured_width = 8;
  for (const StudyRow& row : result.rows) {
    name_width = std::max(name_width, width(row.quantity));
    published_width = std::max(published_width, width(row.published));
    measured_width = std::max(measured_width, width(measured_text(row)));
  }
  fmt::print("  {}  {}  {}  verdict\n", padded("quantity", name_width), padded("published", published_width),
             padded("measured", measured_width));
  std::vector<std::string> readings;
  for (const StudyRow& row : result.rows) {
    std::string mark;
    if (!row.reading.empty()) {
      auto at = std::find(readings.begin(), readings.end(), row.reading);
      if (at == readings.end()) at = readings.insert(at, row.reading);
      mark = fmt::format(" [{}]", at - readings.begin() + 1);
    }
    if (row.verdict != row.expected) mark += fmt::format("  EXPECTED {}", name(row.expected));
    if (row.differs) mark += fmt::format("  NOT {} AS FOUND INDEPENDENTLY", row.independent);
    fmt::print("  {}  {}  {}  {}{}\n", padded(row.quantity, name_width),
               padded(row.published, published_width), padded(measured_text(row), measured_width),
               name(row.verdict), mark);
  }
  for (std::size_t k = 0; k < readings.size(); ++k) fmt::print("  [{}] {}\n", k + 1, readings[k]);
  fmt::print("\n");
}

struct Count {
  int reproduced = 0, under_reading = 0, not_reproduced = 0, unexpected = 0;
  void add(const StudyRow& row) {
    reproduced += row.verdict == StudyVerdict::reproduced;
    under_reading += row.verdict == StudyVerdict::under_reading;
    not_reproduced += row.verdict == StudyVerdict::not_reproduced;
    unexpected += !row.as_expected();
  }
};

void print_table(const std::vector<StudyResult>& results) {
  std::size_t name_width = 5;
  for (const StudyResult& result : results) name_width = std::max(name_width, width(result.study.name));
  const auto line = [&](const std::string& study, const Count& count) {
    fmt::print("{}  {:10}  {:13}  {:14}  {}\n", padded(study, name_width), count.reproduced,
               count.under_reading, count.not_reproduced,
               count.unexpected == 0 ? "yes" : fmt::format("NO, {} not", count.unexpected));
  };
  fmt::print("{}  reproduced  under reading  not reproduced  as expected\n", padded("study", name_width));
  Count all;
  for (const StudyResult& result : results) {
    Count count;
    for (const StudyRow& row : result.rows) {
      count.add(row);
      all.add(row);
    }
    line(result.study.name, count);
  }
  line("all", all);
}

bool all_as_expected(const std::vector<StudyResult>& results) {
  for (const StudyResult& result : results)
    for (const StudyRow& row : result.rows)
      if (!row.as_expected()) return false;
  return true;
}

// Writes the page and the figures. Throws WriteError if they cannot be written.
void write_page(const ReproduceFlags& flags, const std::vector<StudyResult>& results) {
  if (flags.report.empty() && flags.figures.empty()) return;
  const Report report = study_report(results);
  if (!flags.report.empty()) {
    write_report(flags.report + "/report.html", report);
    fmt::print(stderr, "taut: the report is in {}/report.html\n", flags.report);
  }
  if (!flags.figures.empty())
    fmt::print(stderr, "taut: {} figures are in {}\n", write_figures(flags.figures, report).size(),
               flags.figures);
}

int print_studies(const ReproduceFlags& flags) {
  if (!flags.report.empty()) check_whole_file(flags.report + "/report.html");
  if (!flags.figures.empty()) check_whole_file(flags.figures + "/figure.svg");
  const int cores = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 64U));
  RunCount count;
  const std::vector<StudyResult> results =
      reproduce(find_studies(flags.study), flags.threads > 0 ? flags.threads : cores,
                [&](std::size_t done, std::size_t wanted) { count(done, wanted); });
  if (flags.json) {
    fmt::print("{}\n", to_json(results));
  } else {
    for (const StudyResult& result : results) print_study(result);
    print_table(results);
  }
  const int written = finish_output();
  write_page(flags, results);
  return all_as_expected(results) ? written : 1;
}

}  // namespace

void add_reproduce(Program& program) {
  const auto flags = std::make_shared<ReproduceFlags>();
  Option threads = option(
      "--threads", "N",
      [flags](const std::string& text) { flags->threads = static_cast<int>(count_of(text, "--threads")); },
      "runs at a time; default: one for each core");
  threads.range = {1, 256};
  program.add(
      {.name = "reproduce",
       .what = "Carry out the papers' experiments: published beside measured",
       .examples = "  taut reproduce                                   the papers' tables and figures\n",
       .options = {place("STUDY", flags->study,
                         "reich/table1, or reich for all of a paper, or a file; all when left out"),
                   flag("--json", flags->json, "print a JSON list"),
                   option("--report", "DIR", flags->report,
                          "write a page with every table and figure, DIR/report.html"),
                   option("--figures", "DIR", flags->figures,
                          "folder for the figures of that page as SVG files"),
                   threads},
       .notes = "\nExit status: 0 every verdict is the expected one; 1 one is not; 2 the input is wrong.",
       .action = [flags] { return print_studies(*flags); }});
}

}  // namespace taut::cli
