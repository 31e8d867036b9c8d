// docs/guide/trust.md: each promise names its tests, and the tests are there.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "support/source_files.hpp"

namespace {

namespace fs = std::filesystem;
using taut::test::read_text;

const fs::path top = TAUT_SOURCE_DIR;

// Returns the promises, one text each: they are the items of the lists.
std::vector<std::string> promises() {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : taut::test::lines_of(read_text(top / "docs/guide/trust.md"))) {
    if (line.starts_with("- ")) found.emplace_back();
    inside = line.starts_with("- ") || (inside && line.starts_with("  "));
    if (inside) found.back() += line + "\n";
  }
  return found;
}

TEST(TrustPage, EachPromiseNamesTestsThatExist) {
  const std::regex name(R"(`([a-z]+)/([A-Za-z_]+)\.(\w+)\.(\w+)`)");
  const auto all = promises();
  EXPECT_GT(all.size(), 20U);
  for (const std::string& promise : all) {
    int tests = 0;
    for (std::sregex_iterator at(promise.begin(), promise.end(), name), end; at != end; ++at, ++tests) {
      const std::smatch& match = *at;
      const fs::path file = top / "tests" / match.str(1) / (match.str(2) + ".cpp");
      ASSERT_TRUE(fs::exists(file)) << match.str();
      const std::regex test("TEST(_F)?\\(" + match.str(3) + ", " + match.str(4) + "\\)");
      EXPECT_TRUE(std::regex_search(read_text(file), test)) << match.str() << " is not in " << file;
    }
    EXPECT_GT(tests, 0) << "no test holds this:\n" << promise;
  }
}

}  // namespace
