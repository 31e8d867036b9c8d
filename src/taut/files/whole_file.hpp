#pragma once

#include <taut/files/folder.hpp>

#include <string>

namespace taut {

// Writes a file completely or not at all, like OutputFile: written beside, synced and renamed. A link stays
// one, and devices and pipes are written as they are. Makes the folder; throws WriteError if it cannot.
void write_whole_file(const std::string& path, const std::string& text);

// The same for a file inside a folder, by a path without "..". A link on that way is not followed; one in the
// place of the file is replaced.
void write_whole_file(const Folder& folder, const std::string& path, const std::string& text);

// Throws WriteError if write_whole_file would not be allowed to write, so that this is known before a long
// run and not after it. Makes nothing.
void check_whole_file(const std::string& path);

}  // namespace taut
