// Files whose writes are checked: nothing is taken for written before the system said so. POSIX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taut {

// Grows at its end only. Every function throws WriteError, with the path and the reason.
class AppendFile {
 public:
  // Anew, in a folder that is made where there is none.
  static AppendFile create(const std::string& path);
  // An old one, cut to its first `length` bytes.
  static AppendFile reopen(const std::string& path, std::uint64_t length);
  AppendFile(AppendFile&& from) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  void sync();   // on the disk, not only in the memory of the system
  void check();  // WriteError where the file was removed or cut underneath
  void close();
  std::uint64_t length() const { return length_; }
  const std::string& path() const { return path_; }

 private:
  AppendFile(std::string path, int descriptor, std::uint64_t length);
  std::string path_;
  int descriptor_;
  std::uint64_t length_;  // of what was written whole
};

void make_folder_of(const std::string& path);  // where there is none; WriteError

// Complete or not at all: written beside, synced, renamed, the folder synced. What was there before becomes `previous` where that is given.
void replace_file(const std::string& path, std::string_view bytes, const std::string& previous = {});

// What was written and synced beside takes the name; the folder is synced. WriteError.
void put_in_place(const std::string& beside, const std::string& path);

// One run at a time writes into a folder; held as long as this lives. InputError where another process holds it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace taut
