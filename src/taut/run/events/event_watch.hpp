// Watches a run for events. A formula that changes its sign in a step is followed by steps of length θh of
// the same method from the last mesh point, until θ is known to rounding. Labels: docs/theory/events.md.
#pragma once

#include <taut/contract/summary.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/run/events/event_formulas.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct Model;

// Returns how many steps lead to this time: a whole number if it is one of the mesh up to rounding.
double place_of_time(double time, double step);

class EventWatch {
 public:
  // Makes a machine of the run's method at a state.
  using Probe = std::function<std::unique_ptr<Machine>(const PlainState&)>;
  EventWatch(const Model& model, const Mechanism& mechanism, Probe probe, double step);

  // Begins at the machine's mesh point, after so many steps.
  void begin(const Machine& machine, std::int64_t steps);
  // Looks at the step that the machine has made. An event that reflects moves the machine, one that stops
  // ends the run; a step of length θh that fails is a failure of the tally. Returns false if the run ends
  // here.
  bool look(Machine& machine, Tally& tally);

  const std::string& stopped_by() const { return stopped_by_; }
  double stopped_at() const { return stopped_at_; }
  Machine* stopped() const { return end_.get(); }  // at the event that ended the run; null if none did
  std::unique_ptr<Machine> take_stopped() { return std::move(end_); }
  const std::string& trouble() const { return trouble_; }  // why the run ends, if no step failed
  // Says which formula turns faster than the steps can see, or has lost its value; nothing if none did.
  std::vector<std::string> may_have_missed() const;
  std::vector<EventRecord> events() const { return named(records_, false); }
  std::vector<EventRecord> at() const { return named(records_, true); }

  // What the watch knew at a mesh point: to go back there costs no copy of what was recorded before.
  struct Mark {
    std::int64_t steps = 0, fast_turns = 0, without_value = 0;
    std::vector<double> s, s_before;
    std::vector<bool> fresh;
    std::size_t records = 0;
  };
  Mark mark() const { return {steps_, fast_turns_, without_value_, s_, s_before_, fresh_, records_.size()}; }
  // Goes back to a mark. The machine is there again.
  void go_back(const Mark& mark, const Machine& machine);

  // All of it as bytes, for checkpoints.
  std::string save() const;
  bool restore(const std::string& bytes);

 private:
  struct Record {
    int rule = 0;  // the number of an event; behind them, of a time of `at`
    double time = 0;
    std::vector<double> q, p;
  };
  struct Found {
    int rule = 0;
    double theta = 0;  // a fraction of the leg
  };
  // A part of a step: from x, at the fraction `from` of it, to its end. s has the signs at x.
  struct Leg {
    PlainState x;
    double from = 0;
    std::vector<double> s;
    std::vector<bool> fresh;         // this event was reflected at x: s has the sign of the side it came from
    std::vector<double> noise = {};  // what rounding does to each formula at a reflection; none before one
    std::unique_ptr<Machine> probe = {};  // made when it is first asked
    std::string start = {};               // the probe at x, as bytes
  };
  enum class Ended { no, stop, failed };

  std::vector<EventRecord> named(const std::vector<Record>& records, bool times) const;
  double time_of(double theta) const;  // at this fraction of the whole step
  // Brings the probe of a leg to a fraction of it; null if a step fails there, which is then in the tally.
  Machine* go(Leg& leg, double theta, Tally& tally);
  double value(std::size_t rule, Leg& leg, double theta, Tally& tally);
  std::vector<Found> crossings(Leg& leg, const PlainState& end, const std::vector<double>& s_end,
                               Tally& tally);
  // Counts a step in which a formula turns faster than its values at the ends can tell.
  void see_fast_turns(std::span<const double> q, std::span<const double> p);
  // Counts a step at whose end a formula has no value. Returns false if the run cannot go on without it.
  bool has_values();
  bool turns_near_zero(std::size_t rule, const Leg& leg, const PlainState& end, double s_end) const;
  double root(std::size_t rule, Leg& leg, double a, double s_a, double b, double s_b, Tally& tally);
  double last_value(std::size_t rule, Leg& leg, double& edge, Tally& tally);
  double dip(std::size_t rule, Leg& leg, double s_end, double& s, Tally& tally);
  // Gives formulas that were just reflected, and are zero up to rounding, the sign of their side.
  static void settle(const Leg& leg, std::vector<double>& s);
  double noise_of(std::size_t rule, const PlainState& x, double time) const;
  // Begins a leg anew behind the reflection of a rule.
  void reflect(Leg& leg, std::size_t rule, PlainState mirrored, double theta, double time) const;
  void record(int rule, double time, const Machine& machine);
  Ended follow(Leg leg, PlainState end, std::vector<double>& s_end, Machine& machine, Tally& tally);

  const Mechanism& mechanism_;
  Probe probe_;
  double step_;
  EventFormulas formulas_;
  struct Rule {
    std::string name;
    int direction = 0, action = 0;
  };
  std::vector<Rule> rules_;
  std::vector<double> times_;   // those of `at`, in the order of the run
  std::vector<double> places_;  // the same, counted in steps
  bool reflects_ = false;

  std::int64_t steps_ = 0;  // before the step that is looked at
  PlainState before_;
  std::vector<double> s_, s_before_, s_now_;  // at the mesh points: the last but one, the one before, now
  std::vector<bool> fresh_;  // this event was reflected at the last mesh point, up to rounding
  std::vector<Record> records_;
  std::int64_t fast_turns_ = 0;      // steps, of those that were looked at
  std::int32_t fast_rule_ = 0;       // the event of the first of them
  double fast_time_ = 0;             // where it begins
  std::int64_t without_value_ = 0;   // steps at whose end a formula that had a value has none
  std::int32_t valueless_rule_ = 0;  // the event of the first of them
  double valueless_time_ = 0;        // where it begins
  std::string stopped_by_, trouble_;
  double stopped_at_ = 0;
  std::unique_ptr<Machine> end_;
};

}  // namespace taut
