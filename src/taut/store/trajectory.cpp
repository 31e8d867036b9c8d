#include <taut/store/trajectory.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace taut {

namespace {

static_assert(std::endian::native == std::endian::little, "the rows of a trajectory are written as they lie");

constexpr std::size_t largest_wait = std::size_t{1} << 17;  // doubles: 1 MiB

struct RowsHead {
  std::uint64_t first = 0, count = 0;  // number of the first sample; how many
};

}  // namespace

TrajectoryReader::TrajectoryReader(const std::string& path) try : TrajectoryReader(opened(path), path) {
} catch (const InputError& error) {
  const std::string text = error.what();
  throw InputError(text.ends_with('.') ? text : text + ".");
}

TrajectoryReader::TrajectoryReader(OpenFile file, const std::string& path) try
    : TrajectoryReader(std::move(file)) {
  path_ = path;
} catch (const InputError& error) {
  throw InputError(fmt::format("{}: {}.", path, error.what()));
}

TrajectoryReader::TrajectoryReader(OpenFile file) : chunks_(std::move(file), FileKind::trajectory) {
  const auto head = chunks_.next();
  if (!head)
    throw InputError(chunks_.damage().empty() ? "it holds nothing but its signature" : chunks_.damage());
  if (head->tag != "HEAD") throw InputError("its first chunk does not say what the run is");
  identity_ = run_identity(head->payload);
  columns_ = identity_.width();
  chunk_count_ = 1;
}

std::optional<Chunk> TrajectoryReader::next_chunk() {
  try {
    return chunks_.next();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}{}{}.", path_, path_.empty() ? "" : ": ", error.what()));
  }
}

std::optional<std::vector<double>> TrajectoryReader::next() {
  if (finished_ || !damage_.empty()) return std::nullopt;
  const auto chunk = next_chunk();
  if (!chunk) {
    damage_ = chunks_.damage();
    return std::nullopt;
  }
  RowsHead head;
  if (chunk->tag == "DONE") {
    finished_ = true;
    if (chunks_.good_bytes() != chunks_.size()) damage_ = "something follows after its end";
    return std::nullopt;
  }
  const auto wrong = [&] {
    damage_ = fmt::format("chunk {} does not hold the samples that should follow", chunk->number);
    return std::nullopt;
  };
  if (chunk->tag != "ROWS" || chunk->payload.size() < sizeof head) return wrong();
  std::memcpy(&head, chunk->payload.data(), sizeof head);
  const std::size_t bytes = chunk->payload.size() - sizeof head, row = columns_ * sizeof(double);
  if (head.first != samples_ || bytes % row != 0 || bytes / row != head.count) return wrong();
  std::vector<double> rows(bytes / sizeof(double));
  if (bytes > 0) std::memcpy(rows.data(), chunk->payload.data() + sizeof head, bytes);
  samples_ += head.count;
  ++chunk_count_;
  return rows;
}

TrajectoryWriter::TrajectoryWriter(const Folder& folder, const RunIdentity& identity)
    : columns_(identity.width()),
      compress_(identity.asked.format == SampleFormat::compressed),
      file_(AppendFile::create(folder, trajectory_name)),
      chunks_(1),
      samples_(0),
      bytes_(0) {
  file_.append(file_signature(FileKind::trajectory) + encode("HEAD", 0, to_json(identity)));
  bytes_ = file_.length();
}

TrajectoryWriter::TrajectoryWriter(const Folder& folder, const RunIdentity& identity, const SampleMark& mark,
                                   bool keep_later)
    : columns_(identity.width()),
      compress_(identity.asked.format == SampleFormat::compressed),
      added_(mark.samples),
      file_(AppendFile::reopen(folder, trajectory_name)),
      found_(look_through(file_, identity, mark, keep_later)),
      chunks_(found_.chunks),
      samples_(found_.samples),
      bytes_(found_.bytes) {
  file_.cut(found_.bytes);
  // Some rows that waited were written after the mark: these are in the file.
  const std::size_t written =
      std::min<std::uint64_t>((found_.samples - mark.inside) * columns_, mark.waiting.size());
  rows_.assign(mark.waiting.begin() + static_cast<std::ptrdiff_t>(written), mark.waiting.end());
}

TrajectoryWriter::Found TrajectoryWriter::look_through(const AppendFile& file, const RunIdentity& identity,
                                                       const SampleMark& mark, bool keep_later) {
  const std::string& path = file.path();
  TrajectoryReader reader(file.reader(), path);
  if (reader.identity().digest() != identity.digest())
    throw InputError(fmt::format("{} is of another run than the checkpoint.", path));
  Found found;
  const auto take = [&] {
    found.bytes = reader.good_bytes();
    found.chunks = reader.chunks();
    found.samples = reader.samples();
  };
  take();
  bool passes_mark = found.bytes == mark.bytes && found.samples == mark.inside;
  while (keep_later || !passes_mark) {
    const auto rows = reader.next();
    if (!rows) break;
    take();
    if (rows->size() >= reader.columns())
      found.last.assign(rows->end() - static_cast<std::ptrdiff_t>(reader.columns()), rows->end());
    passes_mark = passes_mark || (found.bytes == mark.bytes && found.samples == mark.inside);
  }
  if (!passes_mark)
    throw InputError(
        fmt::format("{} is not whole: the checkpoint knows of {} samples in {} bytes, and {} samples in {} "
                    "bytes are good{}.",
                    path, mark.inside, mark.bytes, found.samples, found.bytes,
                    reader.damage().empty() ? "" : " (" + reader.damage() + ")"));
  return found;
}

// Compares a sample that the file already has with the same one computed again after a checkpoint. Only the
// last of them is compared: on a machine that rounds in another way the run would not be the same.
void TrajectoryWriter::check_again(std::span<const double> row) const {
  if (std::memcmp(row.data(), found_.last.data(), row.size_bytes()) != 0)
    throw InputError(fmt::format(
        "{}: sample {} came out different from the one in the file: this machine computes other digits.",
        file_.path(), added_));
}

void TrajectoryWriter::add(std::span<const double> row) {
  ++added_;
  if (added_ == found_.samples) check_again(row);
  if (added_ <= found_.samples) return;
  rows_.insert(rows_.end(), row.begin(), row.end());
  if (rows_.size() >= largest_wait) flush();
}

void TrajectoryWriter::flush() {
  if (rows_.empty()) return;
  const RowsHead head{samples_, rows_.size() / columns_};
  std::string payload(reinterpret_cast<const char*>(&head), sizeof head);
  payload.append(reinterpret_cast<const char*>(rows_.data()), rows_.size() * sizeof(double));
  file_.append(encode("ROWS", chunks_, payload, compress_));
  bytes_ = file_.length();
  ++chunks_;
  samples_ += head.count;
  rows_.clear();
}

SampleMark TrajectoryWriter::sync() {
  flush();
  file_.check();
  return held();
}

SampleMark TrajectoryWriter::held() {
  file_.sync();
  return {.file = trajectory_name, .samples = added_, .bytes = bytes_, .inside = samples_, .waiting = rows_};
}

void TrajectoryWriter::finish() {
  flush();
  file_.append(encode("DONE", chunks_, fmt::format("{{\"samples\": {}}}", samples_)));
  file_.sync();
  file_.close();
}

}  // namespace taut
