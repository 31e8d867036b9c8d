// Reads a text file line by line and word by word, with the place of each for errors.
#pragma once

#include <taut/model/text/source.hpp>

#include <cstdint>
#include <optional>

namespace taut {

class FileLines {
 public:
  FileLines(const SourceText& source, std::vector<ModelError>& errors) : source_(source), errors_(errors) {}

  bool next();             // goes to the next line; false after the last
  bool next_with_words();  // the same, but skips empty lines
  bool ended() const { return line_.begin >= source_.text().size(); }
  Span line() const { return line_; }
  Span end() const { return {source_.text().size(), source_.text().size()}; }
  // Returns the words of the line, without what follows `comment`.
  std::vector<Span> words(char comment = '\0') const;
  // Returns columns of the line, from 1, without the spaces around them.
  Span columns(std::size_t first, std::size_t last) const;
  std::string_view text(Span at) const {
    return std::string_view(source_.text()).substr(at.begin, at.end - at.begin);
  }
  std::size_t size() const { return source_.text().size(); }

  // Adds an error. Always returns nothing, so that a reader may return it.
  std::nullopt_t wrong(Span at, std::string sentence, std::string note = {});
  std::optional<double> number(Span at, const std::string& what);
  std::optional<std::int64_t> whole(Span at, const std::string& what, std::int64_t least, std::int64_t most);

 private:
  const SourceText& source_;
  std::vector<ModelError>& errors_;
  Span line_{};
  bool begun_ = false;
};

}  // namespace taut
