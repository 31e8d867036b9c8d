// Comments are sentences that a reader parses at first reading. This test holds two rules that a program can
// check: no line with a comment is longer than 110 columns, because comments are read in a side-by-side diff;
// and no comment begins with a preposition or a relative ("Of the pieces", "that wait"), because its noun
// would then stand on another line.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_files.hpp"

namespace {

using taut::test::SourceFile;

constexpr std::size_t widest = 110;

// "Where" may begin a trailing comment, as in `int rows;  // where its rows begin`: there it means a place.
constexpr std::string_view never_first[] = {"of", "that", "whose", "which", "wherein", "whereof"};
constexpr std::string_view never_first_above[] = {"where"};

// One // comment of a line, or one line of a /* comment.
struct Comment {
  std::size_t line;  // from 1
  bool trailing;     // code stands before it
  std::string text;
};

// Skips a string, a character or a raw string that begins at `at`, and returns the place after it. Counts the
// lines on the way. Returns `at` if none of them begins there.
std::size_t after_literal(std::string_view code, std::size_t at, std::size_t& line) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const bool in_word = at > 0 && is_word(code[at - 1]);
  if (code.substr(at, 2) == "R\"" && !in_word) {
    const std::size_t open = code.find('(', at);
    const std::string close = ")" + std::string(code.substr(at + 2, open - at - 2)) + "\"";
    const std::size_t end = std::min(code.find(close, open), code.size() - close.size()) + close.size();
    line += static_cast<std::size_t>(std::count(code.begin() + static_cast<std::ptrdiff_t>(at),
                                                code.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    return end;
  }
  if (code[at] != '"' && (code[at] != '\'' || in_word)) return at;  // 1'000 is a number
  std::size_t end = at + 1;
  while (end < code.size() && code[end] != code[at] && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
  return std::min(end + 1, code.size());
}

std::vector<Comment> comments_of(std::string_view code) {
  std::vector<Comment> found;
  std::size_t line = 1;
  bool blank = true;  // nothing but spaces before this place of the line
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view two = code.substr(at, 2);
    if (two == "//" || two == "/*") {
      const bool block = two == "/*";
      const std::size_t end = std::min(block ? code.find("*/", at) : code.find('\n', at), code.size());
      for (const std::string& text : taut::test::lines_of(std::string(code.substr(at + 2, end - at - 2))))
        found.push_back({line++, !blank, text});
      if (end > at + 2) --line;  // the line of the last one goes on
      at = block ? std::min(end + 2, code.size()) : end;
    } else if (const std::size_t end = after_literal(code, at, line); end != at) {
      blank = false;
      at = end;
    } else {
      if (code[at] == '\n') ++line;
      blank = code[at] == '\n' || (blank && code[at] == ' ');
      ++at;
    }
  }
  return found;
}

// Columns as an editor shows them: bytes that continue a character of UTF-8 are not counted.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string first_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c == '/' && word.empty()) continue;  // a comment with three bars
    if (c == ' ' && word.empty()) continue;
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

bool contains(const auto& words, const std::string& word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Lists what is wrong with the comments of a file, each as "file:line: what".
std::vector<std::string> violations(const SourceFile& file) {
  std::vector<std::string> found;
  const std::vector<std::string> lines = taut::test::lines_of(file.text);
  const Comment* before = nullptr;
  const std::vector<Comment> comments = comments_of(file.text);
  for (const Comment& comment : comments) {
    const std::string place = file.path + ":" + std::to_string(comment.line) + ": ";
    const std::size_t width = columns(lines.at(comment.line - 1));
    if (width > widest)
      found.push_back(place + "a line with a comment has " + std::to_string(width) + " columns, not " +
                      std::to_string(widest) + " at most");
    const bool continues = before != nullptr && before->line + 1 == comment.line && !comment.trailing;
    const std::string word = first_word(comment.text);
    if (!continues &&
        (contains(never_first, word) || (!comment.trailing && contains(never_first_above, word))))
      found.push_back(place + "the comment begins with \"" + word + "\": name its subject first");
    before = &comment;
  }
  return found;
}

void expect_good_comments(std::string_view folder) {
  std::size_t files = 0;
  for (const SourceFile& file : taut::test::files_under(folder, {".cpp", ".hpp", ".cu", ".cuh"})) {
    ++files;
    for (const std::string& what : violations(file)) ADD_FAILURE() << what;
  }
  EXPECT_GT(files, 0U);
}

TEST(Comments, OfTheLibraryAreReadable) { expect_good_comments("src"); }
TEST(Comments, OfTheProgramAreReadable) { expect_good_comments("cli"); }
TEST(Comments, OfTheTestsAreReadable) { expect_good_comments("tests"); }
TEST(Comments, OfTheBenchesAreReadable) { expect_good_comments("bench"); }

// The test can fail: each rule, broken in a sample.
std::vector<std::string> violations_in(const std::string& text) { return violations({"sample.hpp", text}); }

TEST(Comments, ALongLineIsCaughtWithFileAndLine) {
  const std::string longest = "// " + std::string(widest - 3, 'x');
  EXPECT_TRUE(violations_in(longest + "\n").empty());
  const auto found = violations_in("int a;\n" + longest + "x\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].find("sample.hpp:2: "), 0U) << found[0];
  EXPECT_EQ(violations_in("int a;  " + longest + "\n").size(), 1U);
  EXPECT_EQ(violations_in("/* " + longest + "\n" + longest + "x */\n").size(), 2U);
}

TEST(Comments, ColumnsAreCharactersAndNotBytes) {
  std::string line = "// ";
  for (std::size_t k = 3; k < widest; ++k) line += "λ";
  EXPECT_TRUE(violations_in(line + "\n").empty());
  EXPECT_EQ(violations_in(line + "λ\n").size(), 1U);
}

TEST(Comments, APrepositionOrARelativeAtTheBeginningIsCaught) {
  EXPECT_EQ(violations_in("// Of the pieces: diagonal and spike.\nint a;\n").size(), 1U);
  EXPECT_EQ(violations_in("  // Where it has a member, that is called.\n").size(), 1U);
  EXPECT_EQ(violations_in("std::vector<double> rows;  // that wait\n").size(), 1U);
  EXPECT_EQ(violations_in("int a;  // of the file\nint b;  // of the folder\n").size(), 2U);
  EXPECT_TRUE(violations_in("// Offers a guess.\nint a;  // where the rows begin\n").empty());
  EXPECT_TRUE(violations_in("// The rows are those\n// of the identity.\nint a;\n").empty());
}

TEST(Comments, TextInQuotesIsNoComment) {
  EXPECT_TRUE(violations_in("const char* a = \"http://of the/\";\n").empty());
  EXPECT_TRUE(violations_in("const char* a = \"\\\"// of\";\nchar b = '\"';\nint c = 1'000;\n").empty());
  EXPECT_TRUE(violations_in("const char* a = R\"x(\n// Of a text\n)\" )x\";\n").empty());
  EXPECT_EQ(violations_in("const char* a = R\"(\n// Of a text\n)\";\n// Of a comment\n")
                .at(0)
                .find("sample.hpp:4: "),
            0U);
}

}  // namespace
