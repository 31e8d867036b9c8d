#include <taut/files/whole_file.hpp>
#include <taut/study/report.hpp>

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "commands.hpp"
#include "text_width.hpp"

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

std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

// Prints rows of cells as columns of equal width; the last column is left ragged.
void print_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (row.size() == 1) continue;  // a line of its own
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += "  " + (k + 1 < row.size() ? padded(row[k], widths[k]) : row[k]);
    fmt::print("{}\n", line);
  }
}

// Returns the place of a text among those seen so far, from 1, and keeps it if it is new.
std::size_t footnote(std::vector<std::string>& all, const std::string& text) {
  auto at = std::find(all.begin(), all.end(), text);
  if (at == all.end()) at = all.insert(at, text);
  return static_cast<std::size_t>(at - all.begin()) + 1;
}

// The notes below the rows of a study: readings, and where second computations come from.
struct Notes {
  std::vector<std::string> readings, origins;
};

// Returns the cells of a row. A statement is printed above its rows, which do not repeat it.
std::vector<std::string> cells_of(const StudyRow& row, Notes& notes) {
  std::string second = row.independent, verdict = verdict_text(row);
  if (!second.empty()) second += std::string(footnote(notes.origins, row.independent_by), '*');
  if (!row.reading.empty()) verdict += fmt::format(" [{}]", footnote(notes.readings, row.reading));
  if (row.verdict != row.expected) verdict += fmt::format("  EXPECTED {}", name(row.expected));
  if (row.differs) verdict += fmt::format("  NOT {} AS FOUND INDEPENDENTLY", row.independent);
  if (row.kind == RowKind::statement)
    return {"  " + row.quantity, measured_text(row), row.accepted, second, verdict};
  return {row.quantity, row.published, measured_text(row), row.accepted, second, verdict};
}

// Prints the rows that `wanted` picks, under a heading that says what they are.
template <class Wanted>
void print_rows(const StudyResult& result, const char* heading, Notes& notes, Wanted wanted) {
  std::vector<std::vector<std::string>> rows = {
      {heading, "published", "measured", "accepted", "second", "verdict"}};
  for (const StudyRow& row : result.rows)
    if (wanted(row.kind)) rows.push_back(cells_of(row, notes));
  if (rows.size() > 1) print_columns(rows);
}

void print_statements(const StudyResult& result, Notes& notes) {
  std::vector<std::vector<std::string>> rows = {{"statement", "measured", "accepted", "second", "verdict"}};
  for (const auto& statement : statements_of(result)) {
    rows.push_back({statement.front()->statement});
    for (const StudyRow* row : statement) rows.push_back(cells_of(*row, notes));
  }
  if (rows.size() > 1) print_columns(rows);
}

// Prints the numbers, the statements and the other rows of a study with what would have been accepted and
// what a second computation found, and below them the notes.
void print_study(const StudyResult& result) {
  fmt::print("{}  {}\n  {}\n", result.study.name, result.study.title, result.study.place);
  Notes notes;
  print_rows(result, "number", notes, [](RowKind kind) { return kind == RowKind::number; });
  print_statements(result, notes);
  print_rows(result, "not counted", notes,
             [](RowKind kind) { return kind != RowKind::number && kind != RowKind::statement; });
  for (std::size_t k = 0; k < notes.readings.size(); ++k) fmt::print("  [{}] {}\n", k + 1, notes.readings[k]);
  for (std::size_t k = 0; k < notes.origins.size(); ++k)
    fmt::print("  {} second computation: {}\n", std::string(k + 1, '*'), notes.origins[k]);
  fmt::print("\n");
}

void print_table(const std::vector<StudyResult>& results) {
  std::size_t name_width = 5;
  for (const StudyResult& result : results) name_width = std::max(name_width, width(result.study.name));
  const auto line = [&](const std::string& study, const StudyTally& tally) {
    fmt::print("{}  {:4} {:8} {:4}    {:4} {:8} {:4}    {:5}  {}\n", padded(study, name_width),
               tally.statements[0], tally.statements[1], tally.statements[2], tally.numbers[0],
               tally.numbers[1], tally.numbers[2], tally.others,
               tally.unexpected == 0 ? "yes" : fmt::format("NO, {} not", tally.unexpected));
  };
  fmt::print("{}  statements            numbers\n", padded("", name_width));
  fmt::print("{}   yes  reading   no     yes  reading   no    other  as expected\n",
             padded("study", name_width));
  StudyTally all;
  for (const StudyResult& result : results) {
    const StudyTally tally = tally_of(result);
    all.add(tally);
    line(result.study.name, tally);
  }
  line("all", all);
}

// Prints what did not come out, one line for each statement and each number of a paper.
void print_shortfalls(const std::vector<StudyResult>& results) {
  const std::vector<Shortfall> all = shortfalls(results);
  if (all.empty()) return;
  const auto statements = std::count_if(all.begin(), all.end(),
                                        [](const Shortfall& one) { return one.kind == RowKind::statement; });
  fmt::print("\nNot reproduced: {} of the statements and {} of the numbers.\n", statements,
             static_cast<std::ptrdiff_t>(all.size()) - statements);
  std::vector<std::vector<std::string>> rows;
  for (const Shortfall& one : all) rows.push_back({one.study, std::string(name(one.kind)), one.what});
  print_columns(rows);
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
    print_shortfalls(results);
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
