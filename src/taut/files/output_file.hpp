// A file that an export or a report writes, or standard output. It gets its name once it is whole: a file
// that could not be written to its end leaves nothing behind. All functions throw WriteError.
#pragma once

#include <taut/files/open_file.hpp>

#include <cstdint>
#include <optional>
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
  void write_at(std::uint64_t place, std::string_view bytes);  // not possible in standard output
  void close();                                                // now the file is whole

 private:
  [[noreturn]] void fail() const;
  void open_fresh(const std::string& path);
  std::string name_;
  // The folder, the name of the file in it, and the file until it has that name; none if it is written as it
  // is.
  std::optional<Folder> folder_;
  std::string target_;
  FreshFile fresh_;
  OpenFile own_;
  std::FILE* file_ = nullptr;
};

}  // namespace taut
