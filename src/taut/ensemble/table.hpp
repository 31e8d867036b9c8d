// Starts and parameters of an ensemble in a file: a table with a name over each column and a row for each
// trajectory, as text (.csv) or as an array of numpy (.npy).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace taut {

struct TableFile {
  std::string name;   // its path, for messages; its ending says what it is
  std::string bytes;  // all of it
};

// Reads a file that the user names. Throws InputError if it cannot be read.
TableFile read_table_file(const std::string& path);

struct StartTable {
  std::vector<std::string> names;  // one for each column
  std::vector<double> values;      // row by row, all finite

  std::size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
  std::string sha256() const;  // a digest of names and values; the format of the file does not matter
};

// Reads the table. `known` are the names that its columns may have, and an array of numpy without names has
// the columns `unnamed`. Throws InputError, which says where each fault is: file:line:column, or row and
// column.
StartTable read_table(const TableFile& file, const std::vector<std::string>& known,
                      const std::vector<std::string>& unnamed);

}  // namespace taut
