// Describes in a few lines what a file or folder of a run holds.
#pragma once

#include <string>

namespace taut {

struct Description {
  std::string text;
  bool whole = true;  // nothing is damaged
};

// Asks whether there is a file or a folder of this name. Throws if the system cannot tell.
bool is_there(const std::string& path);

// Describes it. Throws InputError if it is nothing of taut's.
Description describe_run(const std::string& path);

}  // namespace taut
