#include <taut/bytes/json.hpp>
#include <taut/study/set.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

namespace taut {

namespace {

// Calls work(0) … work(count - 1) on so many threads. If there are several errors, throws the first in that
// order, whatever came first in time.
void in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto take = [&] {
    for (std::size_t k = next++; k < count; k = next++) try {
        work(k);
      } catch (...) {
        errors[k] = std::current_exception();
      }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(take);
  take();
  others.clear();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

std::vector<StudyRow> rows_of(const Study& study, const StudyRuns& runs) {
  const StudyMeasurement measurement(study, runs);
  std::vector<StudyRow> rows;
  std::map<std::string, double> by_id;
  for (const StudyQuantity& q : study.quantities) {
    const Measured measured = measurement.measure(q, by_id);
    const double* value = std::get_if<double>(&measured);
    if (!q.id.empty() && value != nullptr) by_id[q.id] = *value;
    if (!q.is_row()) continue;
    StudyRow row{.study = study.name,
                 .quantity = q.name,
                 .published = q.published,
                 .measured = measured,
                 .expected = q.expected,
                 .reading = q.reading + (q.reading.empty() || q.note.empty() ? "" : " ") + q.note,
                 .kind = *q.kind,
                 .statement = q.kind == RowKind::statement ? q.statement : "",
                 .accepted = measurement.accepted(q),
                 .independent = q.independent};
    if (!q.independent.empty())
      row.independent_by = q.independent_by.empty() ? study.independent_by : q.independent_by;
    row.verdict = verdict(measurement.agrees(q, measured), !q.reading.empty());
    if (!q.independent.empty())
      row.differs = value == nullptr || !rounds_to(*value, *as_printed(q.independent));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<StudyResult> reproduce(std::vector<Study> studies, int threads,
                                   const std::function<void(std::size_t, std::size_t)>& progress) {
  struct Job {
    std::size_t study;
    const StudyRun* run;
    std::size_t member;
  };
  std::vector<StudyResult> results;
  for (Study& study : studies) results.push_back({.study = std::move(study), .runs = {}, .rows = {}});
  std::vector<Job> jobs;
  for (std::size_t s = 0; s < results.size(); ++s)
    for (const StudyRun& run : results[s].study.runs) {
      results[s].runs.by_name[run.name].resize(run.steps.size());
      for (std::size_t k = 0; k < run.steps.size(); ++k) jobs.push_back({s, &run, k});
    }
  std::mutex one_at_a_time;
  std::size_t done = 0;
  in_parallel(jobs.size(), threads, [&](std::size_t k) {
    const Job& job = jobs[k];
    StudyResult& to = results[job.study];
    History history = carry_out(to.study, *job.run, job.member);
    const std::lock_guard lock(one_at_a_time);
    to.runs.by_name[job.run->name][job.member] = std::move(history);
    progress(++done, jobs.size());
  });
  in_parallel(results.size(), threads,
              [&](std::size_t s) { results[s].rows = rows_of(results[s].study, results[s].runs); });
  return results;
}

std::string measured_text(const StudyRow& row) {
  if (const std::string* text = std::get_if<std::string>(&row.measured)) return *text;
  int digits = 4;
  const std::string& beside = row.published.empty() ? row.independent : row.published;
  if (const auto number = as_printed(beside); number && number->value != 0)
    digits = 1 + static_cast<int>(
                     std::floor(std::log10(std::abs(number->value)) - std::log10(number->unit) + 0.5));
  return fmt::format("{:.{}g}", std::get<double>(row.measured), std::clamp(digits + 2, 6, 17));
}

std::string to_json(const std::vector<StudyResult>& results) {
  Json list = Json::list();
  for (const StudyResult& result : results)
    for (const StudyRow& row : result.rows) {
      Json object =
          Json::object({{"study", row.study}, {"quantity", row.quantity}, {"published", row.published}});
      if (const double* value = std::get_if<double>(&row.measured))
        object["measured"] = *value;  // null if it is not a number
      else
        object["measured"] = std::get<std::string>(row.measured);
      object["verdict"] = name(row.verdict);
      object["expected"] = name(row.expected);
      object["reading"] = row.reading;
      object["kind"] = name(row.kind);
      object["statement"] = row.statement;
      object["accept"] = row.accepted;
      object["independent"] = row.independent;
      object["independent_by"] = row.independent_by;
      list.push_back(std::move(object));
    }
  return list.to_text(2);
}

}  // namespace taut
