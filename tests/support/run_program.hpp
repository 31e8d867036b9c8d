#pragma once

// Runs the taut program as a user would: standard output, standard error and exit status, kept apart.

#include "support/source_files.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace taut::test {

struct Ran {
  std::string out, err;
  int status = -1;
};

// A folder of this process's own, removed at the end of its life.
class OwnFolder {
 public:
  OwnFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "taut-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Runs taut with `arguments` as typed to a shell after `taut`, in the folder `where`; the shell does what
// `before` says first.
inline Ran run_taut(const std::string& arguments, const std::string& where = "/",
                    const std::string& before = {}) {
  const OwnFolder folder;
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  const std::string command = before + "cd '" + where + "' && '" TAUT_PROGRAM "' " + arguments + " >'" + out +
                              "' 2>'" + err + "' </dev/null";
  const int status = std::system(command.c_str());
  return {read_text(out), read_text(err), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace taut::test
