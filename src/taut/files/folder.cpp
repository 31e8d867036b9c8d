#include <taut/contract/request.hpp>
#include <taut/files/folder.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr mode_t usual_file = 0666, usual_folder = 0777;  // less what the umask takes
constexpr int fresh_tries = 1000;

std::string numbered(const std::string& name, int k) {
  return k == 1 ? name + ".part" : name + ".part." + std::to_string(k);
}

// Names an open file for a link to it.
std::string link_of(const Descriptor& file) { return "/proc/self/fd/" + std::to_string(file.number()); }

// Asks whether the system has no links here, in contrast to one that could not be made.
bool knows_no_links(int reason) {
  return reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS || reason == EMLINK;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

bool Descriptor::close() {
  const int number = release();
  return number < 0 || ::close(number) == 0;
}

Folder::Folder(std::string path, Descriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

std::optional<Folder> Folder::open(const std::string& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) return std::nullopt;
  return Folder(path, std::move(descriptor));
}

std::optional<Folder> Folder::made(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    errno = error.value();
    return std::nullopt;
  }
  return open(path);
}

std::optional<Folder> Folder::inner(const std::string& path) const { return walked(path, false); }
std::optional<Folder> Folder::made_inner(const std::string& path) const { return walked(path, true); }

std::optional<Folder> Folder::walked(const std::string& path, bool make) const {
  Folder at(path_, Descriptor(::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!at.descriptor_) return std::nullopt;
  for (const fs::path& part : fs::path(path)) {
    const std::string name = part.string();
    if (name.empty() || name == ".") continue;
    if (name == ".." || part.is_absolute()) {
      errno = EXDEV;
      return std::nullopt;
    }
    if (make && ::mkdirat(at.descriptor(), name.c_str(), usual_folder) != 0 && errno != EEXIST)
      return std::nullopt;
    const int opened =
        ::openat(at.descriptor(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) return std::nullopt;
    at = Folder(at.path_of(name), Descriptor(opened));
  }
  return at;
}

std::string Folder::path_of(std::string_view name) const { return (fs::path(path_) / name).string(); }

std::string Folder::path_now() const {
  const auto same = [this](const std::string& path) {
    struct stat held{}, named{};
    return ::fstat(descriptor(), &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
  };
  if (same(path_)) return path_;
  std::error_code error;
  const std::string now = fs::read_symlink(link_of(descriptor_), error).string();
  if (error || !same(now)) return "";
  return now == fs::weakly_canonical(path_, error).string() ? path_ : now;  // the first look may have failed
}

bool Folder::lock() const { return ::flock(descriptor(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

EntryKind Folder::kind(const std::string& name) const {
  struct stat info{};
  if (::fstatat(descriptor(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return EntryKind::none;
    throw InputError(fmt::format("cannot look at {}: {}.", path_of(name), std::strerror(errno)));
  }
  if (S_ISREG(info.st_mode)) return EntryKind::file;
  if (S_ISDIR(info.st_mode)) return EntryKind::folder;
  return S_ISLNK(info.st_mode) ? EntryKind::link : EntryKind::other;
}

std::vector<std::string> Folder::names() const {
  const auto close = [](DIR* list) { ::closedir(list); };
  // A descriptor of its own, because reading the list moves its place and closing it closes the descriptor.
  const int copy = ::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, decltype(close)> list(copy < 0 ? nullptr : ::fdopendir(copy), close);
  const auto refuse = [this] {
    throw InputError(fmt::format("cannot list the folder {}: {}.", path_, std::strerror(errno)));
  };
  if (!list) refuse();
  std::vector<std::string> found;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr && errno != 0) refuse();
    if (entry == nullptr) return found;
    if (const std::string_view name = entry->d_name; name != "." && name != "..") found.emplace_back(name);
  }
}

Descriptor Folder::file(const std::string& name, int flags) const {
  Descriptor opened(::openat(descriptor(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info{};
  if (!opened || ::fstat(opened.number(), &info) != 0) return {};
  if (S_ISREG(info.st_mode)) return opened;
  errno = S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
  return {};
}

Descriptor Folder::create(const std::string& name) const {
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(::openat(descriptor(), name.c_str(), flags, usual_file));
}

FreshFile Folder::fresh(const std::string& name) const {
  // Without /proc a file without a name would never get one.
  if (::access("/proc/self/fd", X_OK) == 0) {
    Descriptor made(::openat(descriptor(), ".", O_RDWR | O_TMPFILE | O_CLOEXEC, usual_file));
    if (made) return {std::move(made), {}};
  }
  constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int k = 1; k < fresh_tries; ++k) {
    std::string part = numbered(name, k);
    Descriptor made(::openat(descriptor(), part.c_str(), flags, usual_file));
    if (made || errno != EEXIST) return {std::move(made), std::move(part)};
  }
  return {};
}

bool Folder::put_by_link(const FreshFile& fresh, const std::string& name) const {
  const std::string itself = link_of(fresh.file);
  const auto link_as = [&](const std::string& as) {
    return ::linkat(AT_FDCWD, itself.c_str(), descriptor(), as.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link_as(name)) return true;
  // A link replaces nothing, and a rename does.
  for (int k = 1; errno == EEXIST && k < fresh_tries; ++k) {
    FreshFile second{{}, numbered(name, k)};
    if (link_as(second.name)) return put(second, name);
  }
  return false;
}

bool Folder::put(FreshFile& fresh, const std::string& name) const {
  if (fresh.name.empty()) return put_by_link(fresh, name);
  if (!rename(fresh.name, name)) {
    drop(fresh);
    return false;
  }
  fresh.name.clear();
  return true;
}

void Folder::drop(FreshFile& fresh) const {
  const int reason = errno;
  if (!fresh.name.empty()) remove(fresh.name);
  fresh = {};
  errno = reason;
}

bool Folder::rename(const std::string& from, const std::string& to) const {
  return ::renameat(descriptor(), from.c_str(), descriptor(), to.c_str()) == 0;
}

bool Folder::remove(const std::string& name) const {
  return ::unlinkat(descriptor(), name.c_str(), 0) == 0 || errno == ENOENT;
}

bool Folder::sync() const { return ::fsync(descriptor()) == 0 || errno == EINVAL; }  // some systems cannot

bool Folder::keep_as(const std::string& name, const std::string& second) const {
  for (int k = 1; k < fresh_tries; ++k) {
    FreshFile part{{}, numbered(second, k)};
    if (::linkat(descriptor(), name.c_str(), descriptor(), part.name.c_str(), 0) == 0) {
      const std::string its_name = part.name;
      return put(part, second) && remove(its_name);  // a rename does nothing between names of one file
    }
    if (errno != EEXIST) break;
  }
  return errno == ENOENT || (knows_no_links(errno) && rename(name, second));
}

std::string first_bytes(const Descriptor& file, std::size_t most, const std::string& path) {
  std::string bytes(most, '\0');
  std::size_t done = 0;
  for (ssize_t got = 1; got > 0 && done < most;) {
    got = ::pread(file.number(), bytes.data() + done, most - done, static_cast<off_t>(done));
    if (got < 0 && errno != EINTR)
      throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
    if (got < 0)
      got = 1;
    else
      done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace taut
