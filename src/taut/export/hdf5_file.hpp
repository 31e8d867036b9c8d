// The small part of HDF5 that exports need: groups, attributes, and datasets of one piece whose size is known
// before they are written. It follows the format specification 2.0 with superblock 0, object headers of
// version 1 and groups whose links are messages of their header, which HDF5 1.8 and later read.
#pragma once

#include <taut/files/output_file.hpp>

#include <cstdint>
#include <vector>

namespace taut {

enum class Hdf5Type { integer, real, text };  // 64-bit, 64-bit, `width` bytes of UTF-8 filled up with zeros

struct Hdf5Attribute {
  std::string name;
  Hdf5Type type;
  std::size_t width = 8;
  std::vector<std::uint64_t> shape;  // empty: a single value
  std::string bytes;
};
Hdf5Attribute text_attribute(const std::string& name, const std::string& text);

class Hdf5File {
 public:
  using Address = std::uint64_t;
  struct Link {
    std::string name;
    Address object;
  };
  struct Dataset {
    Address object, data;  // its header, and the place for its values
  };

  explicit Hdf5File(OutputFile& out) : out_(out) {}

  // Adds a dataset; `links` is how many groups will hold it.
  Dataset dataset(Hdf5Type type, std::size_t width, const std::vector<std::uint64_t>& shape, int links = 1);
  Address group(const std::vector<Link>& links, const std::vector<Hdf5Attribute>& attributes = {});
  void finish(Address root);  // after everything else

 private:
  Address room(std::uint64_t bytes);
  Address object(const std::vector<std::string>& messages, int links);

  OutputFile& out_;
  std::uint64_t end_ = 96;  // after the superblock
};

}  // namespace taut
