#include <taut/model/text/source.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace taut {

namespace {

int characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

constexpr int widest_excerpt = 110;  // characters

}  // namespace

SourceText::SourceText(std::string name, std::string text, bool has_lines)
    : name_(std::move(name)), text_(std::move(text)), has_lines_(has_lines), line_begin_{0}, first_mark_{0} {
  int character = -1;  // on its line
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (!continues_character(text_[k]) && ++character > 0 && character % between_marks == 0)
      marks_.push_back(k);
    if (text_[k] != '\n') continue;
    line_begin_.push_back(k + 1);
    first_mark_.push_back(marks_.size());
    character = -1;
  }
  first_mark_.push_back(marks_.size());
}

std::size_t SourceText::at_character(std::size_t k, int character) const {
  const std::size_t known = first_mark_[k + 1] - first_mark_[k];
  const std::size_t mark = std::min(static_cast<std::size_t>(std::max(character, 0) / between_marks), known);
  std::size_t at = mark == 0 ? line_begin_[k] : marks_[first_mark_[k] + mark - 1];
  for (int c = static_cast<int>(mark) * between_marks; c < character && at < text_.size(); ++c) {
    ++at;
    while (at < text_.size() && continues_character(text_[at])) ++at;
  }
  return at;
}

int SourceText::characters_before(std::size_t k, std::size_t place) const {
  const auto begin = marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_[k]),
             end = marks_.begin() + static_cast<std::ptrdiff_t>(first_mark_[k + 1]);
  const auto mark = std::upper_bound(begin, end, place);
  const std::size_t from = mark == begin ? line_begin_[k] : *(mark - 1);
  return static_cast<int>(mark - begin) * between_marks +
         characters(std::string_view(text_).substr(from, place - from));
}

std::size_t SourceText::offset(int line, int column) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_begin_.size()) return text_.size();
  return at_character(static_cast<std::size_t>(line) - 1, column - 1);
}

ModelError SourceText::error(Span at, std::string sentence, std::string note) const {
  ModelError error;
  error.origin = name_;
  error.sentence = std::move(sentence);
  error.note = std::move(note);
  at.begin = std::min(at.begin, text_.size());
  const auto after = std::upper_bound(line_begin_.begin(), line_begin_.end(), at.begin);
  const auto k = static_cast<std::size_t>(after - line_begin_.begin()) - 1;
  const std::size_t begin = line_begin_[k];
  std::size_t end = after == line_begin_.end() ? text_.size() : *after - 1;
  if (end > begin && text_[end - 1] == '\r') --end;
  const std::string_view line = std::string_view(text_).substr(begin, end - begin);
  const std::size_t from = std::min(at.begin - begin, line.size()),
                    to = std::clamp(at.end, begin + from, end) - begin;
  if (has_lines_) error.line = static_cast<int>(k) + 1;
  error.column = characters_before(k, begin + from) + 1;
  error.caret = error.column - 1;
  error.width = std::max(1, characters_before(k, begin + to) - error.caret);
  const int length = characters_before(k, end);
  if (length <= widest_excerpt) {
    error.excerpt = harmless(line, ' ');
    return error;
  }
  // A long line is cut to the part around the place, at characters.
  const int first = std::max(0, error.caret - widest_excerpt / 3);
  const std::size_t left = at_character(k, first),
                    right = std::min(at_character(k, first + widest_excerpt), end);
  error.excerpt = (first > 0 ? "…" : "") + harmless(std::string_view(text_).substr(left, right - left), ' ') +
                  (right < end ? "…" : "");
  error.caret -= first - (first > 0 ? 1 : 0);
  error.width = std::min(error.width, std::max(1, widest_excerpt - error.caret));
  return error;
}

std::string ModelError::text() const {
  std::string text = origin;
  if (line > 0) text.append(":").append(std::to_string(line)).append(":").append(std::to_string(column));
  text += ": " + sentence + "\n";
  const std::string number = line > 0 ? std::to_string(line) : "";
  const std::size_t margin = std::max<std::size_t>(4, number.size());
  text += std::string(margin - number.size(), ' ') + number + " | " + excerpt + "\n";
  text += std::string(margin, ' ') + " | " + std::string(static_cast<std::size_t>(caret), ' ') +
          std::string(static_cast<std::size_t>(width), '^');
  if (!note.empty()) text += "  " + note;
  return text + "\n" + more;
}

std::string text_of(const std::vector<ModelError>& errors) {
  std::string text;
  const std::size_t shown = std::min(errors.size(), most_errors_shown);
  for (std::size_t k = 0; k < shown; ++k) text += errors[k].text();
  if (shown < errors.size())
    text += "These are the first " + std::to_string(shown) + " of " + std::to_string(errors.size()) +
            " errors; the others are not shown.\n";
  return text;
}

void put_in_order(std::vector<ModelError>& errors) {
  std::map<std::string, std::size_t> rank;  // the rank of a file, in the order in which they came
  for (const ModelError& error : errors) rank.emplace(error.origin, rank.size());
  std::stable_sort(errors.begin(), errors.end(), [&](const ModelError& a, const ModelError& b) {
    if (a.line == 0 || b.line == 0) return a.line > b.line;
    if (a.origin != b.origin) return rank.at(a.origin) < rank.at(b.origin);
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
}

}  // namespace taut
