#include "ranks.hpp"

#include <taut/contract/request.hpp>
#include <taut/ensemble/stored_ensemble.hpp>
#include <taut/run/signals.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "board.hpp"

namespace taut::cli {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;

// A rank says every second that it lives, also while it reads the model or compiles a step. One that was
// silent for so long is dead, or cut off.
constexpr std::chrono::milliseconds between_signs_of_life(1000);
constexpr duration<double> longest_silence(20);
constexpr std::chrono::microseconds between_looks(500);

enum Tag : int { to_rank_0 = 1, to_rank = 2, to_rank_0_text = 3 };

// All that a rank says to rank 0.
struct Report {
  enum Kind : std::int64_t { asks, wrote, lives, leaves, refuses, fails } kind = asks;
  std::int64_t unit = -1;  // the one it wrote
  std::int64_t steps = 0, ended = 0, failed = 0;
  double busy = 0;
};

// What rank 0 tells the others at first. The path comes after it.
struct Call {
  std::int64_t has_work = 0, path_length = 0;
  std::int64_t threads = 0, lanes = 0;
  std::array<char, 64> digest = {};
};

Report report_of(Report::Kind kind, const EnsembleProgress& now) {
  return {.kind = kind, .steps = now.steps, .ended = now.ended, .failed = now.failed, .busy = now.busy};
}

void send(const void* data, std::size_t bytes, int rank, Tag tag) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

// Looks for a message, and does not wait for one.
std::optional<MPI_Status> incoming(int rank, Tag tag) {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(rank, tag, MPI_COMM_WORLD, &is_there, &status);
  return is_there != 0 ? std::optional(status) : std::nullopt;
}

void receive(void* data, std::size_t bytes, int rank, Tag tag) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void receive_text(std::string& text, int rank) {
  MPI_Status status;
  MPI_Probe(rank, to_rank_0_text, MPI_COMM_WORLD, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  text.resize(static_cast<std::size_t>(bytes));
  receive(text.data(), text.size(), rank, to_rank_0_text);
}

std::string host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

// The line of a rank to rank 0. The threads of the rank speak in turn.
class Line {
 public:
  void say(const Report& report) {
    const std::lock_guard lock(mutex_);
    send(&report, sizeof report, 0, to_rank_0);
  }
  void say_why(Report::Kind kind, const std::string& why) {
    const Report report{.kind = kind};
    const std::lock_guard lock(mutex_);
    send(&report, sizeof report, 0, to_rank_0);
    const std::string text = fmt::format("rank {} on {}: {}", rank_, host(), why);
    send(text.data(), text.size(), 0, to_rank_0_text);
  }
  // The unit that rank 0 hands out, if its answer is there.
  std::optional<std::int64_t> answer() {
    const std::lock_guard lock(mutex_);
    if (!incoming(0, to_rank)) return std::nullopt;
    std::int64_t unit = -1;
    receive(&unit, sizeof unit, 0, to_rank);
    return unit;
  }

  explicit Line(int rank) : rank_(rank) {}

 private:
  int rank_;
  std::mutex mutex_;
};

// Tells rank 0 every second, from the first moment on, that this rank lives and how far it is.
class SignsOfLife {
 public:
  explicit SignsOfLife(Line& line)
      : line_(line), thread_([this](const std::stop_token& end) { keep_saying(end); }) {}

  void progress(const EnsembleProgress& now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

 private:
  void keep_saying(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      line_.say(report_of(Report::lives, now_));
      wake_.wait_for(lock, end, between_signs_of_life, [] { return false; });
    }
  }

  Line& line_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  EnsembleProgress now_;
  std::jthread thread_;  // the last member: it uses the others
};

// The observer of a rank that is not rank 0.
class RankObserver final : public EnsembleObserver {
 public:
  RankObserver(const EnsembleFolder& folder, Line& line, SignsOfLife& signs)
      : folder_(folder), line_(line), signs_(signs) {}

  std::optional<std::int64_t> next_unit() override {
    line_.say({.kind = Report::asks});
    while (true) {
      if (const std::optional<std::int64_t> unit = line_.answer()) return *unit >= 0 ? unit : std::nullopt;
      std::this_thread::sleep_for(between_looks);
    }
  }
  void take(const Unit& unit) override {
    folder_.write(unit);
    line_.say({.kind = Report::wrote, .unit = unit.index});
  }
  void progress(const EnsembleProgress& now) override { signs_.progress(now); }
  bool wants_to_stop() override { return StopSignals::caught() != 0; }

 private:
  const EnsembleFolder& folder_;
  Line& line_;
  SignsOfLife& signs_;
};

// Opens the folder that rank 0 has opened. Throws InputError if it is not there, or another one.
EnsembleFolder same_folder(const std::string& path, const std::string& digest) {
  try {
    EnsembleFolder folder = EnsembleFolder::open(path);
    if (folder.digest() != digest) throw InputError("it holds another ensemble there");
    return folder;
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("it does not see the folder of rank 0, {}: {}\n  All ranks write into one folder: "
                    "choose one on a file system that all nodes have, or make parts with `taut ensemble "
                    "--part K/M` and join them with `taut merge`.",
                    path, error.what()));
  }
}

// The share of rank 0 in the work itself.
class OwnShare final : public EnsembleObserver {
 public:
  OwnShare(Board& board, EnsembleObserver& terminal) : board_(board), terminal_(terminal) {}
  std::optional<std::int64_t> next_unit() override { return board_.next(0); }
  void take(const Unit& unit) override {
    terminal_.take(unit);
    board_.wrote(0, unit.index);
  }
  void progress(const EnsembleProgress& now) override { report(now); }
  bool wants_to_stop() override { return terminal_.wants_to_stop(); }

