#include <taut/contract/reading_time.hpp>
#include <taut/model/particles/file_lines.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/wording.hpp>

#include <charconv>
#include <cmath>

namespace taut {

namespace {

bool separates_words(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

bool FileLines::next() {
  ReadingTime::spend();
  const std::string& all = source_.text();
  const std::size_t begin = begun_ ? std::min(line_.end + 1, all.size()) : 0;
  begun_ = true;
  line_ = {begin, std::min(all.find('\n', begin), all.size())};
  return begin < all.size();
}

bool FileLines::next_with_words() {
  while (next())
    if (!words().empty()) return true;
  return false;
}

std::vector<Span> FileLines::words(char comment) const {
  const std::string& all = source_.text();
  std::vector<Span> found;
  for (std::size_t i = line_.begin; i < line_.end;) {
    if (comment != '\0' && all[i] == comment) break;
    if (separates_words(all[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < line_.end && !separates_words(all[i]) && (comment == '\0' || all[i] != comment)) ++i;
    found.push_back({begin, i});
  }
  return found;
}

Span FileLines::columns(std::size_t first, std::size_t last) const {
  const std::string& all = source_.text();
  Span at{std::min(line_.begin + first - 1, line_.end), std::min(line_.begin + last, line_.end)};
  while (at.begin < at.end && separates_words(all[at.begin])) ++at.begin;
  while (at.begin < at.end && separates_words(all[at.end - 1])) --at.end;
  return at;
}

std::nullopt_t FileLines::wrong(Span at, std::string sentence, std::string note) {
  errors_.push_back(source_.error(at, std::move(sentence), std::move(note)));
  return std::nullopt;
}

std::optional<double> FileLines::number(Span at, const std::string& what) {
  std::string_view word = text(at);
  if (word.starts_with('+')) word.remove_prefix(1);
  double x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error == std::errc::result_out_of_range) return wrong(at, what + " is beyond what a double holds");
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
    return wrong(at, what + " must be a number, not " + ticked(text(at)));
  return x;
}

std::optional<std::int64_t> FileLines::whole(Span at, const std::string& what, std::int64_t least,
                                             std::int64_t most) {
  const std::string_view word = text(at);
  std::int64_t x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size() || x < least || x > most)
    return wrong(at, what + " must be a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", not " + ticked(word));
  return x;
}

}  // namespace taut
