// Keeps what a report needs of a run while it goes: energy error and residuals thinned without losing
// extremes, and so the first coordinates, momenta and quantities; frames close enough for the eye; and the
// beginning as it is for spectra. Its size does not grow with the length of the run.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/store/thinned.hpp>

#include <span>
#include <vector>

namespace taut {

struct RecordedFrames {
  std::vector<double> times;
  std::vector<std::vector<double>> q, p;  // one for each time; only the beginning of long vectors
  std::vector<std::vector<double>> more;  // the quantities that are kept
  std::vector<Reading> readings;
  bool whole = true;  // they reach the end of the run
};

class RunRecord {
 public:
  RunRecord();
  // Adds samples at even intervals of time, the start first. One more at the end may come early.
  // `more` holds the quantities of the sample, as many each time.
  void add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
           std::span<const double> more = {});

  SeriesPoints energy_error() const { return energy_.points(); }  // H - H₀
  SeriesPoints position() const { return position_.points(); }
  SeriesPoints momentum() const { return momentum_.points(); }
  const RecordedFrames& frames() const { return frames_; }
  // How many of q, of p and of the quantities are kept over time; columns stand in this order.
  static constexpr std::size_t most_state_columns = 12, most_more_columns = 24;
  std::size_t state_columns() const { return state_columns_; }
  std::size_t more_columns() const { return columns_.size() - 2 * state_columns_; }
  SeriesPoints column(std::size_t k) const { return columns_[k].points(); }
  double energy() const { return first_.energy; }
  std::size_t samples() const { return samples_; }

  // The first values of H - H₀ and of the first coordinate, and the time between them.
  struct Beginning {
    std::vector<double> energy_error, coordinate;
    double spacing = 0;
  };
  const Beginning& beginning() const { return beginning_; }

  // Carries the record to bytes and back, for a system with this many coordinates, after its first sample.
  // Throws InputError if the bytes are not of such a record, or, at the end, if `c` is not complete.
  void carry(Carry& c, std::size_t coordinates);

 private:
  bool due() const { return samples_ % stride_ == 0; }
  void keep(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
            std::span<const double> more);
  void add_columns(double time, std::span<const double> q, std::span<const double> p,
                   std::span<const double> more);
  void carry_columns(Carry& c);
  bool smooth_with_half() const;
  void carry_frames(Carry& c, std::size_t coordinates);
  bool makes_sense() const;

  Thinning energy_, position_, momentum_;
  std::vector<Thinning> columns_;  // q, p, quantities
  std::size_t state_columns_ = 0;
  RecordedFrames frames_;
  Beginning beginning_;
  Reading first_ = {};
  std::size_t samples_ = 0, stride_ = 1, most_frames_ = 0;
  bool keeping_ = true;
};

}  // namespace taut
