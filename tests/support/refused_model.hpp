// A model file that is refused, and the words of the refusal.
#pragma once

#include <taut/method/methods.hpp>
#include <taut/model/model.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace taut::test {

inline void refused(const std::string& text, const std::string& message,
                    const std::vector<std::string>& set = {}) {
  const ReadModel read = read_model(text, "model.toml", set, {.formulations = formulation_names()});
  EXPECT_FALSE(read.model);
  EXPECT_EQ(text_of(read.errors), message) << text;
}

}  // namespace taut::test
