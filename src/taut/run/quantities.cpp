#include <taut/run/quantities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace taut {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// A system without constraints has no forces of constraints: they are 0. They are unknown if there is no
// multiplier.
std::vector<double> Quantities::constraint_force(const Machine& machine) const {
  std::vector<double> force;
  if (constraints_ > 0) force = machine.constraint_force();
  force.resize(machine.q().size(), constraints_ > 0 ? unknown : 0.0);
  return force;
}

bool Quantities::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::vector<std::string> Quantities::columns(const std::vector<std::string>& coordinates) const {
  std::vector<std::string> columns;
  if (has("energies")) columns = {"kinetic_energy", "potential_energy"};
  if (has("iterations")) columns.emplace_back("iterations");
  if (local_error_) columns.emplace_back("local_error");
  if (step_size_) columns.emplace_back("step_size");
  if (has("multipliers")) add_multiplier_names(columns);
  if (has("forces"))
    for (const std::string& q : coordinates) columns.push_back("f_" + q);
  if (has("virial")) add_tensor_names("virial", columns);
  if (has("potentials"))
    for (const std::string& name : potentials_->names()) columns.push_back("V_" + name);
  if (has("virial_potentials")) add_tensor_names("virial_V", columns);
  if (has("pressure")) columns.emplace_back("pressure");
  if (has("temperature")) columns.emplace_back("temperature");
  if (formulas_) columns.insert(columns.end(), formulas_->names().begin(), formulas_->names().end());
  return columns;
}

void Quantities::add_tensor_names(const std::string& name, std::vector<std::string>& to) const {
  to.push_back(name);
  for (int a = 0; a < dimension_; ++a)
    for (int b = 0; b < dimension_; ++b) to.push_back(fmt::format("{}_{}{}", name, "xyz"[a], "xyz"[b]));
}

// Adds Σ q·f, and for particles the tensor Σ x_a f_b over them.
void Quantities::add_virial(std::span<const double> q, std::span<const double> force,
                            std::vector<double>& to) const {
  const auto d = static_cast<std::size_t>(dimension_);
  const auto sum = [&](std::size_t a, std::size_t b, std::size_t stride) {
    double total = 0;
    for (std::size_t i = 0; i + stride <= q.size(); i += stride) total += q[i + a] * force[i + b];
    return total;
  };
  to.push_back(sum(0, 0, 1));
  for (std::size_t a = 0; a < d; ++a)
    for (std::size_t b = 0; b < d; ++b) to.push_back(sum(a, b, d));
}

std::vector<double> Quantities::measure(Machine& machine, const Tally& tally, double time) const {
  std::vector<double> all;
  if (names_.empty() && !watch_multipliers_ && !local_error_ && !step_size_ && !formulas_) return all;
  if (has("energies")) {
    const double kinetic = machine.kinetic_energy();
    all = {kinetic, tally.now.energy - kinetic};
  }
  if (has("iterations")) all.push_back(static_cast<double>(tally.iterations));
  if (local_error_) all.push_back(tally.local_error);
  if (step_size_) {
    const VariableSteps* const steps = machine.variable_steps();
    all.push_back(steps != nullptr && tally.steps > 0 ? steps->sizes().last : unknown);
  }
  if (has("multipliers")) add_multipliers(machine, all);
  if (has("forces") || has("virial")) add_forces(machine, all);
  if (has("potentials") || has("virial_potentials") || has("pressure")) add_potentials(machine, all);
  // kT, by the kinetic energy that each of the directions in which the constraints let particles move has.
  if (has("temperature"))
    all.push_back(2 * machine.kinetic_energy() /
                  static_cast<double>(static_cast<int>(machine.q().size()) - constraints_));
  if (formulas_) add_formulas(machine, time, all);
  if (watch_multipliers_) add_multipliers(machine, all);
  return all;
}

void Quantities::add_formulas(const Machine& machine, double time, std::vector<double>& to) const {
  std::vector<double> lambda;
  if (formulas_->use_multipliers()) lambda = machine.multiplier();
  formulas_->add(machine.q(), machine.p(), lambda, time, to);
}

std::vector<std::pair<std::string, double>> Quantities::formulas_at(const Machine& machine,
                                                                    double time) const {
  std::vector<std::pair<std::string, double>> all;
  if (!formulas_) return all;
  std::vector<double> values;
  add_formulas(machine, time, values);
  for (std::size_t k = 0; k < values.size(); ++k) all.emplace_back(formulas_->names()[k], values[k]);
  return all;
}

std::optional<WideState> Quantities::wide(const Machine& machine, std::int64_t steps) const {
  std::optional<WideState> x = machine.wide(steps);
  if (x && formulas_) x->quantities = formulas_->at(*x);
  return x;
}

Quantities Quantities::watching_multipliers() const {
  constexpr int most = 24;  // so many can be looked at
  Quantities watching = *this;
  watching.watch_multipliers_ = !has("multipliers") && constraints_ > 0 && constraints_ <= most;
  return watching;
}

std::vector<std::string> Quantities::watched(const std::vector<std::string>& coordinates) const {
  std::vector<std::string> names = columns(coordinates);
  if (watch_multipliers_) add_multiplier_names(names);
  return names;
}

void Quantities::add_multiplier_names(std::vector<std::string>& to) const {
  for (int k = 1; k <= constraints_; ++k) to.push_back(fmt::format("lambda_{}", k));
}

void Quantities::add_multipliers(const Machine& machine, std::vector<double>& to) const {
  std::vector<double> lambda = machine.multiplier();
  lambda.resize(static_cast<std::size_t>(constraints_), unknown);
  to.insert(to.end(), lambda.begin(), lambda.end());
}

void Quantities::add_forces(const Machine& machine, std::vector<double>& to) const {
  const std::vector<double> force = constraint_force(machine);
  if (has("forces")) to.insert(to.end(), force.begin(), force.end());
  if (has("virial")) add_virial(machine.q(), force, to);
}

void Quantities::add_potentials(const Machine& machine, std::vector<double>& to) const {
  const ParticlePotentials::Sample sample = potentials_->at(machine.q());
  if (has("potentials")) to.insert(to.end(), sample.energy.begin(), sample.energy.end());
  const double trace = sample.virial[0] + sample.virial[4] + sample.virial[8];
  if (has("virial_potentials")) {
    to.push_back(trace);
    for (int a = 0; a < dimension_; ++a)
      for (int b = 0; b < dimension_; ++b) to.push_back(sample.virial[3 * a + b]);
  }
  if (!has("pressure")) return;
  std::vector<double> of_constraints;
  add_virial(machine.q(), constraint_force(machine), of_constraints);
  to.push_back((2 * machine.kinetic_energy() + of_constraints.front() + trace) /
               (dimension_ * potentials_->volume()));
}

}  // namespace taut
