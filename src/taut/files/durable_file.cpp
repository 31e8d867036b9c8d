#include <taut/contract/request.hpp>
#include <taut/files/durable_file.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

}  // namespace

AppendFile::AppendFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

AppendFile AppendFile::create(const Folder& folder, const std::string& name) {
  Descriptor file = folder.create(name);
  if (!file) fail(folder.path_of(name));
  return {folder.path_of(name), std::move(file)};
}

AppendFile AppendFile::reopen(const Folder& folder, const std::string& name) {
  Descriptor file = folder.file(name, O_RDWR | O_APPEND);
  const std::string path = folder.path_of(name);
  if (!file) throw InputError(fmt::format("cannot read {}: {}.", path, why_not_opened()));
  return {path, std::move(file)};
}

void AppendFile::cut(std::uint64_t length) {
  if (::ftruncate(file_.number(), static_cast<off_t>(length)) != 0) fail(path_);
  length_ = length;
}

void AppendFile::append(std::string_view bytes) {
  check();
  if (const std::size_t done = written(file_.number(), bytes); done != bytes.size()) {
    const int reason = errno;
    // Half a chunk helps nobody; if cutting fails, the reader finds the torn end by itself.
    [[maybe_unused]] const int cut = ::ftruncate(file_.number(), static_cast<off_t>(length_));
    fail(path_, std::strerror(reason));
  }
  length_ += bytes.size();
}

void AppendFile::sync() {
  if (lost_ == 0 && ::fdatasync(file_.number()) != 0 && errno != EINVAL) lost_ = errno;
  if (lost_ != 0) fail(path_, std::strerror(lost_));
}

void AppendFile::check() {
  struct stat now{};
  if (::fstat(file_.number(), &now) != 0) fail(path_);
  if (now.st_nlink == 0) fail(path_, "the file was removed while the run wrote to it");
  if (static_cast<std::uint64_t>(now.st_size) != length_)
    fail(path_, "another program changed its length while the run wrote to it");
}

void AppendFile::close() {
  if (!file_.close()) fail(path_);
}

Folder made_folder(const std::string& path) {
  auto folder = Folder::made(path);
  if (!folder) throw WriteError(fmt::format("cannot make the folder {}: {}", path, std::strerror(errno)));
  return std::move(*folder);
}

void lock(const Folder& folder) {
  if (!folder.lock())
    throw InputError(
        fmt::format("another run is writing into {}: wait for it, or choose another folder.", folder.path()));
}

void replace_file(const Folder& folder, const std::string& name, std::string_view bytes,
                  const std::string& previous) {
  const std::string path = folder.path_of(name);
  FreshFile fresh = folder.fresh(name);
  if (!fresh.file) fail(path);
  const auto give_up = [&](const std::string& what) {
    folder.drop(fresh);
    fail(what);
  };
  if (written(fresh.file.number(), bytes) != bytes.size() || ::fsync(fresh.file.number()) != 0) give_up(path);
  if (!previous.empty() && !folder.keep_as(name, previous)) give_up(folder.path_of(previous));
  put_in_place(folder, fresh, name);
}

void put_in_place(const Folder& folder, FreshFile& fresh, const std::string& name) {
  // A file without a name is gone once it is closed. It was synced, so that closing it adds nothing.
  if (!fresh.name.empty() && !fresh.file.close()) {
    folder.drop(fresh);
    fail(folder.path_of(name));
  }
  if (!folder.put(fresh, name)) fail(folder.path_of(name));
  if (!folder.sync()) fail(folder.path());
}

}  // namespace taut
