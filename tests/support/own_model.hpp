// A model file in a folder of its own, and what the program says about it.
#pragma once

#include <fstream>
#include <string>

#include "support/run_json.hpp"

namespace taut::test {

struct OwnModel {
  explicit OwnModel(const std::string& text) { std::ofstream(folder / "m.toml") << text; }
  OwnFolder folder;
  Ran run(const std::string& options = "") const {
    return run_taut("run m.toml " + options, folder.string());
  }
  Ran check(const std::string& options = "") const {
    return run_taut("check m.toml " + options, folder.string());
  }
};

inline bool says(const Ran& ran, const std::string& words) {
  return ran.err.find(words) != std::string::npos;
}

}  // namespace taut::test
