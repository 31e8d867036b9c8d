// A file that an export writes, or standard output. WriteError from all of it.
#pragma once

#include <taut/run/chunk_file.hpp>

#include <string>
#include <string_view>

namespace taut {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // empty: standard output
  void write(std::string_view bytes);
  void write_at(std::uint64_t place, std::string_view bytes);  // not in standard output
  void close();
  bool is_file() const { return own_ != nullptr; }

 private:
  [[noreturn]] void fail() const;
  std::string name_;
  OpenFile own_;
  std::FILE* file_ = nullptr;
};

}  // namespace taut
