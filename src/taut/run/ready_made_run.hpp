// A ready-made problem with its type hidden: what the command line holds.
#pragma once

#include <taut/run/request.hpp>
#include <taut/run/summary.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct NamedValue {
  std::string name;
  double value = 0;
};

// What a run tells while it goes. q and p are those of the mesh point.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void sample(double time, std::span<const double> q, std::span<const double> p,
                      const Reading& reading) = 0;
  virtual void progress(std::int64_t done, std::int64_t wanted) = 0;  // some ten times a second
};

class ReadyMadeRun {
 public:
  std::string name, description;

  virtual ~ReadyMadeRun() = default;
  virtual int coordinates() const = 0;
  virtual int constraints() const = 0;
  virtual std::string_view tier() const = 0;  // of methods.hpp: the most it offers
  virtual std::string default_method() const = 0;
  virtual double default_step() const = 0;
  virtual std::vector<NamedValue> parameters() const = 0;
  // Throws InputError when the request makes no sense; a failure on the way is in the summary. `last_good` says, for the failure
  // sentence, where the reader will find the last good state.
  virtual RunSummary run(const RunRequest& request, RunObserver& observer,
                         std::string_view last_good) const = 0;

  static constexpr std::int64_t default_steps = 10000;
};

// All of them, in the order of problem/ready_made.hpp.
const std::vector<std::unique_ptr<ReadyMadeRun>>& ready_made_runs();

// The one of that name; InputError with the nearest name and the list otherwise.
const ReadyMadeRun& find_ready_made(std::string_view name);

// Step, number of steps and interval between samples, checked. InputError where they make no sense.
struct Schedule {
  double step = 0;
  std::int64_t steps = 0, every = 1;
};
Schedule schedule_of(const RunRequest& request, double default_step);

}  // namespace taut
