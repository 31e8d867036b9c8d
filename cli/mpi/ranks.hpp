// The ranks of an MPI job as a workforce. Rank 0 hands out units and makes some itself; the others make units
// and write them into the folder. Messages hold numbers only: results go through the file system.
#pragma once

#include "ensemble_work.hpp"

namespace taut::cli {

// Begins and ends MPI. A job that has lost a rank cannot end as others do: MPI_Finalize would wait for that
// rank, sometimes forever. It ends by force when all its results are written.
class MpiJob {
 public:
  MpiJob(int* argc, char*** argv);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  void has_lost_a_rank() { is_whole_ = false; }
  int end_with(int status) const;

 private:
  int rank_ = 0, ranks_ = 1;
  bool is_whole_ = true;
};

// What rank 0 does. If the others have had nothing to do when it ends, they are sent home.
class RankZero {
 public:
  explicit RankZero(MpiJob& job) : job_(job) {}
  ~RankZero();
  RankZero(const RankZero&) = delete;
  RankZero& operator=(const RankZero&) = delete;

  Workforce workforce();

 private:
  EnsembleProgress work(const EnsembleWork& work);

  MpiJob& job_;
  bool called_ = false;  // the others have been told what to do
};

// What every other rank does: it waits for rank 0 to say what, and works until there is nothing left.
void serve_as_rank(const MpiJob& job);

}  // namespace taut::cli
