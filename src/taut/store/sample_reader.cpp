#include <taut/store/csv_reader.hpp>
#include <taut/store/trajectory.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace fs = std::filesystem;

std::string samples_in(const std::string& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* name : {trajectory_name, csv_name})
    if (const fs::path file = fs::path(path) / name; fs::exists(file)) return file.string();
  throw InputError(fmt::format("{} holds no samples of a run: neither {} nor {} is there.", path,
                               trajectory_name, csv_name));
}

std::unique_ptr<SampleReader> open_samples(const std::string& path) {
  const std::string file = samples_in(path);
  if (fs::path(file).extension() == ".csv") return std::make_unique<CsvReader>(file);
  return std::make_unique<TrajectoryReader>(file);
}

}  // namespace taut
