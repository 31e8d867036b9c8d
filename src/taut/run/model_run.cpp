#include <taut/run/model_run.hpp>
#include <taut/run/ode_choice.hpp>
#include <taut/run/run_formulas.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace taut {

namespace {

std::string text_of_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(fmt::format("{} is a folder, not a model file.", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  return std::move(text).str();
}

// The request in the words of --set, so that it acts before anything of the file is evaluated and checked.
std::vector<std::string> assignments(const RunRequest& request, const std::vector<std::string>& set) {
  std::vector<std::string> all = set;
  const auto put = [&all](std::string_view key, const auto& value) {
    all.push_back(fmt::format("run.{}={}", key, value));
  };
  if (!request.method.empty()) put("method", request.method);
  if (!request.formulation.empty()) put("formulation", request.formulation);
  if (!request.projection.empty()) put("projection.kind", request.projection);
  if (request.projection_tolerance) put("projection.tolerance", *request.projection_tolerance);
  if (request.step) put("step", *request.step);
  if (request.steps) put("steps", *request.steps);
  if (request.until) put("until", *request.until);
  if (request.every > 0) put("every", request.every);
  return all;
}

// "--step" for "run.step=0.1", "--projection-tolerance" for "run.projection.tolerance=1".
std::string option_of(std::string_view assignment) {
  const std::string_view key = assignment.substr(4, assignment.find('=') - 4);
  if (key == "projection.kind") return "--projection";
  if (key == "projection.tolerance") return "--projection-tolerance";
  return "--" + std::string(key);
}

std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class ModelRunOf final : public ModelRun {
 public:
  ModelRunOf(Model model, const std::string& path, const RunRequest& asked)
      : model_(std::move(model)), path_(path), request_(asked) {
    const RunSettings& run = model_.run;
    request_.method = run.method.value_or("");
    // The file's formulation goes with the file's method: another method that takes none leaves it aside.
    const bool leave_aside = !asked.method.empty() && !needs_formulation(asked.method) &&
                             asked.formulation.empty() && asked.projection.empty() &&
                             !asked.projection_tolerance;
    if (!leave_aside) {
      request_.formulation = run.formulation.value_or("");
      if (run.projection) {
        request_.projection = run.projection->kind;
        request_.projection_tolerance = run.projection->tolerance;
      }
    }
    request_.step = run.step;
    request_.steps = run.steps;
    request_.until = run.until;
    request_.every = run.every.value_or(0);
    if (request_.out.empty()) request_.out = model_.output_directory.value_or("");
    out = request_.out;
    columns = model_.coordinates;
    for (const std::string& name : model_.coordinates) columns.push_back("p_" + name);
  }

  RunSummary run(RunObserver& observer, std::string_view last_good) const override {
    try {
      RunSummary summary = with_problem(model_, [&](const auto& problem) {
        return run_formulas(problem, path_, request_, observer, last_good);
      });
      summary.model = model_.title == path_ ? std::filesystem::path(path_).filename().string() : model_.title;
      return summary;
    } catch (const ChoiceError& error) {
      const std::string key = "run." + error.key;
      // What was typed needs no place.
      if (!model_.places.contains(key) || model_.error_at(key, "").line == 0) throw;
      const std::string text = error.what();
      const std::size_t end = text.find('\n');
      std::string sentence = text.substr(0, end), rest = end == std::string::npos ? "" : text.substr(end);
      if (sentence.ends_with('.')) sentence.pop_back();
      throw ModelFileError(without_end(model_.error_at(key, sentence).text()) + rest);
    }
  }

 private:
  Model model_;
  std::string path_;
  RunRequest request_;
};

}  // namespace

std::unique_ptr<ModelRun> read_model_run(const std::string& path, const RunRequest& request,
                                         const std::vector<std::string>& set) {
  const std::vector<std::string> all = assignments(request, set);
  ReadModel read = read_model(text_of_file(path), path, all);
  for (ModelError& error : read.errors)  // by the name of the option that was typed
    if (const auto typed =
            std::find(all.begin() + static_cast<std::ptrdiff_t>(set.size()), all.end(), error.excerpt);
        typed != all.end())
      error.origin = option_of(*typed);
  if (!read.model) throw ModelFileError(without_end(text_of(read.errors)));
  return std::make_unique<ModelRunOf>(std::move(*read.model), path, request);
}

}  // namespace taut
