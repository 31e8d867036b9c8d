#include <taut/version.hpp>

#include <fmt/core.h>

#include "entry.hpp"
#include "ranks.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

constexpr const char* purpose =
    "Computes an ensemble on the ranks of an MPI job; one folder, seen by all of them, holds the results.";

void add_mpi_resume(Program& program, const Workforce& workforce) {
  struct Flags {
    std::string folder;
    Layout layout;
    EnsembleWanted wanted;
  };
  const auto flags = std::make_shared<Flags>();
  Option folder = required(place("DIR", flags->folder, "the --out of the ensemble"));
  folder.files = Option::Files::folders;
  Command command{.name = "resume",
                  .what = "Make what an ensemble's folder lacks, to the same bits",
                  .examples = "  mpirun -n 8 taut-mpi resume out/pendulums\n",
                  .options = {folder, threads_option(flags->layout.threads, "of each rank; default 1"),
                              lanes_option(flags->layout.lanes)},
                  .action = [flags, workforce] {
                    return resume_ensemble(flags->folder, flags->layout, flags->wanted, workforce);
                  }};
  add_reductions(command, flags->wanted);
  program.add(std::move(command));
}

int run_rank_zero(MpiJob& job, int argc, char** argv) {
  RankZero zero(job);
  Program program{.name = "taut-mpi", .what = purpose, .version = fmt::format("taut-mpi {}", version)};
  add_ensemble(program, zero.workforce());
  add_mpi_resume(program, zero.workforce());
  return carry_out_words(program, argc, argv);
}

}  // namespace

}  // namespace taut::cli

int main(int argc, char** argv) {
  taut::cli::MpiJob job(&argc, &argv);
  if (job.rank() == 0) return job.end_with(taut::cli::run_rank_zero(job, argc, argv));
  taut::cli::serve_as_rank(job);
  return 0;
}
