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

bool is_sampling_folder(const std::string& path);

// What a chain's file holds: the draws of whole blocks, and the state after the last of them.
struct StoredChain {
  std::int64_t draws = 0;
  std::vector<double> state = {};
  std::uint64_t length = 0;  // bytes of whole blocks
  std::string damage = {};   // what is behind them, as a part of a sentence; empty: nothing
};

class DrawsFolder {
 public:
  // Makes the folder and its manifest, unless the same sampling is there. Throws InputError if the folder
  // holds something else.
  static DrawsFolder begin(const std::string& path, const SamplingManifest& manifest);
  static DrawsFolder open(const std::string& path);

  const SamplingManifest& manifest() const { return manifest_; }
  const Folder& folder() const { return folder_; }
  // Reads a chain; each(row, count) is given the draws, block by block. Nothing is there before it began.
  StoredChain read(int chain, const std::function<void(std::span<const double>)>& each = {}) const;
  // Opens a chain's file for more blocks, behind what `found` says is whole.
  AppendFile writer(int chain, const StoredChain& found) const;
  static void append(AppendFile& file, std::span<const double> rows, std::int64_t count,
                     const std::vector<double>& state);

 private:
  DrawsFolder(Folder folder, SamplingManifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), digest_(manifest_.digest()) {}
  Folder folder_;
  SamplingManifest manifest_;
  std::string digest_;
};

}  // namespace taut
