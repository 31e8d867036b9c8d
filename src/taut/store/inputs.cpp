#include <taut/store/inputs.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace fs = std::filesystem;

void refuse_input(const std::string& input, std::string_view what, const std::string& path,
                  std::string_view option) {
  std::error_code ignored;
  if (fs::equivalent(input, path, ignored))
    throw InputError(fmt::format("{} is {}: choose another name for {}.", path, what, option));
}

void refuse_inputs(const ModelRun& run, const std::string& path, std::string_view option) {
  refuse_input(run.name, "the model itself", path, option);
  for (const auto& [name, source] : run.model.files)
    refuse_input((fs::path(run.name).parent_path() / name).string(), "a file that the model names", path,
                 option);
}

}  // namespace taut
