// The compiled libraries hold no function twice in two different shapes: the inner loop of the interpreter
// is in one unit, and every step of the program is compiled with the same choice between a fast step and a
// short compilation.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/run_program.hpp"

namespace {

using namespace taut;
namespace fs = std::filesystem;

// The lines of nm for one file; each begins with the name of the object.
std::vector<std::string> symbols_of(const fs::path& file) {
  const test::OwnFolder folder;
  const std::string out = (folder / "symbols").string();
  const std::string command = "nm -A -C '" + file.string() + "' >'" + out + "' 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return test::lines_of(test::read_text(out));
}

std::vector<fs::path> libraries() {
  std::vector<fs::path> found;
  const fs::path build = fs::path(TAUT_PROGRAM).parent_path().parent_path();
  for (const auto& entry : fs::recursive_directory_iterator(build / "src"))
    if (entry.path().extension() == ".a") found.push_back(entry.path());
  return found;
}

TEST(OneDefinition, TheInterpreterIsCompiledInOneUnit) {
  std::map<std::string, std::set<std::string>> objects;  // those that hold a function, by its name
  for (const fs::path& library : libraries())
    for (const std::string& line : symbols_of(library)) {
      if (line.find(" U ") != std::string::npos) continue;
      const std::size_t at = line.find("taut::Evaluator<");
      if (at != std::string::npos && line.find(">::perform(", at) != std::string::npos)
        objects[line.substr(at, line.find(">::perform(", at) - at)].insert(line.substr(0, line.find(".o:")));
    }
  EXPECT_GE(objects.size(), 7U);
  for (const auto& [name, holders] : objects) EXPECT_EQ(holders.size(), 1U) << name;
}

TEST(OneDefinition, FlattenedHasOneValueInTheProgram) {
  bool has_steps = false;
  for (const std::string& line : symbols_of(TAUT_PROGRAM)) {
    has_steps = has_steps || line.find("taut::soon_compiled::Rattle") != std::string::npos;
    EXPECT_EQ(line.find("taut::flat::"), std::string::npos) << line.substr(0, 300);
  }
  EXPECT_TRUE(has_steps) << "the names of the steps have changed, or nm finds none";
}

}  // namespace
