// Laskar's frequency analysis: the frequencies of a quasi-periodic signal, far closer than 1/T.
#pragma once

#include <taut/run/model_run.hpp>
#include <taut/run/telling.hpp>

#include <complex>
#include <string>
#include <vector>

namespace taut {

struct Line {
  double frequency = 0;  // in radians per unit of time
  std::complex<double> amplitude;
};

struct Spectrum {
  std::vector<Line> lines;  // Σ amplitude exp(i frequency t), in the order in which they were found
  double residual = 0;      // the root of the mean square of what they leave
};

// Finds `count` frequencies of samples at the times 0, dt, 2dt, … with a Hann window of this order. The
// signal may be complex: q + i p turns one way.
Spectrum frequencies_of(const std::vector<std::complex<double>>& signal, double dt, int count, int window);

// The spectrum of one column of a run, x, or of two, x + i y.
struct SpectrumOfRun {
  Spectrum spectrum;
  std::string model, method, of;  // the last is the signal in words
  double time = 0;
  std::vector<double> t = {};
  std::vector<std::complex<double>> signal = {};
  std::vector<std::string> warnings = {};  // what the run warns of
};

std::string to_json(const SpectrumOfRun& found);

// Makes the run and analyses its samples, which must be equally far apart. `names` are columns of a sample,
// one or two; none: the first coordinate. Throws AnalysisError if the run fails.
SpectrumOfRun spectrum_of(ModelRun run, std::vector<std::string> names, int count, int window,
                          const Telling& telling = {});

}  // namespace taut
