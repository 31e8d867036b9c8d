// The folders under src/taut are the stations of one line, and each may look only at those before it. This test reads
// the #include lines and holds the table of docs/architecture.md.

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

// Folder -> what it may include of taut besides itself: a folder, or one header written with its folder.
const std::map<std::string, std::set<std::string>> may_include = {
    {"parallel", {}},
    {"scalar", {}},
    {"problem", {"parallel", "scalar"}},
    {"solve", {"parallel", "scalar"}},
    {"formulation", {"parallel", "scalar", "problem", "solve"}},
    {"method", {"scalar", "problem", "solve", "formulation"}},
    {"measure", {"scalar", "problem", "solve", "formulation", "method"}},
    {"run",
     {"parallel", "scalar", "problem", "solve", "formulation", "method", "measure", "model", "version.hpp"}},
    {"model", {"scalar", "problem", "version.hpp"}},
    {"ensemble", {"parallel", "scalar", "problem", "solve", "formulation", "method", "measure"}},
    {"cli", {"run", "model", "ensemble", "method/catalogue.hpp", "version.hpp"}},
};

// Only run/ opens files, for results and for what it is given to read. Compiled formulas are no result: model/ keeps them in a cache, with these files
// and no others. The command line may include <cstdio> for the name stderr, but may not call fopen.
const std::set<std::string> file_headers = {"fstream", "filesystem", "fcntl.h", "sys/mman.h"};
const std::set<std::string> stdio_headers = {"cstdio", "stdio.h"};
const std::set<std::string> cache_files = {"src/taut/backend/compiled_object.cpp",
                                           "src/taut/backend/cxx_compiler.cpp"};
const std::regex file_call(R"(\b(fopen|freopen|tmpfile)\s*\()");

// The station a file belongs to: "method" for src/taut/method/a/b.hpp, "cli" for cli/x.cpp; none for a header that
// stands beside the folders, which is the front door of the library and may include everything.
std::optional<std::string> folder_of(const std::string& path) {
  static const std::regex in_library(R"(^src/taut/([^/]+)/.*)");
  std::smatch match;
  if (std::regex_match(path, match, in_library)) return match[1];
  if (path.starts_with("cli/")) return "cli";
  return std::nullopt;
}

// What an #include means, as "method/rattle.hpp" when it is a header of taut; none otherwise.
std::optional<std::string> header_of_taut(const std::string& path, const std::string& name, bool quoted) {
  if (name.starts_with("taut/")) return name.substr(5);
  if (!quoted) return std::nullopt;
  const std::string from_top =
      (std::filesystem::path(path).parent_path() / name).lexically_normal().generic_string();
  if (from_top.starts_with("src/taut/")) return from_top.substr(9);
  return std::nullopt;
}

bool is_allowed(const std::string& folder, const std::string& header) {
  const auto& allowed = may_include.at(folder);
  const std::string station = header.substr(0, header.find('/'));
  return station == folder || allowed.contains(station) || allowed.contains(header);
}

std::string list(const std::set<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing of taut" : text;
}

// Each broken rule as "file:line: what, and which rule".
std::vector<std::string> violations(const SourceFile& file) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  const auto folder = folder_of(file.path);
  if (!folder) return {};
  if (!may_include.contains(*folder))
    return {file.path + ":1: the folder " + *folder +
            " is not one of the stations in the table of this test"};

  std::vector<std::string> found;
  int number = 0;
  for (const std::string& line : taut::test::lines_of(file.text)) {
    ++number;
    const auto complain = [&](const std::string& what) {
      found.push_back(file.path + ":" + std::to_string(number) + ": " + what);
    };
    const bool opens_files = *folder == "run" || cache_files.contains(file.path);
    if (!opens_files && std::regex_search(line, file_call)) complain("opens a file; only src/taut/run may");
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const std::string name = match[2];
    if (!opens_files && (file_headers.contains(name) || (*folder != "cli" && stdio_headers.contains(name))))
      complain("includes <" + name + ">, which opens files; only src/taut/run may");
    const auto header = header_of_taut(file.path, name, match[1] == "\"");
    if (header && !is_allowed(*folder, *header))
      complain("includes taut/" + *header + "; " + *folder + " may include " + list(may_include.at(*folder)));
  }
  return found;
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

// The test can fail: each rule, broken in a sample.
TEST(FolderBoundaries, AForbiddenIncludeIsCaughtWithFileAndLine) {
  const auto found =
      violations({"src/taut/problem/sample.hpp", "#pragma once\n#include <taut/method/rattle.hpp>\n"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0],
      "src/taut/problem/sample.hpp:2: includes taut/method/rattle.hpp; problem may include parallel, scalar");
}

TEST(FolderBoundaries, ARelativeIncludeIsNoWayRound) {
  EXPECT_EQ(violations({"src/taut/solve/a.hpp", "#include \"../problem/state.hpp\"\n"}).size(), 1U);
  EXPECT_EQ(violations({"cli/main.cpp", "  # include \"../src/taut/solve/newton.hpp\"  // why\n"}).size(),
            1U);
}

TEST(FolderBoundaries, OnlyRunOpensFiles) {
  for (const char* text : {"#include <fstream>\n", "#include <cstdio>\n", "#include <filesystem>\n",
                           "auto* f = std::fopen(name, \"w\");\n"}) {
    EXPECT_EQ(violations({"src/taut/measure/a.hpp", text}).size(), 1U) << text;
    EXPECT_TRUE(violations({"src/taut/run/a.hpp", text}).empty()) << text;
  }
}

TEST(FolderBoundaries, OnlyTheCacheOfModelOpensFiles) {
  EXPECT_TRUE(violations({"src/taut/backend/compiled_object.cpp", "#include <filesystem>\n"}).empty());
  EXPECT_EQ(violations({"src/taut/model/code/program.cpp", "#include <filesystem>\n"}).size(), 1U);
}

TEST(FolderBoundaries, TheCommandLineSeesTheCatalogueButNoMethod) {
  EXPECT_TRUE(
      violations({"cli/main.cpp", "#include <taut/method/catalogue.hpp>\n#include <cstdio>\n"}).empty());
  EXPECT_EQ(violations({"cli/main.cpp", "#include <taut/method/rattle.hpp>\n"}).size(), 1U);
}

TEST(FolderBoundaries, AnUnknownFolderIsCaught) {
  EXPECT_EQ(violations({"src/taut/misc/a.hpp", ""}).size(), 1U);
}

}  // namespace
