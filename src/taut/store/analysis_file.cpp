#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/files/durable_file.hpp>
#include <taut/store/analysis_file.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace taut {

namespace {

constexpr std::string_view analysis_layout = "taut analysis 1\n";
constexpr std::size_t sha256_digits = 64;

}  // namespace

AnalysisFile::AnalysisFile(const std::string& folder, const std::string& whose)
    : folder_(made_folder(folder)), head_(std::string(analysis_layout) + sha256(whose) + "\n") {
  lock(folder_);
  if (folder_.kind(analysis_name) == EntryKind::none) return;
  const std::string path = folder_.path_of(analysis_name);
  const Descriptor file = folder_.file(analysis_name, O_RDONLY);
  struct stat info{};
  if (!file || ::fstat(file.number(), &info) != 0) throw InputError(fmt::format("cannot read {}.", path));
  const std::string bytes = first_bytes(file, static_cast<std::size_t>(info.st_size), path);
  const std::size_t begin = head_.size() + sha256_digits + 1;
  if (!bytes.starts_with(analysis_layout) || bytes.size() < begin ||
      sha256(std::string_view(bytes).substr(begin)) != bytes.substr(head_.size(), sha256_digits))
    throw InputError(fmt::format("{} is damaged: remove it, and the analysis begins anew.", path));
  if (!bytes.starts_with(head_))
    throw InputError(fmt::format(
        "{} was kept by another analysis, of another model or with other options. Choose another folder, or "
        "remove it.",
        path));
  kept_ = bytes.substr(begin);
}

void AnalysisFile::keep(const std::string& state) {
  replace_file(folder_, analysis_name, head_ + sha256(state) + "\n" + state);
}

}  // namespace taut
