#pragma once

#include <string>

namespace taut {

// Complete or not at all, as OutputFile: written beside, synced and renamed; a link stays one, and devices and pipes are written as they are.
// Makes the folder; WriteError where it cannot.
void write_whole_file(const std::string& path, const std::string& text);

// WriteError where write_whole_file would not be allowed to: to be known before a long run and not after it. Makes nothing.
void check_whole_file(const std::string& path);

}  // namespace taut
