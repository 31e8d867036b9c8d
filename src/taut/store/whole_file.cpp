#include <taut/contract/request.hpp>
#include <taut/store/durable_file.hpp>
#include <taut/store/output_file.hpp>
#include <taut/store/whole_file.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

void write_whole_file(const std::string& path, const std::string& text) {
  make_folder_of(path);
  OutputFile file(path);
  file.write(text);
  file.close();
}

void check_whole_file(const std::string& path) {
  namespace fs = std::filesystem;
  const auto fail = [&path](int why) {
    throw WriteError(fmt::format("cannot write {}: {}", path, std::strerror(why)));
  };
  std::error_code error;
  if (fs::is_directory(path, error)) fail(EISDIR);
  fs::path there = fs::absolute(path);  // the file, or the nearest folder above it that is there
  while (!fs::exists(there, error) && there != there.root_path()) there = there.parent_path();
  const bool is_folder = fs::is_directory(there, error);
  if (!is_folder && there != fs::absolute(path)) fail(ENOTDIR);
  if (::access(there.c_str(), is_folder ? W_OK | X_OK : W_OK) != 0) fail(errno);
}

}  // namespace taut
