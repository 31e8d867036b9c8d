#include <taut/contract/request.hpp>
#include <taut/store/durable_file.hpp>
#include <taut/store/output_file.hpp>

#include <fmt/format.h>

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
  std::string opened = path;
  if (!has_to_stay(path)) {
    if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) fail();
    target_ = file_behind(path);
    opened = target_ + ".part";
  }
  own_.reset(std::fopen(opened.c_str(), "wb"));
  if (!own_) fail();
  if (!target_.empty()) beside_ = opened;
  file_ = own_.get();
}

OutputFile::~OutputFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
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
  if (beside_.empty()) return;
  if (::fsync(::fileno(file_)) != 0 && errno != EINVAL) fail();
  if (std::fclose(own_.release()) != 0) fail();
  put_in_place(beside_, target_);
  beside_.clear();
}

void OutputFile::fail() const {
  throw WriteError(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

}  // namespace taut
