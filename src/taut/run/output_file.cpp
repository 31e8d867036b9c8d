#include <taut/run/output_file.hpp>
#include <taut/run/request.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace taut {

OutputFile::OutputFile(const std::string& path) : name_(path.empty() ? "standard output" : path) {
  if (!path.empty()) own_.reset(std::fopen(path.c_str(), "wb"));
  if (!path.empty() && !own_) fail();
  file_ = own_ ? own_.get() : stdout;
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
}

void OutputFile::fail() const {
  throw WriteError(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

}  // namespace taut
