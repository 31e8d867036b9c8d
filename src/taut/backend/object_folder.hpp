// The folder in which compiled objects are kept, and the files in it. What lies there is code that will run,
// so that nobody but the user and root may be able to put something there.
#pragma once

#include <taut/files/folder.hpp>

#include <stdexcept>
#include <string>

namespace taut {

// Says why an object is not available, as a part of a sentence.
struct Missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Opens $XDG_CACHE_HOME/taut or ~/.cache/taut, and makes it if there is none. Throws Missing if it, or a
// folder above it, is open to other users.
Folder object_folder();

std::string object_name(const std::string& key);  // the name of its file

// Returns what follows the object in its file; the loader does not look there.
std::string seal(const std::string& key, std::string_view object);

// Opens the object of that key. Returns none unless it is the user's own file, which others may not write,
// with the seal of this key.
Descriptor sound_object(const Folder& folder, const std::string& key);

std::string all_bytes(const Descriptor& file);

// A new folder inside another one that vanishes, with the files in it, with its maker. Throws Missing.
class ScratchFolder {
 public:
  explicit ScratchFolder(const Folder& in);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const Folder& folder() const { return *folder_; }

 private:
  const Folder& in_;
  std::string name_;
  std::optional<Folder> folder_;
};

// Keeps two hundred objects, those used last, and nothing of compilers that were stopped an hour ago. Removes
// only what this program has made.
void remove_old_objects(const Folder& folder);

}  // namespace taut
