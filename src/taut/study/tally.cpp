#include <taut/study/set.hpp>

#include <algorithm>
#include <map>

namespace taut {

std::vector<std::vector<const StudyRow*>> statements_of(const StudyResult& result) {
  std::vector<std::vector<const StudyRow*>> all;
  std::map<std::string, std::size_t> place;
  for (const StudyRow& row : result.rows) {
    if (row.kind != RowKind::statement) continue;
    const auto [at, is_new] = place.emplace(row.statement, all.size());
    if (is_new) all.emplace_back();
    all[at->second].push_back(&row);
  }
  return all;
}

namespace {

const StudyRow& worst_of(const std::vector<const StudyRow*>& rows) {
  return **std::max_element(rows.begin(), rows.end(), [](const StudyRow* a, const StudyRow* b) {
    return static_cast<int>(a->verdict) < static_cast<int>(b->verdict);
  });
}

}  // namespace

void StudyTally::add(const StudyTally& other) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    statements[k] += other.statements[k];
    numbers[k] += other.numbers[k];
  }
  others += other.others;
  unexpected += other.unexpected;
}

StudyTally tally_of(const StudyResult& result) {
  StudyTally tally;
  for (const auto& rows : statements_of(result))
    ++tally.statements[static_cast<std::size_t>(worst_of(rows).verdict)];
  for (const StudyRow& row : result.rows) {
    if (row.kind == RowKind::number)
      ++tally.numbers[static_cast<std::size_t>(row.verdict)];
    else if (row.kind != RowKind::statement)
      ++tally.others;
    tally.unexpected += !row.as_expected();
  }
  return tally;
}

std::vector<Shortfall> shortfalls(const std::vector<StudyResult>& results) {
  std::vector<Shortfall> found;
  for (const StudyResult& result : results) {
    for (const auto& rows : statements_of(result))
      if (const StudyRow& worst = worst_of(rows); worst.verdict == StudyVerdict::not_reproduced)
        found.push_back({RowKind::statement, result.study.name, worst.statement, worst.reading});
    for (const StudyRow& row : result.rows)
      if (row.kind == RowKind::number && row.verdict == StudyVerdict::not_reproduced)
        found.push_back(
            {RowKind::number, result.study.name, row.quantity + " = " + row.published, row.reading});
  }
  return found;
}

std::string verdict_text(const StudyRow& row) {
  switch (row.kind) {
    case RowKind::statement:
    case RowKind::number:
      return std::string(name(row.verdict));
    case RowKind::rejected_reading:
      return "rejected reading, " + std::string(name(row.verdict));
    case RowKind::control:
    case RowKind::structural:
      break;
  }
  return std::string(name(row.kind)) +
         (row.verdict == StudyVerdict::not_reproduced ? ", does not hold" : ", holds");
}

}  // namespace taut
