#include <taut/store/inputs.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

void refuse_inputs(const ModelRun& run, const std::string& path, std::string_view option) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const fs::path& input, std::string_view what) {
    std::error_code ignored;
    if (fs::equivalent(input, path, ignored))
      throw InputError(fmt::format("{} is {}: choose another name for {}.", path, what, option));
  };
  refuse(run.name, "the model itself");
  for (const auto& [name, source] : run.model.files)
    refuse(fs::path(run.name).parent_path() / name, "a file that the model names");
}

}  // namespace taut
