// A file that an export or a report writes, or standard output. It has its name once it is whole: what could not be written to its end leaves nothing
// behind. WriteError from all of it.
#pragma once

#include <taut/store/chunk_file.hpp>

#include <string>
#include <string_view>

namespace taut {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // empty: standard output
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write_at(std::uint64_t place, std::string_view bytes);  // not in standard output
  void close();                                                // now it is whole

 private:
  [[noreturn]] void fail() const;
  std::string name_;
  std::string target_, beside_;  // the file, and the name it has until it is whole; empty: written as it is
  OpenFile own_;
  std::FILE* file_ = nullptr;
};

}  // namespace taut
