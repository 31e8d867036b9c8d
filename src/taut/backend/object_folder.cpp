#include <taut/backend/cxx_compiler.hpp>
#include <taut/backend/object_folder.hpp>
#include <taut/bytes/sha256.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_objects = 200;  // the longest unused go first
constexpr std::string_view scratch_prefix = "compiling-";
constexpr std::size_t scratch_letters = 6;
constexpr std::array<std::string_view, 2> scratch_files = {"unit.cpp", "unit.so"};

fs::path folder_name() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/'))
    return fs::path(cache) / "taut";
  if (const std::string home = environment("HOME"); home.starts_with('/'))
    return fs::path(home) / ".cache" / "taut";
  throw Missing("there is no folder to keep objects in: neither $XDG_CACHE_HOME nor $HOME is set");
}

struct stat info_of(int descriptor) {
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) throw Missing(std::strerror(errno));
  return info;
}

bool others_may_write(const struct stat& info) { return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

// Throws Missing if another user could put something else in the place of what lies in this folder. In a
// sticky folder everybody may replace only what is his own.
void check_above(const Folder& above, const fs::path& folder) {
  const struct stat info = info_of(above.descriptor());
  if (info.st_uid != 0 && info.st_uid != geteuid())
    throw Missing(
        fmt::format("another user may replace the folder {}: {} is his", folder.string(), above.path()));
  if (others_may_write(info) && (info.st_mode & S_ISVTX) == 0)
    throw Missing(fmt::format("others may replace the folder {} (chmod go-w {} mends it)", folder.string(),
                              above.path()));
}

// Opens the folder in which the cache lies. The path is walked, after its links are resolved, so that the
// folders that are looked at are those that are used.
Folder checked_parent(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  const fs::path real = fs::canonical(folder.parent_path(), error);
  std::optional<Folder> at = Folder::open("/");
  for (const fs::path& part : real.relative_path()) {
    if (!at) break;
    check_above(*at, folder);
    at = at->inner(part.string());
  }
  if (error || !at)
    throw Missing(fmt::format("the folder {} cannot be made: {}", folder.string(),
                              error ? error.message() : std::strerror(errno)));
  check_above(*at, folder);
  return std::move(*at);
}

bool is_own(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == geteuid() && !others_may_write(info);
}

bool is_object_name(std::string_view name) {
  return name.size() == 67 && name.ends_with(".so") &&
         name.find_first_not_of("0123456789abcdef") == name.size() - 3;
}

// Asks whether taut sealed this file under this name.
bool is_sealed(const Folder& folder, const std::string& name) {
  const Descriptor file = folder.file(name, O_RDONLY);
  const std::string end = seal(name.substr(0, name.size() - 3), "");
  struct stat info{};
  if (!file || ::fstat(file.number(), &info) != 0 || info.st_size < static_cast<off_t>(end.size()))
    return false;
  std::string bytes(end.size(), '\0');
  const auto got =
      ::pread(file.number(), bytes.data(), bytes.size(), info.st_size - static_cast<off_t>(end.size()));
  const std::size_t before_sum = end.find("sum ");
  return got == static_cast<ssize_t>(bytes.size()) && bytes.starts_with(end.substr(0, before_sum));
}

bool is_scratch_name(std::string_view name) {
  return name.starts_with(scratch_prefix) && name.size() == scratch_prefix.size() + scratch_letters;
}

// Asks whether the files of a compiler are in the folder, and nothing else.
bool is_scratch(const Folder& folder) {
  const std::vector<std::string> names = folder.names();
  const auto is_ours = [](const std::string& file) {
    return std::find(scratch_files.begin(), scratch_files.end(), file) != scratch_files.end();
  };
  return !names.empty() && std::all_of(names.begin(), names.end(), is_ours);
}

void remove_scratch(const Folder& in, const Folder& scratch, const std::string& name) {
  for (const std::string_view file : scratch_files) scratch.remove(std::string(file));
  ::unlinkat(in.descriptor(), name.c_str(), AT_REMOVEDIR);
}

std::string random_letters() {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string text;
  for (std::size_t k = 0; k < scratch_letters; ++k) text += letters[random() % letters.size()];
  return text;
}

}  // namespace

Folder object_folder() {
  const fs::path path = folder_name();
  const Folder parent = checked_parent(path);
  if (::mkdirat(parent.descriptor(), "taut", 0700) != 0 && errno != EEXIST)
    throw Missing(fmt::format("the folder {} cannot be made: {}", path.string(), std::strerror(errno)));
  auto folder = parent.inner("taut");
  if (!folder) throw Missing(path.string() + " is not a folder");
  const struct stat info = info_of(folder->descriptor());
  if (info.st_uid != geteuid())
    throw Missing(fmt::format("the folder {} belongs to another user", path.string()));
  if (others_may_write(info))
    throw Missing(fmt::format("others may write in the folder {} (chmod 700 mends it)", path.string()));
  return std::move(*folder);
}

std::string object_name(const std::string& key) { return key + ".so"; }

std::string seal(const std::string& key, std::string_view object) {
  return fmt::format("\ntaut object\nkey {}\nsum {}\n", key, sha256(object));
}

std::string all_bytes(const Descriptor& file) {
  return first_bytes(file, static_cast<std::size_t>(info_of(file.number()).st_size), "the compiled object");
}

Descriptor sound_object(const Folder& folder, const std::string& key) {
  Descriptor file = folder.file(object_name(key), O_RDONLY);
  if (!file || !is_own(info_of(file.number()))) return {};
  const std::string bytes = all_bytes(file);
  const std::size_t length = seal(key, "").size();
  if (bytes.size() < length) return {};
  const std::string_view object = std::string_view(bytes).substr(0, bytes.size() - length);
  return std::string_view(bytes).substr(object.size()) == seal(key, object) ? std::move(file) : Descriptor();
}

ScratchFolder::ScratchFolder(const Folder& in) : in_(in) {
  for (int tries = 0; tries < 100 && !folder_; ++tries) {
    name_ = fmt::format("{}{}", scratch_prefix, random_letters());
    if (::mkdirat(in.descriptor(), name_.c_str(), 0700) == 0)
      folder_ = in.inner(name_);
    else if (errno != EEXIST)
      break;
  }
  if (!folder_)
    throw Missing(fmt::format("nothing can be written in {}: {}", in.path(), std::strerror(errno)));
}

ScratchFolder::~ScratchFolder() { remove_scratch(in_, *folder_, name_); }

void remove_old_objects(const Folder& folder) {
  std::vector<std::pair<std::time_t, std::string>> objects;
  for (const std::string& name : folder.names()) {
    struct stat info{};
    if (::fstatat(folder.descriptor(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_object_name(name) && is_sealed(folder, name)) objects.emplace_back(info.st_mtime, name);
    if (!is_scratch_name(name) || info.st_mtime > std::time(nullptr) - 3600) continue;
    if (const auto scratch = folder.inner(name); scratch && is_scratch(*scratch))
      remove_scratch(folder, *scratch, name);
  }
  if (objects.size() <= most_objects) return;
  std::sort(objects.begin(), objects.end());
  for (std::size_t k = 0; k + most_objects < objects.size(); ++k) folder.remove(objects[k].second);
}

}  // namespace taut
