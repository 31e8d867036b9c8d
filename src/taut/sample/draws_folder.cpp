#include <taut/sample/draws_folder.hpp>

#include <taut/bytes/byte_text.hpp>
#include <taut/bytes/checksum.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/files/kept_files.hpp>
#include <taut/files/open_file.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace taut {

namespace {

constexpr int manifest_format = 1;
constexpr std::string_view chain_magic = "taut draws 1\n", block_magic = "draw";
constexpr std::size_t digest_size = 64;
constexpr std::uint64_t most_of_a_block = 1U << 28U;  // numbers; a longer one is damage

std::string chain_file(int chain) { return fmt::format("chain-{}.draws", chain + 1); }

void put_whole(std::string& bytes, std::uint64_t x) {
  for (int k = 0; k < 8; ++k) bytes += static_cast<char>(x >> (8 * k) & 0xFFU);
}
std::uint64_t whole_at(const char* bytes) {
  std::uint64_t x = 0;
  for (int k = 7; k >= 0; --k) x = x << 8U | static_cast<unsigned char>(bytes[k]);
  return x;
}

// Reads so many bytes, in pieces: memory is asked for as they come, whatever a block promises. False if the
// file ends before.
bool read_exactly(const OpenFile& file, const std::string& path, std::string& into, std::size_t count) {
  constexpr std::size_t piece = 1U << 20U;
  into.clear();
  while (into.size() < count) {
    const std::size_t before = into.size(), wanted = std::min(piece, count - before);
    into.resize(before + wanted);
    const std::size_t got = std::fread(into.data() + before, 1, wanted, file.get());
    into.resize(before + got);
    // What cannot be read is not damaged: nothing is concluded from it.
    if (std::ferror(file.get()) != 0) {
      check_memory();
      throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
    }
    if (got != wanted) return false;
  }
  return true;
}

std::vector<double> numbers_of(std::string_view bytes) {
  std::vector<double> out(bytes.size() / 8);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::bit_cast<double>(whole_at(bytes.data() + 8 * k));
  return out;
}

Json deciding(const SamplingManifest& m) {
  Json files = Json::object();
  for (const auto& [name, bytes] : m.files) files[name] = text_of_bytes(bytes);
  return Json::object({{"text", m.text},
                       {"files", files},
                       {"set", Json(m.set)},
                       {"options", m.options},
                       {"columns", Json(m.columns)},
                       {"chains", m.chains},
                       {"draws", m.draws}});
}

SamplingManifest manifest_in(const Folder& folder) {
  if (folder.kind(sampling_manifest) == EntryKind::none)
    throw InputError(
        fmt::format("{} is not the folder of a sampling: it has no {}.", folder.path(), sampling_manifest));
  try {
    const Json all = Json::parse(text_of(folder, sampling_manifest));
    if (all.at("format").whole<int>() != manifest_format)
      throw InputError(
          fmt::format("{}: it is of another version of taut.", folder.path_of(sampling_manifest)));
    const Json& what = all.at("sampling");
    SamplingManifest m{.version = all.at("taut").text(),
                       .model = all.at("model").text(),
                       .text = what.at("text").text(),
                       .files = {},
                       .set = what.at("set").texts(),
                       .options = what.at("options"),
                       .columns = what.at("columns").texts(),
                       .chains = what.at("chains").whole<int>(),
                       .draws = what.at("draws").whole<std::int64_t>()};
    for (const JsonMember& file : what.at("files").members())
      m.files[file.key] = bytes_of_text(file.value.text());
    return m;
  } catch (const JsonError& error) {
    throw InputError(fmt::format("{}: {}.", folder.path_of(sampling_manifest), error.what()));
  }
}

}  // namespace

std::string SamplingManifest::digest() const { return sha256(deciding(*this).to_text()); }

bool is_sampling_folder(const std::string& path) { return is_folder_with(path, sampling_manifest); }

void refuse_sampling_files(const std::string& folder, const std::string& path, std::string_view option) {
  refuse_kept_files(folder, path, option, "the sampling", [](const std::string& inside) {
    return inside == sampling_manifest || (inside.starts_with("chain-") && inside.ends_with(".draws"));
  });
}

