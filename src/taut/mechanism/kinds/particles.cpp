// Systems of particles: the methods of the natural tier and lobatto(s). Inside, coordinates lie component by
// component; outside, particle by particle.
#include <taut/contract/request.hpp>
#include <taut/formulation/condition.hpp>
#include <taut/formulation/dependent.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/formulation/rod_constraint_solver.hpp>
#include <taut/mechanism/evaluate.hpp>
#include <taut/mechanism/kinds/driven_machine.hpp>
#include <taut/mechanism/kinds/thermostat_machine.hpp>
#include <taut/mechanism/machine_of.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/sparse_midpoint.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/solve/decompositions.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace taut {

namespace {

using Problem = ParticleProblem<double>;
using Vec = Problem::Vec;

template <class Method, class... Listed>
inline constexpr bool is_one_of = (std::is_same_v<Method, Listed> || ...);

template <class Method>
inline constexpr bool offered =
    is_one_of<Method, Shake, ShakeTwoStep, ShakeVelocity, Rattle, Projected<SymplecticEuler>,
              Projected<Verlet>, Composition<Rattle>, Composition<Projected<SymplecticEuler>>, Lobatto<>,
              ComposedSteps<Lobatto<>>, SymmetricMultistep>;

// These are offered if the potential comes in two parts.
template <class Method>
inline constexpr bool needs_split =
    is_one_of<Method, Projected<Impulse>, Composition<Projected<Impulse>>, Projected<MixedMidpoint>,
              Composition<Projected<MixedMidpoint>>>;

// Turns vectors that lie particle by particle into vectors that lie component by component, and back.
struct Layout {
  int dimension, count;

  Vec inside(const Vec& x) const {
    Vec y(x.size());
    each([&](int in, int out) { y[in] = x[out]; });
    return y;
  }
  template <class X, class Y>
  void outside(const X& x, Y& y) const {
    each([&](int in, int out) { y[out] = x[in]; });
  }
  Vec outside(const Vec& x) const {
    Vec y(x.size());
    outside(x, y);
    return y;
  }

 private:
  template <class F>
  void each(F&& f) const {
    for (int a = 0; a < dimension; ++a)
      for (int i = 0; i < count; ++i) f(a * count + i, i * dimension + a);
  }
};

class ParticleMachine : public Machine {
 public:
  ParticleMachine(std::unique_ptr<Machine> inner, const Layout& layout)
      : inner_(std::move(inner)), layout_(layout), q_(inner_->q().size()), p_(q_.size()) {}

  void advance(double h, std::int64_t count, Tally& tally) override { inner_->advance(h, count, tally); }
  std::span<const double> q() const override {
    layout_.outside(inner_->q(), q_);
    return q_;
  }
  std::span<const double> p() const override {
    layout_.outside(inner_->p(), p_);
    return p_;
  }
  Reading read() override { return inner_->read(); }
  std::vector<double> multiplier() const override { return inner_->multiplier(); }
  std::vector<double> constraint_force() const override {
    const std::vector<double> inside = inner_->constraint_force();
    std::vector<double> outside(inside.size());
    if (!inside.empty()) layout_.outside(inside, outside);
    return outside;
  }
  double kinetic_energy() const override { return inner_->kinetic_energy(); }
  bool watch_local_error() override { return inner_->watch_local_error(); }
  std::vector<double> last_multiplier(double h) const override { return inner_->last_multiplier(h); }
  ProjectionCount projections() const override { return inner_->projections(); }
  void advance_by_halves(double h, Tally& tally) override { inner_->advance_by_halves(h, tally); }
  std::string save() override { return inner_->save(); }
  bool restore(std::string_view bytes) override { return inner_->restore(bytes); }

 private:
  std::unique_ptr<Machine> inner_;
  Layout layout_;
  mutable std::vector<double> q_, p_;
};

// The same, whose inner machine adds up the work.
class DrivenParticles final : public ParticleMachine, public AddsWork {
 public:
  DrivenParticles(std::unique_ptr<Machine> inner, const AddsWork& adds, const Layout& layout)
      : ParticleMachine(std::move(inner), layout), adds_(adds) {}
  double work() const override { return adds_.work(); }

 private:
  const AddsWork& adds_;  // the inner machine
};

class ParticleMechanism final : public Mechanism {
 public:
  ParticleMechanism(const std::shared_ptr<const ParticleModel>& model, bool least_squares)
      : model_(model), problem_(model, least_squares), layout_{model->dimension, model->count} {}

  int coordinates() const override { return problem_.coordinates(); }
  int constraints() const override { return problem_.constraints(); }
  Tier tier() const override { return problem_.split() ? Tier::split : Tier::natural; }
  bool of_particles() const override { return true; }
  bool forced() const override { return model_->driving.has_value(); }
  std::string constraint_name(int k) const override { return problem_.constraint_name(k); }
  PlainState start() const override { return outside(problem_.start()); }

  bool fits(const std::string& method) const override { return static_cast<bool>(binding(method)); }
  std::vector<std::string> fitting() const override {
    std::vector<std::string> names;
    for_each_method([&](const auto& m) {
      if (offers<std::remove_cvref_t<decltype(m)>>()) names.push_back(label(facts_of(m)));
    });
    return names;
  }
  std::optional<std::string> refusal(const OdeChoice& ode, const PlainState&) const override {
    return "systems of particles are not offered in the formulation " + ode.formulation +
           ", nor the methods that integrate one. Use rattle, lobatto(s) or a composition such as yoshida4.";
  }

