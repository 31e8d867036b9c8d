#include <taut/contract/request.hpp>
#include <taut/files/durable_file.hpp>
#include <taut/files/output_file.hpp>
#include <taut/files/whole_file.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

void write_whole_file(const std::string& path, const std::string& text) {
  const std::filesystem::path above = std::filesystem::path(path).parent_path();
  if (!above.empty()) made_folder(above.string());
  OutputFile file(path);
  file.write(text);
  file.close();
}

void write_whole_file(const Folder& folder, const std::string& path, const std::string& text) {
  const std::filesystem::path inside = path;
  const auto above = folder.made_inner(inside.parent_path().string());
  if (!above) throw WriteError(fmt::format("cannot write {}: {}", folder.path_of(path), why_not_opened()));
  replace_file(*above, inside.filename().string(), text);
}

void check_whole_file(const std::string& path) {
  namespace fs = std::filesystem;
  const auto fail = [&path](int why) {
    throw WriteError(fmt::format("cannot write {}: {}", path, std::strerror(why)));
  };
  const auto type = [&fail](const fs::path& at) {
    std::error_code error;
    const fs::file_type found = fs::status(at, error).type();
    if (found == fs::file_type::none) fail(error.value());  // the system does not say
    return found;
  };
  if (type(path) == fs::file_type::directory) fail(EISDIR);
  fs::path there = fs::absolute(path);  // the file, or the nearest folder above it that is there
  while (type(there) == fs::file_type::not_found && there != there.root_path()) there = there.parent_path();
  const bool is_folder = type(there) == fs::file_type::directory;
  if (!is_folder && there != fs::absolute(path)) fail(ENOTDIR);
  if (::access(there.c_str(), is_folder ? W_OK | X_OK : W_OK) != 0) fail(errno);
}

}  // namespace taut
