// The format .npy of numpy: a line that describes an array, then its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// A table of numbers: rows with names (a structured array), or a plain array of two dimensions.
struct NpyArray {
  std::vector<std::string> names;  // none if the array has none
  std::size_t columns = 0;
  std::vector<double> values;  // row by row
};

// Reads floats and whole numbers of any width and order of bytes. Throws InputError, which says what is wrong
// with the file `name`.
NpyArray read_npy(std::string_view bytes, const std::string& name);

// Returns what stands before the numbers of an array of doubles, little-endian, last index fastest.
std::string npy_header(const std::vector<std::int64_t>& shape);

// Returns the same for rows whose columns have names.
std::string npy_header(const std::vector<std::string>& names, std::int64_t rows);

// Appends a number as it stands in such an array.
void put_number(std::string& bytes, double x);

}  // namespace taut
