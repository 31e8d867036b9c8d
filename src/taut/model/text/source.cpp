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
    : name_(std::move(name)), text_(std::move(text)), has_lines_(has_lines), line_begin_{0} {
  for (std::size_t k = 0; k < text_.size(); ++k)
    if (text_[k] == '\n') line_begin_.push_back(k + 1);
}

std::size_t SourceText::offset(int line, int column) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_begin_.size()) return text_.size();
  std::size_t at = line_begin_[static_cast<std::size_t>(line) - 1];
  for (int c = 1; c < column && at < text_.size(); ++c) {
    ++at;
    while (at < text_.size() && continues_character(text_[at])) ++at;
  }
  return at;
}

ModelError SourceText::error(Span at, std::string sentence, std::string note) const {
  ModelError error;
  error.origin = name_;
  error.sentence = std::move(sentence);
  error.note = std::move(note);
  at.begin = std::min(at.begin, text_.size());
  const auto after = std::upper_bound(line_begin_.begin(), line_begin_.end(), at.begin);
  const std::size_t begin = *(after - 1);
  std::size_t end = after == line_begin_.end() ? text_.size() : *after - 1;
  if (end > begin && text_[end - 1] == '\r') --end;
  const std::string_view line = std::string_view(text_).substr(begin, end - begin);
  const std::size_t from = std::min(at.begin - begin, line.size()),
                    to = std::clamp(at.end, begin + from, end) - begin;
  if (has_lines_) error.line = static_cast<int>(after - line_begin_.begin());
  error.column = characters(line.substr(0, from)) + 1;
  error.width = std::max(1, characters(line.substr(from, to - from)));
  error.caret = error.column - 1;
  error.excerpt = harmless(line, ' ');
  if (characters(line) <= widest_excerpt) return error;
  // A long line is cut to the part around the place, at characters.
  const int first = std::max(0, error.caret - widest_excerpt / 3);
  std::size_t cut = 0;
  const auto skip = [&](int count) {
    for (int c = 0; c < count && cut < error.excerpt.size(); ++c) do
        ++cut;
      while (cut < error.excerpt.size() && continues_character(error.excerpt[cut]));
    return cut;
  };
  const std::size_t left = skip(first), right = skip(widest_excerpt);
  const bool more = right < error.excerpt.size();
  error.excerpt = (first > 0 ? "…" : "") + error.excerpt.substr(left, right - left) + (more ? "…" : "");
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
  for (const ModelError& error : errors) text += error.text();
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
