// The folder of an ensemble: a manifest that says what it is, and a file for each unit that is done. Units
// may be written in any order and by several processes at a time; each file is whole or not there.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/ensemble/table.hpp>
#include <taut/ensemble/unit_file.hpp>
#include <taut/files/folder.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

inline constexpr const char* manifest_name = "ensemble.json";

// What an ensemble is: enough to make it again, and to know it from any other.
struct Manifest {
  std::string version = {};                       // taut's version
  std::string model = {};                         // the path or the name of the model, for messages
  std::string text = {};                          // the model file
  std::map<std::string, std::string> files = {};  // files that the model names: the path there, the bytes
  std::vector<std::string> set = {};              // NAME=VALUE, as typed
  Json request = Json::object();                  // what is asked of each trajectory
  std::string variations = {};                    // Variations::text()
  std::int64_t size = 0;
  std::uint64_t seed = 0;
  std::int64_t unit = unit_size;                 // trajectories of a unit
  std::vector<std::string> columns = {};         // those of Unit::rows
  std::vector<std::string> sample_columns = {};  // those of Unit::sampled
  std::int64_t samples = 0;                      // those of each trajectory
  std::string table = {};                        // the table's file in the folder; empty: none

  std::int64_t units() const { return unit_count(size, unit); }
  std::string digest() const;  // SHA-256; the version, the model's path and the table's name do not count
};

std::string to_json(const Manifest& manifest);
// Reads it back. Throws InputError if the text is not one.
Manifest read_manifest(const std::string& json);
// Says what differs between two ensembles: "their models"; nothing if they are the same.
std::string difference(const Manifest& a, const Manifest& b);

// Asks whether it has a manifest. Throws InputError if the system does not say.
bool is_ensemble_folder(const std::string& path);
// Throws InputError if `path`, which was typed after `option`, is a file that an ensemble keeps in `folder`.
void refuse_ensemble_files(const std::string& folder, const std::string& path, std::string_view option);

class EnsembleFolder {
 public:
  // Makes the folder and writes the manifest, unless the same ensemble is there already. Throws InputError if
  // the folder holds something else, which stays as it is. The table is kept in the folder, for a resume.
  static EnsembleFolder begin(const std::string& path, Manifest manifest,
                              const std::optional<TableFile>& table = {});
  // Opens what `begin` made. Throws InputError if it is no folder of an ensemble.
  static EnsembleFolder open(const std::string& path);

  const Manifest& manifest() const { return manifest_; }
  const std::string& digest() const { return digest_; }
  const Folder& folder() const { return folder_; }
  std::optional<TableFile> table() const;  // as it was given to `begin`

  // Writes a unit whole or not at all, in place of one that was there. Throws WriteError.
  void write(const Unit& unit) const;
  // Reads a unit; none if it is missing, and then without damage, or damaged, or could not be read.
  FoundUnit read(std::int64_t index) const;
  // Returns the units that are still to be made. Each file is read; `damage` receives a sentence for each
  // that is damaged, which names it.
  std::vector<std::int64_t> missing(std::vector<std::string>* damage = nullptr) const;

  static std::string unit_path(std::int64_t index);  // inside the folder

 private:
  EnsembleFolder(Folder folder, Manifest manifest);
  void check_shape(FoundUnit& found, std::int64_t index) const;

  Folder folder_;
  Manifest manifest_;
  std::string digest_;
};

// Keeps other runs out of a folder for as long as it lives. All processes of one run share one lock, which
// their coordinator takes. Throws InputError if another run has it.
class EnsembleLock {
 public:
  explicit EnsembleLock(const EnsembleFolder& folder);

 private:
  Folder held_;
};

struct Merged {
  std::int64_t copied = 0, there_already = 0;
  std::vector<std::int64_t> missing = {};  // in all of the folders
  std::vector<std::string> damage = {};    // sentences about units that could not be used
};

// Joins folders of one ensemble into one. Throws InputError if they belong to different ensembles, or hold
// different bits for the same unit; nothing is then copied from that folder on.
Merged merge(const std::vector<std::string>& from, const std::string& into);

}  // namespace taut
