// The models inside the program: examples/NAME.toml, which runs by NAME from any folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct BundledModel {
  std::string_view name, text;
};

const std::vector<BundledModel>& bundled_models();
std::vector<std::string> bundled_names();

// Returns a file that they name, by the same path: examples/NAME.
std::optional<std::string_view> bundled_file(std::string_view name);

// Returns the model. If there is none of that name, throws InputError with the nearest name and the list.
const BundledModel& bundled_model(std::string_view name);

}  // namespace taut
