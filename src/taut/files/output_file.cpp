#include <taut/contract/request.hpp>
#include <taut/files/durable_file.hpp>
#include <taut/files/output_file.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

// Asks whether the path is a device or a pipe, which is written as it is.
bool has_to_stay(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

// Returns the file itself if the path is a link to it.
std::string file_behind(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(path.empty() ? "standard output" : path) {
  if (path.empty()) {
    file_ = stdout;
    return;
  }
  if (has_to_stay(path)) {
    own_.reset(std::fopen(path.c_str(), "wb"));
    if (!own_) fail();
  } else {
    open_fresh(path);
  }
  file_ = own_.get();
}

void OutputFile::open_fresh(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) fail();
  const fs::path target = file_behind(path), above = target.parent_path();
  folder_ = Folder::open(above.empty() ? "." : above.string());
  target_ = target.filename().string();
  if (folder_) fresh_ = folder_->fresh(target_);
  if (!fresh_.file) fail();
  // The stream has a descriptor of its own, because it closes that, and a file without a name is gone then.
  Descriptor copy(::fcntl(fresh_.file.number(), F_DUPFD_CLOEXEC, 0));
  if (copy) own_.reset(::fdopen(copy.number(), "wb"));
  if (own_) {
    copy.release();
    return;
  }
  folder_->drop(fresh_);
  fail();
}

OutputFile::~OutputFile() {
  if (folder_) folder_->drop(fresh_);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void OutputFile::write_at(std::uint64_t place, std::string_view bytes) {
  if (fseeko(file_, static_cast<off_t>(place), SEEK_SET) != 0) fail();
  write(bytes);
}

void OutputFile::close() {
  if (std::fflush(file_) != 0) fail();
  if (!fresh_.file) return;
  if (::fsync(::fileno(file_)) != 0 && errno != EINVAL) fail();
  if (std::fclose(own_.release()) != 0) fail();
  put_in_place(*folder_, fresh_, target_);
}

void OutputFile::fail() const {
  throw WriteError(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

}  // namespace taut
