// Files that are read from their beginning. Only plain files are opened: a pipe that somebody put in the
// place of one would make the program wait.
#pragma once

#include <taut/files/folder.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace taut {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

// Opens a file by the path that the user typed. Throws InputError if it cannot be read.
OpenFile opened(const std::string& path);
// Opens a file of a folder; a link there is not followed.
OpenFile opened(const Folder& folder, const std::string& name);
// Reads a file that is open already, from its beginning. `path` is for messages.
OpenFile opened(const Descriptor& file, const std::string& path);

// Returns all of a file of the folder. Throws InputError if it cannot be read.
std::string text_of(const Folder& folder, const std::string& name);

// Throws bad_alloc if errno says that memory ended: that is no fault of the file.
void check_memory();

// Says in words why a file was not opened: errno, and what it means for links and pipes in a folder.
std::string why_not_opened();

}  // namespace taut
