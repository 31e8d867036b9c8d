#include <taut/bytes/byte_text.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/ensemble/ensemble_folder.hpp>
#include <taut/files/durable_file.hpp>
#include <taut/files/kept_files.hpp>
#include <taut/words/shell_word.hpp>
#include <taut/words/wording.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr int manifest_format = 1;
constexpr std::int64_t units_of_folder = 1000;
constexpr const char* units_name = "units";

Json json_of_files(const std::map<std::string, std::string>& files) {
  Json object = Json::object();
  for (const auto& [name, bytes] : files) object[name] = text_of_bytes(bytes);
  return object;
}

// Returns the parts that decide the trajectories, with what messages call them.
std::vector<std::pair<std::string, Json>> deciding_parts(const Manifest& m) {
  return {{"their models", Json::object({{"text", m.text}, {"files", json_of_files(m.files)}})},
          {"the values that were set", Json(m.set)},
          {"what is asked of each trajectory", m.request},
          {"what varies, how many trajectories there are, or the seed",
           Json::object({{"variations", m.variations}, {"size", m.size}, {"seed", m.seed}})},
          {"what is kept of each trajectory", Json::object({{"columns", m.columns},
                                                            {"sample_columns", m.sample_columns},
                                                            {"samples", m.samples},
                                                            {"unit", m.unit}})}};
}

bool is_part_of(std::string_view name, std::string_view file) {
  return name.starts_with(std::string(file) + ".part");
}

std::string ending_of(const std::string& path) { return path.substr(std::min(path.rfind('.'), path.size())); }

// Throws InputError if a folder without a manifest holds what no ensemble left there.
void refuse_foreign_files(const Folder& folder, const Manifest& m, const std::optional<TableFile>& table) {
  for (const std::string& name : folder.names()) {
    if (is_part_of(name, manifest_name) || (table && is_part_of(name, m.table))) continue;
    if (table && name == m.table && folder.kind(name) == EntryKind::file &&
        text_of(folder, name) == table->bytes)
      continue;  // a run that was killed before it wrote the manifest
    throw InputError(fmt::format("{} holds {}, which is not of an ensemble.\n  Choose another folder.",
                                 folder.path(), ticked(name)));
  }
}

Folder opened_folder(const std::string& path) {
  auto folder = Folder::open(path);
  if (!folder) throw InputError(fmt::format("cannot open the folder {}: {}.", path, std::strerror(errno)));
  return std::move(*folder);
}

// Opens the folder a second time: a lock belongs to the descriptor that took it.
Folder again(const Folder& folder) {
  auto second = folder.inner(".");
  if (!second) throw WriteError(fmt::format("cannot lock {}: {}", folder.path(), std::strerror(errno)));
  return std::move(*second);
}

Manifest manifest_of(const Folder& folder) {
  if (folder.kind(manifest_name) == EntryKind::none)
    throw InputError(
        fmt::format("{} is not the folder of an ensemble: it has no {}.", folder.path(), manifest_name));
  try {
    return read_manifest(text_of(folder, manifest_name));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}.", folder.path_of(manifest_name), error.what()));
  }
}

}  // namespace

std::string Manifest::digest() const {
  Json all = Json::object();
  for (const auto& [what, part] : deciding_parts(*this)) all[what] = part;
  return sha256(all.to_text());
}

std::string to_json(const Manifest& m) {
  return Json::object({{"format", manifest_format},
                       {"taut", m.version},
                       {"ensemble", m.digest()},
                       {"model", m.model},
                       {"size", m.size},
                       {"seed", m.seed},
                       {"unit", m.unit},
                       {"variations", m.variations},
                       {"table", m.table},
                       {"columns", m.columns},
                       {"sample_columns", m.sample_columns},
                       {"samples", m.samples},
                       {"request", m.request},
                       {"set", m.set},
                       {"model_text", m.text},
                       {"files", json_of_files(m.files)}})
             .to_text(1) +
         "\n";
}

