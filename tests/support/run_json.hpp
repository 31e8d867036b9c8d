#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/run_program.hpp"

namespace taut::test {

// Returns what `taut run … --json` prints, in the folder `where`, and expects no complaint.
inline nlohmann::json run_json(const std::string& arguments, const std::string& where) {
  const Ran ran = run_taut("run " + arguments + " --json", where);
  EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.err, "") << arguments;
  return ran.status == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
}

}  // namespace taut::test
