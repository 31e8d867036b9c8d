#include <taut/run/model_run.hpp>
#include <taut/study/study.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace {

bool is_study(std::string_view path) { return path.find("/models/") == std::string_view::npos; }

Study study_inside(const StudyFile& file) {
  const std::string path(file.path);
  Study study = read_study(std::string(file.text), "studies/" + path);
  study.name = path.substr(0, path.size() - std::string_view(".toml").size());
  study.folder = path.substr(0, path.find('/'));
  return study;
}

Study study_on_disk(const std::string& path) {
  Study study = read_study(text_of_file(path), path);
  study.name = std::filesystem::path(path).stem().string();
  study.folder = std::filesystem::path(path).parent_path().string();
  study.on_disk = true;
  return study;
}

}  // namespace

std::vector<Study> find_studies(const std::string& name) {
  if (name.ends_with(".toml")) return {study_on_disk(name)};
  std::vector<Study> found;
  std::vector<std::string> known;
  for (const StudyFile& file : study_files()) {
    if (!is_study(file.path)) continue;
    known.emplace_back(file.path.substr(0, file.path.size() - std::string_view(".toml").size()));
    if (name.empty() || known.back() == name || known.back().starts_with(name + "/"))
      found.push_back(study_inside(file));
  }
  if (found.empty())
    throw InputError(fmt::format("there is no study `{}`.{}\n  The studies are: {}.", shown(name),
                                 did_you_mean(name, known), joined(known)));
  return found;
}

std::optional<std::string> study_model(const Study& study, const std::string& name) {
  if (study.on_disk) return text_of_file((std::filesystem::path(study.folder) / "models" / name).string());
  const std::string path = study.folder + "/models/" + name;
  for (const StudyFile& file : study_files())
    if (file.path == path) return std::string(file.text);
  return std::nullopt;
}

}  // namespace taut
