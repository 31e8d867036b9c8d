#include <taut/bytes/json.hpp>
#include <taut/files/durable_file.hpp>
#include <taut/store/checkpoint.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace taut {

namespace {

constexpr std::array<std::string_view, 4> status_names = {"running", "stopped", "failed", "finished"};

Json list_of(const std::vector<BackendUse>& backends) {
  Json all = Json::list();
  for (const BackendUse& use : backends)
    all.push_back(
        Json::object({{"backend", name_of(use.backend)}, {"object", use.object}, {"after_step", use.from}}));
  return all;
}

std::vector<BackendUse> backends_of(const Json& list) {
  std::vector<BackendUse> all;
  for (const Json& use : list.items()) {
    const auto backend = choice_named<Backend>(use.at("backend").text());
    if (!backend || *backend == Backend::automatic) throw InputError("its backend is not known");
    all.push_back({*backend, use.at("object").text(), use.at("after_step").whole<std::int64_t>()});
  }
  return all;
}

std::string where_it_stands(const Checkpoint& c) {
  return Json::object({{"step", c.snapshot.steps},
                       {"status", status_name(c.snapshot.status)},
                       {"seconds", json_of(c.snapshot.seconds)},
                       {"start_digest", c.snapshot.start_digest},
                       {"backends", list_of(c.snapshot.backends)},
                       {"samples", Json::object({{"file", c.mark.file},
                                                 {"taken", c.mark.samples},
                                                 {"bytes", c.mark.bytes},
                                                 {"inside", c.mark.inside},
                                                 {"checksum", c.mark.checksum}})}})
      .to_text(1);
}

void read_where_it_stands(const std::string& json, Checkpoint& c) {
  try {
    const Json object = Json::parse(json);
    c.snapshot.steps = object.at("step").whole<std::int64_t>();
    const std::string& status = object.at("status").text();
    const auto* const known = std::find(status_names.begin(), status_names.end(), status);
    if (known == status_names.end()) throw InputError("its status is not known");
    c.snapshot.status = static_cast<RunStatus>(known - status_names.begin());
    c.snapshot.seconds = real(object.at("seconds"));
    c.snapshot.start_digest = object.at("start_digest").text();
    if (const Json* backends = object.find("backends")) c.snapshot.backends = backends_of(*backends);
    const Json& samples = object.at("samples");
    c.mark = {.file = samples.at("file").text(),
              .samples = samples.at("taken").whole<std::uint64_t>(),
              .bytes = samples.at("bytes").whole<std::uint64_t>(),
              .inside = samples.at("inside").whole<std::uint64_t>(),
              .checksum = samples.at("checksum").whole<std::uint32_t>(),
              .waiting = {}};
    const std::string& file = c.mark.file;  // a name from elsewhere that is looked up in the folder
    if (!file.empty() && file != csv_name && file != trajectory_name)
      throw InputError("it names a file of samples that no run has");
  } catch (const JsonError& error) {
    throw InputError(fmt::format("it does not say where the run stands: {}", error.what()));
  }
}

std::string bytes_of(const std::vector<double>& rows) {  // little-endian, as the machine: see trajectory.cpp
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double)};
}
std::vector<double> doubles_of(const std::string& bytes, std::size_t columns) {
  if (bytes.size() % (columns * sizeof(double)) != 0) throw InputError("the samples in it are not whole");
  std::vector<double> rows(bytes.size() / sizeof(double));
  if (!rows.empty()) std::memcpy(rows.data(), bytes.data(), bytes.size());
  return rows;
}

Checkpoint named(OpenFile file, const std::string& path) {
  try {
    return read_checkpoint(std::move(file));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} cannot be used: {}", path, error.what()));
  }
}

}  // namespace

std::string_view status_name(RunStatus status) { return status_names[static_cast<std::size_t>(status)]; }

void write_checkpoint(const Folder& folder, const Checkpoint& c) {
  std::string bytes = file_signature(FileKind::checkpoint);
  bytes += encode("HEAD", 0, to_json(c.identity));
  bytes += encode("STEP", 1, where_it_stands(c));
  bytes += encode("MACH", 2, c.snapshot.machine);
  bytes += encode("TALY", 3, c.snapshot.tally);
  bytes += encode("WAIT", 4, bytes_of(c.mark.waiting));
  std::uint64_t next = 5;
  if (!c.snapshot.events.empty()) bytes += encode("EVNT", next++, c.snapshot.events);
  if (c.report) bytes += encode("PAGE", next++, c.report->bytes(c.identity.coordinates.size()), true);
  bytes += encode("DONE", next, "");
  replace_file(folder, checkpoint_name, bytes, previous_checkpoint_name);
}

Checkpoint read_checkpoint(const std::string& path) { return named(opened(path), path); }

Checkpoint read_checkpoint(const Folder& folder, const std::string& name) {
  return named(opened(folder, name), folder.path_of(name));
}

Checkpoint read_checkpoint(OpenFile file) {
  ChunkReader reader(std::move(file), FileKind::checkpoint);
  const auto any_chunk = [&] {
    auto next = reader.next();
    if (!next) throw InputError(reader.damage().empty() ? "the file ends too early" : reader.damage());
    return std::move(*next);
  };
  const auto payload = [](Chunk&& chunk, std::string_view tag) {
    if (chunk.tag != tag) throw InputError(fmt::format("chunk {} is not {}", chunk.number, tag));
    return std::move(chunk.payload);
  };
  const auto chunk = [&](std::string_view tag) { return payload(any_chunk(), tag); };
  Checkpoint c;
  c.identity = run_identity(chunk("HEAD"));
  read_where_it_stands(chunk("STEP"), c);
  c.snapshot.machine = chunk("MACH");
  c.snapshot.tally = chunk("TALY");
  if (reader.layout() > 1) c.mark.waiting = doubles_of(chunk("WAIT"), c.identity.width());
  Chunk last = any_chunk();
  if (last.tag == "EVNT") {
    c.snapshot.events = std::move(last.payload);
    last = any_chunk();
  }
  if (last.tag == "PAGE") {
    c.report = std::make_shared<ReportSoFar>(report_so_far(last.payload, c.identity.coordinates.size()));
    last = any_chunk();
  }
  payload(std::move(last), "DONE");
  if (reader.good_bytes() != reader.size()) throw InputError("something follows after its end");
  return c;
}

}  // namespace taut
