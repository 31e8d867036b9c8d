#include <taut/backend/compiled_object.hpp>

#include <taut/backend/cxx_compiler.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/version.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace taut {

namespace {

namespace fs = std::filesystem;

// Says why an object is not available, as a part of a sentence.
struct Missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::size_t most_objects = 200;  // the longest unused go first

// There is no contraction and no reordering, so that the bits are those of our own code. Symbols are hidden,
// so that two objects with a class of the same name do not mix.
const std::vector<std::string> options_of_every_unit{
    "-O2",   "-march=native", "-ffp-contract=off",   "-fno-math-errno",
    "-fPIC", "-shared",       "-fvisibility=hidden", "-w"};

// Describes the processor, because code for one may not run on another, and many machines may share
// a home folder.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();)
    if (line.starts_with("vendor_id") || line.starts_with("model name") || line.starts_with("flags") ||
        line.starts_with("Features") || line.starts_with("CPU "))
      text += line + "\n";
  return text;
}

// Names the unit by a checksum. Each part comes with its length, so that no two lists of parts give
// the same text.
std::string key_of(const SourceUnit& unit, const CxxCompiler& compiler) {
  Sha256 sum;
  const auto add = [&](std::string_view part) { sum.add(fmt::format("{}:", part.size())).add(part); };
  add("taut object 1");
  add(version);
  for (const std::string& word : compiler.command) add(word);
  add(compiler.version);
  for (const auto* options : {&options_of_every_unit, &unit.options, &unit.libraries})
    for (const std::string& option : *options) add(option);
  add(processor());
  add(unit.depends);
  add(unit.text);
  return sum.hex();
}

fs::path folder_name() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/'))
    return fs::path(cache) / "taut";
  if (const std::string home = environment("HOME"); home.starts_with('/'))
    return fs::path(home) / ".cache" / "taut";
  throw Missing("there is no folder to keep objects in: neither $XDG_CACHE_HOME nor $HOME is set");
}

bool others_may_write(const struct stat& info) { return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

// Returns a folder that the user owns and nobody else may write: what lies in it was put there by the
// user's own programs.
fs::path private_folder() {
  const fs::path folder = folder_name();
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Missing(fmt::format("the folder {} cannot be made: {}", folder.string(), std::strerror(errno)));
  struct stat info{};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    throw Missing(folder.string() + " is not a folder");
  if (info.st_uid != geteuid())
    throw Missing(fmt::format("the folder {} belongs to another user", folder.string()));
  if (others_may_write(info))
    throw Missing(fmt::format("others may write in the folder {} (chmod 700 mends it)", folder.string()));
  struct stat above{};
  if (stat(folder.parent_path().c_str(), &above) != 0 ||
      ((above.st_mode & S_IWOTH) != 0 && (above.st_mode & S_ISVTX) == 0))
    throw Missing(fmt::format("anybody may replace the folder {}", folder.string()));
  return folder;
}

// Returns what follows the object in its file; the loader does not look there.
std::string seal(const std::string& key, std::string_view object) {
  return fmt::format("\ntaut object\nkey {}\nsum {}\n", key, sha256(object));
}

// Returns the bytes of a file that is the user's own, that others may not write and that is not a link;
// otherwise nothing.
std::optional<std::string> own_bytes(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat info{};
  std::optional<std::string> bytes;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
      !others_may_write(info)) {
    bytes.emplace(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t done = 0;
    for (ssize_t got = 1; got > 0 && done < bytes->size();
         done += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = read(file, bytes->data() + done, bytes->size() - done);
    if (done != bytes->size()) bytes.reset();
  }
  close(file);
  return bytes;
}

bool is_sound(const fs::path& path, const std::string& key) {
  const auto bytes = own_bytes(path);
  const std::size_t length = seal(key, "").size();
  if (!bytes || bytes->size() < length) return false;
  const std::string_view object = std::string_view(*bytes).substr(0, bytes->size() - length);
  return std::string_view(*bytes).substr(object.size()) == seal(key, object);
}

// A folder that vanishes with its maker.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& in) {
    std::string name = (in / "compiling-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Missing(fmt::format("nothing can be written in {}: {}", in.string(), std::strerror(errno)));
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  fs::path path;
};

void write(const fs::path& path, std::string_view text, std::ios::openmode mode) {
  std::ofstream file(path, std::ios::binary | mode);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw Missing(fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno)));
}

std::string first_error(const fs::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    if (line.find("error") != std::string::npos) return fmt::format(": {}", line.substr(0, 160));
  return "";
}

void compile(const SourceUnit& unit, const CxxCompiler& compiler, const fs::path& folder,
             const std::string& key) {
  const ScratchFolder scratch(folder);
  write(scratch.path / "unit.cpp", unit.text, std::ios::trunc);
  std::vector<std::string> arguments = options_of_every_unit;
  arguments.insert(arguments.end(), unit.options.begin(), unit.options.end());
  arguments.insert(arguments.end(), {"unit.cpp", "-o", "unit.so"});
  arguments.insert(arguments.end(), unit.libraries.begin(), unit.libraries.end());
  if (!run_cxx_compiler(compiler, arguments, scratch.path.string(), "log"))
    throw Missing(
        fmt::format("{} does not compile it{}", compiler.command[0], first_error(scratch.path / "log")));
  const fs::path object = scratch.path / "unit.so";
  if (chmod(object.c_str(), 0600) != 0) throw Missing(fmt::format("{} made no object", compiler.command[0]));
  write(object, seal(key, own_bytes(object).value_or("")), std::ios::app);
  // The rename happens at once or not at all: a reader of the name finds the whole object.
  if (std::rename(object.c_str(), (folder / (key + ".so")).c_str()) != 0)
    throw Missing(fmt::format("nothing can be written in {}: {}", folder.string(), std::strerror(errno)));
}

// Keeps most_objects of them, those used last, and nothing of compilers that were stopped an hour ago.
void remove_old(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> objects;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto written = entry.last_write_time(error);
    if (entry.path().extension() == ".so")
      objects.emplace_back(written, entry.path());
    else if (written < fs::file_time_type::clock::now() - std::chrono::hours(1))
      fs::remove_all(entry.path(), error);
  }
  if (objects.size() <= most_objects) return;
  std::sort(objects.begin(), objects.end());
  for (std::size_t k = 0; k + most_objects < objects.size(); ++k) fs::remove(objects[k].second, error);
}

CompiledObject load(const SourceUnit& unit) {
  const CxxCompiler compiler = find_cxx_compiler();
  if (compiler.command.empty()) throw Missing(compiler.missing);
  const fs::path folder = private_folder();
  const std::string key = key_of(unit, compiler);
  const fs::path path = folder / (key + ".so");
  CompiledObject object;
  if (!is_sound(path, key)) {
    compile(unit, compiler, folder, key);
    object.fresh = true;
    remove_old(folder);
    if (!is_sound(path, key)) throw Missing(fmt::format("{} was changed while it was made", path.string()));
  } else {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // marks it as used now
  }
  object.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object.handle == nullptr)
    throw Missing(fmt::format("{} cannot be loaded: {}", path.string(), dlerror()));
  return object;
}

}  // namespace

void* CompiledObject::symbol(const std::string& name) const {
  return handle == nullptr ? nullptr : dlsym(handle, name.c_str());
}

CompiledObject compiled_object(const SourceUnit& unit) {
  try {
    return load(unit);
  } catch (const std::exception& reason) {
    return {.missing = reason.what()};
  }
}

}  // namespace taut
