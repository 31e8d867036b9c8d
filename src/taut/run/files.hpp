// The files of a run: DIR/samples.csv while it goes, DIR/summary.json at its end. Each write is checked.
#pragma once

#include <taut/run/observer.hpp>
#include <taut/run/request.hpp>

#include <cstdio>

namespace taut {

class SamplesFile {
 public:
  // Makes the folder; throws WriteError. `columns` names coordinates and momenta.
  SamplesFile(const std::string& folder, const std::vector<std::string>& columns);
  ~SamplesFile();
  SamplesFile(const SamplesFile&) = delete;
  SamplesFile& operator=(const SamplesFile&) = delete;

  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading);
  void close();

 private:
  void write(const std::string& text);
  std::string path_;
  std::FILE* file_ = nullptr;
};

// Complete or not at all: written beside and renamed.
void write_summary(const std::string& folder, const RunSummary& summary);

}  // namespace taut
