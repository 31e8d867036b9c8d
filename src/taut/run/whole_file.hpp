#pragma once

#include <string>

namespace taut {

// Complete or not at all: written beside, synced and renamed. Makes the folder; WriteError where it cannot.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace taut
