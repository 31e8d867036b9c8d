// Files whose writes are checked: nothing counts as written before the system has said so. POSIX.
#pragma once

#include <taut/files/folder.hpp>
#include <taut/files/open_file.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace taut {

// A file that grows at its end only. Every function throws WriteError, with the path and the reason.
class AppendFile {
 public:
  // Makes a new file. What has this name already is not touched.
  static AppendFile create(const Folder& folder, const std::string& name);
  // Opens an old file, which the caller looks through with `reader` and then cuts. Throws InputError if it
  // cannot be read.
  static AppendFile reopen(const Folder& folder, const std::string& name);
  AppendFile(AppendFile&& from) noexcept = default;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile() = default;

  OpenFile reader() const { return opened(file_, path_); }  // reads this very file
  void cut(std::uint64_t length);                           // to its first bytes
  void append(std::string_view bytes);
  // Hands all over to the disk, not only to the memory of the system. Once this fails it always does: the
  // system forgets what it could not write, and reports that once.
  void sync();
  void check();  // throws WriteError if the file was meanwhile removed or cut
  void close();
  std::uint64_t length() const { return length_; }
  const std::string& path() const { return path_; }

 private:
  AppendFile(std::string path, Descriptor file);
  std::string path_;
  Descriptor file_;
  std::uint64_t length_ = 0;  // bytes that were written whole
  int lost_ = 0;              // why bytes that were written may not be on the disk
};

// Opens a folder for a run, and makes it if there is none. Throws WriteError.
Folder made_folder(const std::string& path);
// Throws InputError if another process writes into the folder. The lock lasts as long as the folder is open.
void lock(const Folder& folder);

// Replaces a file of the folder completely or not at all: written beside, synced, renamed, the folder synced.
// If `previous` is given, what was there before takes that name.
void replace_file(const Folder& folder, const std::string& name, std::string_view bytes,
                  const std::string& previous = {});

// Gives its name to what was written and synced, and syncs the folder. Throws WriteError; the file is then
// removed, unless it has its name already.
void put_in_place(const Folder& folder, FreshFile& fresh, const std::string& name);

}  // namespace taut