  // The numbers of a second round are added to those of the first.
  void report(const EnsembleProgress& now) {
    EnsembleProgress all = now;
    all.steps += before_.steps;
    all.ended += before_.ended;
    all.failed += before_.failed;
    board_.reports(0, all);
    last_ = all;
  }
  void begin_round() { before_ = last_; }

 private:
  Board& board_;
  EnsembleObserver& terminal_;
  EnsembleProgress before_, last_;
};

// Answers the other ranks.
class Desk {
 public:
  Desk(const MpiJob& job, Board& board)
      : board_(board),
        heard_(static_cast<std::size_t>(job.ranks()), Clock::now()),
        is_gone_(heard_.size(), false) {
    is_gone_[0] = true;
  }

  // Deals with all messages that are there. Returns whether there was one.
  bool serve() {
    bool any = false;
    while (const auto status = incoming(MPI_ANY_SOURCE, to_rank_0)) {
      Report report;
      receive(&report, sizeof report, status->MPI_SOURCE, to_rank_0);
      ++messages_;
      bytes_ += static_cast<std::int64_t>(sizeof report);
      hear(status->MPI_SOURCE, report);
      any = true;
    }
    return any;
  }

  // Counts ranks as lost that have been silent for too long.
  void look_for_the_dead() {
    const auto now = Clock::now();
    for (std::size_t k = 1; k < heard_.size(); ++k) {
      if (is_gone_[k] || now - heard_[k] < longest_silence) continue;
      const std::size_t units = board_.leaves(static_cast<int>(k));
      is_gone_[k] = has_lost_a_rank_ = true;
      fmt::print(
          stderr,
          "taut-mpi: rank {} has said nothing for {:.0f} s and counts as lost; {} that it had in hand {} "
          "made again.\n",
          k, duration<double>(now - heard_[k]).count(), counted(units, "unit"), units == 1 ? "is" : "are");
    }
  }

  bool all_gone() const {
    return std::all_of(is_gone_.begin(), is_gone_.end(), [](bool is_gone) { return is_gone; });
  }
  bool has_lost_a_rank() const { return has_lost_a_rank_; }
  const std::string& refusal() const { return refusal_; }
  std::int64_t messages() const { return messages_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  static std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  }

  void hear(int rank, const Report& report) {
    const auto k = static_cast<std::size_t>(rank);
    heard_[k] = Clock::now();
    // A rank that was given up and is heard again works on: two that write one unit write the same bits.
    if (report.kind == Report::asks) is_gone_[k] = false;
    switch (report.kind) {
      case Report::asks: {
        const std::int64_t unit = board_.next(rank).value_or(-1);
        send(&unit, sizeof unit, rank, to_rank);
        ++messages_;
        bytes_ += static_cast<std::int64_t>(sizeof unit);
        break;
      }
      case Report::wrote:
        board_.wrote(rank, report.unit);
        break;
      case Report::lives:
        board_.reports(rank, progress_in(report));
        break;
      case Report::leaves:
        board_.reports(rank, progress_in(report));
        board_.leaves(rank);
        is_gone_[k] = true;
        break;
      case Report::refuses:
      case Report::fails:
        end_of(rank, report.kind);
        break;
    }
  }

  // A rank that refuses ends the job; one that failed on the way does not.
  void end_of(int rank, Report::Kind kind) {
    std::string why;
    receive_text(why, rank);
    ++messages_;
    bytes_ += static_cast<std::int64_t>(why.size());
    const std::size_t units = board_.leaves(rank);
    is_gone_[static_cast<std::size_t>(rank)] = true;
    if (kind == Report::refuses) {
      board_.close();
      if (refusal_.empty()) refusal_ = why;
    } else {
      fmt::print(stderr, "taut-mpi: {}\n  {} that it had in hand {} made again.\n", harmless_lines(why),
                 counted(units, "unit"), units == 1 ? "is" : "are");
    }
  }

  static EnsembleProgress progress_in(const Report& report) {
    EnsembleProgress now;
    now.steps = report.steps;
    now.ended = report.ended;
    now.failed = report.failed;
    now.busy = report.busy;
    return now;
  }

