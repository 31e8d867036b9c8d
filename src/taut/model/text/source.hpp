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

std::string text_of(const std::vector<ModelError>& errors);

// Sorts file by file, by line and column; what was typed on the command line comes after the files.
void put_in_order(std::vector<ModelError>& errors);

// A text with a name. Positions are byte offsets; people are shown lines and characters.
class SourceText {
 public:
  SourceText(std::string name, std::string text, bool has_lines = true);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::size_t offset(int line, int column) const;  // from 1, characters
  ModelError error(Span at, std::string sentence, std::string note = {}) const;

 private:
  std::string name_, text_;
  bool has_lines_;
  std::vector<std::size_t> line_begin_;
};

}  // namespace taut
