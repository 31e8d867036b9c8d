#include <taut/contract/request.hpp>
#include <taut/store/durable_file.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace taut {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw WriteError(fmt::format("cannot write {}: {}", path, why));
}
[[noreturn]] void fail(const std::string& path) { fail(path, std::strerror(errno)); }

// Returns how many bytes were written: all of them, unless errno says why not.
std::size_t written(int descriptor, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t more = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) break;
    done += static_cast<std::size_t>(more);
  }
  return done;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw WriteError(fmt::format("cannot make the folder {}: {}", folder, error.message()));
}

// Syncs the folder, so that a rename, too, outlasts a loss of power.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail(folder);
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;  // some file systems cannot
  ::close(descriptor);
  if (!synced) fail(folder);
}

void write_beside(const std::string& path, const std::string& beside, std::string_view bytes) {
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path);
  const bool whole = written(descriptor, bytes) == bytes.size() && ::fsync(descriptor) == 0;
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (whole && closed) return;
  const int why = whole ? errno : reason;
  ::unlink(beside.c_str());
  fail(path, std::strerror(why));
}

// Gives the file a second name, so that a file of the first name exists at every moment. Renames it if the
// file system has no links.
void keep_as(const std::string& path, const std::string& previous) {
  const std::string link = previous + ".part";
  ::unlink(link.c_str());
  if (::link(path.c_str(), link.c_str()) == 0) {
    if (::rename(link.c_str(), previous.c_str()) != 0) fail(previous);
  } else if (errno != ENOENT && ::rename(path.c_str(), previous.c_str()) != 0) {
    fail(previous);
  }
}

}  // namespace

void make_folder_of(const std::string& path) { make_folder(folder_of(path)); }

AppendFile::AppendFile(std::string path, int descriptor, std::uint64_t length)
    : path_(std::move(path)), descriptor_(descriptor), length_(length) {}

AppendFile::AppendFile(AppendFile&& from) noexcept
    : path_(std::move(from.path_)), descriptor_(std::exchange(from.descriptor_, -1)), length_(from.length_) {}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

AppendFile AppendFile::create(const std::string& path) {
  make_folder(folder_of(path));
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path);
  return {path, descriptor, 0};
}

AppendFile AppendFile::reopen(const std::string& path, std::uint64_t length) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) fail(path);
  AppendFile file(path, descriptor, length);
  if (::ftruncate(descriptor, static_cast<off_t>(length)) != 0) fail(path);
  return file;
}

void AppendFile::append(std::string_view bytes) {
  check();
  if (const std::size_t done = written(descriptor_, bytes); done != bytes.size()) {
    const int reason = errno;
    // Half a chunk helps nobody; if cutting fails, the reader finds the torn end by itself.
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, static_cast<off_t>(length_));
    fail(path_, std::strerror(reason));
  }
  length_ += bytes.size();
}

void AppendFile::sync() {
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail(path_);
}

void AppendFile::check() {
  struct stat now{};
  if (::fstat(descriptor_, &now) != 0) fail(path_);
  if (now.st_nlink == 0) fail(path_, "the file was removed while the run wrote to it");
  if (S_ISREG(now.st_mode) && static_cast<std::uint64_t>(now.st_size) != length_)
    fail(path_, "another program changed its length while the run wrote to it");
}

void AppendFile::close() {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0 && ::close(descriptor) != 0)
    fail(path_);
}

void replace_file(const std::string& path, std::string_view bytes, const std::string& previous) {
  const std::string beside = path + ".part";
  write_beside(path, beside, bytes);
  if (!previous.empty()) keep_as(path, previous);
  put_in_place(beside, path);
}

void put_in_place(const std::string& beside, const std::string& path) {
  if (::rename(beside.c_str(), path.c_str()) != 0) fail(path);
  sync_folder(folder_of(path));
}

FolderLock::FolderLock(const std::string& folder) {
  make_folder(folder);
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw WriteError(fmt::format("cannot open the folder {}: {}", folder, std::strerror(errno)));
  // If the file system has no locks, the user must keep the runs of a folder apart.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw InputError(
        fmt::format("another run is writing into {}: wait for it, or choose another folder.", folder));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace taut
