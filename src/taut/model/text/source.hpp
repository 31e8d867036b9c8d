// Says where something stands in the text a person wrote, and how to show it: file:line:column, the line, a
// caret, what is known there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct Span {  // bytes [begin, end) of a text
  std::size_t begin = 0, end = 0;
};

// One thing wrong with a model. `sentence` is complete by itself; text() is what a person reads.
struct ModelError {
  std::string origin;        // the file's name, or "--set"
  int line = 0, column = 0;  // from 1, in characters; line 0: the text has no lines to speak of
  std::string sentence, note;
  std::string excerpt;  // the line, or the part of it around the place
  int caret = 0, width = 1;
  std::string more = {};  // further lines, each ended: what the note has no room for

  std::string text() const;
};

// A reader needs no more errors than these at a time; the others are counted.
inline constexpr std::size_t most_errors_shown = 50;
std::string text_of(const std::vector<ModelError>& errors);

// Sorts file by file, by line and column; what was typed on the command line comes after the files.
void put_in_order(std::vector<ModelError>& errors);

// A text with a name. Positions are byte offsets; people are shown lines and characters. The characters of
// a line are counted once, with a mark at every 64th: a place costs the same wherever it is on its line.
class SourceText {
 public:
  SourceText(std::string name, std::string text, bool has_lines = true);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::size_t offset(int line, int column) const;  // from 1, characters
  ModelError error(Span at, std::string sentence, std::string note = {}) const;

 private:
  static constexpr int between_marks = 64;
  // Returns where a character of line k stands (both from 0), or the end of the text.
  std::size_t at_character(std::size_t k, int character) const;
  // Counts the characters from the beginning of line k to a place on it.
  int characters_before(std::size_t k, std::size_t place) const;

  std::string name_, text_;
  bool has_lines_;
  std::vector<std::size_t> line_begin_;
  std::vector<std::size_t> marks_;       // places of the characters 64, 128, … of each line
  std::vector<std::size_t> first_mark_;  // the first mark of each line; one more at the end
};

}  // namespace taut