  Board& board_;
  std::vector<Clock::time_point> heard_;
  std::vector<bool> is_gone_;
  bool has_lost_a_rank_ = false;
  std::string refusal_;
  std::int64_t messages_ = 0, bytes_ = 0;
};

// Gives the units that other ranks wrote to whoever makes the summary. A file system of several machines may
// take a while to show a file.
void count_written(const EnsembleWork& work, const std::vector<std::int64_t>& units,
                   const std::function<void(const Unit&)>& count) {
  constexpr std::chrono::seconds longest_wait(30);
  const auto until = Clock::now() + longest_wait;
  for (const std::int64_t unit : units) {
    FoundUnit found = work.folder->read(unit);
    while (!found.unit && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      found = work.folder->read(unit);
    }
    if (!found.unit)
      throw InputError(fmt::format(
          "another rank has written {}, which rank 0 does not find in {}.\n  All ranks write into one "
          "folder: choose one on a file system that all nodes have.",
          EnsembleFolder::unit_path(unit), work.folder->folder().path()));
    count(*found.unit);
  }
}

void call(const EnsembleWork* work) {
  Call call;
  std::string path;
  if (work != nullptr) {
    path = work->folder->folder().path_now();
    call.has_work = 1;
    call.path_length = static_cast<std::int64_t>(path.size());
    call.threads = work->layout.threads;
    call.lanes = work->layout.lanes;
    std::copy_n(work->folder->digest().data(), call.digest.size(), call.digest.data());
  }
  MPI_Bcast(&call, sizeof call, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (work != nullptr) MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
}

}  // namespace

MpiJob::MpiJob(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  if (provided >= MPI_THREAD_SERIALIZED) return;
  std::fputs("taut-mpi: this MPI does not allow calls from several threads in turn.\n", stderr);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

MpiJob::~MpiJob() { MPI_Finalize(); }

int MpiJob::end_with(int status) const {
  if (is_whole_) return status;
  std::fputs("taut-mpi: a rank was lost, so that the job ends with MPI_Abort; its results are written.\n",
             stderr);
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, status);
  return status;
}

RankZero::~RankZero() {
  if (!called_) call(nullptr);
}

Workforce RankZero::workforce() {
  return {.work = [this](const EnsembleWork& asked) { return work(asked); },
          .processes = job_.ranks(),
          .threads = 1};
}

EnsembleProgress RankZero::work(const EnsembleWork& work) {
  if (work.folder == nullptr)
    throw InputError(
        "the ranks write their units into one folder: add --out DIR, on a file system that all "
        "nodes have.");
  call(&work);
  called_ = true;
  Board board(work.observer);
  Desk desk(job_, board);
  OwnShare own(board, work.observer);
  std::exception_ptr thrown;
  // A second round is needed if a rank is lost when the others have already been sent home.
  do {
    own.begin_round();
    std::atomic<bool> own_is_done = false;
    const std::jthread share([&] {
      try {
        own.report(run_ensemble(work.ensemble, work.layout.threads, own));
      } catch (...) {
        thrown = std::current_exception();
        board.close();
      }
      own_is_done = true;
    });
    auto shown = Clock::now();
    while (!own_is_done || !desk.all_gone()) {
      if (!desk.serve()) std::this_thread::sleep_for(between_looks);
      if (work.observer.wants_to_stop()) board.close();
      if (Clock::now() - shown < std::chrono::milliseconds(100)) continue;
      shown = Clock::now();
      desk.look_for_the_dead();
      work.observer.progress(board.progress());
    }
  } while (board.has_units_left());
  if (desk.has_lost_a_rank()) job_.has_lost_a_rank();
  if (thrown) std::rethrow_exception(thrown);
  if (!desk.refusal().empty()) throw InputError(desk.refusal());
  count_written(work, board.written(), [&](const Unit& unit) { work.count(unit); });
  EnsembleProgress done = board.progress();
  done.messages = desk.messages();
  done.message_bytes = desk.bytes();
  return done;
}

void serve_as_rank(const MpiJob& job) {
  Call call;
  MPI_Bcast(&call, sizeof call, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (call.has_work == 0) return;
  std::string path(static_cast<std::size_t>(call.path_length), ' ');
  MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  const StopSignals signals;
  Line line(job.rank());
  SignsOfLife signs(line);
  bool has_begun = false;
  try {
    const EnsembleFolder folder = same_folder(path, {call.digest.data(), call.digest.size()});
    const Ensemble ensemble = ensemble_in(folder, static_cast<int>(call.lanes));
    RankObserver observer(folder, line, signs);
    has_begun = true;
    const EnsembleProgress done = run_ensemble(ensemble, static_cast<int>(call.threads), observer);
    line.say(report_of(Report::leaves, done));
  } catch (const std::exception& error) {
    line.say_why(has_begun ? Report::fails : Report::refuses, error.what());
  }
}

}  // namespace taut::cli
