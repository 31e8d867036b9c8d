// web/CMakeLists.txt lists by hand what the module of the laboratory is made of, and no part of ./test links
// it. This test follows the #include lines of its sources: a header that they reach must not leave its
// definitions behind.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/source_files.hpp"

namespace {

using Paths = std::set<std::string>;

// Returns the words between `from` and the next closing parenthesis, without $ and braces.
std::vector<std::string> words_after(const std::string& text, const std::string& from) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) throw std::runtime_error("web/CMakeLists.txt has no " + from);
  std::istringstream in(text.substr(begin + from.size(), text.find(')', begin) - begin - from.size()));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

const std::string& lists() {
  static const std::string text =
      taut::test::read_text(std::filesystem::path(TAUT_SOURCE_DIR) / "web/CMakeLists.txt");
  return text;
}

// Returns the files of src/taut that a pattern names, as in method/*.cpp.
Paths matching(const std::string& pattern) {
  const std::string expression =
      "src/taut/" + std::regex_replace(std::regex_replace(pattern, std::regex(R"(\.)"), R"(\.)"),
                                       std::regex(R"(\*)"), "[^/]*");
  Paths found;
  static const auto files = taut::test::files_under("src/taut", {".cpp"});
  for (const auto& file : files)
    if (std::regex_match(file.path, std::regex(expression))) found.insert(file.path);
  return found;
}

Paths compiled() {
  Paths all;
  for (const char* list : {"sources_of(hot ", "sources_of(cold "})
    for (const std::string& pattern : words_after(lists(), list)) {
      const Paths found = matching(pattern);
      EXPECT_FALSE(found.empty()) << "web/CMakeLists.txt names " << pattern << ", which is no file";
      all.insert(found.begin(), found.end());
    }
  for (const std::string& word : words_after(lists(), "list(REMOVE_ITEM cold "))
    if (word.starts_with("${taut}/")) all.erase("src/taut/" + word.substr(8));
  return all;
}

// Returns all headers of taut that the sources reach, each with one that includes it.
std::map<std::string, std::string> headers_reached(const Paths& sources) {
  static const std::regex include(R"re(#\s*include\s*([<"])([^>"]+)[>"])re");
  std::map<std::string, std::string> texts, reached;
  for (const char* folder : {"src/taut", "web/port"})
    for (const auto& file : taut::test::files_under(folder, {".cpp", ".hpp", ".h"}))
      texts[file.path] = file.text;
  std::vector<std::string> left(sources.begin(), sources.end());
  for (const auto& [path, text] : texts)
    if (path.starts_with("web/port/") && path.ends_with(".cpp")) left.push_back(path);
  while (!left.empty()) {
    const std::string path = left.back(), text = texts.at(path);
    left.pop_back();
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) {
      const std::string name = (*at)[2];
      const auto beside =
          (std::filesystem::path(path).parent_path() / name).lexically_normal().generic_string();
      const std::string header = (*at)[1] == "\"" && texts.contains(beside) ? beside : "src/" + name;
      if (texts.contains(header) && reached.emplace(header, path).second) left.push_back(header);
    }
  }
  return reached;
}

// What is declared beside what the module needs, and never called in it: files of web/port stand in for the
// compiler of formulas and for the costs of a report, and no report is written to a file there.
const Paths stand_ins = {"src/taut/backend/compiled_object.cpp", "src/taut/backend/compiled_formulas.cpp",
                         "src/taut/backend/specialised.cpp",     "src/taut/files/folder.cpp",
                         "src/taut/files/whole_file.cpp",        "src/taut/report/cost.cpp"};

TEST(WebSources, EveryHeaderThatTheModuleReachesHasItsDefinitions) {
  const Paths sources = compiled();
  ASSERT_GT(sources.size(), 80U);
  const auto files = taut::test::files_under("src/taut", {".cpp"});
  Paths all;
  for (const auto& file : files) all.insert(file.path);
  for (const auto& [header, from] : headers_reached(sources)) {
    const std::string source = header.substr(0, header.rfind('.')) + ".cpp";
    if (!all.contains(source) || stand_ins.contains(source)) continue;
    EXPECT_TRUE(sources.contains(source))
        << from << " includes " << header << ", and web/CMakeLists.txt does not compile " << source;
  }
}

}  // namespace
