#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>

namespace taut {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyFault {
  std::string sentence;
};

struct NpyType {    // the type of one number
  char kind = 'f';  // float, int or unsigned
  std::size_t size = 8;
  bool big = false;  // the first byte is the largest
};

// Reads the description of an array, which is a literal of Python: { 'key': value, … }.
class NpyHeader {
 public:
  explicit NpyHeader(std::string_view text) : rest_(text) { read(); }

  std::vector<std::string> names;
  std::vector<NpyType> types;  // one for each name, or one
  bool fortran = false;
  std::vector<std::size_t> shape;

 private:
  void read() {
    expect('{');
    while (!found('}')) {
      const std::string key = word();
      expect(':');
      if (key == "descr")
        read_description();
      else if (key == "fortran_order")
        read_order();
      else if (key == "shape")
        read_shape();
      else
        throw NpyFault{"its header has an unknown key " + ticked(key)};
      if (!found(',')) {
        expect('}');
        break;
      }
    }
    if (types.empty()) throw NpyFault{"its header has no type of numbers"};
  }

  void blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool found(char c) {
    blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!found(c)) throw NpyFault{fmt::format("its header has no `{}` in its place", c)};
  }
  std::string word() {
    blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
      throw NpyFault{"its header has no text in its place"};
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == rest_.npos) throw NpyFault{"a text in its header does not end"};
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  void read_description() {
    if (!found('[')) {
      types.push_back(type_of(word()));
      return;
    }
    while (!found(']')) {
      expect('(');
      names.push_back(word());
      expect(',');
      types.push_back(type_of(word()));
      found(',');
      if (!found(')')) throw NpyFault{"its column " + ticked(names.back()) + " has more than one number"};
      found(',');
    }
  }
  static NpyType type_of(const std::string& text) {
    NpyType type;
    std::string_view at = text;
    const char order = at.empty() ? ' ' : at.front();
    if (order == '<' || order == '>' || order == '|' || order == '=') at.remove_prefix(1);
    type.big = order == '>';
    type.kind = at.empty() ? ' ' : at.front();
    const std::string_view size = at.substr(std::min<std::size_t>(1, at.size()));
    const bool whole = type.kind == 'i' || type.kind == 'u';
    if (size == "8" || size == "4")
      type.size = size == "8" ? 8 : 4;
    else if (whole && (size == "1" || size == "2"))
      type.size = size == "1" ? 1 : 2;
    else
      type.kind = ' ';
    if (type.kind != 'f' && !whole)
      throw NpyFault{"its numbers are of the type " + ticked(text) +
                     "; floats (f4, f8) and whole numbers are read"};
    return type;
  }
  void read_order() {
    blanks();
    fortran = rest_.starts_with("True");
    if (!fortran && !rest_.starts_with("False"))
      throw NpyFault{"its header does not say the order of its numbers"};
    rest_.remove_prefix(fortran ? 4 : 5);
  }
  void read_shape() {
    expect('(');
    while (!found(')')) {
      blanks();
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc()) throw NpyFault{"the shape in its header is not one of numbers"};
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(size);
      found(',');
    }
  }

  std::string_view rest_;
};

double number_at(const char* at, NpyType type) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < type.size; ++k) {
    const std::size_t from = type.big ? k : type.size - 1 - k;
    bits = bits << 8 | static_cast<unsigned char>(at[from]);
  }
  if (type.kind == 'f')
    return type.size == 8 ? std::bit_cast<double>(bits)
                          : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type.kind == 'u') return static_cast<double>(bits);
  const int unused = 64 - static_cast<int>(8 * type.size);  // shifted out and in again, for the sign
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

