#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/unit_file.hpp>
#include <taut/store/chunk_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace taut {

namespace {

// Chunks of a unit: what it holds; ends of trajectories; how they ended; samples, in as many chunks as are
// needed.
constexpr std::string_view head_tag = "UNIT", rows_tag = "ROWS", endings_tag = "ENDS", samples_tag = "SAMP";
constexpr std::size_t numbers_of_chunk = 1U << 22U;
constexpr double most_numbers = 1e12;  // samples of one trajectory
constexpr std::size_t ending_size = 2 + 4 + 3 * 8;

struct UnitFault {
  std::string sentence;
};

template <class Integer>
void put_whole(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}
template <class Integer>
Integer taken_whole(std::string_view& in) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(in[i])} << (8 * i);
  in.remove_prefix(sizeof(Integer));
  return static_cast<Integer>(value);
}
double taken_number(std::string_view& in) { return std::bit_cast<double>(taken_whole<std::uint64_t>(in)); }

std::size_t product(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

std::string head_of(const Unit& u, const std::string& ensemble) {
  std::string out;
  put_whole(out, u.index);
  put_whole(out, u.size);
  for (const int n : {u.count, u.columns, u.samples, u.sample_columns}) put_whole(out, n);
  return out + ensemble;
}

std::string endings_of(const Unit& u) {
  std::string out;
  for (const Ending& e : u.endings) {
    put_whole(out, static_cast<std::uint8_t>(e.kind));
    put_whole(out, e.stage);
    put_whole(out, e.constraint);
    put_number(out, e.time);
    put_number(out, e.residual);
    put_whole(out, e.steps);
  }
  return out;
}

void put_numbers(std::string& file, std::uint64_t& number, std::string_view tag,
                 const std::vector<double>& x) {
  for (std::size_t at = 0; at < x.size(); at += numbers_of_chunk) {
    const std::size_t end = std::min(x.size(), at + numbers_of_chunk);
    std::string payload;
    payload.reserve(8 * (end - at));
    for (std::size_t k = at; k < end; ++k) put_number(payload, x[k]);
    file += encode(tag, number++, payload, true);
  }
}

class UnitReader {
 public:
  explicit UnitReader(OpenFile file) : chunks_(std::move(file), FileKind::unit) {}

  Unit read(const std::string& ensemble) {
    Unit u;
    const std::string head = payload(head_tag);
    if (chunks_.layout() != file_layout) throw UnitFault{"its layout is an old one"};
    if (head.size() < 32) throw UnitFault{"its first chunk is too short"};
    std::string_view at = head;
    u.index = taken_whole<std::int64_t>(at);
    u.size = taken_whole<std::int64_t>(at);
    for (int* n : {&u.count, &u.columns, &u.samples, &u.sample_columns}) *n = taken_whole<int>(at);
    if (at != ensemble) throw UnitFault{"it belongs to another ensemble"};
    if (u.index < 0 || u.count < 1 || u.count > unit_size || u.size < 1 || u.size > unit_size ||
        u.columns < 0 || u.samples < 0 || u.sample_columns < 0 ||
        static_cast<double>(u.samples) * u.sample_columns > most_numbers)
      throw UnitFault{"its sizes make no sense"};
    take_numbers(u.rows, product(u.count, u.columns), rows_tag);
    take_endings(u);
    take_numbers(u.sampled, product(u.count, u.samples, u.sample_columns), samples_tag);
    if (chunks_.good_bytes() != chunks_.size()) throw UnitFault{"there is more in it than a unit"};
    return u;
  }

 private:
  std::string payload(std::string_view tag) {
    auto chunk = chunks_.next();
    if (!chunk) throw UnitFault{chunks_.damage().empty() ? "the file ends too early" : chunks_.damage()};
    if (chunk->tag != tag)
      throw UnitFault{fmt::format("there is a chunk {} in place of {}", chunk->tag, tag)};
    return std::move(chunk->payload);
  }
  void take_numbers(std::vector<double>& out, std::size_t count, std::string_view tag) {
    while (out.size() < count) {  // memory is asked for as it comes, whatever the sizes promise
      const std::string bytes = payload(tag);
      if (bytes.empty() || bytes.size() % 8 != 0 || bytes.size() / 8 > count - out.size())
        throw UnitFault{fmt::format("a chunk {} has {} bytes", tag, bytes.size())};
      for (std::string_view at = bytes; !at.empty();) out.push_back(taken_number(at));
    }
  }
  void take_endings(Unit& u) {
    const std::string bytes = payload(endings_tag);
    if (bytes.size() != ending_size * static_cast<std::size_t>(u.count))
      throw UnitFault{fmt::format("a chunk {} has {} bytes", endings_tag, bytes.size())};
    for (std::string_view at = bytes; !at.empty();) {
      Ending e;
      const auto kind = taken_whole<std::uint8_t>(at);
      if (kind >= ended_count) throw UnitFault{"a trajectory of it ended in an unknown way"};
      e.kind = static_cast<Ended>(kind);
      e.stage = taken_whole<std::uint8_t>(at);
      e.constraint = taken_whole<std::int32_t>(at);
      e.time = taken_number(at);
      e.residual = taken_number(at);
      e.steps = taken_whole<std::int64_t>(at);
      u.endings.push_back(e);
    }
  }

  ChunkReader chunks_;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace

std::string unit_bytes(const Unit& unit, const std::string& ensemble) {
  std::string file = file_signature(FileKind::unit);
  std::uint64_t number = 0;
  file += encode(head_tag, number++, head_of(unit, ensemble));
  put_numbers(file, number, rows_tag, unit.rows);
  file += encode(endings_tag, number++, endings_of(unit), true);
  put_numbers(file, number, samples_tag, unit.sampled);
  return file;
}

FoundUnit read_unit(OpenFile file, const std::string& ensemble) {
  try {
    return {.unit = UnitReader(std::move(file)).read(ensemble)};
  } catch (const UnitFault& fault) {
    return {.unit = std::nullopt, .damage = fault.sentence};
  }
}

bool same_bits(const Unit& a, const Unit& b) {
  // The bytes hold all that counts, and the bits of numbers that are not equal to themselves.
  return head_of(a, "") == head_of(b, "") && endings_of(a) == endings_of(b) && same_bits(a.rows, b.rows) &&
         same_bits(a.sampled, b.sampled);
}

}  // namespace taut
