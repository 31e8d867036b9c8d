// Equations carry labels such as (R1) in the code and on the theory page of the method. This test holds
// the two together:
//   a page in docs/theory names its code in a line    Code: `src/taut/method/rattle.hpp`
//   and lists its equations in rows that begin        | (R1) | equation | ...

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/source_files.hpp"

namespace {

using taut::test::files_under;
using taut::test::SourceFile;

const std::string label_pattern = R"(\(([A-Z]{1,3}[0-9]+[a-z]?)\))";

struct Place {
  std::string path;
  int line;
};
std::string to_string(const Place& at) { return at.path + ":" + std::to_string(at.line) + ": "; }

using Labels = std::multimap<std::string, Place>;

struct Page {
  std::string path;
  std::map<std::string, Place> code;  // the files it names
  Labels rows;
};

// Returns the comments of a C++ line. `in_block` carries a /* comment over the end of the line. Quotes are
// skipped, so that "http://" is no comment.
std::string comments_of(const std::string& line, bool& in_block) {
  std::string comments;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view two = std::string_view(line).substr(i, 2);
    if (in_block) {
      if (two == "*/") {
        in_block = false;
        ++i;
      } else {
        comments += line[i];
      }
    } else if (in_string) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == '"')
        in_string = false;
    } else if (line[i] == '"') {
      in_string = true;
    } else if (two == "//") {
      return comments + line.substr(i);
    } else if (two == "/*") {
      in_block = true;
      ++i;
    }
  }
  return comments;
}

Labels labels_in_comments(const SourceFile& file) {
  static const std::regex label(label_pattern);
  Labels found;
  bool in_block = false;
  int number = 0;
  for (const std::string& line : taut::test::lines_of(file.text)) {
    ++number;
    const std::string comments = comments_of(line, in_block);
    for (std::sregex_iterator match(comments.begin(), comments.end(), label), end; match != end; ++match)
      found.emplace((*match)[1], Place{file.path, number});
  }
  return found;
}

Page read_page(const SourceFile& file) {
  static const std::regex row(R"(^\|\s*)" + label_pattern + R"(\s*\|.*)");
  static const std::regex name("`([^`]+)`");
  Page page{file.path, {}, {}};
  int number = 0;
  for (const std::string& line : taut::test::lines_of(file.text)) {
    ++number;
    std::smatch match;
    if (line.starts_with("Code:"))
      for (std::sregex_iterator path(line.begin(), line.end(), name), end; path != end; ++path)
        page.code.emplace((*path)[1], Place{file.path, number});
    else if (std::regex_match(line, match, row))
      page.rows.emplace(match[1], Place{file.path, number});
  }
  return page;
}

// Lists the disagreements. `code` holds the files in which labels are looked for; `exists` answers for any
// file that a page names.
template <class Exists>
std::vector<std::string> disagreements(const std::vector<SourceFile>& code,
                                       const std::vector<SourceFile>& texts, const Exists& exists) {
  std::vector<std::string> found;
  std::map<std::string, Labels> in_file;
  for (const SourceFile& file : code) in_file[file.path] = labels_in_comments(file);
  std::vector<Page> pages;
  pages.reserve(texts.size());
  for (const SourceFile& text : texts) pages.push_back(read_page(text));

  for (const auto& [path, labels] : in_file)
    for (const auto& [label, at] : labels) {
      const auto explains = [&](const Page& page) {
        return page.code.contains(path) && page.rows.contains(label);
      };
      if (std::none_of(pages.begin(), pages.end(), explains))
        found.push_back(to_string(at) + "(" + label +
                        ") is a row of no page in docs/theory that names this file");
    }

  std::map<std::string, Place> first;
  for (const Page& page : pages) {
    for (const auto& [path, at] : page.code)
      if (!exists(path)) found.push_back(to_string(at) + path + " does not exist");
    for (const auto& [label, at] : page.rows) {
      const auto [earlier, is_new] = first.emplace(label, at);
      if (!is_new)
        found.push_back(to_string(at) + "(" + label + ") is also at " + to_string(earlier->second));
      const auto has_label = [&, &wanted = label](const auto& named) {
        const auto labels = in_file.find(named.first);
        return labels != in_file.end() && labels->second.contains(wanted);
      };
      if (std::none_of(page.code.begin(), page.code.end(), has_label))
        found.push_back(to_string(at) + "(" + label + ") occurs in no file that the page names after Code:");
    }
  }
  return found;
}

