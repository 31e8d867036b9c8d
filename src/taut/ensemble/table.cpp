#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/table.hpp>
#include <taut/files/open_file.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace taut {

namespace {

constexpr std::size_t most_faults = 1000;   // more are not looked for
constexpr std::size_t most_explained = 50;  // as many as a message shows

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

// The names that columns may have, and those that they had so far. A table may have a column for each name of
// a large model, so that a list would be searched too often.
class ColumnNames {
 public:
  explicit ColumnNames(const std::vector<std::string>& known) : had_(known.size()) {
    places_.reserve(known.size());
    for (std::size_t k = 0; k < known.size(); ++k) places_.emplace(known[k], k);
  }

  bool knows(const std::string& name) const { return places_.count(name) > 0; }
  // Takes the next name. Says what is wrong with it; nothing if it is right.
  std::string fault_of(const std::string& name) {
    if (name.empty()) return "a column has no name";
    const auto at = places_.find(name);
    if (at == places_.end()) return "the model has nothing called " + ticked(name) + " that could vary";
    if (had_[at->second]) return "there are two columns " + ticked(name);
    had_[at->second] = true;
    return "";
  }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;  // in the list of the caller
  std::vector<bool> had_;
};

class CsvTable {
 public:
  CsvTable(const TableFile& file, const std::vector<std::string>& known) : file_(file), known_(known) {}

  StartTable read() {
    std::size_t at = file_.bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // the mark of UTF-8
    bool first = true;
    while (at < file_.bytes.size() && faults_.size() < most_faults) {
      const std::size_t end = std::min(file_.bytes.find('\n', at), file_.bytes.size());
      const std::size_t stop = end > at && file_.bytes[end - 1] == '\r' ? end - 1 : end;
      if (first)
        read_names({at, stop});
      else if (!without_blanks(part({at, stop})).empty())
        read_row({at, stop});
      first = false;
      at = end + 1;
    }
    if (faults_.empty() && table_.names.empty()) refuse({0, 0}, "the table is empty");
    if (faults_.empty() && table_.values.empty()) refuse({0, 0}, "the table has names and no rows");
    if (!faults_.empty()) fail();
    return std::move(table_);
  }

 private:
  struct Fault {
    Span at;
    std::string sentence, note;
  };

  std::string_view part(Span s) const {
    return std::string_view(file_.bytes).substr(s.begin, s.end - s.begin);
  }
  void refuse(Span at, std::string sentence, std::string note = {}) {
    faults_.push_back({at, std::move(sentence), std::move(note)});
  }
  [[noreturn]] void fail() const {
    const SourceText source(file_.name, file_.bytes);  // counts all lines, hence made for faults alone
    std::vector<ModelError> errors;
    for (const Fault& f : faults_) errors.push_back(source.error(f.at, f.sentence, f.note));
    std::string text = text_of(errors);
    while (text.ends_with('\n')) text.pop_back();
    throw InputError(text);
  }

  // Calls take(field, place) for each field of a line.
  template <class Take>
  void each_field(Span line, Take take) {
    for (std::size_t at = line.begin;;) {
      const std::size_t comma = part({at, line.end}).find(',');
      const std::size_t end = comma == std::string_view::npos ? line.end : at + comma;
      const std::string_view field = without_blanks(part({at, end}));
      const std::size_t begin =
          field.empty() ? at : static_cast<std::size_t>(field.data() - file_.bytes.data());
      take(field, Span{begin, begin + std::max<std::size_t>(field.size(), 1)});
      if (end == line.end) return;
      at = end + 1;
    }
  }

  void read_names(Span line) {
    ColumnNames names(known_);
    each_field(line, [&](std::string_view field, Span at) {
      if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
      const std::string name(field);
      const bool looks = faults_.size() < most_faults;
      if (const std::string fault = looks ? names.fault_of(name) : ""; !fault.empty()) {
        const bool is_plain = names.knows(name) || name.empty() || faults_.size() >= most_explained;
        refuse(at, fault, is_plain ? "" : known_names("known:", name, known_));
      }
      table_.names.push_back(name);
    });
  }

  void read_row(Span line) {
    std::size_t count = 0;
    each_field(line, [&](std::string_view field, Span at) {
      ++count;
      if (const auto x = finite_number(field))
        table_.values.push_back(*x);
      else if (count <= table_.names.size())
        refuse(at, field.empty() ? "there is no number" : ticked(field) + " is not a finite number",
               "column " + ticked(table_.names[count - 1]));
    });
    if (count != table_.names.size())
      refuse(line, fmt::format("the row has {}, and the first line names {}", counted(count, "number"),
                               counted(table_.names.size(), "column")));
  }

  const TableFile& file_;
  const std::vector<std::string>& known_;
  StartTable table_;
  std::vector<Fault> faults_;
};

StartTable read_array(const TableFile& file, const std::vector<std::string>& known,
                      const std::vector<std::string>& unnamed) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: {}.", file.name, why));
  };
  NpyArray array = read_npy(file.bytes, file.name);
  StartTable table{array.names, std::move(array.values)};
  if (table.names.empty()) {
    if (array.columns != unnamed.size())
      refuse(
          fmt::format("the array has {} and no names; without names they are the coordinates, then the "
                      "momenta of the model: {}",
                      counted(array.columns, "column"), joined(unnamed)));
    table.names = unnamed;
  }
  ColumnNames names(known);
  for (const std::string& name : table.names)
    if (const std::string fault = names.fault_of(name); !fault.empty())
      refuse(names.knows(name) ? fault : fault + "; known: " + joined(known) + did_you_mean(name, known));
  for (std::size_t k = 0; k < table.values.size(); ++k)
    if (!std::isfinite(table.values[k]))
      refuse(fmt::format("row {} (from 0), column {}: {} is not a finite number", k / table.names.size(),
                         ticked(table.names[k % table.names.size()]), table.values[k]));
  return table;
}

}  // namespace

TableFile read_table_file(const std::string& path) {
  const OpenFile file = opened(path);
  TableFile out{path, {}};
  std::string piece(1U << 20U, '\0');
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get()))
    out.bytes.append(piece, 0, got);
  if (std::ferror(file.get()) != 0) {
    check_memory();
    throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  }
  return out;
}

std::string StartTable::sha256() const {
  Sha256 digest;
  for (const std::string& name : names) digest.add(name).add(",");
  std::string bytes;
  for (const double x : values) put_number(bytes, x);
  return digest.add(bytes).hex();
}

StartTable read_table(const TableFile& file, const std::vector<std::string>& known,
                      const std::vector<std::string>& unnamed) {
  if (file.name.ends_with(".npy")) return read_array(file, known, unnamed);
  if (file.name.ends_with(".csv")) return CsvTable(file, known).read();
  throw InputError(fmt::format("{}: a table is a file .csv or .npy.", file.name));
}

}  // namespace taut