  StartCheck check(const PlainState& x) const override { return check_start(problem_, inside(x)); }
  Expected<Move> project(PlainState& x) const override {
    StateOf<Problem> moved = inside(x);
    const auto move = project_start(problem_, moved);
    if (move) x = outside(moved);
    return move;
  }
  bool evaluate(Evaluated what, const StatesToEvaluate& x, double* out) const override {
    const auto place = [this](int j) { return j % layout_.count * layout_.dimension + j / layout_.count; };
    return EvaluationOf(problem_, place).at(what, x, out);
  }
  std::vector<int> dependent(const PlainState& x) const override {
    return dependent_constraints(problem_, inside(x));
  }
  Connection connection(const PlainState& x, int constraint) const override {
    return connection_of(problem_, inside(x), constraint);
  }

  std::unique_ptr<Machine> bind(const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates) const override {
    const Binding bound = binding(choice.method);
    return bound ? bound(start, options, plain_updates) : nullptr;
  }

 private:
  using Binding =
      std::function<std::unique_ptr<Machine>(const PlainState&, const SolveOptions&, bool plain_updates)>;

  // Binds the method of that name; empty if this system is not offered it.
  Binding binding(const std::string& name) const {
    Binding bound;
    with_method(name, [&](const auto& method) {
      using Method = std::remove_cvref_t<decltype(method)>;
      if constexpr (offered<Method> || needs_split<Method>)
        if (offers<Method>())
          bound = [this, method](const PlainState& start, const SolveOptions& options, bool plain_updates) {
            if (model_->thermostat) {
              refuse_beside_thermostat(std::is_same_v<Method, Rattle>, plain_updates);
              return at_temperature(start, options);
            }
            if (model_->driving) {
              refuse_beside_driving(std::is_same_v<Method, Rattle>, plain_updates);
              return driven(start, options);
            }
            return machine(method, start, options, plain_updates);
          };
    });
    return bound;
  }
  static void refuse_beside_thermostat(bool is_rattle, bool plain_updates) {
    if (!is_rattle)
      throw ChoiceError(
          "method",
          "with [thermostat] the steps are those of g-BAOAB, whose drifts are made by rattle. Leave "
          "the method out, or leave the thermostat out.");
    if (plain_updates) throw InputError("--plain-updates does not go with [thermostat]. Leave it out.");
  }
  static void refuse_beside_driving(bool is_rattle, bool plain_updates) {
    if (!is_rattle)
      throw ChoiceError("method",
                        "systems of particles with [[forces]] or [damping] move by rattle between halves of "
                        "these. Leave the method out, or leave the tables out.");
    if (plain_updates)
      throw InputError("--plain-updates does not go with [[forces]] and [damping]. Leave it out.");
  }
  std::unique_ptr<Machine> driven(const PlainState& start, const SolveOptions& options) const {
    auto inner = std::make_unique<DrivenMachine>(model_, problem_,
                                                 CompensatedState<double, dynamic>(inside(start)), options);
    const AddsWork& adds = *inner;
    return std::make_unique<DrivenParticles>(std::move(inner), adds, layout_);
  }
  std::unique_ptr<Machine> at_temperature(const PlainState& start, const SolveOptions& options) const {
    ParticleModel free = *model_;
    free.potentials.clear();
    free.pairs.clear();
    free.make_rows();
    const Problem without_forces(std::make_shared<const ParticleModel>(std::move(free)),
                                 problem_.least_squares());
    return std::make_unique<ParticleMachine>(
        std::make_unique<ThermostatMachine>(problem_, without_forces, *model_->thermostat,
                                            CompensatedState<double, dynamic>(inside(start)), options),
        layout_);
  }
  // Returns null if plain updates are asked of a method that does not offer them.
  template <class Method>
  std::unique_ptr<Machine> machine(const Method& method, const PlainState& start, const SolveOptions& options,
                                   bool plain_updates) const {
    if (!plain_updates)
      return machine_from(method, CompensatedState<double, dynamic>(inside(start)), options);
    if constexpr (std::is_same_v<Method, Rattle>) return machine_from(method, inside(start), options);
    return nullptr;
  }
  template <class Method, class X>
  std::unique_ptr<Machine> machine_from(const Method& method, const X& x, const SolveOptions& options) const {
    return std::make_unique<ParticleMachine>(
        std::make_unique<MachineOf<Problem, X>>(problem_, x, taut::bind(method, problem_, x, options)),
        layout_);
  }
  template <class Method>
  bool offers() const {
    return offered<Method> || (needs_split<Method> && problem_.split());
  }
  StateOf<Problem> inside(const PlainState& x) const {
    return {layout_.inside(as_vector(x.q)), layout_.inside(as_vector(x.p))};
  }
  PlainState outside(const StateOf<Problem>& x) const {
    return plain_state(StateOf<Problem>{layout_.outside(x.q), layout_.outside(x.p)});
  }

  std::shared_ptr<const ParticleModel> model_;
  Problem problem_;
  Layout layout_;
};

}  // namespace

std::unique_ptr<Mechanism> make_mechanism(const std::shared_ptr<const ParticleModel>& particles,
                                          bool least_squares) {
  return std::make_unique<ParticleMechanism>(particles, least_squares);
}

}  // namespace taut
