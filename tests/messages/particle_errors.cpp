// What is wrong with the tables of particles and with the files they name, to the letter. The cases are in
// particle_errors.txt: a name after ===, the model, files after --- NAME, and after >>> the message.

#include <taut/model/model.hpp>

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "support/source_files.hpp"

namespace {

using namespace taut;

struct Case {
  std::string name, model, message;
  std::map<std::string, std::string> files;
};

std::vector<Case> cases_of(const std::string& text) {
  std::vector<Case> cases;
  std::string* to = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}, {}});
      to = &cases.back().model;
    } else if (line.starts_with("--- ")) {
      to = &cases.back().files[line.substr(4)];
    } else if (line == ">>>") {
      to = &cases.back().message;
    } else {
      *to += line + "\n";
    }
  }
  return cases;
}

ReadModel read(const Case& c) {
  const Surroundings around{.file = [&c](const std::string& path) -> FoundText {
    const auto at = c.files.find(path);
    if (at == c.files.end()) return {{}, path, "there is no such file"};
    return {at->second, path};
  }};
  return read_model(c.model, "model.toml", {}, around);
}

TEST(ParticleErrors, HaveEachTheirSentence) {
  const std::filesystem::path top = TAUT_SOURCE_DIR;
  const std::vector<Case> cases = cases_of(test::read_text(top / "tests/messages/particle_errors.txt"));
  EXPECT_GE(cases.size(), 160U);
  for (const Case& c : cases) {
    const ReadModel result = read(c);
    EXPECT_FALSE(result.model) << c.name;
    EXPECT_EQ(text_of(result.errors), c.message) << c.name;
  }
}

TEST(ParticleErrors, AFileIsText) {
  const Case c{"", "[particles]\nfile = \"a.xyz\"\n", "", {{"a.xyz", std::string("1\n\nO 0 \x01 0\n")}}};
  EXPECT_EQ(
      text_of(read(c).errors),
      "a.xyz:3:5: there is a control character here\n   3 | O 0   0\n     |     ^  the file must be text\n");
}

TEST(ParticleErrors, OfAModelWithoutAFolder) {
  EXPECT_EQ(text_of(read_model("[particles]\nfile = \"a.xyz\"\n", "model.toml").errors),
            "model.toml:2:9: a model that is not read from a folder has no files\n   2 | file = "
            "\"a.xyz\"\n     |         ^^^^^\n");
}

}  // namespace
