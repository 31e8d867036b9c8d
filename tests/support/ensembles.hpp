#pragma once

// Ensembles as the program makes them.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "support/run_program.hpp"

namespace taut::test {

// Returns the JSON object of an ensemble that is made in the folder `where`.
inline nlohmann::json ensemble(const std::string& arguments, const std::string& where = "/") {
  const Ran ran = run_taut("ensemble " + arguments + " --json", where);
  EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
  return ran.status == 0 ? nlohmann::json::parse(ran.out) : nlohmann::json{};
}

inline std::string hash_of(const std::string& arguments) {
  return ensemble(arguments).value("sha256", "none");
}

}  // namespace taut::test
