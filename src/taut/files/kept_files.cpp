#include <taut/contract/request.hpp>
#include <taut/files/folder.hpp>
#include <taut/files/kept_files.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

// Follows all links, as far as there is something.
fs::path real(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path found = fs::weakly_canonical(absolute, error);
  const fs::path whole = error ? absolute.lexically_normal() : found;
  return whole.has_filename() ? whole : whole.parent_path();
}

// Returns the path from the folder to the file; empty if the file is somewhere else. The folder may have
// other names than this one, and may not be there yet.
fs::path inside(const fs::path& folder, const fs::path& file) {
  const fs::path top = real(folder), target = real(file);
  fs::path rest = target.filename();
  for (fs::path above = target.parent_path();; above = above.parent_path()) {
    std::error_code ignored;
    if (above == top || fs::equivalent(above, top, ignored)) return rest;
    if (above == above.parent_path()) return {};
    rest = above.filename() / rest;
  }
}

}  // namespace

void refuse_kept_files(const std::string& folder, const std::string& path, std::string_view option,
                       std::string_view whose,
                       const std::function<bool(const std::string& inside)>& is_kept) {
  const fs::path found = inside(folder.empty() ? "." : folder, path);
  if (!found.empty() && is_kept(found.string()))
    throw InputError(
        fmt::format("{} is a file of {} itself: choose another name for {}.", path, whose, option));
}

bool is_folder_with(const std::string& path, const std::string& name) {
  const auto folder = Folder::open(path);
  if (!folder && errno != ENOENT && errno != ENOTDIR)
    throw InputError(fmt::format("cannot open the folder {}: {}.", path, std::strerror(errno)));
  return folder && folder->kind(name) != EntryKind::none;
}

}  // namespace taut
