#include <taut/contract/request.hpp>
#include <taut/files/open_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace taut {

namespace {

[[noreturn]] void cannot_read(const std::string& path) {
  check_memory();
  throw InputError(fmt::format("cannot read {}: {}", path, why_not_opened()));
}

OpenFile stream_of(Descriptor file, const std::string& path) {
  struct stat info{};
  if (!file || ::fstat(file.number(), &info) != 0) cannot_read(path);
  if (!S_ISREG(info.st_mode)) {
    errno = S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
    cannot_read(path);
  }
  OpenFile stream(::fdopen(file.number(), "rb"));
  if (!stream || fseeko(stream.get(), 0, SEEK_SET) != 0) cannot_read(path);
  file.release();
  return stream;
}

}  // namespace

void check_memory() {
  if (errno == ENOMEM) throw std::bad_alloc();
}

std::string why_not_opened() {
  if (errno == ELOOP) return "it is a link, and links in the folder of a run are not followed";
  if (errno == ENOTSUP) return "it is not a plain file";
  return std::strerror(errno);
}

OpenFile opened(const std::string& path) {
  return stream_of(Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)), path);
}

OpenFile opened(const Folder& folder, const std::string& name) {
  return stream_of(folder.file(name, O_RDONLY), folder.path_of(name));
}

std::string text_of(const Folder& folder, const std::string& name) {
  const OpenFile file = opened(folder, name);
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), file.get()))
    text.append(part.data(), got);
  if (std::ferror(file.get()) != 0) cannot_read(folder.path_of(name));
  return text;
}

OpenFile opened(const Descriptor& file, const std::string& path) {
  return stream_of(Descriptor(::fcntl(file.number(), F_DUPFD_CLOEXEC, 0)), path);
}

}  // namespace taut
