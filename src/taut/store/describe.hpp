// What a file or folder of a run holds, in a few lines.
#pragma once

#include <string>

namespace taut {

struct Description {
  std::string text;
  bool whole = true;  // nothing is damaged
};

// InputError where it is nothing of taut's.
Description describe_run(const std::string& path);

}  // namespace taut
