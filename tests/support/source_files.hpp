#pragma once

// The project's own files, for the tests that read them. TAUT_SOURCE_DIR comes from tests/CMakeLists.txt.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace taut::test {

struct SourceFile {
  std::string path;  // from the top of the source tree, with '/'
  std::string text;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns all files under `folder` whose extension is one of `extensions`, in the order of their names. A
// folder that does not exist has no files.
inline std::vector<SourceFile> files_under(std::string_view folder,
                                           std::initializer_list<std::string_view> extensions) {
  const std::filesystem::path top = TAUT_SOURCE_DIR;
  std::vector<SourceFile> files;
  if (!std::filesystem::exists(top / folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file()) continue;
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    files.push_back({entry.path().lexically_relative(top).generic_string(), read_text(entry.path())});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

// Returns the models of examples/ that have a [system], which are those that the program brings. Those of
// particles have tests of their own, particle_examples.cpp, and those of examples/sampling, too.
inline std::vector<SourceFile> system_examples() {
  std::vector<SourceFile> files = files_under("examples", {".toml"});
  std::erase_if(files, [](const SourceFile& file) {
    return file.text.find("[particles]") != std::string::npos || file.path.starts_with("examples/sampling/");
  });
  return files;
}

}  // namespace taut::test