Manifest read_manifest(const std::string& json) {
  try {
    const Json object = Json::parse(json);
    if (const int format = object.at("format").whole<int>(); format != manifest_format)
      throw InputError(fmt::format("its format is number {}; this version of taut reads number {}", format,
                                   manifest_format));
    Manifest m;
    m.version = object.at("taut").text();
    m.model = object.at("model").text();
    m.size = object.at("size").whole<std::int64_t>();
    m.seed = object.at("seed").whole<std::uint64_t>();
    m.unit = object.at("unit").whole<std::int64_t>();
    m.variations = object.at("variations").text();
    m.table = object.at("table").text();
    m.columns = object.at("columns").texts();
    m.sample_columns = object.at("sample_columns").texts();
    m.samples = object.at("samples").whole<std::int64_t>();
    m.request = object.at("request");
    m.set = object.at("set").texts();
    m.text = object.at("model_text").text();
    for (const auto& [name, text] : object.at("files").members()) m.files[name] = bytes_of_text(text.text());
    if (m.size < 1 || m.samples < 0 || m.unit < 1 || m.unit > unit_size ||
        m.table.find('/') != m.table.npos || m.digest() != object.at("ensemble").text())
      throw InputError("its contents do not belong together: it was changed, or is damaged");
    return m;
  } catch (const JsonError& error) {
    throw InputError(fmt::format("it is not as taut writes it: {}", error.what()));
  }
}

std::string difference(const Manifest& a, const Manifest& b) {
  const auto of_a = deciding_parts(a), of_b = deciding_parts(b);
  for (std::size_t k = 0; k < of_a.size(); ++k)
    if (of_a[k].second.to_text() != of_b[k].second.to_text()) return of_a[k].first;
  return "";
}

bool is_ensemble_folder(const std::string& path) { return is_folder_with(path, manifest_name); }

void refuse_ensemble_files(const std::string& folder, const std::string& path, std::string_view option) {
  refuse_kept_files(folder, path, option, "the ensemble", [](const std::string& inside) {
    return inside == manifest_name || inside.starts_with("table.") || *fs::path(inside).begin() == units_name;
  });
}

EnsembleFolder::EnsembleFolder(Folder folder, Manifest manifest)
    : folder_(std::move(folder)), manifest_(std::move(manifest)), digest_(manifest_.digest()) {}

EnsembleFolder EnsembleFolder::open(const std::string& path) {
  Folder folder = opened_folder(path);
  Manifest manifest = manifest_of(folder);
  return {std::move(folder), std::move(manifest)};
}

EnsembleFolder EnsembleFolder::begin(const std::string& path, Manifest manifest,
                                     const std::optional<TableFile>& table) {
  Folder folder = made_folder(path);
  manifest.table = table ? "table" + ending_of(table->name) : "";
  if (folder.kind(manifest_name) != EntryKind::none) {
    Manifest there = manifest_of(folder);
    if (const std::string what = difference(manifest, there); !what.empty())
      throw InputError(
          fmt::format("{} holds another ensemble: {} differ.\n  Choose another folder; `taut resume {}` "
                      "continues that one.",
                      path, what, shell_word(path)));
    return {std::move(folder), std::move(there)};
  }
  refuse_foreign_files(folder, manifest, table);
  if (table) replace_file(folder, manifest.table, table->bytes);
  replace_file(folder, manifest_name, to_json(manifest));  // last: now the folder is one of an ensemble
  return {std::move(folder), std::move(manifest)};
}

std::optional<TableFile> EnsembleFolder::table() const {
  if (manifest_.table.empty()) return std::nullopt;
  return TableFile{folder_.path_of(manifest_.table), text_of(folder_, manifest_.table)};
}

std::string EnsembleFolder::unit_path(std::int64_t index) {
  return fmt::format("{}/{:03}/{:06}.taut", units_name, index / units_of_folder, index);
}

