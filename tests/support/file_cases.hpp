// Every reader of a file that is no model, right and wrong: tables of starts, trajectories, samples as text
// and the draws of chains, with n entries. As in reading_cases.hpp, reading takes a time that grows as n.
#pragma once

#include <taut/contract/request.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/ensemble/table.hpp>
#include <taut/sample/draws_folder.hpp>
#include <taut/store/checkpoint.hpp>
#include <taut/store/csv_reader.hpp>
#include <taut/store/csv_samples.hpp>
#include <taut/store/trajectory.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/reading_cases.hpp"

namespace taut::test {

struct FileCase {
  std::string name;
  bool right;  // the file is read without an error
  // Makes a file of n entries, and returns what reads it. That throws InputError if something is wrong.
  std::function<std::function<void()>(int)> made;
};

// A folder for the files of a case, as long as somebody reads them.
class CaseFolder {
 public:
  CaseFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "taut-case-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~CaseFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  const std::string& path() const { return path_; }
  Folder opened() const { return made_folder(path_); }

 private:
  std::string path_;
};

inline std::vector<std::string> names_x(int n) {
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back("x" + str(i));
  return names;
}

// A table of starts of a model whose names are `known`.
inline std::function<void()> table_of(const std::string& name, std::string bytes,
                                      std::vector<std::string> known) {
  return [table = TableFile{name, std::move(bytes)}, known = std::move(known)] {
    read_table(table, known, known);
  };
}

inline std::string row_of(int n) {
  return many(n, ",", [](int i) { return str(i) + ".5"; }) + "\n";
}
inline std::string numbers(int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) put_number(bytes, i + 0.5);
  return bytes;
}

inline RunIdentity identity_of(int coordinates) {
  RunIdentity identity;
  identity.coordinates = names_x(coordinates);
  return identity;
}

// Lets a reader of samples read all of them, and throws if some are not whole.
inline void read_all(SampleReader& reader) {
  while (reader.next()) {
  }
  if (!reader.damage().empty()) throw InputError(reader.damage());
}

// The trajectory of a system with so many coordinates, and so many samples.
inline std::function<void()> trajectory_of(int coordinates, int samples) {
  const auto folder = std::make_shared<CaseFolder>();
  const RunIdentity identity = identity_of(coordinates);
  TrajectoryWriter writer(folder->opened(), identity);
  const std::vector<double> row(identity.width(), 0.5);
  for (int k = 0; k < samples; ++k) writer.add(row);
  writer.finish();
  return [folder] {
    TrajectoryReader reader(folder->path() + "/" + trajectory_name);
    read_all(reader);
  };
}

// The samples of such a run as text, with the checkpoint beside them.
inline std::function<void()> csv_of(int coordinates, int samples) {
  const auto folder = std::make_shared<CaseFolder>();
  Checkpoint checkpoint{.identity = identity_of(coordinates), .snapshot = {}, .mark = {}};
  CsvSamples sink(folder->opened(), checkpoint.identity);
  const std::vector<double> row(checkpoint.identity.width(), 0.5);
  for (int k = 0; k < samples; ++k) sink.add(row);
  checkpoint.mark = sink.sync();
  write_checkpoint(folder->opened(), checkpoint);
  return [folder] {
    CsvReader reader(folder->path() + "/" + csv_name);
    read_all(reader);
  };
}

// A chain of two columns, in blocks of so many draws.
inline std::function<void()> draws_of(int blocks, int draws, const std::string& rest) {
  const auto folder = std::make_shared<CaseFolder>();
  const std::string digest(64, '0'), path = folder->path() + "/chain-1.draws";
  std::string bytes = chain_head(digest);
  const std::vector<double> rows(2 * static_cast<std::size_t>(draws), 0.5), state(3, 1.0);
  for (int k = 0; k < blocks; ++k) bytes += chain_block(rows, draws, state);
  replace_file(folder->opened(), "chain-1.draws", bytes + rest);
  return [folder, digest, path] {
    const StoredChain chain = read_chain(opened(path), path, digest, 2);
    if (!chain.damage.empty()) throw InputError(chain.damage);
  };
}

inline std::vector<FileCase> file_cases() {
  return {
      {"a table of one column", true,
       [](int n) {
         return table_of("t.csv", "x0\n" + many(n, "", [](int i) { return str(i) + "\n"; }), names_x(1));
       }},
      {"a table of many columns", true,
       [](int n) {
         return table_of("t.csv", many(n, ",", [](int i) { return "x" + str(i); }) + "\n" + row_of(n),
                         names_x(n));
       }},
      {"a table with blanks and empty lines", true,
       [](int n) {
         return table_of("t.csv",
                         "x0, x1\r\n" + many(n, "", [](int i) { return " " + str(i) + " ,\t2\r\n\r\n"; }),
                         names_x(2));
       }},
      {"a table of unknown columns", false,
       [](int n) {
         return table_of("t.csv", many(n, ",", [](int i) { return "y" + str(i); }) + "\n" + row_of(n),
                         names_x(n));
       }},
      {"a table with one column many times", false,
       [](int n) {
         return table_of("t.csv", many(n, ",", [](int) { return std::string("x0"); }) + "\n" + row_of(n),
                         names_x(n));
       }},
      {"a table without numbers", false,
       [](int n) {
         return table_of("t.csv", "x0,x1\n" + many(n, "", [](int i) { return "a" + str(i) + ",\n"; }),
                         names_x(2));
       }},
      {"a table with a row that is too long", false,
       [](int n) { return table_of("t.csv", "x0\n" + row_of(n), names_x(1)); }},
      {"an array", true,
       [](int n) { return table_of("t.npy", npy_header({n, 1}) + numbers(n), names_x(1)); }},
      {"an array of many columns", true,
       [](int n) { return table_of("t.npy", npy_header({1, n}) + numbers(n), names_x(n)); }},
      {"an array with names", true,
       [](int n) { return table_of("t.npy", npy_header(names_x(n), 1) + numbers(n), names_x(n)); }},
      {"an array that is cut", false,
       [](int n) { return table_of("t.npy", npy_header({n, 1}) + numbers(n - 1), names_x(1)); }},
      {"a trajectory of many coordinates", true, [](int n) { return trajectory_of(n, 3); }},
      {"a trajectory of many samples", true, [](int n) { return trajectory_of(2, n); }},
      {"samples as text of many coordinates", true, [](int n) { return csv_of(n, 3); }},
      {"samples as text", true, [](int n) { return csv_of(2, n); }},
      {"draws in one block", true, [](int n) { return draws_of(1, n, ""); }},
      {"draws in many blocks", true, [](int n) { return draws_of(n, 1, ""); }},
      {"draws with something behind them", false, [](int n) { return draws_of(n, 1, "draw"); }},
  };
}

// Reads the file of a case, and says what is wrong with it; nothing if it is right.
inline std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace taut::test
