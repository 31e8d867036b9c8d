#include <taut/export/hdf5_file.hpp>

namespace taut {

namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::uint64_t alignment = 8;

// Types of header messages.
constexpr std::uint16_t dataspace_message = 1, link_info_message = 2, datatype_message = 3,
                        fill_value_message = 5, link_message = 6, layout_message = 8, group_info_message = 10,
                        attribute_message = 12;

class Bytes {
 public:
  template <class Integer>
  // The bytes are little-endian on every machine.
  Bytes& put(Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      text_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
    return *this;
  }
  Bytes& put8(int value) { return put(static_cast<std::uint8_t>(value)); }
  Bytes& add(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  // Fills up to a multiple of eight bytes.
  Bytes& fill() {
    while (text_.size() % alignment != 0) text_.push_back('\0');
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string dataspace(const std::vector<std::uint64_t>& shape) {
  Bytes b;
  b.put8(1).put8(static_cast<int>(shape.size())).put8(0).put8(0).put(std::uint32_t{0});
  for (const std::uint64_t size : shape) b.put(size);
  return b.text();
}

// Writes version 1; the class is in the low four bits of the first byte.
std::string datatype(Hdf5Type type, std::size_t width) {
  Bytes b;
  const auto size = static_cast<std::uint32_t>(width);
  switch (type) {
    case Hdf5Type::integer:  // two's complement, little-endian, all bits used
      b.put8(0x10).put8(0x08).put8(0).put8(0).put(size).put(std::uint16_t{0}).put(std::uint16_t{64});
      break;
    // IEEE 754 double: sign at bit 63, exponent of 11 bits at 52, mantissa with an implied first bit.
    case Hdf5Type::real:
      b.put8(0x11).put8(0x20).put8(63).put8(0).put(size).put(std::uint16_t{0}).put(std::uint16_t{64});
      b.put8(52).put8(11).put8(0).put8(52).put(std::uint32_t{1023});
      break;
    case Hdf5Type::text:
      b.put8(0x13).put8(0x11).put8(0).put8(0).put(size);
      break;
  }
  return b.text();
}

std::string filled(const std::string& bytes) { return Bytes().add(bytes).fill().text(); }

std::string message(std::uint16_t type, const std::string& body) {
  const std::string padded = filled(body);
  Bytes b;
  b.put(type).put(static_cast<std::uint16_t>(padded.size())).put(std::uint32_t{0});
  return b.add(padded).text();
}

std::string attribute(const Hdf5Attribute& a) {
  const std::string type = datatype(a.type, a.width), space = dataspace(a.shape);
  Bytes b;
  b.put8(1).put8(0).put(static_cast<std::uint16_t>(a.name.size() + 1));
  b.put(static_cast<std::uint16_t>(type.size())).put(static_cast<std::uint16_t>(space.size()));
  b.add(filled(a.name + '\0')).add(filled(type)).add(filled(space)).add(a.bytes);
  return message(attribute_message, b.text());
}

std::string link(const Hdf5File::Link& l) {
  Bytes b;  // a hard link, the length of its name in one byte
  b.put8(1).put8(0).put8(static_cast<int>(l.name.size())).add(l.name).put(l.object);
  return message(link_message, b.text());
}

}  // namespace

Hdf5Attribute text_attribute(const std::string& name, const std::string& text) {
  const std::string bytes = text.empty() ? std::string(1, '\0') : text;
  return {name, Hdf5Type::text, bytes.size(), {}, bytes};
}

Hdf5File::Address Hdf5File::room(std::uint64_t bytes) {
  const Address at = end_;
  end_ += (bytes + alignment - 1) / alignment * alignment;
  return at;
}

Hdf5File::Address Hdf5File::object(const std::vector<std::string>& messages, int links) {
  std::string body;
  for (const std::string& m : messages) body += m;
  Bytes b;
  b.put8(1).put8(0).put(static_cast<std::uint16_t>(messages.size()));
  b.put(static_cast<std::uint32_t>(links)).put(static_cast<std::uint32_t>(body.size())).fill().add(body);
  const Address at = room(b.text().size());
  out_.write_at(at, b.text());
  return at;
}

Hdf5File::Dataset Hdf5File::dataset(Hdf5Type type, std::size_t width, const std::vector<std::uint64_t>& shape,
                                    int links) {
  std::uint64_t bytes = width;
  for (const std::uint64_t size : shape) bytes *= size;
  const Address data = bytes > 0 ? room(bytes) : nowhere;
  Bytes layout;
  layout.put8(3).put8(1).put(data).put(bytes);
  Bytes fill;  // version 2, room made at once, no value
  fill.put8(2).put8(1).put8(2).put8(0);
  return {
      object({message(dataspace_message, dataspace(shape)), message(datatype_message, datatype(type, width)),
              message(fill_value_message, fill.text()), message(layout_message, layout.text())},
             links),
      data};
}

Hdf5File::Address Hdf5File::group(const std::vector<Link>& links,
                                  const std::vector<Hdf5Attribute>& attributes) {
  Bytes info;  // links are in the header, no heap and no index
  info.put8(0).put8(0).put(nowhere).put(nowhere);
  Bytes sizes;
  sizes.put8(0).put8(0);
  std::vector<std::string> messages{message(link_info_message, info.text()),
                                    message(group_info_message, sizes.text())};
  for (const Link& l : links) messages.push_back(link(l));
  for (const Hdf5Attribute& a : attributes) messages.push_back(attribute(a));
  return object(messages, 1);
}

void Hdf5File::finish(Address root) {
  Bytes b;
  b.add("\x89HDF\r\n\x1a\n").put(std::uint32_t{0});                      // versions of its parts, all 0
  b.put8(0).put8(8).put8(8).put8(0);                                     // addresses and lengths have 8 bytes
  b.put(std::uint16_t{4}).put(std::uint16_t{16}).put(std::uint32_t{0});  // sizes of trees that are not there
  b.put(std::uint64_t{0}).put(nowhere).put(end_).put(nowhere);
  b.put(std::uint64_t{0}).put(root).put(std::uint64_t{0}).put(std::uint64_t{0}).put(std::uint64_t{0});
  out_.write_at(0, b.text());
  // The file must be as long as it says, even if the last room was not written.
  if (end_ > 96) out_.write_at(end_ - 1, std::string_view("\0", 1));
}

}  // namespace taut
