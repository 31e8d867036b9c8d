#include <taut/contract/request.hpp>
#include <taut/run/bundled.hpp>
#include <taut/words/nearest_name.hpp>

namespace taut {

const BundledModel& bundled_model(std::string_view name) {
  std::vector<std::string> names;
  for (const BundledModel& model : bundled_models()) {
    if (model.name == name) return model;
    names.emplace_back(model.name);
  }
  throw InputError("there is no problem `" + std::string(name) + "`." + did_you_mean(name, names) +
                   "\n  The problems are: " + joined(names) +
                   ".\n  A model file has a name that ends in .toml.");
}

}  // namespace taut
