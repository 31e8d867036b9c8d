// C++ that taut wrote, as a loaded shared object. It is compiled once and kept in a folder of the user's. Its
// name is made from the text, the compiler with its version, the options, the processor and the version of
// taut. The folder must be the user's own and closed to others, with all folders above it, and an object must
// carry its own name and checksum; one that does not is compiled again, never loaded.
#pragma once

#include <string>
#include <vector>

namespace taut {

// For whom a unit is compiled: this processor, or an NVIDIA device, as text (PTX) that its driver translates.
enum class UnitTarget { processor, device };

struct SourceUnit {
  std::string text;
  std::vector<std::string> options = {};  // in addition to those with which every unit is compiled
  std::vector<std::string> folders =
      {};  // options that name folders of headers; `depends` says what is in these
  std::vector<std::string> libraries = {};  // -lNAME
  std::vector<std::string> for_clang = {};  // options, if the compiler is clang
  std::string depends = {};                 // a digest of what the text includes; empty: nothing
  UnitTarget target = UnitTarget::processor;
};

// A loaded object stays loaded to the end of the process, because what was made with it may hold
// pointers into it.
struct CompiledObject {
  void* handle = nullptr;    // nullptr if there is none
  std::string missing = {};  // why there is none, as a part of a sentence
  bool fresh = false;        // compiled now, not found in the folder
  std::string key = {};      // differs if the object may compute other bits

  void* symbol(const std::string& name) const;  // nullptr if it has none of that name
};

CompiledObject compiled_object(const SourceUnit& unit);

// What the compiler made for a device.
struct CompiledText {
  std::string text = {};     // empty if there is none
  std::string missing = {};  // why there is none, as a part of a sentence
  std::string key = {};
};
CompiledText compiled_text(const SourceUnit& unit);

// Returns the level of processors that $TAUT_UNITS_FOR names, such as x86-64-v3; empty if it is not set.
// Units are then compiled for that level in place of this processor, and one that lies in the folder is
// taken whichever compiler made it: a folder can be filled on one machine and used on another that has none.
std::string level_of_units();

}  // namespace taut