DrawsFolder DrawsFolder::begin(const std::string& path, const SamplingManifest& manifest) {
  Folder folder = made_folder(path);
  if (folder.kind(sampling_manifest) == EntryKind::none) {
    if (!folder.names().empty())
      throw InputError(fmt::format("{} holds {}, which is not of a sampling.\n  Choose another folder.", path,
                                   ticked(folder.names().front())));
    replace_file(folder, sampling_manifest,
                 Json::object({{"format", manifest_format},
                               {"taut", manifest.version},
                               {"model", manifest.model},
                               {"sampling", deciding(manifest)}})
                         .to_text(1) +
                     "\n");
  } else if (manifest_in(folder).digest() != manifest.digest()) {
    throw InputError(
        fmt::format("{} holds another sampling: its model or its options differ.\n  Choose another folder; "
                    "`taut resume {}` goes on "
                    "with the one that is there.",
                    path, path));
  }
  return {std::move(folder), manifest};
}

DrawsFolder DrawsFolder::open(const std::string& path) {
  auto folder = Folder::open(path);
  if (!folder) throw InputError(fmt::format("cannot open the folder {}: {}.", path, std::strerror(errno)));
  SamplingManifest manifest = manifest_in(*folder);
  return {std::move(*folder), std::move(manifest)};
}

std::string chain_head(const std::string& digest) { return std::string(chain_magic) + digest; }

std::string chain_block(std::span<const double> rows, std::int64_t count, std::span<const double> state) {
  std::string bytes(block_magic);
  put_whole(bytes, static_cast<std::uint64_t>(count));
  put_whole(bytes, state.size());
  for (const double x : rows) put_number(bytes, x);
  for (const double x : state) put_number(bytes, x);
  put_whole(bytes, checksum(bytes));
  return bytes;
}

StoredChain read_chain(const OpenFile& file, const std::string& path, const std::string& digest,
                       std::size_t columns, const EachBlock& each) {
  StoredChain out;
  std::string bytes;
  if (!read_exactly(file, path, bytes, chain_magic.size() + digest_size) || !bytes.starts_with(chain_magic)) {
    out.damage = "it does not begin as a file of draws";
    return out;
  }
  if (std::string_view(bytes).substr(chain_magic.size()) != digest)
    throw InputError(fmt::format("{} belongs to another sampling.", path));
  out.length = bytes.size();
  std::string head, body;
  while (read_exactly(file, path, head, block_magic.size() + 16)) {
    const std::uint64_t rows = whole_at(head.data() + block_magic.size());
    const std::uint64_t state = whole_at(head.data() + block_magic.size() + 8);
    if (!head.starts_with(block_magic) || rows > most_of_a_block / (columns + 1) || state > most_of_a_block ||
        !read_exactly(file, path, body, 8 * (rows * columns + state) + 8) ||
        whole_at(body.data() + body.size() - 8) !=
            checksum(std::string_view(body).substr(0, body.size() - 8), checksum(head))) {
      out.damage = fmt::format("the block at its byte {} is not whole", out.length);
      return out;
    }
    const std::vector<double> numbers = numbers_of(std::string_view(body).substr(0, body.size() - 8));
    if (each) each(std::span(numbers).first(rows * columns));
    out.draws += static_cast<std::int64_t>(rows);
    const auto rest = std::span(numbers).subspan(rows * columns);
    out.state.assign(rest.begin(), rest.end());
    out.length += head.size() + body.size();
  }
  if (!head.empty()) out.damage = fmt::format("the block at its byte {} is not whole", out.length);
  return out;
}

std::string DrawsFolder::chain_path(int chain) const { return folder_.path_of(chain_file(chain)); }

StoredChain DrawsFolder::read(int chain, const EachBlock& each) const {
  const std::string name = chain_file(chain);
  if (folder_.kind(name) == EntryKind::none) return {};
  return read_chain(opened(folder_, name), chain_path(chain), digest_, manifest_.columns.size(), each);
}

AppendFile DrawsFolder::writer(int chain, const StoredChain& found) const {
  const std::string name = chain_file(chain);
  if (folder_.kind(name) == EntryKind::none || found.length == 0) {
    if (folder_.kind(name) != EntryKind::none) folder_.remove(name);
    AppendFile file = AppendFile::create(folder_, name);
    file.append(chain_head(digest_));
    file.sync();
    return file;
  }
  AppendFile file = AppendFile::reopen(folder_, name);
  file.cut(found.length);
  return file;
}

}  // namespace taut
