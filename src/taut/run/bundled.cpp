#include <taut/contract/request.hpp>
#include <taut/run/bundled.hpp>
#include <taut/words/nearest_name.hpp>

namespace taut {

std::vector<std::string> bundled_names() {
  std::vector<std::string> names;
  for (const BundledModel& model : bundled_models()) names.emplace_back(model.name);
  return names;
}

const BundledModel& bundled_model(std::string_view name) {
  for (const BundledModel& model : bundled_models())
    if (model.name == name) return model;
  const std::vector<std::string> names = bundled_names();
  throw InputError("there is no problem `" + std::string(name) + "`." + did_you_mean(name, names) +
                   "\n  The problems are: " + joined(names) +
                   ".\n  A model file has a name that ends in .toml.");
}

}  // namespace taut
