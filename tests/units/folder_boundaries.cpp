// The folders under src/taut are the stations of one line, and each may include only the stations that its
// row in docs/architecture.md names. This test reads that table and the #include lines.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/source_files.hpp"

namespace {

using taut::test::files_under;
using taut::test::SourceFile;

struct Station {
  std::set<std::string> may_include;  // folders, or single headers of src/taut
  bool cold = false;                  // must not reach numerics, however indirectly
  bool opens_files = false;
};
using Table = std::map<std::string, Station>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text + at) {
    if (c != at) {
      part += c;
      continue;
    }
    const auto begin = part.find_first_not_of(" `"), end = part.find_last_not_of(" `");
    parts.push_back(begin == std::string::npos ? "" : part.substr(begin, end - begin + 1));
    part.clear();
  }
  return parts;
}

// Reads the rows "| `folder` | question | may include | kind |" of a page.
Table table_of(const std::string& page) {
  Table table;
  for (const std::string& line : taut::test::lines_of(page)) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cells = split(line, '|');  // empty before the first bar and after the last
    if (cells.size() != 6) continue;
    Station& station = table[cells[1]];
    for (const std::string& name : split(cells[3], ','))
      if (!name.empty()) station.may_include.insert(name);
    for (const std::string& kind : split(cells[4], ',')) {
      station.cold = station.cold || kind == "cold";
      station.opens_files = station.opens_files || kind == "files";
    }
  }
  return table;
}

const Table& stations() {
  static const Table table =
      table_of(taut::test::read_text(std::filesystem::path(TAUT_SOURCE_DIR) / "docs/architecture.md"));
  return table;
}

