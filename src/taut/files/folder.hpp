// A folder that is held by its descriptor. Its files are opened, renamed and removed relative to that, so
// that they are those of this folder even if somebody renames it or puts another one in its place. No
// function follows a link that lies in the folder. POSIX.
#pragma once

#include <taut/files/descriptor.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

enum class EntryKind { none, file, folder, link, other };

// A file that is being written. If the system can do it, it has no name, so that nothing of it is left if the
// program is killed.
struct FreshFile {
  Descriptor file;   // none if it could not be made; errno says why
  std::string name;  // empty if it has none yet
};

class Folder {
 public:
  // Both return none if the folder cannot be opened; errno says why. `made` makes it first, with the folders
  // above it.
  static std::optional<Folder> open(const std::string& path);
  static std::optional<Folder> made(const std::string& path);
  // The same for a folder inside this one, by a path without links and without "..".
  std::optional<Folder> inner(const std::string& path) const;
  std::optional<Folder> made_inner(const std::string& path) const;

  const std::string& path() const { return path_; }  // as it was typed, for messages
  std::string path_of(std::string_view name) const;  // a file in it, for messages
  std::string path_now() const;                      // its name today; empty if it was removed
  int descriptor() const { return descriptor_.number(); }

  // False if another process holds the lock. The lock lasts as long as this object. If the file system has no
  // locks, the user must keep the runs of a folder apart.
  bool lock() const;

  // Throws InputError if the system does not say: what is not known to be absent may belong to somebody.
  EntryKind kind(const std::string& name) const;
  std::vector<std::string> names() const;  // all entries; throws InputError if they cannot be listed
  // Opens a file with the flags of open(2). Only regular files are opened: a pipe would make the program
  // wait.
  Descriptor file(const std::string& name, int flags) const;
  // Makes a file that was not there: without a name, or by one that is derived from this one and that nobody
  // uses.
  FreshFile fresh(const std::string& name) const;
  // Gives the file its name, in place of whatever had it. False if that was not done; errno says why, and
  // the file is gone.
  bool put(FreshFile& fresh, const std::string& name) const;
  void drop(FreshFile& fresh) const;                 // removes it; errno stays
  Descriptor create(const std::string& name) const;  // none if there is an entry of that name

  // False if it was not done; errno says why.
  bool rename(const std::string& from, const std::string& to) const;
  bool remove(const std::string& name) const;
  bool sync() const;  // a rename, too, then outlasts a loss of power
  // Gives a file a second name, in place of whatever had it. If the file system has no links, the file itself
  // takes that name.
  bool keep_as(const std::string& name, const std::string& second) const;

 private:
  bool put_by_link(const FreshFile& fresh, const std::string& name) const;
  Folder(std::string path, Descriptor descriptor);
  std::optional<Folder> walked(const std::string& path, bool make) const;

  std::string path_;
  Descriptor descriptor_;
};

// Returns the bytes at the beginning of a file, at most so many. Throws InputError, with the path, if they
// cannot be read or there is no file.
std::string first_bytes(const Descriptor& file, std::size_t most, const std::string& path);

}  // namespace taut
