#include <taut/run/request.hpp>
#include <taut/run/whole_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace taut {

void write_whole_file(const std::string& path, const std::string& text) {
  const auto fail = [&path](const std::string& why) {
    throw WriteError(fmt::format("cannot write {}: {}", path, why));
  };
  const std::string folder = std::filesystem::path(path).parent_path().string(), beside = path + ".part";
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw WriteError(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  std::FILE* file = std::fopen(beside.c_str(), "w");
  if (file == nullptr) fail(std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int code = errno;
  const bool closed = std::fclose(file) == 0;
  if (written) code = errno;
  if (!written || !closed) {
    std::filesystem::remove(beside, error);
    fail(std::strerror(code));
  }
  std::filesystem::rename(beside, path, error);
  if (error) {
    const std::string why = error.message();
    std::filesystem::remove(beside, error);
    fail(why);
  }
}

}  // namespace taut