void EnsembleFolder::write(const Unit& unit) const {
  const fs::path path = unit_path(unit.index);
  const std::string above = path.parent_path().string();
  if (!folder_.inner(above)) {
    const auto check = [&](bool done) {
      if (!done)
        throw WriteError(
            fmt::format("cannot make the folder {}: {}", folder_.path_of(above), why_not_opened()));
    };
    check(folder_.made_inner(above).has_value());
    const auto units = folder_.inner(units_name);
    check(units && units->sync() && folder_.sync());
  }
  const auto folder = folder_.inner(above);
  if (!folder) throw WriteError(fmt::format("cannot write {}: {}", folder_.path_of(above), why_not_opened()));
  replace_file(*folder, path.filename().string(), unit_bytes(unit, digest_));
}

// A unit that is whole may still be one that does not belong here.
void EnsembleFolder::check_shape(FoundUnit& found, std::int64_t index) const {
  if (!found.unit) return;
  const Unit& u = *found.unit;
  const bool right = u.index == index && u.size == manifest_.unit &&
                     u.count == std::min(u.size, manifest_.size - u.first()) &&
                     u.columns == static_cast<int>(manifest_.columns.size()) &&
                     u.samples == static_cast<int>(manifest_.samples) &&
                     u.sample_columns == static_cast<int>(manifest_.sample_columns.size());
  if (!right)
    found = {.unit = std::nullopt, .damage = "its number or its sizes are not those of the manifest"};
}

FoundUnit EnsembleFolder::read(std::int64_t index) const {
  const fs::path path = unit_path(index);
  const std::string name = path.filename().string();
  FoundUnit found;
  try {
    const auto folder = folder_.inner(path.parent_path().string());
    if (!folder && errno == ENOENT) return {};
    if (!folder) throw InputError(fmt::format("cannot look into its folder: {}", why_not_opened()));
    if (folder->kind(name) == EntryKind::none) return {};
    found = read_unit(opened(*folder, name), digest_);
  } catch (const InputError& error) {
    found = {.unit = {}, .damage = error.what(), .unread = true};
  }
  check_shape(found, index);
  const std::string whole = folder_.path_of(path.string());
  if (found.damage.ends_with('.')) found.damage.pop_back();
  if (!found.damage.empty() && found.damage.find(whole) == std::string::npos)
    found.damage = fmt::format("{}: {}", whole, found.damage);
  return found;
}

std::vector<std::int64_t> EnsembleFolder::missing(std::vector<std::string>* damage) const {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < manifest_.units(); ++k) {
    const FoundUnit found = read(k);
    if (!found.unit) out.push_back(k);
    if (damage != nullptr && !found.damage.empty()) damage->push_back(found.damage);
  }
  return out;
}

EnsembleLock::EnsembleLock(const EnsembleFolder& folder) : held_(again(folder.folder())) { lock(held_); }

Merged merge(const std::vector<std::string>& from, const std::string& into) {
  Merged out;
  if (from.empty()) throw InputError("there is nothing to merge: name the folders of the parts.");
  std::vector<EnsembleFolder> parts;
  for (const std::string& path : from) {
    parts.push_back(EnsembleFolder::open(path));
    if (const std::string what = difference(parts.front().manifest(), parts.back().manifest()); !what.empty())
      throw InputError(
          fmt::format("{} and {} hold different ensembles: {} differ.", from.front(), path, what));
  }
  const EnsembleFolder whole = EnsembleFolder::begin(into, parts.front().manifest(), parts.front().table());
  const EnsembleLock alone(whole);
  for (std::int64_t k = 0; k < whole.manifest().units(); ++k) {
    FoundUnit there = whole.read(k);
    if (!there.damage.empty()) out.damage.push_back(there.damage);
    if (there.unit) ++out.there_already;
    std::string origin = into;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      FoundUnit found = parts[p].read(k);
      if (!found.damage.empty()) out.damage.push_back(found.damage);
      if (!found.unit) continue;
      if (there.unit && !same_bits(*there.unit, *found.unit))
        throw InputError(fmt::format("{} and {} hold different results for {}.", origin, from[p],
                                     EnsembleFolder::unit_path(k)));
      if (there.unit) continue;
      whole.write(*found.unit);
      ++out.copied;
      there = std::move(found);
      origin = from[p];
    }
    if (!there.unit) out.missing.push_back(k);
  }
  return out;
}

}  // namespace taut
