// A unit of an ensemble as bytes and back. The container is that of trajectories, with the same compression
// and checksums: docs/guide/trajectory-file.md.
#pragma once

#include <taut/ensemble/unit.hpp>
#include <taut/files/open_file.hpp>

#include <optional>
#include <string>

namespace taut {

// Returns the file of a unit. `ensemble` is the digest of its manifest: a unit counts for no other ensemble.
std::string unit_bytes(const Unit& unit, const std::string& ensemble);

struct FoundUnit {
  std::optional<Unit> unit;
  std::string damage = {};  // what is wrong, if there is none
  bool unread = false;      // the system did not give the file, which may be whole
};

// Reads a unit back. Whatever is wrong with the file is said, and it is then as if it were not there.
FoundUnit read_unit(OpenFile file, const std::string& ensemble);

// Asks whether two units agree to the last bit.
bool same_bits(const Unit& a, const Unit& b);

}  // namespace taut