TEST(EquationLabels, CodeAndTheoryPagesAgree) {
  std::vector<SourceFile> code;
  for (const char* folder : {"method", "formulation", "solve", "rods", "measure", "run", "sample", "analysis",
                             "model/code", "model/read", "mechanism"})
    for (SourceFile& file : files_under(std::string("src/taut/") + folder, {".hpp", ".cpp"}))
      code.push_back(std::move(file));
  const auto exists = [](const std::string& path) {
    return std::filesystem::is_regular_file(std::filesystem::path(TAUT_SOURCE_DIR) / path);
  };
  for (const std::string& disagreement : disagreements(code, files_under("docs/theory", {".md"}), exists))
    ADD_FAILURE() << disagreement;
}

// The test can fail: each rule, broken in a sample.
struct Sample {
  std::vector<SourceFile> code{{"src/taut/method/a.hpp", "int x;  // (R1)\n/* and\n   (SV2a) */\n"}};
  std::vector<SourceFile> pages{
      {"docs/theory/a.md", "Code: `src/taut/method/a.hpp`\n\n| (R1) | x = 1 |\n|  (SV2a)  | y = 2 |\n"}};

  std::vector<std::string> disagreements() const {
    return ::disagreements(code, pages, [&](const std::string& path) {
      return std::any_of(code.begin(), code.end(), [&](const SourceFile& file) { return file.path == path; });
    });
  }
};

TEST(EquationLabels, AnAgreeingSamplePasses) { EXPECT_TRUE(Sample().disagreements().empty()); }

TEST(EquationLabels, LabelsCountInCommentsOnly) {
  Sample sample;
  sample.code[0].text += "f(R3);  const char* s = \"// (R4)\";\n";
  EXPECT_TRUE(sample.disagreements().empty());
}

TEST(EquationLabels, ALabelWithoutARowIsCaughtWithFileAndLine) {
  Sample sample;
  sample.code[0].text += "// (R9)\n";
  const auto found = sample.disagreements();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0],
            "src/taut/method/a.hpp:4: (R9) is a row of no page in docs/theory that names this file");
  sample.pages.clear();
  EXPECT_EQ(sample.disagreements().size(), 3U);
}

TEST(EquationLabels, ARowWithoutALabelInItsCodeIsCaught) {
  Sample sample;
  sample.pages[0].text += "| (R2) | z = 3 |\n";
  EXPECT_EQ(sample.disagreements().size(), 1U);
}

TEST(EquationLabels, ARowOfAPageThatNamesOtherCodeDoesNotCount) {
  Sample sample;
  sample.code.push_back({"src/taut/method/b.hpp", "// (R1)\n"});
  EXPECT_EQ(sample.disagreements().size(), 1U);
}

TEST(EquationLabels, AMissingFileIsCaught) {
  Sample sample;
  sample.pages[0].text += "Code: `src/taut/method/gone.hpp`\n";
  EXPECT_EQ(sample.disagreements().size(), 1U);
}

TEST(EquationLabels, ALabelOnTwoPagesIsCaught) {
  Sample sample;
  sample.pages.push_back({"docs/theory/b.md", "Code: `src/taut/method/a.hpp`\n| (R1) | x = 1 |\n"});
  EXPECT_EQ(sample.disagreements().size(), 1U);
}

}  // namespace
