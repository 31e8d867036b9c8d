// The file in which a long analysis keeps what it has found, so that it can go on after a kill. It is
// replaced as a whole or not at all.
#pragma once

#include <taut/files/folder.hpp>

#include <string>

namespace taut {

inline constexpr const char* analysis_name = "analysis.taut";

class AnalysisFile {
 public:
  // Opens the folder, makes it if there is none, and reads what is there. `whose` tells analyses apart.
  // Throws InputError if the file is damaged or that of another analysis.
  AnalysisFile(const std::string& folder, const std::string& whose);
  const std::string& kept() const { return kept_; }  // empty if nothing was kept yet
  void keep(const std::string& state);               // throws WriteError

 private:
  Folder folder_;
  std::string head_;  // what the file begins with if it is that of this analysis
  std::string kept_;
};

}  // namespace taut
