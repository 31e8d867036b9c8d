// Files whose writes are checked: nothing counts as written before the system has said so. POSIX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taut {

// A file that grows at its end only. Every function throws WriteError, with the path and the reason.
class AppendFile {
 public:
  // Makes a new file, and its folder if there is none.
  static AppendFile create(const std::string& path);
  // Opens an old file, cut to its first `length` bytes.
  static AppendFile reopen(const std::string& path, std::uint64_t length);
  AppendFile(AppendFile&& from) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  void sync();   // to the disk, not only to the memory of the system
  void check();  // throws WriteError if the file was meanwhile removed or cut
  void close();
  std::uint64_t length() const { return length_; }
  const std::string& path() const { return path_; }

 private:
  AppendFile(std::string path, int descriptor, std::uint64_t length);
  std::string path_;
  int descriptor_;
  std::uint64_t length_;  // bytes that were written whole
};

void make_folder_of(const std::string& path);  // if there is none; throws WriteError

// Replaces a file completely or not at all: written beside, synced, renamed, the folder synced. If `previous`
// is given, what was there before takes that name.
void replace_file(const std::string& path, std::string_view bytes, const std::string& previous = {});

// Gives its name to what was written and synced beside, and syncs the folder. Throws WriteError.
void put_in_place(const std::string& beside, const std::string& path);

// One run at a time writes into a folder, as long as this lives. Throws InputError if another process
// holds the lock.
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
