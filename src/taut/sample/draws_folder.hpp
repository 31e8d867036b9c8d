// The folder of a sampling: a manifest that says what is sampled, and a file for each chain that grows block
// by block. A block holds draws and the state after them, so that a chain goes on after any end of the
// program.
#pragma once

#include <taut/bytes/json.hpp>
#include <taut/files/durable_file.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

inline constexpr const char* sampling_manifest = "sampling.json";

// What is sampled: enough to do it again.
struct SamplingManifest {
  std::string version = {}, model = {}, text = {};
  std::map<std::string, std::string> files = {};
  std::vector<std::string> set = {};
  Json options = Json::object();
  std::vector<std::string> columns = {};
  int chains = 0;
  std::int64_t draws = 0;
  std::string digest() const;  // SHA-256 of all that decides the draws
};

// Asks whether it has a manifest. Throws InputError if the system does not say.
bool is_sampling_folder(const std::string& path);
// Throws InputError if `path`, which was typed after `option`, is a file that a sampling keeps in `folder`.
void refuse_sampling_files(const std::string& folder, const std::string& path, std::string_view option);

// What a chain's file holds: the draws of whole blocks, and the state after the last of them.
struct StoredChain {
  std::int64_t draws = 0;
  std::vector<double> state = {};
  std::uint64_t length = 0;  // bytes of whole blocks
  std::string damage = {};   // what is behind them, as a part of a sentence; empty: nothing
};

// Takes the draws of one block after another.
using EachBlock = std::function<void(std::span<const double>)>;

// Reads a chain's file of so many columns. `path` is for messages, and `digest` is that of its sampling.
// Throws InputError if it cannot be read or belongs to another sampling.
StoredChain read_chain(const OpenFile& file, const std::string& path, const std::string& digest,
                       std::size_t columns, const EachBlock& each = {});
// Returns how such a file begins, and a block of it.
std::string chain_head(const std::string& digest);
std::string chain_block(std::span<const double> rows, std::int64_t count, std::span<const double> state);

class DrawsFolder {
 public:
  // Makes the folder and its manifest, unless the same sampling is there. Throws InputError if the folder
  // holds something else.
  static DrawsFolder begin(const std::string& path, const SamplingManifest& manifest);
  static DrawsFolder open(const std::string& path);

  const SamplingManifest& manifest() const { return manifest_; }
  const Folder& folder() const { return folder_; }
  std::string chain_path(int chain) const;  // for messages
  // Reads a chain. Nothing is there before it began. Throws InputError if it cannot be read.
  StoredChain read(int chain, const EachBlock& each = {}) const;
  // Opens a chain's file for more blocks, behind what `found` says is whole.
  AppendFile writer(int chain, const StoredChain& found) const;

 private:
  DrawsFolder(Folder folder, SamplingManifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), digest_(manifest_.digest()) {}
  Folder folder_;
  SamplingManifest manifest_;
  std::string digest_;
};

}  // namespace taut