// The command line may include <cstdio> for the name stderr, but may not call fopen.
const std::set<std::string> file_headers = {"fstream", "filesystem", "fcntl.h", "sys/mman.h"};
const std::set<std::string> stdio_headers = {"cstdio", "stdio.h"};
const std::regex file_call(R"(\b(fopen|freopen|tmpfile)\s*\()");
const std::regex include_line(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");

// Returns the station of a file: "method" for src/taut/method/a/b.hpp, "cli" for cli/x.cpp. Returns none for
// a header beside the folders, which is the front door of the library and may include everything.
std::optional<std::string> folder_of(const std::string& path) {
  static const std::regex in_library(R"(^src/taut/([^/]+)/.*)");
  std::smatch match;
  if (std::regex_match(path, match, in_library)) return match[1];
  if (path.starts_with("cli/")) return "cli";
  return std::nullopt;
}

// Returns the meaning of an #include, as "method/rattle.hpp" if it is a header of taut; otherwise none.
std::optional<std::string> header_of_taut(const std::string& path, const std::string& name, bool quoted) {
  if (name.starts_with("taut/")) return name.substr(5);
  if (!quoted) return std::nullopt;
  const std::string from_top =
      (std::filesystem::path(path).parent_path() / name).lexically_normal().generic_string();
  if (from_top.starts_with("src/taut/")) return from_top.substr(9);
  return std::nullopt;
}

bool is_allowed(const std::string& folder, const std::string& header) {
  const auto& allowed = stations().at(folder).may_include;
  const std::string station = header.substr(0, header.find('/'));
  return station == folder || allowed.contains(station) || allowed.contains(header);
}

std::string list(const std::set<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing of taut" : text;
}

// Lists each broken rule as "file:line: what, and which rule".
std::vector<std::string> violations(const SourceFile& file) {
  const auto folder = folder_of(file.path);
  if (!folder) return {};
  if (!stations().contains(*folder))
    return {file.path + ":1: the folder " + *folder + " has no row in the table of docs/architecture.md"};
  const Station& station = stations().at(*folder);

  std::vector<std::string> found;
  int number = 0;
  for (const std::string& line : taut::test::lines_of(file.text)) {
    ++number;
    const auto complain = [&](const std::string& what) {
      found.push_back(file.path + ":" + std::to_string(number) + ": " + what);
    };
    if (!station.opens_files && std::regex_search(line, file_call))
      complain("opens a file; " + *folder + " may not");
    std::smatch match;
    if (!std::regex_match(line, match, include_line)) continue;
    const std::string name = match[2];
    if (!station.opens_files &&
        (file_headers.contains(name) || (*folder != "cli" && stdio_headers.contains(name))))
      complain("includes <" + name + ">, which opens files; " + *folder + " may not");
    const auto header = header_of_taut(file.path, name, match[1] == "\"");
    if (header && !is_allowed(*folder, *header))
      complain("includes taut/" + *header + "; " + *folder + " may include " + list(station.may_include));
  }
  return found;
}

// Asks whether a cold file must not reach this: numerics that are expensive to compile.
bool is_dear(const std::string& include) {
  return include.starts_with("Eigen/") || include == "experimental/simd" ||
         include == "taut/method/catalogue.hpp" || include == "taut/method/ordinary/ode_catalogue.hpp";
}

// The sources by path, with every header under src reachable as "taut/…".
using Sources = std::map<std::string, std::string>;

// Returns the way from a file to the first such header, as "a > b > Eigen/Dense"; empty if there is none.
std::string way_to_something_dear(const Sources& sources, const std::string& path,
                                  std::set<std::string>& seen) {
  const auto text = sources.find(path);
  if (text == sources.end() || !seen.insert(path).second) return {};
  for (const std::string& line : taut::test::lines_of(text->second)) {
    std::smatch match;
    if (!std::regex_match(line, match, include_line)) continue;
    const std::string name = match[2];
    if (is_dear(name)) return path + " > " + name;
    const std::string next =
        match[1] == "\""
            ? (std::filesystem::path(path).parent_path() / name).lexically_normal().generic_string()
            : "src/" + name;
    const std::string rest = way_to_something_dear(sources, next, seen);
    if (!rest.empty()) return path + " > " + rest;
  }
  return {};
}
std::string way_to_something_dear(const Sources& sources, const std::string& path) {
  std::set<std::string> seen;
  return way_to_something_dear(sources, path, seen);
}

TEST(FolderBoundaries, EveryIncludeFollowsTheTable) {
  int files = 0;
  for (const char* top : {"src/taut", "cli"})
    for (const SourceFile& file : files_under(top, {".hpp", ".cpp"})) {
      ++files;
      for (const std::string& violation : violations(file)) ADD_FAILURE() << violation;
    }
  EXPECT_GT(files, 0) << "no sources found: the test looked in the wrong place";
}

TEST(FolderBoundaries, ColdFoldersReachNoNumerics) {
  Sources sources;
  for (const char* top : {"src/taut", "cli"})
    for (const SourceFile& file : files_under(top, {".hpp", ".cpp"})) sources[file.path] = file.text;
  int files = 0;
  for (const auto& [path, text] : sources) {
    const auto folder = folder_of(path);
    if (!folder || !stations().contains(*folder) || !stations().at(*folder).cold) continue;
    ++files;
    const std::string way = way_to_something_dear(sources, path);
    EXPECT_TRUE(way.empty()) << way;
  }
  EXPECT_GT(files, 40) << "hardly a cold file was found: is the column `kind` still in the table?";
}

// These libraries are dear to compile: each is included by one file, behind a header of ours.
TEST(FolderBoundaries, DearLibrariesAreIncludedOnce) {
  const std::map<std::string, std::string> owners = {{"CLI/", "cli/command_line.cpp"},
                                                     {"nlohmann/", "src/taut/bytes/json.cpp"},
                                                     {"toml++/", "src/taut/model/text/tree.cpp"}};
  std::set<std::string> seen;
  for (const char* top : {"src/taut", "cli"})
    for (const SourceFile& file : files_under(top, {".hpp", ".cpp"}))
      for (const std::string& line : taut::test::lines_of(file.text)) {
        std::smatch match;
        if (!std::regex_match(line, match, include_line)) continue;
        for (const auto& [library, owner] : owners)
          if (match[2].str().starts_with(library)) {
            EXPECT_EQ(file.path, owner) << "includes " << match[2];
            seen.insert(library);
          }
      }
  EXPECT_EQ(seen.size(), owners.size()) << "a library has moved, or is no longer used";
}

TEST(FolderBoundaries, TheTableHasTheFoldersAndNoOthers) {
  const std::filesystem::path top = TAUT_SOURCE_DIR;
  for (const auto& [name, station] : stations())
    EXPECT_TRUE(std::filesystem::is_directory(name == "cli" ? top / "cli" : top / "src/taut" / name))
        << name << " has a row in docs/architecture.md, but there is no such folder";
  for (const auto& [name, station] : stations())
    for (const std::string& other : station.may_include)
      EXPECT_TRUE(stations().contains(other) || other == "version.hpp")
          << "the row of " << name << " names " << other << ", which has no row";
  EXPECT_GT(stations().size(), 15U);
}

// Two folders that may include each other are one folder.
TEST(FolderBoundaries, TheTableHasNoCycle) {
  std::map<std::string, int> rank;  // 0: not seen, 1: on the way, 2: done
  const auto visit = [&](const auto& self, const std::string& name) -> void {
    if (!stations().contains(name) || rank[name] == 2) return;
    EXPECT_NE(rank[name], 1) << "a cycle goes through " << name;
    if (rank[name] == 1) return;
    rank[name] = 1;
    for (const std::string& other : stations().at(name).may_include) self(self, other);
    rank[name] = 2;
  };
  for (const auto& [name, station] : stations()) visit(visit, name);
}

TEST(FolderBoundaries, NoFolderIsADrawerForEverything) {
  const std::filesystem::path top = TAUT_SOURCE_DIR;
  for (const char* tree : {"src", "cli", "tests", "bench"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / tree)) {
      if (!entry.is_directory()) continue;
      const std::string name = entry.path().filename().string();
      EXPECT_FALSE(name == "utils" || name == "util" || name == "core")
          << entry.path().lexically_relative(top) << ": name the question the folder answers";
    }
}

// `ls` explains a folder as long as a reader can take in what it prints.
TEST(FolderBoundaries, NoFolderHasMoreThanFortyFiles) {
  const std::filesystem::path top = TAUT_SOURCE_DIR;
  std::map<std::string, int> files;
  for (const char* tree : {"src/taut", "cli"})
    for (const SourceFile& file : files_under(tree, {".hpp", ".cpp"}))
      ++files[std::filesystem::path(file.path).parent_path().generic_string()];
  for (const auto& [folder, count] : files)
    EXPECT_LE(count, 40) << folder << ": cut it into rooms that each answer one question";
}

// The test can fail: each rule, broken in a sample.
TEST(FolderBoundaries, AForbiddenIncludeIsCaughtWithFileAndLine) {
  const auto found =
      violations({"src/taut/solve/sample.hpp", "#pragma once\n#include <taut/method/rattle.hpp>\n"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0],
            "src/taut/solve/sample.hpp:2: includes taut/method/rattle.hpp; solve may include contract, "
            "parallel, scalar");
}

TEST(FolderBoundaries, ARelativeIncludeIsNoWayRound) {
  EXPECT_EQ(violations({"src/taut/solve/a.hpp", "#include \"../problem/state.hpp\"\n"}).size(), 1U);
  EXPECT_EQ(violations({"cli/main.cpp", "  # include \"../src/taut/solve/newton.hpp\"  // why\n"}).size(),
            1U);
}

TEST(FolderBoundaries, OnlyFoldersOfThatKindOpenFiles) {
  for (const char* text : {"#include <fstream>\n", "#include <cstdio>\n", "#include <filesystem>\n",
                           "auto* f = std::fopen(name, \"w\");\n"}) {
    EXPECT_EQ(violations({"src/taut/measure/a.hpp", text}).size(), 1U) << text;
    EXPECT_TRUE(violations({"src/taut/store/a.hpp", text}).empty()) << text;
  }
}

TEST(FolderBoundaries, AnUnknownFolderIsCaught) {
  EXPECT_EQ(violations({"src/taut/misc/a.hpp", ""}).size(), 1U);
}

TEST(FolderBoundaries, AWayToSomethingDearIsNamed) {
  const Sources sources = {{"cli/a.cpp", "#include \"b.hpp\"\n"},
                           {"cli/b.hpp", "#include <taut/run/c.hpp>\n"},
                           {"src/taut/run/c.hpp", "#include <vector>\n#include <Eigen/Dense>\n"}};
  EXPECT_EQ(way_to_something_dear(sources, "cli/a.cpp"),
            "cli/a.cpp > cli/b.hpp > src/taut/run/c.hpp > Eigen/Dense");
  EXPECT_EQ(way_to_something_dear(sources, "src/taut/run/none.hpp"), "");
}

TEST(FolderBoundaries, ARowIsReadAsItStands) {
  const Table table = table_of(
      "| folder | question | may include | kind |\n| `a` | what? | b, version.hpp | cold, files |\n");
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table.at("a").may_include, (std::set<std::string>{"b", "version.hpp"}));
  EXPECT_TRUE(table.at("a").cold);
  EXPECT_TRUE(table.at("a").opens_files);
}

}  // namespace
