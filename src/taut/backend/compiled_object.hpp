// C++ that taut wrote, as a loaded shared object. It is compiled once and kept in a folder of the user's, named by what it was made of: the text, the
// compiler with its version, the options, the processor and the version of taut. The folder must be the user's own and closed to others, and an object
// must carry its own name and checksum; one that does not is compiled again, never loaded.
#pragma once

#include <string>
#include <vector>

namespace taut {

struct SourceUnit {
  std::string text;
  std::vector<std::string> options = {};    // beside those that every unit is compiled with
  std::vector<std::string> libraries = {};  // -lNAME
  std::string depends = {};                 // a digest of what the text includes; empty: nothing
};

// A loaded object stays loaded to the end of the process: what was made with it may hold pointers into it.
struct CompiledObject {
  void* handle = nullptr;    // nullptr: there is none,
  std::string missing = {};  // because of this, as a part of a sentence
  bool fresh = false;        // compiled now, not found in the folder

  void* symbol(const std::string& name) const;  // nullptr where it has none of that name
};

CompiledObject compiled_object(const SourceUnit& unit);

}  // namespace taut