NpyArray array_of(std::string_view bytes) {
  if (!bytes.starts_with(npy_magic) || bytes.size() < 10)
    throw NpyFault{"it does not begin as an array of numpy"};
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    throw NpyFault{fmt::format("its format has the version {}; 1 to 3 are read", major)};
  const std::size_t width = major == 1 ? 2 : 4, begin = 8 + width;
  std::size_t length = 0;
  if (bytes.size() < begin) throw NpyFault{"it ends inside its header"};
  for (std::size_t k = 0; k < width; ++k)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + k])) << (8 * k);
  if (length > bytes.size() - begin) throw NpyFault{"it ends inside its header"};
  const NpyHeader header(bytes.substr(begin, length));
  bytes.remove_prefix(begin + length);

  const bool named = !header.names.empty();
  if (header.shape.size() != (named ? 1U : 2U))
    throw NpyFault{
        fmt::format("the array has {}; {}", counted(header.shape.size(), "dimension"),
                    named ? "one with names has one" : "one without names has two: rows and columns")};
  NpyArray out{header.names, named ? header.names.size() : header.shape[1], {}};
  const std::size_t rows = header.shape[0];
  if (rows == 0) throw NpyFault{"the array has no rows"};
  if (out.columns > bytes.size()) throw NpyFault{"it has fewer bytes than columns"};
  std::size_t row_size = named ? 0 : out.columns * header.types[0].size;
  if (named)
    for (const NpyType& type : header.types) row_size += type.size;
  if (row_size == 0 || bytes.size() / row_size != rows || bytes.size() % row_size != 0)
    throw NpyFault{fmt::format("it has {} bytes of numbers, which are not {} of {} bytes", bytes.size(),
                               counted(rows, "row"), row_size)};
  out.values.reserve(rows * out.columns);
  for (std::size_t i = 0; i < rows; ++i) {
    const char* at = bytes.data() + i * row_size;
    for (std::size_t j = 0; j < out.columns; ++j) {
      const NpyType type = header.types[named ? j : 0];
      const char* here = !named && header.fortran ? bytes.data() + (j * rows + i) * type.size : at;
      out.values.push_back(number_at(here, type));
      at += type.size;
    }
  }
  return out;
}

}  // namespace

NpyArray read_npy(std::string_view bytes, const std::string& name) {
  try {
    return array_of(bytes);
  } catch (const NpyFault& fault) {
    throw InputError(fmt::format("{}: {}.", name, fault.sentence));
  }
}

namespace {

// Puts what every file begins with before the description of an array.
std::string npy_header_of(std::string text) {
  constexpr std::size_t aligned = 64;  // the numbers begin at a multiple of 64
  constexpr std::size_t short_before = 10, long_before = 12, most_short = 65000;
  const bool is_long = text.size() > most_short;
  const std::size_t before = is_long ? long_before : short_before;
  text.append((aligned - (before + text.size() + 1) % aligned) % aligned, ' ');
  text += '\n';
  std::string out(npy_magic);
  out += is_long ? '\x02' : '\x01';
  out += '\0';
  for (int k = 0; k < (is_long ? 4 : 2); ++k) out += static_cast<char>(text.size() >> 8 * k & 0xff);
  return out + text;
}

}  // namespace

std::string npy_header(const std::vector<std::int64_t>& shape) {
  std::string sizes;
  for (const std::int64_t n : shape) sizes += fmt::format("{}, ", n);
  if (shape.size() > 1) sizes.resize(sizes.size() - 2);
  return npy_header_of(fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}",
                                   shape.size() == 1 ? sizes.substr(0, sizes.size() - 1) : sizes));
}

std::string npy_header(const std::vector<std::string>& names, std::int64_t rows) {
  std::string fields;
  for (const std::string& name : names) fields += fmt::format("('{}', '<f8'), ", name);
  if (!fields.empty()) fields.resize(fields.size() - 2);
  return npy_header_of(
      fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}", fields, rows));
}

void put_number(std::string& bytes, double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  for (int k = 0; k < 64; k += 8) bytes.push_back(static_cast<char>(bits >> k & 0xff));
}

}  // namespace taut
